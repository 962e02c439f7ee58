/* SPDX-License-Identifier: Apache-2.0 */
/* fathom flow DATA: gradient descent, SGD or gradient flow, with monitors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "inner/context.h"
#include "inner/flow.h"
#include "inner/json.h"
#include "picture.h"

#define OWNER cli_flow_options
static const fathom_option rows_of_options[] = {CLI_FLOW_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_flow_option_table =
    FATHOM_OPTION_TABLE("Comparison", rows_of_options, cli_flow_options);

/* Where two groups of neurons should go, where that is known. */
static fathom_status set_limit(fathom_json *json, const fathom_flow_limit *limit)
{
    fathom_json *member;
    if (isnan(limit->par_lower))
        return fathom_json_set_null(json, "limit");
    FATHOM_TRY(fathom_json_set_object(json, "limit", &member));
    return CLI_SET(
        member, cli_real("par_lower", limit->par_lower), cli_real("par_upper", limit->par_upper),
        cli_real("par_beta", limit->par_beta), cli_real("lower", limit->lower),
        cli_real("upper", limit->upper), cli_real("angle_w", limit->angle[0]),
        cli_real("angle_u", limit->angle[1]),
        cli_known(limit->par_consistent >= 0, cli_bool("par_consistent", limit->par_consistent > 0)),
        cli_known(limit->claimed >= 0, cli_bool("claimed", limit->claimed > 0)),
        cli_integer("kinks", limit->kinks));
}

/* The KKT point in whose pattern the run ends; null where it was not looked for. */
static fathom_status set_ending(fathom_json *json, const fathom_flow_ending *e)
{
    fathom_json *member;
    if (e->found < 0)
        return fathom_json_set_null(json, "ending");
    FATHOM_TRY(fathom_json_set_object(json, "ending", &member));
    return CLI_SET(
        member, cli_bool("found", e->found > 0), cli_text("reason", e->reason), cli_real("margin", e->margin),
        cli_real("residual", e->residual), cli_real("slack", e->slack), cli_real("angle", e->angle),
        cli_integer("patterns", e->patterns), cli_integer("neurons", e->neurons),
        cli_integer("supports", e->supports), cli_integer("kinks", e->kinks),
        cli_known(e->maximum >= 0, cli_bool("local_maximum", e->maximum > 0)), cli_text("why", e->why),
        cli_real("price", e->price), cli_real("escape_margin", e->escape_margin));
}

static void say_ending(const cli_invocation *invocation, const fathom_flow_ending *e)
{
    static const char *const verdict[] = {"not decided", "not a local maximum", "a local maximum"};
    if (e->found == 0)
        cli_say(invocation, "ending       no KKT point is claimed: %s", e->reason);
    if (e->found < 1)
        return;
    cli_say(invocation,
            "ending       KKT point of margin %s, %s degrees off: residual %s, slack %s, %lld neurons, %lld "
            "support examples, %lld kinks",
            cli_near(e->margin, 10).text, cli_near(e->angle, 4).text, cli_above(e->residual, 2).text,
            cli_above(e->slack, 2).text, (long long)e->neurons, (long long)e->supports, (long long)e->kinks);
    cli_say(invocation, "             %s: %s", verdict[e->maximum + 1], e->why);
    if (!isnan(e->price) && e->price > 1 + 1e-7)
        cli_say(invocation, "             a new neuron has price %s > 1: wider networks have larger margins",
                cli_below(e->price, 6).text);
    if (!isnan(e->escape_margin))
        cli_say(invocation, "             the margin rises along a segment to %s",
                cli_near(e->escape_margin, 10).text);
}

/* The end of the second branch. */
static fathom_status set_other(fathom_json *json, const fathom_flow_result *r)
{
    fathom_json *member;
    FATHOM_TRY(fathom_json_set_object(json, "other_branch", &member));
    return CLI_SET(member, cli_real("log_loss", r->other.log_loss),
                   cli_real("normalized_margin", r->other.normalized_margin),
                   cli_real("smoothed_normalized_margin", r->other.smoothed_normalized_margin),
                   cli_real("norm", r->other.norm), cli_real("apart", r->apart));
}

static fathom_status set_flow(fathom_json *json, const fathom_flow_result *r)
{
    FATHOM_TRY(CLI_SET(json, cli_text("status", fathom_flow_status_text(r->status)),
                       cli_text("reason", r->reason), cli_text("method", r->method)));
    FATHOM_TRY(fathom_flow_record_set(json, &r->end));
    FATHOM_TRY(set_limit(json, &r->limit));
    FATHOM_TRY(set_ending(json, &r->ending));
    if (r->events >= 0)
        FATHOM_TRY(CLI_SET(json, cli_integer("events", r->events), cli_integer("nonunique", r->nonunique),
                           cli_integer("branches", r->branches)));
    if (r->branches == 2)
        FATHOM_TRY(set_other(json, r));
    return FATHOM_OK;
}

static void say_limit(const cli_invocation *invocation, const fathom_flow_limit *limit)
{
    if (isnan(limit->par_lower))
        return;
    cli_say(invocation, "limit        PAR program: margin %s, %s", cli_below(limit->par_lower, 10).text,
            limit->par_consistent == 1   ? "consistent"
            : limit->par_consistent == 0 ? "not consistent: not the limit"
                                         : "not decided");
    if (limit->claimed == 0)
        cli_say(invocation,
                "             the neurons of a group are not within a degree: no limit is claimed");
    else if (!isnan(limit->lower))
        cli_say(invocation, "             pattern: margin %s, %lld kinks; w and u are %s and %s degrees off",
                cli_below(limit->lower, 10).text, (long long)limit->kinks, cli_near(limit->angle[0], 4).text,
                cli_near(limit->angle[1], 4).text);
}

static void say_flow(const cli_invocation *invocation, const fathom_flow_result *r)
{
    const fathom_flow_record *e = &r->end;
    cli_say(invocation, "status       %s (%s)", fathom_flow_status_text(r->status), r->reason);
    cli_say(invocation, "method       %s, %lld steps, ln(1 + time) %s", r->method, (long long)e->steps,
            cli_near(e->log_time, 6).text);
    if (isnan(e->log_loss) && isnan(e->norm)) {
        cli_say(invocation,
                r->net ? "loss         not measured: the network is the one that the run started from"
                       : "loss         not measured: there is no network");
        return;
    }
    if (isinf(e->log_loss) && e->log_loss < 0)
        cli_say(invocation, "loss         0");
    else
        cli_say(invocation, "loss         e^%s = %s", cli_near(e->log_loss, 10).text,
                cli_near(exp(e->log_loss), 6).text);
    if (!isnan(e->accuracy))
        cli_say(invocation, "accuracy     %.6g", e->accuracy);
    if (!isnan(e->margin))
        cli_say(invocation, "margin       %s, normalized %s, smoothed and normalized %s",
                cli_near(e->margin, 6).text, cli_near(e->normalized_margin, 8).text,
                cli_near(e->smoothed_normalized_margin, 8).text);
    cli_say(invocation, "norm         %s, %s away from the start", cli_near(e->norm, 8).text,
            cli_near(e->distance, 6).text);
    if (!isnan(e->rotation[3]))
        cli_say(invocation, "rotation     median cosine %s, smallest %s", cli_near(e->rotation[3], 6).text,
                cli_near(e->rotation[0], 6).text);
    cli_say(invocation, "activations  %lld pairs changed", (long long)e->activation_changes);
    if (e->sliding_pairs >= 0)
        cli_say(invocation, "sliding      %lld pairs, %lld kinks met", (long long)e->sliding_pairs,
                (long long)r->events);
    if (r->nonunique > 0)
        cli_say(invocation, "branches     the flow is not unique at %lld moments: to the inactive sides",
                (long long)r->nonunique);
    if (r->branches == 2)
        cli_say(invocation,
                "             to the active sides it ends at normalized margin %s, |W - W'| / |W| = %s",
                cli_near(r->other.normalized_margin, 6).text, cli_near(r->apart, 3).text);
    if (!isnan(e->cluster_ratio))
        cli_say(invocation, "groups       cluster ratio %s, largest angle %s degrees, linear on %s%s",
                cli_near(e->cluster_ratio, 6).text, cli_near(e->max_angle, 4).text,
                cli_near(e->linear_fraction, 4).text,
                e->par == 1   ? ", PAR"
                : e->nar == 1 ? ", NAR"
                              : "");
    if (!isnan(e->kkt_residual))
        cli_say(invocation, "KKT          residual %s, slack %s", cli_near(e->kkt_residual, 4).text,
                cli_near(e->kkt_slack, 4).text);
    say_limit(invocation, &r->limit);
    say_ending(invocation, &r->ending);
}

/* Whether a network of the run is one of those that the global margin ranges over, and is measured by
 * |W|^2 [003]. */
static bool is_comparable(const fathom_flow_result *r)
{
    const fathom_net_shape shape = fathom_net_look(r->net);
    const bool both = !isnan(r->end.balance), margins = !isnan(r->end.margin);
    return shape.kind == FATHOM_NET_RELU && shape.outputs == 1 && !shape.hidden_bias && both && margins &&
           r->status != FATHOM_FLOW_INTERRUPTED;
}

static fathom_status leave_no_result(cli_invocation *invocation, const char *reason)
{
    cli_say(invocation, "global       not compared: %s", reason);
    return fathom_json_set_null(invocation->result, "global_margin");
}

/* --global-margin: sum_j |a_j| |v_j| <= |W|^2 / 2, so that no network has a normalized margin above half
 * the global one, and balanced ones attain it: the ratio to that is 1 at best. */
static fathom_status compare(cli_invocation *invocation, fathom_data *data, const fathom_flow_result *r)
{
    fathom_margin_options options;
    fathom_margin_result *margin;
    fathom_json *member;
    if (!is_comparable(r))
        return leave_no_result(invocation,
                               "this takes two classes and a relu network without hidden biases, both "
                               "layers trained");
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = FATHOM_MARGIN_GLOBAL;
    options.gap = 1e-4;
    fathom_status status = fathom_margin(&margin, invocation->context, data, &options);
    if (status != FATHOM_OK && status != FATHOM_ERROR_MEMORY) /* the run itself is not to be lost for that */
        return leave_no_result(invocation, fathom_context_error(invocation->context)->text);
    if (status != FATHOM_OK)
        return status;
    const fathom_margin_view view = fathom_margin_look(margin);
    if (!(view.upper > 0)) {
        fathom_margin_free(margin);
        return leave_no_result(invocation, "no network has a positive margin on this data");
    }
    const double twice = 2 * r->end.normalized_margin, one = twice / view.upper, other = twice / view.lower;
    const double low = fmin(one, other), high = fmax(one, other);
    status = fathom_json_set_object(invocation->result, "global_margin", &member);
    FATHOM_THEN(status, CLI_SET(member, cli_real("lower", view.lower), cli_real("upper", view.upper),
                                cli_real("ratio_lower", low), cli_real("ratio_upper", high)));
    if (status == FATHOM_OK)
        cli_say(invocation,
                "global       margin of all networks in [%s, %s]: this one has %s to %s of half of it",
                cli_below(view.lower, 8).text, cli_above(view.upper, 8).text, cli_below(low, 6).text,
                cli_above(high, 6).text);
    fathom_margin_free(margin);
    return status;
}

/* Multipliers (support examples are those where they are positive) and the way out of a KKT point, as part
 * of its model. */
static fathom_status describe_limit(fathom_json *training, const fathom_flow_ending *e, int64_t n)
{
    fathom_json *way;
    fathom_status status = set_ending(training, e);
    FATHOM_THEN(status, fathom_json_set_vector(training, "dual", e->dual, n));
    if (status != FATHOM_OK || !e->escape)
        return status;
    const fathom_net_shape shape = fathom_net_look(e->escape);
    const fathom_net_weights w = fathom_net_lend(e->escape);
    status = fathom_json_set_object(training, "escape", &way);
    FATHOM_THEN(status, fathom_json_set_matrix(way, "U", w.u, shape.m, shape.d, shape.d));
    if (status == FATHOM_OK && shape.hidden_bias)
        status = fathom_json_set_vector(way, "b", w.b, shape.m);
    return status == FATHOM_OK ? fathom_json_set_vector(way, "W", w.w, shape.m) : status;
}

/* --save-limit MODEL. The model takes the network over. */
static fathom_status save_limit(cli_invocation *invocation, const fathom_data *data, fathom_flow_result *r,
                                const char *path)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_model *model;
    FATHOM_TRY(
        fathom_model_create(&model, invocation->context, r->ending.net, r->loss, &preprocess, &classes));
    r->ending.net = NULL;
    fathom_status status =
        describe_limit(fathom_model_look(model).training, &r->ending, fathom_data_look(data).n);
    FATHOM_THEN(status, fathom_model_write(model, path));
    fathom_model_free(model);
    return status;
}

/* The network with what was done to the data: scored on --test DATA, into the result where it is small,
 * and -o MODEL. The model takes the network over. */
static fathom_status set_model(cli_invocation *invocation, const fathom_data *data, fathom_flow_result *r)
{
    const fathom_flow_options *options = cli_options(invocation, &fathom_flow_option_table);
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_model *model;
    if (!r->net) {
        if (invocation->run.output) {
            cli_error_begin();
            fprintf(stderr, "%s: not written: %s\n", invocation->run.output, r->reason);
        }
        return FATHOM_OK;
    }
    FATHOM_TRY(fathom_model_create(&model, invocation->context, r->net, r->loss, &preprocess,
                                   r->loss == FATHOM_LOSS_SQUARED ? NULL : &classes));
    r->net = NULL;
    fathom_status status =
        fathom_json_set_real(fathom_model_look(model).training, "log_loss", r->end.log_loss);
    if (status == FATHOM_OK && invocation->run.output) /* before anything that may fail */
        status = fathom_model_write(model, invocation->run.output);
    if (status == FATHOM_OK && options->test)
        status = cli_score_test(invocation, "test_score", model, options->test, options->test_rows);
    FATHOM_THEN(status, cli_picture_network(invocation->result, model));
    fathom_model_free(model);
    return status;
}

/* Divergence is what this step does to this data: the run stops before its end with the last good state, and
 * says so. */
static int judge(const fathom_flow_result *r)
{
    static const int code[] = {0, EXIT_LIMIT, EXIT_LIMIT, EXIT_LIMIT, EXIT_INTERRUPTED, EXIT_LIMIT};
    if (r->status == FATHOM_FLOW_DIVERGED) {
        cli_error_begin();
        fprintf(stderr, "%s: take a smaller --step (the result is the last good state, after step %lld)\n",
                r->reason, (long long)r->end.steps);
    }
    return code[r->status];
}

/* There is nothing to write; the run itself stands. */
static int refuse_limit(const fathom_flow_ending *e, const char *option, const char *path, int exit_code)
{
    cli_error_begin();
    fprintf(stderr, "%s %s: not written: %s\n", option, path,
            e->found < 0 ? "the run was cut off" : e->reason);
    return exit_code ? exit_code : EXIT_LIMIT;
}

/* The certificate of the KKT point, where one is asked for. */
static fathom_status prove(cli_invocation *invocation, fathom_job *job, const fathom_flow_ending *e,
                           int *exit_code)
{
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    if (!job || !fathom_job_look(job).proves)
        return FATHOM_OK;
    if (e->found == 1)
        return fathom_job_prove_limit(job, e->net, e->dual);
    *exit_code = refuse_limit(e, proof->certificate ? "--certificate" : "--verify",
                              proof->certificate ? proof->certificate : "", *exit_code);
    return FATHOM_OK;
}

static fathom_status run_flow(cli_invocation *invocation, fathom_data *data, fathom_job *job, int *exit_code)
{
    fathom_flow_result result;
    const fathom_data_view view = fathom_data_look(data);
    const cli_flow_options *asked = cli_options(invocation, &cli_flow_option_table);
    fathom_flow_options options =
        *(const fathom_flow_options *)cli_options(invocation, &fathom_flow_option_table);
    options.ending = options.ending || asked->save_limit || (job && fathom_job_look(job).proves);
    FATHOM_TRY(cli_set_shape(invocation, &view));
    FATHOM_TRY(fathom_flow_run(&result, invocation->context, data, &options));
    fathom_status status = set_flow(invocation->result, &result);
    if (status == FATHOM_OK)
        say_flow(invocation, &result);
    if (status == FATHOM_OK && asked->global_margin && result.net)
        status = compare(invocation, data, &result);
    FATHOM_THEN(status, set_model(invocation, data, &result));
    if (status == FATHOM_OK)
        *exit_code = judge(&result);
    FATHOM_THEN(status, prove(invocation, job, &result.ending, exit_code));
    if (status == FATHOM_OK && asked->save_limit) {
        if (result.ending.found == 1)
            status = save_limit(invocation, data, &result, asked->save_limit);
        else
            *exit_code = refuse_limit(&result.ending, "--save-limit", asked->save_limit, *exit_code);
    }
    fathom_flow_result_clear(&result);
    return status;
}

/* The data: of the argument, as a job, or of the run that is resumed. */
static fathom_status open_data(fathom_data **data, fathom_job **job, cli_invocation *invocation)
{
    const fathom_flow_options *options = cli_options(invocation, &fathom_flow_option_table);
    const fathom_data_options *source = cli_options(invocation, &fathom_data_option_table);
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    const bool proves = proof->certificate || proof->verify;
    const char *spec = invocation->argument_count > 0 ? invocation->argument[0] : NULL;
    if (options->resume)
        return fathom_flow_open_data(data, invocation->context, options->resume, spec, source);
    if (!spec)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "flow needs DATA (or --resume FILE)");
    return proves ? cli_job_open(job, invocation, proof->certificate, proof->verify)
                  : fathom_data_open(data, invocation->context, spec, source);
}

fathom_status cli_check_flow_files(const cli_invocation *invocation, const fathom_file_use *use,
                                   int64_t count)
{
    const fathom_flow_options *options = cli_options(invocation, &fathom_flow_option_table);
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    if (!options->resume)
        return FATHOM_OK;
    if (proof->certificate || proof->verify)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "--certificate and --verify go with DATA, not with --resume");
    return fathom_flow_check_origin(invocation->context, options->resume,
                                    invocation->argument_count > 0 ? invocation->argument[0] : NULL,
                                    options->test, use, count);
}

/* --log -: standard output has the lines of the log and nothing else. */
static fathom_status give_way(cli_invocation *invocation)
{
    const fathom_flow_options *options = cli_options(invocation, &fathom_flow_option_table);
    if (!options->log || strcmp(options->log, "-") != 0)
        return FATHOM_OK;
    if (invocation->run.json)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "--log - and --json both take standard output");
    invocation->run.quiet = true;
    return FATHOM_OK;
}

fathom_status cli_run_flow(cli_invocation *invocation, int *exit_code)
{
    fathom_data *data = NULL;
    fathom_job *job = NULL;
    fathom_status status = give_way(invocation);
    FATHOM_THEN(status, open_data(&data, &job, invocation));
    FATHOM_THEN(status, run_flow(invocation, job ? fathom_job_look(job).data : data, job, exit_code));
    if (job)
        status = cli_job_close(job, invocation, status, exit_code);
    fathom_data_free(data);
    return status;
}
