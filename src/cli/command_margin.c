/* SPDX-License-Identifier: Apache-2.0 */
/* fathom margin DATA: margins with two-sided bounds. */
#include "certified.h"
#include "commands.h"

#include <math.h>
#include <string.h>

#define OWNER cli_margin_options
static const fathom_option rows_of_options[] = {CLI_MARGIN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_margin_option_table =
    FATHOM_OPTION_TABLE("Margin files", rows_of_options, cli_margin_options);

static const char *kind_name(fathom_margin_kind kind)
{
    return kind == FATHOM_MARGIN_NTK ? "ntk" : kind == FATHOM_MARGIN_NTK_FULL ? "ntk-full" : "global";
}

/* One member of the result; the first failure of a chain is kept. */
static void set_real(fathom_status *status, fathom_json *result, const char *key, double value)
{
    if (*status == FATHOM_OK)
        *status = fathom_json_set_real(result, key, value);
}

static void set_count(fathom_status *status, fathom_json *result, const char *key, int64_t value)
{
    if (*status == FATHOM_OK)
        *status = fathom_json_set_integer(result, key, value);
}

static void set_text(fathom_status *status, fathom_json *result, const char *key, const char *value)
{
    if (*status == FATHOM_OK)
        *status = fathom_json_set_text(result, key, value);
}

static void set_flag(fathom_status *status, fathom_json *result, const char *key, bool value)
{
    if (*status == FATHOM_OK)
        *status = fathom_json_set_bool(result, key, value);
}

/* The two points that lie on one ray with opposite labels, or null. */
static void set_conflict(fathom_status *status, fathom_json *result, const fathom_margin_view *view)
{
    const double pair[2] = {(double)view->first, (double)view->second};
    if (*status == FATHOM_OK)
        *status = view->first < 0 ? fathom_json_set_null(result, "conflict")
                                  : fathom_json_set_vector(result, "conflict", pair, 2);
}

static fathom_status write_result(fathom_json *result, const fathom_margin_view *view)
{
    fathom_status status = FATHOM_OK;
    set_text(&status, result, "kind", kind_name(view->kind));
    set_real(&status, result, "value", (view->lower + view->upper) / 2);
    set_real(&status, result, "lower", view->lower);
    set_real(&status, result, "upper", view->upper);
    set_flag(&status, result, "exact", view->exact);
    set_real(&status, result, "confidence", view->confidence);
    set_text(&status, result, "status", view->reached ? "reached" : "limit");
    set_text(&status, result, "method", view->method);
    set_real(&status, result, "width", view->width > 0 ? (double)view->width : INFINITY);
    set_count(&status, result, "gates", view->gates);
    set_count(&status, result, "iterations", view->iterations);
    set_count(&status, result, "samples", view->samples);
    set_real(&status, result, "kernel_lower", view->first_lower);
    set_real(&status, result, "kernel_upper", view->first_upper);
    set_real(&status, result, "asymptotic_lower", view->asymptotic_lower);
    set_real(&status, result, "asymptotic_upper", view->asymptotic_upper);
    set_real(&status, result, "theorem_width", view->theorem_width);
    set_conflict(&status, result, view);
    set_text(&status, result, "statement", view->statement);
    if (status == FATHOM_OK)
        status = fathom_json_set_vector(result, "q", view->q, view->n);
    return status;
}

/* The same for people. */
static void say_result(const cli_invocation *invocation, const fathom_margin_view *view)
{
    const double middle = (view->lower + view->upper) / 2;
    if (!isnan(view->first_lower))
        cli_say(invocation, "kernel bounds    %.6g <= margin <= %.6g", view->first_lower, view->first_upper);
    cli_say(invocation, "margin (%s)     %.12g", kind_name(view->kind), middle);
    cli_say(invocation, "interval         [%.17g, %.17g]", view->lower, view->upper);
    if (view->exact)
        cli_say(invocation, "holds            always (relative width %.2g, rounding included)",
                view->upper > 0 ? (view->upper - view->lower) / view->upper : 0);
    else
        cli_say(invocation, "holds            with probability %g (relative width %.2g)", view->confidence,
                (view->upper - view->lower) / view->upper);
    cli_say(invocation, "method           %s, %lld gates, %lld iterations, %lld samples", view->method,
            (long long)view->gates, (long long)view->iterations, (long long)view->samples);
    if (!isnan(view->theorem_width))
        cli_say(invocation, "Theorem 6.2      %.4g random gates come within 10 %%", view->theorem_width);
    if (view->first >= 0)
        cli_say(invocation, "examples %lld and %lld lie on one ray with opposite labels",
                (long long)view->first, (long long)view->second);
    if (strcmp(view->method, "zero") == 0)
        cli_say(invocation,
                "certificate      q: all sums over half spaces vanish (--save-dual FILE.npy, --json)");
    if (view->statement)
        cli_say(invocation, "%s", view->statement);
}

/* Writes the separator as a gated model that `predict` reads. */
static fathom_status save_separator(const cli_invocation *invocation, const fathom_margin_result *margin,
                                    const fathom_data *data, const char *path)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_net *net = NULL;
    fathom_model *model = NULL;
    fathom_status status = fathom_margin_separator(&net, margin);
    if (status == FATHOM_OK)
        status = fathom_model_create(&model, invocation->context, net, FATHOM_LOSS_LOGISTIC, &preprocess,
                                     &classes);
    if (status == FATHOM_OK)
        net = NULL;
    if (status == FATHOM_OK)
        status = fathom_model_write(model, path);
    fathom_model_free(model);
    fathom_net_free(net);
    return status;
}

static fathom_status save_files(const cli_invocation *invocation, const fathom_margin_result *margin,
                                const fathom_data *data)
{
    const cli_margin_options *files = cli_options(invocation, &cli_margin_option_table);
    fathom_status status = FATHOM_OK;
    if (files->save_dual)
        status = fathom_margin_write_dual(margin, files->save_dual);
    if (status == FATHOM_OK && files->save_separator)
        status = save_separator(invocation, margin, data, files->save_separator);
    return status;
}

static fathom_status add_claim(fathom_certificate *certificate, cli_invocation *invocation, const void *user)
{
    (void)invocation;
    return fathom_certificate_add_margin(certificate, user);
}

fathom_status cli_run_margin(cli_invocation *invocation, int *exit_code)
{
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    cli_certified certified;
    const cli_margin_options *files = cli_options(invocation, &cli_margin_option_table);
    fathom_data *data = NULL;
    fathom_margin_result *margin = NULL;
    if (files->model)
        return cli_run_model_margin(invocation, exit_code);
    fathom_status status =
        cli_certified_open(&certified, &data, invocation, proof->certificate, proof->verify);
    if (status == FATHOM_OK)
        status = fathom_margin(&margin, invocation->context, data,
                               cli_options(invocation, &fathom_margin_option_table));
    if (status == FATHOM_OK)
        status = save_files(invocation, margin, data);
    if (status == FATHOM_OK) {
        const fathom_data_view shape = fathom_data_look(data);
        const fathom_margin_view view = fathom_margin_look(margin);
        status = cli_set_shape(invocation, &shape);
        if (status == FATHOM_OK)
            status = write_result(invocation->result, &view);
        say_result(invocation, &view);
        if (status == FATHOM_OK && files->experiment)
            status = cli_margin_experiment(invocation, margin, data, files->trials);
        if (!view.reached)
            *exit_code = EXIT_LIMIT;
    }
    if (status == FATHOM_OK)
        status = cli_certified_write(&certified, invocation, data, add_claim, margin);
    status = cli_certified_close(&certified, invocation, status, exit_code);
    fathom_margin_free(margin);
    fathom_data_free(data);
    return status;
}
