/* SPDX-License-Identifier: Apache-2.0 */
/* fathom kernel DATA: the tangent kernel matrix of the data's points and the ends of its spectrum. */
#include <math.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "inner/context.h"
#include "inner/gates.h"
#include "inner/json.h"
#include "inner/kernel.h"

enum { PICTURE = 500 }; /* points up to which all eigenvalues are listed */

#define OWNER cli_kernel_options
static const fathom_option rows_of_options[] = {CLI_KERNEL_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_kernel_option_table =
    FATHOM_OPTION_TABLE("Kernel files", rows_of_options, cli_kernel_options);

/* The numbers of a spectrum, each with its proven interval. */
static fathom_status set_spectrum(fathom_json *result, const fathom_spectrum *s)
{
    return CLI_SET(
        result, cli_real("lambda_min", s->lambda_min), cli_real("lambda_min_lower", s->lambda_min_lower),
        cli_real("lambda_min_upper", s->lambda_min_upper), cli_real("lambda_max", s->lambda_max),
        cli_real("lambda_max_lower", s->lambda_max_lower), cli_real("lambda_max_upper", s->lambda_max_upper),
        cli_real("trace", s->trace), cli_real("condition", s->condition));
}

static void say_spectrum(const cli_invocation *invocation, const fathom_spectrum *s)
{
    if (isnan(s->lambda_max)) {
        cli_say(invocation, "stopped: the spectrum is known by its discs and its trace alone");
        cli_say(invocation, "lambda_min  in [%s, %s]", cli_below(s->lambda_min_lower, 12).text,
                cli_above(s->lambda_min_upper, 12).text);
        cli_say(invocation, "lambda_max  in [%s, %s]", cli_below(s->lambda_max_lower, 12).text,
                cli_above(s->lambda_max_upper, 12).text);
        cli_say(invocation, "trace       %s", cli_near(s->trace, 12).text);
        return;
    }
    cli_say(invocation, "lambda_min  %s  in [%s, %s]", cli_near(s->lambda_min, 12).text,
            cli_below(s->lambda_min_lower, 12).text, cli_above(s->lambda_min_upper, 12).text);
    cli_say(invocation, "lambda_max  %s  in [%s, %s]", cli_near(s->lambda_max, 12).text,
            cli_below(s->lambda_max_lower, 12).text, cli_above(s->lambda_max_upper, 12).text);
    cli_say(invocation, "trace       %s", cli_near(s->trace, 12).text);
    if (isfinite(s->condition))
        cli_say(invocation, "condition   %.6g", s->condition);
    else
        cli_say(invocation, "condition   not bounded: the smallest eigenvalue %s",
                s->lambda_min_upper == 0 ? "is 0" : "may be 0");
}

/* The exact null vector of the kernel of infinite width, or of given gates. */
static fathom_status find_null(int64_t *nullity, double *vector, char **text, cli_invocation *invocation,
                               const fathom_data *data)
{
    const cli_kernel_options *files = cli_options(invocation, &cli_kernel_option_table);
    fathom_gates *gates = NULL;
    fathom_gates_form form = (fathom_gates_form)files->gates_as;
    if (!files->gates)
        return fathom_kernel_null_vector(nullity, vector, text, invocation->context, data);
    fathom_status status =
        fathom_gates_read_as(&gates, NULL, &form, invocation->context, data, files->gates, NULL);
    FATHOM_THEN(status,
                fathom_kernel_null_vector_gates(nullity, vector, text, invocation->context, data, gates));
    fathom_gates_free(gates);
    return status;
}

/* Whether the kernel is singular, exactly. Where it is, its smallest eigenvalue is 0, and *exact, which the
 * caller releases, a vector of its null space. */
static fathom_status decide_null(fathom_spectrum *spectrum, char **exact, cli_invocation *invocation,
                                 const fathom_data *data)
{
    enum { LONGEST = 200 };
    const int64_t n = fathom_data_look(data).n;
    int64_t nullity;
    char *text = NULL;
    double *vector = fathom_context_allocate(invocation->context, n, sizeof *vector);
    fathom_status status =
        vector ? find_null(&nullity, vector, &text, invocation, data) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && nullity >= 0)
        status = CLI_SET(invocation->result, cli_integer("nullity", nullity));
    if (status == FATHOM_OK && text) {
        spectrum->lambda_min = spectrum->lambda_min_lower = spectrum->lambda_min_upper = 0;
        spectrum->condition = INFINITY;
        status = CLI_SET(invocation->result, cli_vector("null_vector", vector, n),
                         cli_text("null_vector_exact", text));
        cli_say(invocation, "nullity     %lld, exactly: K c = 0 for c = %s", (long long)nullity,
                strlen(text) <= LONGEST ? text : "null_vector of --json");
    } else if (status == FATHOM_OK && nullity == 0) {
        cli_say(invocation, "nullity     0, exactly: the kernel is positive definite");
    }
    *exact = text;
    fathom_context_release(invocation->context, vector);
    return status;
}

/* The gates of a finite network as the certificate lists them; *units: of which their weights are shares. NULL:
 * infinite width. */
static fathom_status find_gates(fathom_gates **gates, int64_t *units, cli_invocation *invocation,
                                const fathom_data *data)
{
    const fathom_kernel_options *options = cli_options(invocation, &fathom_kernel_option_table);
    const cli_kernel_options *files = cli_options(invocation, &cli_kernel_option_table);
    fathom_gates_form form = (fathom_gates_form)files->gates_as;
    *gates = NULL;
    *units = options->width;
    if (files->gates)
        return fathom_gates_read_as(gates, units, &form, invocation->context, data, files->gates, NULL);
    return options->width > 0 ? fathom_gates_sample(gates, invocation->context, data, options->width)
                              : FATHOM_OK;
}

/* The certificate of both ends of the spectrum, where one is asked for. */
static fathom_status prove(cli_invocation *invocation, fathom_job *job, const double *matrix,
                           const fathom_spectrum *spectrum, const char *null_vector)
{
    const fathom_job_view view = fathom_job_look(job);
    fathom_gates *gates = NULL;
    int64_t units = 0;
    if (!view.proves)
        return FATHOM_OK;
    fathom_status status = find_gates(&gates, &units, invocation, view.data);
    FATHOM_THEN(status, fathom_job_prove_kernel(
                            job, &(fathom_kernel_claim){
                                     .options = cli_options(invocation, &fathom_kernel_option_table),
                                     .gates = gates,
                                     .units = units,
                                     .matrix = matrix,
                                     .ld = fathom_data_look(view.data).n,
                                     .spectrum = spectrum,
                                     .null_vector = null_vector}));
    fathom_gates_free(gates);
    return status;
}

/* What the kernel is, in the result. */
static fathom_status set_kind(fathom_json *result, const fathom_kernel_options *options)
{
    return CLI_SET(result, cli_text("layers", options->layers == 1 ? "both" : "first"),
                   options->width > 0 ? cli_integer("width", options->width) : cli_text("width", "inf"),
                   cli_real("factor", options->factor));
}

/* All eigenvalues, for a picture of them. */
static fathom_status set_eigenvalues(cli_invocation *invocation, const double *matrix, int64_t n)
{
    double value[PICTURE];
    if (n > PICTURE)
        return FATHOM_OK;
    FATHOM_TRY(fathom_spectrum_values(value, matrix, n, n, invocation->context));
    return fathom_json_set_vector(invocation->result, "eigenvalues", value, n);
}

/* The whole matrix in memory, with its spectrum. */
static fathom_status run_whole(cli_invocation *invocation, bool *cut, const fathom_kernel *kernel,
                               fathom_job *job, double *matrix, const char *save)
{
    char *null_vector = NULL;
    const fathom_kernel_options *options = cli_options(invocation, &fathom_kernel_option_table);
    fathom_spectrum spectrum = {0};
    const int64_t n = fathom_kernel_size(kernel);
    fathom_status status = fathom_kernel_fill(matrix, n, kernel);
    if (status == FATHOM_OK && save)
        status = fathom_kernel_write_matrix(kernel, save, matrix, n);
    FATHOM_THEN(status, fathom_spectrum_compute(&spectrum, matrix, n, n, invocation->context));
    *cut = status == FATHOM_OK && isnan(spectrum.lambda_max);
    if (status == FATHOM_OK && !*cut && options->width == 0)
        status = decide_null(&spectrum, &null_vector, invocation, fathom_job_look(job).data);
    FATHOM_THEN(status, set_spectrum(invocation->result, &spectrum));
    if (status == FATHOM_OK && !*cut)
        status = set_eigenvalues(invocation, matrix, n);
    if (status == FATHOM_OK)
        say_spectrum(invocation, &spectrum);
    if (status == FATHOM_OK && !*cut)
        status = prove(invocation, job, matrix, &spectrum, null_vector);
    fathom_context_release(invocation->context, null_vector);
    return status;
}

/* What one pass shows: the exact matrix is positive semidefinite. */
static fathom_status report_summary(cli_invocation *invocation, const fathom_kernel_summary *summary)
{
    const fathom_spectrum spectrum = {.lambda_min = NAN,
                                      .lambda_min_lower = NAN,
                                      .lambda_min_upper = summary->lambda_min_upper,
                                      .lambda_max = NAN,
                                      .lambda_max_lower = summary->lambda_max_lower,
                                      .lambda_max_upper = summary->lambda_max_upper,
                                      .trace = summary->trace,
                                      .condition = NAN};
    cli_say(invocation, "lambda_min  at most %s", cli_above(spectrum.lambda_min_upper, 12).text);
    cli_say(invocation, "lambda_max  in [%s, %s]", cli_below(spectrum.lambda_max_lower, 12).text,
            cli_above(spectrum.lambda_max_upper, 12).text);
    cli_say(invocation, "trace       %.12g", spectrum.trace);
    return set_spectrum(invocation->result, &spectrum);
}

/* Stopped before the matrix was complete: its diagonal says something, and no file is written. */
static fathom_status report_diagonal(cli_invocation *invocation, const fathom_kernel *kernel)
{
    fathom_kernel_summary summary;
    const fathom_status status = fathom_kernel_summarize(&summary, kernel);
    cli_say(invocation, "stopped before the matrix was complete; by its diagonal:");
    return status == FATHOM_OK ? report_summary(invocation, &summary) : status;
}

/* Row by row to a file. */
static fathom_status run_streamed(cli_invocation *invocation, const fathom_kernel *kernel, const char *save)
{
    fathom_kernel_summary summary;
    FATHOM_TRY(fathom_kernel_write(kernel, save, &summary));
    return report_summary(invocation, &summary);
}

static fathom_status run_kernel(cli_invocation *invocation, bool *cut, const fathom_kernel *kernel,
                                fathom_job *job, const char *save)
{
    double *matrix = NULL;
    const bool streamed = save && !fathom_kernel_fits(kernel);
    if (streamed && fathom_job_look(job).proves)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "a certificate needs the whole matrix in memory");
    fathom_status status =
        streamed ? run_streamed(invocation, kernel, save) : fathom_kernel_allocate(&matrix, kernel);
    if (status == FATHOM_OK && !streamed)
        status = run_whole(invocation, cut, kernel, job, matrix, save);
    fathom_kernel_release(matrix, kernel);
    if (status == FATHOM_ERROR_STOPPED) {
        *cut = true;
        return report_diagonal(invocation, kernel);
    }
    if (status == FATHOM_OK && save) {
        cli_say(invocation, "matrix      %s", save);
        status = fathom_json_set_text(invocation->result, "matrix", save);
    }
    return status;
}

/* The kernel that the options name. */
static fathom_status open_kernel(fathom_kernel **kernel, cli_invocation *invocation, const fathom_data *data)
{
    const fathom_kernel_options *options = cli_options(invocation, &fathom_kernel_option_table);
    const cli_kernel_options *files = cli_options(invocation, &cli_kernel_option_table);
    fathom_gates *gates = NULL;
    fathom_gates_form form = (fathom_gates_form)files->gates_as;
    fathom_status status = set_kind(invocation->result, options);
    if (status != FATHOM_OK || !files->gates)
        return status == FATHOM_OK ? fathom_kernel_create(kernel, invocation->context, data, options)
                                   : status;
    if (options->layers == 1 || options->width > 0)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "--gates goes with neither --width nor --layers both");
    status = fathom_gates_read_as(&gates, NULL, &form, invocation->context, data, files->gates, NULL);
    FATHOM_THEN(status, fathom_json_set_text(invocation->result, "gates_as", fathom_gates_form_name(form)));
    if (status == FATHOM_OK)
        cli_say(invocation, "gates       read as %s", fathom_gates_form_name(form));
    FATHOM_THEN(status, fathom_json_set_integer(invocation->result, "width", fathom_gates_look(gates).m));
    FATHOM_THEN(status,
                fathom_kernel_create_gates(kernel, invocation->context, data, gates, options->factor));
    fathom_gates_free(gates);
    return status;
}

/* -o is the model where there is a ridge, otherwise another name for --save. */
static fathom_status find_files(const char **save, const cli_invocation *invocation,
                                const cli_kernel_options *files)
{
    const char *output = invocation->run.output, *text = NULL;
    *save = files->save ? files->save : isnan(files->ridge) ? output : NULL;
    if (!isnan(files->ridge) && !output)
        text = "--ridge needs -o MODEL";
    else if (isnan(files->ridge) && files->save && output)
        text = "without --ridge the matrix is all there is to write: --save or -o, not both";
    return text ? fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text) : FATHOM_OK;
}

/* Regression with the kernel; the model goes to the output file. */
static fathom_status run_regression(cli_invocation *invocation, const fathom_kernel *kernel,
                                    const fathom_data *data, double ridge)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_net *net = NULL;
    fathom_model *model = NULL;
    fathom_regression fit;
    fathom_status status = fathom_kernel_fit(&net, &fit, kernel, data, ridge);
    if (status == FATHOM_OK)
        status =
            fathom_model_create(&model, invocation->context, net, FATHOM_LOSS_SQUARED, &preprocess, &classes);
    if (status != FATHOM_OK)
        fathom_net_free(net);
    FATHOM_THEN(status, fathom_model_write(model, invocation->run.output));
    fathom_model_free(model);
    FATHOM_THEN(status,
                CLI_SET(invocation->result, cli_real("ridge", ridge), cli_real("residual", fit.residual),
                        cli_integer("rank", fit.rank), cli_text("reason", fit.reason)));
    if (status == FATHOM_OK)
        cli_say(invocation, "model       %s: ridge %g, residual at most %.3g, rank %lld",
                invocation->run.output, ridge, fit.residual, (long long)fit.rank);
    if (status == FATHOM_OK && fit.reason)
        cli_say(invocation, "not inverted: rank %lld of %lld, the closest fit of least norm was taken;\n%s",
                (long long)fit.rank, (long long)fathom_kernel_size(kernel), fit.reason);
    return status;
}

fathom_status cli_run_kernel(cli_invocation *invocation, int *exit_code)
{
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    const cli_kernel_options *files = cli_options(invocation, &cli_kernel_option_table);
    fathom_job *job = NULL;
    fathom_data *data = NULL;
    fathom_kernel *kernel = NULL;
    bool cut = false;
    const char *save = NULL;
    fathom_status status = cli_job_open(&job, invocation, proof->certificate, proof->verify);
    if (status == FATHOM_OK)
        data = fathom_job_look(job).data;
    FATHOM_THEN(status, open_kernel(&kernel, invocation, data));
    FATHOM_THEN(status, find_files(&save, invocation, files));
    FATHOM_THEN(status, run_kernel(invocation, &cut, kernel, job, save));
    if (cut)
        *exit_code = EXIT_LIMIT;
    if (status == FATHOM_OK && !cut && !isnan(files->ridge))
        status = run_regression(invocation, kernel, data, files->ridge);
    fathom_kernel_free(kernel);
    return cli_job_close(job, invocation, status, exit_code);
}
