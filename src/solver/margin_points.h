/* SPDX-License-Identifier: Apache-2.0 */
/* The labelled points of a margin: dense rows, labels -1 and +1, no zero row; and bounds from the kernel alone. */
#ifndef FATHOM_MARGIN_POINTS_H
#define FATHOM_MARGIN_POINTS_H

#include "fathom/data.h"

typedef struct fathom_margin_points {
    int64_t n, d;
    double *x;     /* n x d, packed */
    double *y;     /* n */
    double *z;     /* n x d: y_i x_i */
    double radius; /* max |x_i|, rounded up */
} fathom_margin_points;

/* Copies the data's points. ERROR_INPUT where there are not two classes (one is allowed), or a row is 0. */
fathom_status fathom_margin_points_create(fathom_margin_points *points, fathom_context *context,
                                          fathom_data *data);
void fathom_margin_points_free(fathom_context *context, fathom_margin_points *points);

/* k (n x n) = H o yy', H the closed-form kernel of the first layer at infinite width. */
fathom_status fathom_margin_kernel(double *k, fathom_context *context, const fathom_margin_points *points,
                                   const fathom_data *data);

/* What (K q)_i computed from that matrix is off by at most, relative to max |x_i| times the mass of q. */
double fathom_margin_kernel_error(const fathom_margin_points *points);

/* sum_i q_i |x_i|, rounded up: no S_q is longer. */
double fathom_margin_mass(const fathom_margin_points *points, const double *q);

/* Bounds lower <= gamma <= upper at infinite width from the kernel, rounding included, and the q (n) that gives them. */
fathom_status fathom_margin_kernel_bounds(double *lower, double *upper, double *q, fathom_context *context,
                                          const fathom_margin_points *points, const double *k);

/* Improves q (n, in the simplex) towards the minimum of q'K q / 2 + c'q over the simplex; c NULL: 0. */
fathom_status fathom_margin_quadratic(double *q, fathom_context *context, int64_t n, const double *k,
                                      const double *c);

/* Euclidean projection of v (n) to the simplex, in place; `order` (n) is workspace. */
void fathom_margin_project(double *v, int64_t n, double *order);

#endif
