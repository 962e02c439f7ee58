/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of a model on its training data and on the second data set of --test. */
#include <math.h>

#include "commands.h"

static void say_score(const cli_invocation *invocation, const char *name, const fathom_score *score)
{
    if (!isnan(score->accuracy))
        cli_say(invocation, "%-12s accuracy %.6g", name, score->accuracy);
    if (!isnan(score->r2))
        cli_say(invocation, "%-12s r2 %s, mse %s", name, cli_near(score->r2, 6).text,
                cli_near(score->mse, 6).text);
}

fathom_status cli_score_on(cli_invocation *invocation, const fathom_model *model, const fathom_data *data,
                           const char *key, const char *name)
{
    fathom_prediction *prediction;
    fathom_score score;
    fathom_status status = fathom_model_predict(&prediction, model, data);
    if (status != FATHOM_OK)
        return status;
    status = fathom_model_score(&score, model, data, prediction);
    if (status == FATHOM_OK)
        status = cli_set_score(invocation, key, &score);
    if (status == FATHOM_OK)
        say_score(invocation, name, &score);
    fathom_prediction_free(prediction);
    return status;
}

fathom_status cli_score_test(cli_invocation *invocation, const fathom_model *model, const char *spec,
                             const char *rows)
{
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *test = NULL;
    fathom_status status = fathom_data_open_test(&test, invocation->context, spec, rows,
                                                 cli_options(invocation, &fathom_data_option_table),
                                                 &view.preprocess, &view.classes);
    if (status == FATHOM_OK)
        status = cli_score_on(invocation, model, test, "test_score", "test");
    fathom_data_free(test);
    return status;
}
