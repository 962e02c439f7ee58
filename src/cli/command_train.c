/* SPDX-License-Identifier: Apache-2.0 */
/* fathom train DATA: a network by convex optimisation, with its bound. */
#include "commands.h"

/* The numbers of a result under the names that scripts rely on. */
static fathom_status set_numbers(fathom_json *json, const fathom_train_result *r)
{
    const struct {
        const char *key;
        double value;
    } row[] = {{"objective", r->objective},
               {"lower_bound", r->lower_bound},
               {"gap", r->gap},
               {"relative_gap", r->relative_gap},
               {"beta", r->beta},
               {"beta_max", r->beta_max},
               {"loss", r->loss},
               {"norm", r->norm}};
    fathom_status status = FATHOM_OK;
    for (size_t k = 0; k < sizeof row / sizeof *row && status == FATHOM_OK; k++)
        status = fathom_json_set_real(json, row[k].key, row[k].value);
    return status;
}

fathom_status cli_set_train(fathom_json *json, const fathom_train_result *r)
{
    fathom_status status = fathom_json_set_text(json, "status", fathom_train_status_text(r->status));
    if (status == FATHOM_OK)
        status = set_numbers(json, r);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(json, "bound", fathom_train_bound_text(r->bound));
    if (status == FATHOM_OK)
        status = fathom_json_set_text(json, "bound_method", r->bound_method);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(json, "neurons", r->neurons);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(json, "iterations", r->iterations);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(json, "method", r->method);
    if (status == FATHOM_OK && r->gates > 0)
        status = fathom_json_set_integer(json, "gates", r->gates);
    return status;
}

static void say_train(const cli_invocation *invocation, const fathom_train_result *r)
{
    static const char *const reason[] = {"gap reached", "the bound no longer moves", "time limit",
                                         "interrupted"};
    cli_say(invocation, "status       %s (%s)", fathom_train_status_text(r->status), reason[r->end]);
    cli_say(invocation, "objective    %.12g = loss %.12g + beta %.6g * norm %.12g", r->objective, r->loss,
            r->beta, r->norm);
    cli_say(invocation, "lower bound  %.12g (%s)", r->lower_bound, fathom_train_bound_text(r->bound));
    cli_say(invocation, "gap          %.3g, relative %.3g", r->gap, r->relative_gap);
    cli_say(invocation, "beta_max     %.6g", r->beta_max);
    cli_say(invocation, "neurons      %lld of %lld gates", (long long)r->neurons, (long long)r->gates);
}

int cli_train_exit(const fathom_train_result *r)
{
    if (r->status != FATHOM_TRAIN_LIMIT)
        return 0;
    return r->end == FATHOM_TRAIN_END_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_LIMIT;
}

fathom_status cli_run_train(cli_invocation *invocation, int *exit_code)
{
    fathom_data *data = NULL;
    fathom_train_result result = {0};
    fathom_status status = fathom_data_open(&data, invocation->context, invocation->argument[0],
                                            cli_options(invocation, &fathom_data_option_table));
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        status = cli_set_shape(invocation, &view);
    }
    if (status == FATHOM_OK)
        status = fathom_train(&result, invocation->context, data, NULL,
                              cli_options(invocation, &fathom_train_option_table));
    if (status == FATHOM_OK)
        status = cli_set_train(invocation->result, &result);
    if (status == FATHOM_OK) {
        say_train(invocation, &result);
        *exit_code = cli_train_exit(&result);
    }
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    return status;
}
