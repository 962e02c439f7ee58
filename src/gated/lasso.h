/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse least squares with a certified gap: output weights for given features.
 *
 *     minimise  P(W, k) = 1/2 sum_i c_i |f_i - y_i|^2 + beta sum_j |w_j|,    f_i = k + sum_j b_ij w_j
 *
 * over W (p rows w_j in R^o) and, where asked for, a free constant k in R^o. With one output this is the lasso; with
 * several the rows are groups (|w_j| their Euclidean norm), or each output is a lasso of its own. See lasso.c.
 */
#ifndef FATHOM_LASSO_H
#define FATHOM_LASSO_H

#include "fathom/context.h"

/* The features and what is computed from them once. */
typedef struct fathom_lasso {
    fathom_context *context;
    int64_t n, p;
    const double *b;      /* n x p, leading dimension p; borrowed */
    const double *weight; /* n sample weights, or NULL; borrowed */
    bool constant;
    double *gram;  /* p x p: sum_i c_i (b_i - mean)(b_i - mean)' */
    double *mean;  /* p: weighted means of the columns; 0 without a constant */
    double *reach; /* n: max_j |b_ij| */
    double mass;   /* sum_i c_i */
} fathom_lasso;

/* Borrows b and weight. Memory: p^2 doubles, and n p more where there are weights. */
fathom_status fathom_lasso_open(fathom_lasso *lasso, fathom_context *context, const double *b, int64_t n,
                                int64_t p, const double *weight, bool constant);
void fathom_lasso_close(fathom_lasso *lasso);

/* A fit: the targets, the weights, and the bounds. A task is a problem that stands alone: all outputs together, or each
 * one. */
typedef struct fathom_lasso_fit {
    const fathom_lasso *lasso;
    const double *y; /* outputs x n; borrowed */
    int64_t outputs;
    int64_t tasks, width; /* tasks x width = outputs: 1 x outputs (groups) or outputs x 1 */
    double beta;          /* set by the caller before the run */
    double beta_max;      /* w = 0 is optimal from here on, to rounding */
    double divisor;       /* of values in progress reports; 1 */
    double *w;            /* tasks x p x width: start on entry (zero after the opening), result on exit */
    double *k;            /* outputs: the constant */
    double *cross;        /* tasks x p x width: sum_i c_i (b_ij - mean_j) y_i */
    double *residual;     /* outputs x n: c_i (y - f), the natural dual point, of the last certificate */
    double *square;       /* tasks: sum_i c_i |y_i - mean y|^2 */
    double objective, lower, loss, norm; /* objective and loss rounded up, lower rounded down */
    int64_t iterations;
    fathom_end end;
} fathom_lasso_fit;

/* Borrows lasso and y. */
fathom_status fathom_lasso_fit_open(fathom_lasso_fit *fit, const fathom_lasso *lasso, const double *y,
                                    int64_t outputs, bool separate);
void fathom_lasso_fit_close(fathom_lasso_fit *fit);

/* Until objective - lower <= gap objective, or a limit. */
fathom_status fathom_lasso_fit_run(fathom_lasso_fit *fit, double gap);

#endif
