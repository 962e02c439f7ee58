/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many losses at once: ln R, margins, duals, and the three kinds of slopes.
 *
 * S = ln sum_i w_i l_i (log-sum-exp of ln l_i), W = sum_i w_i, ln R = S - ln W. The smoothed margin is l^{-1}(e^S),
 * Q = |l'| there. Slopes by f are w_i l_i' times
 *   1 / W          for R,          e^{-S}  for ln R,          1 / Q  for minus the smoothed margin,
 * each folded into the exponent before anything underflows. Verified in log space for ln R down to -1e6 and beyond.
 */
#include "fathom/loss.h"
#include "inner/loss.h"

#include <math.h>

#include "context_internal.h"
#include "loss_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "sum.h"

/* The margin of one example: the smallest y_k f_k, or f_y - max_{k != y} f_k. */
static double smallest_margin(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    double margin = INFINITY;
    if (fathom_loss_row_of(loss)->numbers)
        return NAN;
    const int64_t right = fathom_loss_row_of(loss)->simplex ? fathom_loss_class(y, outputs) : -1;
    for (int64_t k = 0; k < outputs; k++) {
        if (k == right)
            continue;
        const double p = right >= 0 ? f[right] - f[k] : y[k] * f[k];
        if (!(p >= margin)) /* lets NaN in */
            margin = p;
    }
    return margin;
}

static void set_slopes(double *slope, const fathom_loss_summary *summary, double log_sum, double total,
                       fathom_slope kind, fathom_loss loss, const double *f, const double *y,
                       const double *weight, int64_t n, int64_t outputs)
{
    const double shift = kind == FATHOM_SLOPE_LOG ? log_sum : kind == FATHOM_SLOPE_DUAL ? summary->log_q : 0;
    const double factor = kind == FATHOM_SLOPE_MEAN ? 1 / total : 1;
    for (int64_t i = 0; i < n; i++) {
        double *g = slope + i * outputs;
        fathom_loss_row_of(loss)->derivative(g, fathom_loss_row_of(loss), f + i * outputs, y + i * outputs,
                                             outputs, shift);
        for (int64_t k = 0; k < outputs; k++)
            g[k] *= factor * (weight ? weight[i] : 1);
    }
}

fathom_status fathom_loss_summarize(fathom_loss_summary *summary, double *slope, fathom_slope slope_kind,
                                    fathom_context *context, fathom_loss loss, const double *f,
                                    const double *y, const double *weight, int64_t n, int64_t outputs)
{
    double *log_value = fathom_memory_alloc(context, n, sizeof(double));
    if (!log_value)
        return FATHOM_ERROR_MEMORY;
    double margin = n > 0 && !fathom_loss_row_of(loss)->numbers ? INFINITY : NAN;
    for (int64_t i = 0; i < n; i++) {
        log_value[i] = fathom_loss_log_value(loss, f + i * outputs, y + i * outputs, outputs);
        const double p = smallest_margin(loss, f + i * outputs, y + i * outputs, outputs);
        if (!(p >= margin))
            margin = p;
    }
    const double log_sum = fathom_sum_log(log_value, weight, n);
    const double total = weight ? fathom_sum(weight, n) : (double)n;
    fathom_memory_free(context, log_value);
    const double log_mean = log_sum - log(total);
    const double smoothed = fathom_loss_margin_inverse(loss, log_sum);
    *summary = (fathom_loss_summary){exp(log_mean), log_mean, margin, smoothed,
                                     fathom_loss_margin_log_slope(loss, smoothed)};
    if (slope)
        set_slopes(slope, summary, log_sum, total, slope_kind, loss, f, y, weight, n, outputs);
    return FATHOM_OK;
}

/* Whether a row of targets suits the loss. */
static bool suits(fathom_loss loss, const double *y, int64_t outputs)
{
    const fathom_loss_row *row = fathom_loss_row_of(loss);
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++) {
        const bool sign = y[k] == 1 || y[k] == -1, bit = y[k] == 1 || y[k] == 0;
        if (row->numbers ? !isfinite(y[k]) : row->simplex ? !bit : !sign)
            return false;
        sum += y[k];
    }
    return !row->simplex || sum == 1;
}

fathom_status fathom_loss_check(fathom_context *context, fathom_loss loss, const double *y, int64_t n,
                                int64_t outputs)
{
    if (!fathom_loss_known(loss))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "unknown loss %d", (int)loss);
    if (fathom_loss_row_of(loss)->simplex && outputs < 2)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "softmax needs at least two outputs");
    for (int64_t i = 0; i < n; i++)
        if (!suits(loss, y + i * outputs, outputs))
            return fathom_error_set(context, FATHOM_ERROR_INPUT, "target of example %lld: expected %s",
                                    (long long)i, fathom_loss_row_of(loss)->targets);
    return FATHOM_OK;
}
