/* SPDX-License-Identifier: Apache-2.0 */
/* fathom margin DATA: margins with two-sided bounds. */
#include "certified.h"
#include "commands.h"
#include "inner/json.h"
#include "inner/margin.h"

#include <math.h>
#include <string.h>

#define OWNER cli_margin_options
static const fathom_option rows_of_options[] = {CLI_MARGIN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_margin_option_table =
    FATHOM_OPTION_TABLE("Margin files", rows_of_options, cli_margin_options);

static const char *kind_name(fathom_margin_kind kind)
{
    static const char *const name[] = {"ntk", "ntk-full", "global", "linear"};
    return name[kind];
}

static fathom_status write_result(fathom_json *result, const fathom_margin_view *view)
{
    /* The two points that lie on one ray with opposite labels, or null. */
    const double pair[2] = {(double)view->first, (double)view->second};
    return CLI_SET(
        result, cli_text("kind", kind_name(view->kind)), cli_real("value", (view->lower + view->upper) / 2),
        cli_real("lower", view->lower), cli_real("upper", view->upper), cli_bool("exact", view->exact),
        cli_real("confidence", view->confidence), cli_text("status", view->reached ? "reached" : "limit"),
        cli_text("method", view->method), cli_real("width", view->width > 0 ? (double)view->width : INFINITY),
        cli_known(view->gates_as != NULL, cli_text("gates_as", view->gates_as ? view->gates_as : "")),
        cli_integer("gates", view->gates), cli_integer("iterations", view->iterations),
        cli_integer("samples", view->samples), cli_real("kernel_lower", view->first_lower),
        cli_real("kernel_upper", view->first_upper), cli_real("asymptotic_lower", view->asymptotic_lower),
        cli_real("asymptotic_upper", view->asymptotic_upper), cli_real("theorem_width", view->theorem_width),
        cli_known(view->first >= 0, cli_vector("conflict", pair, 2)), cli_text("statement", view->statement),
        cli_text("reading", view->reading), cli_vector("q", view->q, view->n));
}

/* (upper - lower) / upper; 0 where both ends are. */
static cli_number relative_width(const fathom_margin_view *view)
{
    return cli_above(view->upper > 0 ? (view->upper - view->lower) / view->upper : 0, 2);
}

/* What proves a margin of 0, in integers: q of given gates; or pairs of points, +1 and -1, with the weights
 * of the first ones. */
static fathom_status write_zero(cli_invocation *invocation, const fathom_margin_result *margin,
                                const fathom_margin_view *view)
{
    const fathom_margin_evidence proof = fathom_margin_prove(margin);
    fathom_context *context = invocation->context;
    fathom_status status = FATHOM_OK;
    if (view->origin >= 0)
        status = CLI_SET(invocation->result, cli_integer("origin", view->origin));
    if (status == FATHOM_OK && view->q_exact) {
        const char **text = fathom_context_allocate(context, view->n, sizeof *text);
        if (!text)
            return FATHOM_ERROR_MEMORY;
        for (int64_t i = 0; i < view->n; i++)
            text[i] = view->q_exact[i] ? view->q_exact[i] : "0";
        status = fathom_json_set_texts(invocation->result, "q_exact", text, view->n);
        fathom_context_release(context, text);
    }
    if (status != FATHOM_OK || proof.pairs == 0)
        return status;
    double *pair = fathom_context_allocate(context, 2 * proof.pairs, sizeof *pair);
    if (!pair)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < 2 * proof.pairs; k++)
        pair[k] = (double)proof.pair[k];
    status = fathom_json_set_matrix(invocation->result, "pairs", pair, proof.pairs, 2, 2);
    fathom_context_release(context, pair);
    return status == FATHOM_OK
               ? fathom_json_set_texts(invocation->result, "pair_weights", proof.weight, proof.pairs)
               : status;
}

/* The same for people. */
static void say_result(const cli_invocation *invocation, const fathom_margin_view *view)
{
    const double middle = (view->lower + view->upper) / 2;
    if (!isnan(view->first_lower))
        cli_say(invocation, "kernel bounds    %s <= margin <= %s", cli_below(view->first_lower, 6).text,
                cli_above(view->first_upper, 6).text);
    if (view->gates_as)
        cli_say(invocation, "gates            %lld, read as %s", (long long)view->width, view->gates_as);
    if (view->width > 0)
        cli_say(invocation, "margin (%s, %lld %s)     %s", kind_name(view->kind), (long long)view->width,
                view->kind == FATHOM_MARGIN_GLOBAL ? "directions" : "gates", cli_near(middle, 12).text);
    else
        cli_say(invocation, "margin (%s)     %s", kind_name(view->kind), cli_near(middle, 12).text);
    cli_say(invocation, "interval         [%s, %s]", cli_below(view->lower, 17).text,
            cli_above(view->upper, 17).text);
    if (view->exact)
        cli_say(invocation, "holds            always (relative width %s, rounding included)",
                relative_width(view).text);
    else
        cli_say(invocation, "holds            with probability %g (relative width %s)", view->confidence,
                relative_width(view).text);
    cli_say(invocation, "method           %s, %lld gates, %lld iterations, %lld samples", view->method,
            (long long)view->gates, (long long)view->iterations, (long long)view->samples);
    if (!isnan(view->theorem_width))
        cli_say(invocation, "Theorem 6.2      %.4g random gates have a margin within 10 %% of this one",
                view->theorem_width);
    if (view->origin >= 0)
        cli_say(invocation, "example %lld is 0", (long long)view->origin);
    if (view->first >= 0)
        cli_say(invocation, "examples %lld and %lld lie on one ray with opposite labels",
                (long long)view->first, (long long)view->second);
    if (strcmp(view->method, "zero") == 0)
        cli_say(invocation,
                "certificate      q: all sums over half spaces vanish (--save-dual FILE.npy, --json)");
    if (view->q_exact)
        cli_say(invocation, "certificate      q: all sums over gates vanish (--save-dual FILE.npy, --json)");
    if (view->statement)
        cli_say(invocation, "%s", view->statement);
}

/* Writes a network (given) as a model that `predict` reads. */
static fathom_status save_net(const cli_invocation *invocation, fathom_net *net, const fathom_data *data,
                              const char *path)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_model *model = NULL;
    fathom_status status =
        fathom_model_create(&model, invocation->context, net, FATHOM_LOSS_LOGISTIC, &preprocess, &classes);
    if (status == FATHOM_OK)
        net = NULL;
    FATHOM_THEN(status, fathom_model_write(model, path));
    fathom_model_free(model);
    fathom_net_free(net);
    return status;
}

static fathom_status save_separator(const cli_invocation *invocation, const fathom_margin_result *margin,
                                    const fathom_data *data, const char *path)
{
    fathom_net *net = NULL;
    FATHOM_TRY(fathom_margin_separator(&net, margin));
    return save_net(invocation, net, data, path);
}

/* A file that does not exist for this data: the answer stands without it. */
static fathom_status none_written(const cli_invocation *invocation, const char *what)
{
    cli_say(invocation, "%-16s none written: %s", what, fathom_context_error(invocation->context)->text);
    return FATHOM_OK;
}

/* The convex network of [000, Thm 7.3 (3)], and what double arithmetic makes of it. */
static fathom_status save_convex(cli_invocation *invocation, fathom_data *data, const char *path)
{
    fathom_context *context = invocation->context;
    const int64_t n = fathom_data_look(data).n;
    fathom_net *net = NULL;
    fathom_net_margin margins = {0};
    fathom_status status = fathom_margin_convex(&net, context, data);
    if (status == FATHOM_ERROR_INPUT)
        return none_written(invocation, "convex network");
    double *p = fathom_context_allocate(context, 2 * n, sizeof *p);
    FATHOM_THEN(status, p ? fathom_net_margins(&margins, p, p + n, context, net, data) : FATHOM_ERROR_MEMORY);
    fathom_context_release(context, p);
    if (status == FATHOM_OK) {
        const int64_t gates = fathom_net_look(net).m;
        cli_say(invocation,
                "convex network   %lld gates: classifies all examples exactly; "
                "least y f(x) in doubles %s%s",
                (long long)gates, cli_near(margins.margin, 6).text,
                margins.margin > 0 ? ""
                                   : " (gates on hyperplanes round; margin --gates decides them exactly)");
        status = CLI_SET(invocation->result, cli_integer("convex_gates", gates),
                         cli_real("convex_margin", margins.margin));
    }
    if (status == FATHOM_OK)
        return save_net(invocation, net, data, path);
    fathom_net_free(net);
    return status;
}

static fathom_status save_files(cli_invocation *invocation, const fathom_margin_result *margin,
                                fathom_data *data)
{
    const cli_margin_options *files = cli_options(invocation, &cli_margin_option_table);
    fathom_status status = FATHOM_OK;
    if (files->save_dual)
        status = fathom_margin_write_dual(margin, files->save_dual);
    if (status == FATHOM_OK && files->save_separator)
        status = save_separator(invocation, margin, data, files->save_separator);
    if (status == FATHOM_ERROR_USAGE)
        status = none_written(invocation, "separator");
    if (status == FATHOM_OK && files->save_convex)
        status = save_convex(invocation, data, files->save_convex);
    return status;
}

fathom_status cli_run_margin(cli_invocation *invocation, int *exit_code)
{
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    const cli_margin_options *files = cli_options(invocation, &cli_margin_option_table);
    fathom_job *job = NULL;
    fathom_data *data = NULL;
    fathom_margin_result *margin = NULL;
    if (files->model)
        return cli_run_model_margin(invocation, exit_code);
    fathom_status status = cli_job_open(&job, invocation, proof->certificate, proof->verify);
    if (status == FATHOM_OK) {
        data = fathom_job_look(job).data;
        status = fathom_margin(&margin, invocation->context, data,
                               cli_options(invocation, &fathom_margin_option_table));
    }
    const bool sampled = status == FATHOM_OK && fathom_margin_prove(margin).sampled;
    if (sampled) /* what is printed is then the interval that the proof has */
        status = fathom_job_prove_margin(job, margin);
    if (status == FATHOM_OK) {
        const fathom_margin_view view = fathom_margin_look(margin);
        status = write_result(invocation->result, &view);
        FATHOM_THEN(status, write_zero(invocation, margin, &view));
        say_result(invocation, &view);
        FATHOM_THEN(status, save_files(invocation, margin, data));
        if (status == FATHOM_OK && files->experiment)
            status = cli_margin_experiment(invocation, margin, data, files->trials);
        if (!view.reached)
            *exit_code = EXIT_LIMIT;
    }
    if (status == FATHOM_OK && !sampled)
        status = fathom_job_prove_margin(job, margin);
    status = cli_job_close(job, invocation, status, exit_code);
    fathom_margin_free(margin);
    return status;
}
