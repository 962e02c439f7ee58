/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Averages over random great circles, or over antipodal pairs of directions.
 *
 * A great circle of the sphere in R^d, drawn uniformly, passes through at most 2n cones; a Gaussian vector's direction is
 * uniform on it given the circle. For a fixed q let S(z) = sum_i q_i z_i 1[<x_i,z> > 0] and v(z) = S / sqrt(|S|^2 + mu^2).
 * One circle yields, exactly up to rounding, the averages over it of
 *
 *     |S|,  |S|^2,   Z_i = <z_i, v(z)> 1[<x_i,z> > 0],   Y_i = <z_i, S(z)> 1[<x_i,z> > 0]   (i < n)
 *
 * whose expectations are G(q), q'Kq, the margins of the map v, and (K q)_i with K = H o yy' the closed-form kernel.
 */
#ifndef FATHOM_MARGIN_CIRCLE_H
#define FATHOM_MARGIN_CIRCLE_H

#include "margin_full.h"
#include "margin_points.h"

/* Up to this dimension a circle, which costs about ten antipodal pairs of directions, brings more than they do: its
 * variance is 8 to 13 times that of a Gaussian vector less in R^3, but only 4 times in R^10. */
enum { FATHOM_CIRCLES_UP_TO = 4 };

typedef struct fathom_circle_plan {
    const fathom_margin_points *points;
    const double *q;     /* n, in the simplex */
    double mu;           /* > 0 */
    double value_slope;  /* |S| - value_slope |S|^2 is what is averaged for the upper side */
    const double *slope; /* n: Z_i - slope_i Y_i is what is averaged for the lower side */
    uint32_t phase;      /* which sub-stream of the samples */
    bool pairs;          /* antipodal pairs of directions in place of circles */
    /* Both layers where not NULL: |S| and Z_i stand for the conditional expectations |S| g(c) and E[<theta, grad_i> | u]
     * of margin_full.c, |S|^2 and Y_i for the same without the square root, whose expectations are q'K q and (K q)_i with
     * the truncated kernel K of both layers. */
    const fathom_full_table *table;
} fathom_circle_plan;

/* Sums over circles; divide by count. */
typedef struct fathom_circle_sums {
    int64_t count;
    double value, value_square; /* of |S| - value_slope |S|^2 */
    double s, ss, s_s, s_ss,
        ss_ss;            /* of a = average |S|, b = average |S|^2, aa, ab, bb: for the next slope */
    double *z, *z_square; /* n: of Z_i - slope_i Y_i */
    double *plain, *y, *zz, *zy, *yy; /* n: of Z_i, Y_i, Z_i Z_i, Z_i Y_i, Y_i Y_i, for the next slope */
} fathom_circle_sums;

fathom_status fathom_circle_sums_create(fathom_circle_sums *sums, fathom_context *context, int64_t n);
void fathom_circle_sums_clear(fathom_circle_sums *sums, int64_t n);
void fathom_circle_sums_free(fathom_circle_sums *sums, fathom_context *context);

/* Adds circles first .. first + count of the plan's phase. Ends early at the time limit (sums->count tells). The same
 * bits for every number of threads. */
fathom_status fathom_circle_sample(fathom_circle_sums *sums, fathom_context *context,
                                   const fathom_circle_plan *plan, int64_t first, int64_t count);

#endif
