/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of a model on its training data and on the second data set of --test. */
#include <math.h>
#include <stdio.h>

#include "commands.h"

static void say_score(const cli_invocation *invocation, const char *name, const fathom_score *score)
{
    if (!isnan(score->accuracy))
        cli_say(invocation, "%-12s accuracy %.6g", name, score->accuracy);
    if (!isnan(score->r2))
        cli_say(invocation, "%-12s r2 %s, mse %s", name, cli_near(score->r2, 6).text,
                cli_near(score->mse, 6).text);
}

static fathom_status tell_score(cli_invocation *invocation, const char *key, const char *name,
                                const fathom_score *score)
{
    FATHOM_TRY(cli_set_score(invocation, key, score));
    say_score(invocation, name, score);
    return FATHOM_OK;
}

/* The limit came before the score: the model stands. */
static fathom_status leave_out(cli_invocation *invocation, const char *name)
{
    const fathom_error *error = fathom_context_error(invocation->context);
    cli_progress_end();
    cli_error_begin();
    fprintf(stderr, "no score of the %s set: ", name);
    cli_print(stderr, error->file ? error->file : "");
    fprintf(stderr, "%s", error->file ? ": " : "");
    cli_print(stderr, error->text);
    putc('\n', stderr);
    invocation->cut = true;
    return FATHOM_OK;
}

fathom_status cli_score_on(cli_invocation *invocation, const fathom_model *model, const fathom_data *data,
                           const char *key, const char *name)
{
    fathom_score score;
    const fathom_status status = fathom_job_score(&score, model, data);
    if (status == FATHOM_ERROR_STOPPED)
        return leave_out(invocation, name);
    FATHOM_TRY(status);
    return tell_score(invocation, key, name, &score);
}

fathom_status cli_score_test(cli_invocation *invocation, const char *key, const fathom_model *model,
                             const char *spec, const char *rows)
{
    fathom_score score;
    const fathom_status status = fathom_job_score_test(&score, invocation->context, model, spec, rows,
                                                       cli_options(invocation, &fathom_data_option_table));
    if (status == FATHOM_ERROR_STOPPED)
        return leave_out(invocation, "test");
    FATHOM_TRY(status);
    return tell_score(invocation, key, "test", &score);
}
