/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses of an output f against a target y, stable in log space.
 *
 * logistic, exponential and hinge are functions of the margin p = y f, y = -1 or +1, summed over outputs. softmax is
 * the logistic loss of the margin p = f_y - ln sum_{k != y} e^{f_k}, y the class. A loss far below the smallest
 * double is represented by its logarithm, down to ln l = -1e300 and beyond.
 */
#ifndef FATHOM_LOSS_H
#define FATHOM_LOSS_H

#include "fathom/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_loss {
    FATHOM_LOSS_SQUARED,     /* (f - y)^2 / 2, summed over outputs */
    FATHOM_LOSS_LOGISTIC,    /* ln(1 + e^{-y f}), y = -1 or +1 */
    FATHOM_LOSS_EXPONENTIAL, /* e^{-y f} */
    FATHOM_LOSS_HINGE,       /* max(0, 1 - y f) */
    FATHOM_LOSS_SOFTMAX,     /* -sum_k y_k ln softmax(f)_k, y one-hot */
    FATHOM_LOSS_HUBER,       /* r^2 / 2 for |r| <= delta, else delta |r| - delta^2 / 2; r = y - f */
    FATHOM_LOSS_ABSOLUTE,    /* |r| */
    FATHOM_LOSS_QUANTILE     /* tau r for r >= 0, else (tau - 1) r: its minimisers are tau-quantiles */
} fathom_loss;

/* "squared", "logistic", ... as in model files and options. */
FATHOM_API const char *fathom_loss_name(fathom_loss loss);

/* One example, f and y of length `outputs`: the loss; its natural logarithm; g = its derivative by f. The hinge loss
 * has derivative 0 at p = 1. Without a parameter huber has delta = 1 and quantile tau = 1/2; their derivatives at
 * r = 0 are 0. */
FATHOM_API double fathom_loss_value(fathom_loss loss, const double *f, const double *y, int64_t outputs);
FATHOM_API double fathom_loss_log_value(fathom_loss loss, const double *f, const double *y, int64_t outputs);
FATHOM_API void fathom_loss_derivative(double *g, fathom_loss loss, const double *f, const double *y,
                                       int64_t outputs);

/* What n losses amount to, with weights w_i (ones where absent):
 *   R = sum_i w_i l_i / sum_i w_i, and the smoothed margin l^{-1}(sum_i w_i l_i), with Q = |l'| there [003, Sec. 2]. */
typedef struct fathom_loss_summary {
    double mean;            /* R; 0 where it underflows */
    double log_mean;        /* ln R, always */
    double margin;          /* smallest margin; NaN for the squared loss */
    double smoothed_margin; /* logistic, exponential, softmax; otherwise NaN */
    double log_q;           /* ln Q; NaN where smoothed_margin is */
} fathom_loss_summary;

/* f and y n x outputs, weight n or NULL. Fails where there is no memory. Where `slope` is not NULL it receives the
 * n x outputs derivatives by f of ln R (log_scale FATHOM_SLOPE_LOG), of -(smoothed margin) (FATHOM_SLOPE_DUAL: for one
 * output these are -y_i q_i, q_i = w_i |l'(p_i)| / Q), or of R: the first two stay representable when R does not. */
typedef enum fathom_slope { FATHOM_SLOPE_MEAN, FATHOM_SLOPE_LOG, FATHOM_SLOPE_DUAL } fathom_slope;
FATHOM_API fathom_status fathom_loss_summarize(fathom_loss_summary *summary, double *slope,
                                               fathom_slope slope_kind, fathom_context *context,
                                               fathom_loss loss, const double *f, const double *y,
                                               const double *weight, int64_t n, int64_t outputs);

/* ERROR_INPUT where a target does not suit the loss: -1 or +1, one-hot rows, or finite numbers. */
FATHOM_API fathom_status fathom_loss_check(fathom_context *context, fathom_loss loss, const double *y,
                                           int64_t n, int64_t outputs);

#ifdef __cplusplus
}
#endif
#endif
