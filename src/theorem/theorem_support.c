/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a check, constants, margins and options of runs: what every paper's checks use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "blas.h"
#include "bytes.h"
#include "context_internal.h"
#include "memory.h"
#include "nonnegative.h"
#include "theorem_internal.h"

double theorem_constant(const theorem_run *run, const char *name, double preset)
{
    size_t length;
    double value;
    for (const char *text = run->options->constants; text && *text; text = theorem_constant_next(text))
        if (theorem_constant_read(text, &length, &value) && length == strlen(name) &&
            strncmp(text, name, length) == 0)
            return value;
    return preset;
}

fathom_status theorem_margin_by(fathom_margin_view *view, theorem_run *run, fathom_margin_options *options,
                                int64_t width)
{
    fathom_margin_result *result;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)width);
    if (width > 0)
        options->width = text;
    FATHOM_TRY(fathom_margin(&result, run->context, run->data, options));
    *view = fathom_margin_look(result);
    fathom_margin_free(result);
    return FATHOM_OK;
}

/* How sure an interval of a margin is. */
static const char *note_of(const fathom_margin_view *view)
{
    return !view->reached ? "stopped before the asked width"
           : view->exact  ? NULL
                          : "at the confidence of the sampled margin";
}

fathom_status theorem_margin(theorem_range *range, const char **note, theorem_run *run,
                             fathom_margin_kind kind, int64_t width, double gap)
{
    fathom_margin_options options;
    fathom_margin_view view;
    if (kind != FATHOM_MARGIN_GLOBAL && run->row && (run->row->standing & THEOREM_NO_BIAS) &&
        fathom_data_look(run->data).bias ==
            FATHOM_BIAS_FREE) { /* the statement has said that it does not apply */
        *range = (theorem_range){0, run->reach};
        *note = "not defined for networks with free biases";
        return FATHOM_OK;
    }
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = (int)kind;
    options.gap = gap;
    FATHOM_TRY(theorem_margin_by(&view, run, &options, width));
    *range = (theorem_range){view.lower, view.upper};
    *note = note_of(&view);
    return FATHOM_OK;
}

fathom_status theorem_linear_margin(theorem_range *range, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    double *block = fathom_memory_alloc(run->context, n * d + 2 * n + d, sizeof *block);
    fathom_least_norm result;
    *range = theorem_exact(0);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *z = block, *one = z + n * d, *multiplier = one + n, *w = multiplier + n;
    for (int64_t i = 0; i < n; i++) {
        one[i] = 1;
        for (int64_t k = 0; k < d; k++)
            z[i * d + k] = run->y[i] * run->x[i * d + k];
    }
    const fathom_status status = fathom_least_norm_solve(&result, w, multiplier, z, n, d, one, run->context);
    if (status == FATHOM_OK && result.upper < INFINITY)
        *range = (theorem_range){1 / result.upper, 1 / result.lower};
    fathom_memory_free(run->context, block);
    return status;
}

/* P[Bin(count, p) >= seen]. */
static double tail(double p, double seen, double count)
{
    double sum = 0;
    for (double k = seen; k <= count; k++)
        sum += exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) + k * log(p) +
                   (count - k) * log1p(-p));
    return fmin(1, sum);
}

/* The p with P[Bin(count, p) >= seen] = risk; the tail rises with p. */
static double least_share(double seen, double count, double risk)
{
    double low = 0, high = 1;
    if (seen <= 0)
        return 0;
    for (int step = 0; step < 50; step++) {
        const double middle = (low + high) / 2;
        *(tail(middle, seen, count) <= risk ? &low : &high) = middle;
    }
    return low;
}

theorem_range theorem_share(double few, double many, double count, double risk)
{
    if (!(count > 0))
        return (theorem_range){0, 1};
    return (theorem_range){least_share(few, count, risk), 1 - least_share(count - many, count, risk)};
}

/* Why a run is not the one that a theorem speaks of; NULL: it is. */
static const char *fault_of(const fathom_flow_result *result)
{
    switch (result->status) {
    case FATHOM_FLOW_LIMIT:
        return "the run was cut before its end";
    case FATHOM_FLOW_INTERRUPTED:
        return "the run was interrupted";
    case FATHOM_FLOW_DIVERGED:
        return "the run diverged";
    case FATHOM_FLOW_STUCK:
        return "the run stands still";
    default:
        return NULL;
    }
}

fathom_status theorem_flow_plain(fathom_flow_result *result, theorem_run *run,
                                 const fathom_flow_options *options, fathom_net *start,
                                 fathom_flow_observer observer, void *user)
{
    FATHOM_TRY(fathom_flow_watch(result, run->context, run->data, options, start, observer, user));
    if (result->net)
        return FATHOM_OK;
    theorem_break(run, "the run was cut before its start");
    fathom_flow_result_clear(result);
    return fathom_context_late(run->context, "the start of a run");
}

bool theorem_is_whole(const fathom_flow_record *r, double nominal)
{
    return r->steps == 0 || r->step >= (1 - 1e-9) * nominal;
}

fathom_status theorem_flow(fathom_flow_result *result, theorem_run *run, const fathom_flow_options *options,
                           fathom_net *start, fathom_flow_observer observer, void *user)
{
    if (fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE) { /* no run begins after the limit */
        theorem_break(run, "the run was cut before its end");
        return fathom_context_late(run->context, "the runs of a theorem");
    }
    const fathom_status status = theorem_flow_plain(result, run, options, start, observer, user);
    const char *fault = status == FATHOM_OK ? fault_of(result) : NULL;
    if (fault)
        theorem_break(run, fault);
    return status;
}

fathom_status theorem_start(fathom_net **net, theorem_run *run, const fathom_flow_options *options)
{
    fathom_flow_options o = *options;
    fathom_flow_result result;
    o.until = "steps=0", o.test = NULL, o.method = FATHOM_FLOW_GD, o.monitors = 2; /* basic */
    FATHOM_TRY(theorem_flow(&result, run, &o, NULL, NULL, NULL));
    *net = result.net;
    result.net = NULL;
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

fathom_flow_options theorem_flow_options(const theorem_run *run, const char *net, int64_t width,
                                         const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = net;
    options.width = run->options->width > 0 ? run->options->width : width;
    options.init = run->options->init;
    options.until = run->options->until ? run->options->until : until;
    return options;
}

fathom_status theorem_count_examples(double *count, const theorem_run *run)
{
    fathom_data *test;
    const fathom_preprocess preprocess = fathom_data_preprocess(run->data);
    const fathom_classes classes = fathom_data_classes(run->data);
    const fathom_status status =
        fathom_data_open_like(&test, run->context, run->options->test, NULL, &preprocess, &classes);
    *count = status == FATHOM_OK ? (double)fathom_data_look(test).n : 0;
    if (status == FATHOM_OK)
        fathom_data_free(test);
    return status;
}

fathom_status theorem_read_directions(double **beta, int64_t *count, theorem_run *run)
{
    fathom_bytes *bytes = NULL;
    fathom_array array = {0};
    const char *path = run->options->directions;
    *beta = NULL;
    fathom_status status = fathom_bytes_open(&bytes, run->context, path);
    FATHOM_THEN(status, fathom_npy_read(&array, bytes));
    fathom_bytes_close(bytes);
    bool fits = status == FATHOM_OK && array.rank == 2 && array.shape[1] == run->d && array.shape[0] > 0;
    for (int64_t k = 0; fits && k < array.shape[0]; k++) {
        const double norm = fathom_blas_norm(array.values + k * run->d, run->d);
        fits = norm > 0 && isfinite(norm);
    }
    if (status == FATHOM_OK && !fits)
        status = fathom_error_set_at(
            run->context, FATHOM_ERROR_INPUT, path, 0, 0,
            "expected directions, finite and not 0, in the rows of a matrix of %lld columns",
            (long long)run->d);
    if (status == FATHOM_OK) {
        *count = array.shape[0];
        *beta = fathom_memory_alloc(run->context, array.count, sizeof **beta);
        status = *beta ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        memcpy(*beta, array.values, (size_t)array.count * sizeof **beta);
    fathom_array_free(run->context, &array);
    return status;
}
