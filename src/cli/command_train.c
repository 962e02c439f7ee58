/* SPDX-License-Identifier: Apache-2.0 */
/* fathom train DATA: a network by convex optimisation, with its bound. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "picture.h"

/* The names that scripts rely on. */
fathom_status cli_set_train(fathom_json *json, const fathom_train_result *r)
{
    return CLI_SET(json, cli_text("status", fathom_train_status_text(r->status)),
                   cli_real("objective", r->objective), cli_real("lower_bound", r->lower_bound),
                   cli_real("gap", r->gap), cli_real("relative_gap", r->relative_gap),
                   cli_real("beta", r->beta), cli_real("beta_max", r->beta_max), cli_real("loss", r->loss),
                   cli_real("norm", r->norm), cli_text("bound", fathom_train_bound_text(r->bound)),
                   cli_text("bound_method", r->bound_method), cli_integer("neurons", r->neurons),
                   cli_integer("iterations", r->iterations), cli_text("method", r->method),
                   cli_when(r->gates > 0, cli_integer("gates", r->gates)),
                   cli_when(r->norm_inflation > 0, cli_real("norm_inflation", r->norm_inflation)));
}

static void say_train(const cli_invocation *invocation, const fathom_train_result *r, bool equality)
{
    static const char *const reason[] = {"gap reached", "the bound no longer moves", "time limit",
                                         "interrupted"};
    cli_say(invocation, "status       %s (%s)", fathom_train_status_text(r->status),
            r->end == FATHOM_TRAIN_END_STALLED && r->stalled ? r->stalled : reason[r->end]);
    if (equality)
        cli_say(invocation, "objective    %.12g, the norm of a network that interpolates", r->objective);
    else
        cli_say(invocation, "objective    %.12g = loss %.12g + beta %.6g * norm %.12g", r->objective, r->loss,
                r->beta, r->norm);
    cli_say(invocation, "lower bound  %.12g (%s)", r->lower_bound, fathom_train_bound_text(r->bound));
    cli_say(invocation, "gap          %.3g, relative %.3g", r->gap, r->relative_gap);
    if (!equality && isfinite(r->beta_max))
        cli_say(invocation, "beta_max     %.6g", r->beta_max);
    if (r->gates > 0)
        cli_say(invocation, "neurons      %lld of %lld gates", (long long)r->neurons, (long long)r->gates);
    else
        cli_say(invocation, "neurons      %lld", (long long)r->neurons);
    if (r->norm_inflation > 0)
        cli_say(invocation, "inflation    %.6g: norm over that of the gated network with the same outputs",
                r->norm_inflation);
}

/* What the model file remembers of its training. */
static fathom_status remember(const fathom_model *model, const fathom_train_result *r)
{
    fathom_json *training = fathom_model_look(model).training;
    return training ? cli_set_train(training, r) : FATHOM_OK;
}

fathom_status cli_finish_train(cli_invocation *invocation, fathom_train_result *r, const fathom_data *data,
                               const fathom_train_options *options)
{
    fathom_model *model = NULL;
    if (!r->net && !invocation->run.output && !options->test)
        return FATHOM_OK; /* gates given as patterns */
    fathom_status status = fathom_train_make_model(&model, invocation->context, r, data);
    if (status == FATHOM_OK)
        status = remember(model, r);
    if (status == FATHOM_OK)
        status = cli_score_on(invocation, model, data, "score", "training");
    if (status == FATHOM_OK && options->test)
        status = cli_score_test(invocation, model, options->test, options->test_rows);
    if (status == FATHOM_OK)
        status = cli_picture_network(invocation->result, model);
    if (status == FATHOM_OK && invocation->run.output)
        status = fathom_model_write(model, invocation->run.output);
    fathom_model_free(model);
    return status;
}

int cli_train_exit(const fathom_train_result *r)
{
    if (r->status != FATHOM_TRAIN_LIMIT)
        return 0;
    return r->end == FATHOM_TRAIN_END_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_LIMIT;
}

static fathom_status add_claim(fathom_certificate *certificate, cli_invocation *invocation, const void *user)
{
    return fathom_certificate_add_train(certificate, user,
                                        cli_options(invocation, &fathom_train_option_table));
}

fathom_status cli_run_train(cli_invocation *invocation, int *exit_code)
{
    fathom_data *data = NULL;
    fathom_train_result result = {0};
    cli_certified certified;
    const fathom_train_options *options = cli_options(invocation, &fathom_train_option_table);
    fathom_status status =
        cli_certified_open(&certified, &data, invocation, options->certificate, options->verify);
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        status = cli_set_shape(invocation, &view);
    }
    if (status == FATHOM_OK)
        status = fathom_train(&result, invocation->context, data, NULL, options);
    if (status == FATHOM_OK)
        status = cli_set_train(invocation->result, &result);
    if (status == FATHOM_OK) {
        say_train(invocation, &result, options->loss == FATHOM_TRAIN_EQUALITY);
        if (options->loss == FATHOM_TRAIN_EQUALITY && strcmp(result.method, "line") == 0)
            status = cli_set_minimisers(invocation, data);
        const fathom_status proved = cli_certified_write(&certified, invocation, data, add_claim, &result);
        if (status == FATHOM_OK)
            status = cli_finish_train(invocation, &result, data, options);
        status = status == FATHOM_OK ? proved : status;
        *exit_code = cli_train_exit(&result);
    }
    status = cli_certified_close(&certified, invocation, status, exit_code);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    return status;
}
