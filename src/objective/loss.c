/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses, their derivatives and their logarithms.
 *
 * With softplus(t) = ln(1 + e^t):
 *   logistic      l(p) = softplus(-p),  ln |l'(p)| = -softplus(p),  ln l(p) = ln softplus(-p), -p - e^{-p}/2 for p > 30
 *   exponential   l(p) = e^{-p},        ln |l'(p)| = -p,            ln l(p) = -p
 *   hinge         l(p) = max(0, 1 - p), |l'(p)| = 1[p < 1]
 *   huber, absolute, quantile   functions of r = y - f, see loss_row.h
 *   softmax       logistic in p = f_y - LSE_{k != y} f_k;  dp/df_y = 1,  dp/df_k = -e^{f_k - LSE}
 * Inverses with S = ln s: exponential -S; logistic -(s + ln(1 - e^{-s})), -S - e^S/2 for S < -30 (the next terms are
 * e^{-2p}/24 and below, under rounding there).
 */
#include "fathom/loss.h"

#include <math.h>

#include "blas.h"
#include "loss_internal.h"
#include "loss_row.h"

/* Beyond this margin the first two terms of the expansion are exact to rounding. */
static const double FAR = 30;

static double softplus(double t) { return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)); }

double fathom_loss_margin_log(fathom_loss loss, double p)
{
    switch (loss) {
    case FATHOM_LOSS_LOGISTIC:
    case FATHOM_LOSS_SOFTMAX:
        return p > FAR ? -p - exp(-p) / 2 : log(softplus(-p));
    case FATHOM_LOSS_EXPONENTIAL:
        return -p;
    case FATHOM_LOSS_HINGE:
        return p < 1 ? log1p(-p) : p >= 1 ? -INFINITY : NAN;
    default:
        return NAN;
    }
}

double fathom_loss_margin_log_slope(fathom_loss loss, double p)
{
    switch (loss) {
    case FATHOM_LOSS_LOGISTIC:
    case FATHOM_LOSS_SOFTMAX:
        return -softplus(p);
    case FATHOM_LOSS_EXPONENTIAL:
        return -p;
    case FATHOM_LOSS_HINGE:
        return p < 1 ? 0 : p >= 1 ? -INFINITY : NAN;
    default:
        return NAN;
    }
}

double fathom_loss_margin_inverse(fathom_loss loss, double log_value)
{
    if (loss == FATHOM_LOSS_EXPONENTIAL)
        return -log_value;
    if (loss != FATHOM_LOSS_LOGISTIC && loss != FATHOM_LOSS_SOFTMAX)
        return NAN;
    if (log_value < -FAR)
        return -log_value - exp(log_value) / 2;
    const double s = exp(log_value);
    return -(s + log(-expm1(-s)));
}

/* l(p) itself. */
static double margin_value(fathom_loss loss, double p)
{
    if (loss == FATHOM_LOSS_EXPONENTIAL)
        return exp(-p);
    if (loss == FATHOM_LOSS_HINGE)
        return p >= 1 ? 0 : 1 - p;
    return softplus(-p);
}

/* -l'(p) e^{-shift}. */
static double margin_slope(fathom_loss loss, double p, double shift)
{
    return exp(fathom_loss_margin_log_slope(loss, p) - shift);
}

int64_t fathom_loss_class(const double *y, int64_t outputs)
{
    int64_t best = 0;
    for (int64_t k = 1; k < outputs; k++)
        if (y[k] > y[best])
            best = k;
    return best;
}

/* LSE_{k != y} f_k; -inf for one output. */
static double others(const double *f, int64_t outputs, int64_t y)
{
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < outputs; k++)
        if (k != y && (f[k] > top || isnan(f[k])))
            top = f[k];
    if (!isfinite(top))
        return top;
    for (int64_t k = 0; k < outputs; k++)
        if (k != y)
            sum += exp(f[k] - top);
    return top + log(sum);
}

double fathom_loss_softmax_margin(const double *f, const double *y, int64_t outputs)
{
    const int64_t k = fathom_loss_class(y, outputs);
    return f[k] - others(f, outputs, k);
}

/* The losses of numbers with kinks, their parameters as preset. */
static double boxed_value(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    const fathom_loss_box box = fathom_loss_box_of(loss, fathom_loss_row_of(loss)->preset);
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++)
        sum += fathom_loss_boxed(loss, &box, y[k] - f[k]);
    return sum;
}

static void boxed_derivative(double *g, fathom_loss loss, const double *f, const double *y, int64_t outputs,
                             double factor)
{
    const fathom_loss_box box = fathom_loss_box_of(loss, fathom_loss_row_of(loss)->preset);
    const bool linear = fathom_loss_row_of(loss)->dual == FATHOM_DUAL_LINEAR;
    for (int64_t k = 0; k < outputs; k++) {
        const double r = y[k] - f[k];
        g[k] = -factor * (linear ? (r > 0   ? box.above
                                    : r < 0 ? -box.below
                                            : 0 * r)
                                 : fmin(fmax(r, -box.below), box.above));
    }
}

double fathom_loss_value(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    double sum = 0;
    if (fathom_loss_row_of(loss)->boxed)
        return boxed_value(loss, f, y, outputs);
    if (loss == FATHOM_LOSS_SOFTMAX)
        return margin_value(loss, fathom_loss_softmax_margin(f, y, outputs));
    for (int64_t k = 0; k < outputs; k++)
        sum +=
            loss == FATHOM_LOSS_SQUARED ? (f[k] - y[k]) * (f[k] - y[k]) / 2 : margin_value(loss, y[k] * f[k]);
    return sum;
}

/* ln sum_k e^{t_k} one term at a time. */
static double log_add(double a, double b)
{
    const double top = a > b ? a : b, low = a > b ? b : a;
    return top == -INFINITY ? top : top + log1p(exp(low - top));
}

double fathom_loss_log_value(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    if (loss == FATHOM_LOSS_SOFTMAX)
        return fathom_loss_margin_log(loss, fathom_loss_softmax_margin(f, y, outputs));
    if (fathom_loss_row_of(loss)->boxed)
        return log(boxed_value(loss, f, y, outputs));
    if (loss == FATHOM_LOSS_SQUARED) {
        double norm = 0;
        for (int64_t k = 0; k < outputs; k++)
            norm = hypot(norm, f[k] - y[k]); /* squares may underflow, their root does not */
        return 2 * log(norm) - log(2);
    }
    double log_sum = fathom_loss_margin_log(loss, y[0] * f[0]);
    for (int64_t k = 1; k < outputs; k++)
        log_sum = log_add(log_sum, fathom_loss_margin_log(loss, y[k] * f[k]));
    return log_sum;
}

void fathom_loss_derivative_shifted(double *g, fathom_loss loss, const double *f, const double *y,
                                    int64_t outputs, double shift)
{
    if (loss == FATHOM_LOSS_SOFTMAX) {
        const int64_t right = fathom_loss_class(y, outputs);
        const double rest = others(f, outputs, right), p = f[right] - rest;
        const double log_slope = fathom_loss_margin_log_slope(loss, p) - shift;
        for (int64_t k = 0; k < outputs; k++)
            g[k] = k == right ? -exp(log_slope) : exp(log_slope + (f[k] - rest));
        return;
    }
    const double factor = fathom_loss_row_of(loss)->numbers && shift != 0 ? exp(-shift) : 1;
    if (fathom_loss_row_of(loss)->boxed) {
        boxed_derivative(g, loss, f, y, outputs, factor);
        return;
    }
    for (int64_t k = 0; k < outputs; k++)
        g[k] = loss == FATHOM_LOSS_SQUARED ? factor * (f[k] - y[k])
                                           : -y[k] * margin_slope(loss, y[k] * f[k], shift);
}

void fathom_loss_derivative(double *g, fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    fathom_loss_derivative_shifted(g, loss, f, y, outputs, 0);
}
