/* SPDX-License-Identifier: Apache-2.0 */
/* fathom train DATA: a network by convex optimisation, with its bound. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "inner/json.h"
#include "inner/train.h"
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
            r->end == FATHOM_END_STALLED && r->stalled ? r->stalled : reason[r->end]);
    if (equality && !isfinite(r->objective))
        cli_say(invocation, "objective    none: this network misses targets");
    else if (equality)
        cli_say(invocation, "objective    %s, the norm of a network that interpolates",
                cli_above(r->objective, 12).text);
    else if (isnan(r->beta)) /* of --beta-rel, stopped before beta_max was found */
        cli_say(invocation, "objective    %s = loss of the network without neurons, whatever beta",
                cli_above(r->objective, 12).text);
    else
        cli_say(invocation, "objective    %s = loss %s + beta %.6g * norm %s",
                cli_above(r->objective, 12).text, cli_above(r->loss, 12).text, r->beta,
                cli_above(r->norm, 12).text);
    cli_say(invocation, "lower bound  %s (%s)", cli_below(r->lower_bound, 12).text,
            fathom_train_bound_text(r->bound));
    cli_say(invocation, "gap          %s, relative %s", cli_above(r->gap, 3).text,
            cli_above(r->relative_gap, 3).text);
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
    FATHOM_THEN(status, remember(model, r));
    if (status == FATHOM_OK && invocation->run.output) /* before anything that may fail */
        status = fathom_model_write(model, invocation->run.output);
    FATHOM_THEN(status, cli_score_on(invocation, model, data, "score", "training"));
    if (status == FATHOM_OK && options->test)
        status = cli_score_test(invocation, "test_score", model, options->test, options->test_rows);
    FATHOM_THEN(status, cli_picture_network(invocation->result, model));
    fathom_model_free(model);
    return status;
}

static void say_kkt(const cli_invocation *invocation, const fathom_train_kkt *k, const fathom_train_result *r,
                    const char *path)
{
    cli_say(invocation, "dual point   %s: no neuron has a price above beta; value %s", path,
            cli_below(r->lower_bound, 12).text);
    cli_say(invocation, "conditions   rows make %.3g of the gap, neurons %.3g", k->row_gap, k->neuron_gap);
    if (r->neurons > 0)
        cli_say(invocation,
                "             prices of the neurons from %.12g to %.12g; %lld rows on their kinks",
                k->least_price, k->most_price, (long long)k->tight_rows);
    if (k->complete)
        cli_say(invocation, "maximisers   %lld neurons have a price of %.12g at least",
                (long long)k->maximisers, k->least_listed);
    cli_say(invocation, "unique       %s: %s", k->unique ? "yes" : "not decided", k->because);
}

/* --save-dual: the file, the table in the result, and what it comes to in words. */
static fathom_status save_dual(cli_invocation *invocation, const fathom_train_result *r, fathom_data *data,
                               const fathom_train_options *options)
{
    fathom_json *kkt;
    fathom_train_kkt summary;
    FATHOM_TRY(fathom_train_write_dual(r, invocation->context, options, options->save_dual));
    FATHOM_TRY(fathom_json_set_object(invocation->result, "kkt", &kkt));
    FATHOM_TRY(fathom_train_set_kkt(&summary, kkt, invocation->context, r, data, options));
    say_kkt(invocation, &summary, r, options->save_dual);
    return FATHOM_OK;
}

static int train_exit(const fathom_train_result *r)
{
    if (r->status != FATHOM_TRAIN_LIMIT)
        return 0;
    return r->end == FATHOM_END_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_LIMIT;
}

fathom_status cli_run_train(cli_invocation *invocation, int *exit_code)
{
    fathom_job *job = NULL;
    fathom_data *data = NULL;
    fathom_train_result result = {0};
    fathom_train_options *options = cli_options(invocation, &fathom_train_option_table);
    fathom_status status = cli_job_open(&job, invocation, options->certificate, options->verify);
    if (status == FATHOM_OK) {
        data = fathom_job_look(job).data;
        fathom_train_settle(options, invocation->context, data);
        status = fathom_train(&result, invocation->context, data, NULL, options);
    }
    FATHOM_THEN(status, cli_set_train(invocation->result, &result));
    if (status == FATHOM_OK) {
        say_train(invocation, &result, options->loss == FATHOM_TRAIN_EQUALITY);
        if (strcmp(result.method, "line") == 0)
            status = cli_set_line(invocation, &result, data, options);
        if (status == FATHOM_OK && options->save_dual)
            status = save_dual(invocation, &result, data, options);
        const fathom_status proved = fathom_job_prove_train(job, &result, 1, options);
        FATHOM_THEN(status, cli_finish_train(invocation, &result, data, options));
        status = status == FATHOM_OK ? proved : status;
        *exit_code = train_exit(&result);
    }
    status = cli_job_close(job, invocation, status, exit_code);
    fathom_train_result_clear(&result);
    return status;
}
