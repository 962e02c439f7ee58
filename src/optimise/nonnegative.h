/* SPDX-License-Identifier: Apache-2.0 */
/* Nonnegative combinations of given vectors: the dual of least-norm problems with linear inequalities. */
#ifndef FATHOM_NONNEGATIVE_H
#define FATHOM_NONNEGATIVE_H

#include "fathom/context.h"

typedef struct fathom_least_norm {
    bool settled; /* the conditions of optimality hold to rounding; false: infeasible, or no progress */
    double lower,
        upper;      /* lower <= min |x| <= upper, up to rounding; upper infinite where x is not feasible */
    int64_t active; /* rows with a positive multiplier */
} fathom_least_norm;

/* minimise |x| over x in R^d with <z_i, x> >= c_i for the rows of z (n x d, leading dimension d), c >= 0. Fills x (d) and the
 * multipliers (n), x = sum_i multiplier_i z_i. */
fathom_status fathom_least_norm_solve(fathom_least_norm *result, double *x, double *multiplier,
                                      const double *z, int64_t n, int64_t d, const double *c,
                                      fathom_context *context);

/* The same from multipliers (>= 0) of a problem close by, of which the positive ones are the first guess. */
fathom_status fathom_least_norm_continue(fathom_least_norm *result, double *x, double *multiplier,
                                         const double *z, int64_t n, int64_t d, const double *c,
                                         fathom_context *context);

#endif
