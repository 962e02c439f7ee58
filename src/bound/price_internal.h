/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods of price.h share: the rows that matter, in as few coordinates as they need. */
#ifndef FATHOM_PRICE_INTERNAL_H
#define FATHOM_PRICE_INTERNAL_H

#include "price.h"

/*
 * Rows a_i = |v_i| x_i Q / scale with Q (d x r) an orthonormal basis of the row space and `scale` a power of two that makes
 * the largest |a_i| about 1. F(u) = sum_{i < positive} (a_i'u)_+ - sum_{i >= positive} (a_i'u)_+ and p(v) <= scale (max |F| + slack).
 * Several outputs keep a_i = x_i Q / scale and their weights apart.
 */
typedef struct fathom_price_rows {
    int64_t m, r, positive;
    int64_t outputs;
    double *a;      /* m x r */
    double *minus;  /* m x r: -a */
    double *weight; /* m x outputs: +-1 for one output */
    double *basis;  /* r x d: Q' */
    double scale;
    double reach; /* sum_i |weight_i| |a_i|, rounded up: F is Lipschitz with this constant */
    double slack; /* what the coordinates themselves cost, in units of `scale` */
} fathom_price_rows;

/* The value at u (r) in units of `scale`, and the side on which it is positive; several outputs: the norm. */
double fathom_price_value(double *sign, const fathom_price_rows *rows, const double *u);

/* Best direction known: u (r), its value on side `sign`. */
typedef struct fathom_price_best {
    double value, sign;
    double *u; /* r */
} fathom_price_best;

/* Ascends from `count` starts (count x r; both sides where sides is NULL, else sides[k]) and keeps the best. One output. */
fathom_status fathom_price_ascend(fathom_price_best *best, const fathom_price_rows *rows, double *starts,
                                  const double *sides, int64_t count, fathom_context *context);

/* The methods: *upper >= max |F| in units of `scale`, without rows->slack. */
fathom_status fathom_price_arcs(double *upper, fathom_price_best *best, int64_t *arcs,
                                const fathom_price_rows *rows, fathom_context *context);
fathom_status fathom_price_subdivide(double *upper, fathom_price_best *best, int64_t *nodes,
                                     const fathom_price_rows *rows, const fathom_price_options *options,
                                     fathom_context *context);

#endif
