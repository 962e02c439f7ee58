/* SPDX-License-Identifier: Apache-2.0 */
/* The labelled points of a margin: dense rows, labels -1 and +1; and bounds from the kernel alone. */
#ifndef FATHOM_MARGIN_POINTS_H
#define FATHOM_MARGIN_POINTS_H

#include "fathom/data.h"

typedef struct fathom_margin_points {
    int64_t n, d;
    double *x;     /* n x d, packed */
    double *y;     /* n */
    double *z;     /* n x d: y_i x_i */
    double radius; /* max |x_i|, rounded up */
    int64_t zero;  /* the first row that is 0, or -1 */
    bool bias;     /* hidden biases and a constant are free (global margins) */
    double *
        basis; /* d x columns, orthonormal rows: x is the data's rows in this basis; NULL where it is the rows themselves */
    int64_t columns; /* of the data */
    /* the basis times x is within this of the data's rows, an isometry being near; 0 without a basis */
    double slack;
} fathom_margin_points;

/* Copies the data's points. ERROR_INPUT where there are not two classes (one is allowed); ERROR_USAGE where biases are free and
 * the margin is not `global`. */
fathom_status fathom_margin_points_create(fathom_margin_points *points, fathom_context *context,
                                          fathom_data *data, bool global);
/* Where there are more columns than points, replaces x and z by coordinates in the row space (d = n): products, and so
 * margins of the first layer and of networks, stay the same up to `slack`. */
fathom_status fathom_margin_points_reduce(fathom_margin_points *points, fathom_context *context);

/* out (columns) = the data's coordinates of v (d). */
void fathom_margin_points_lift(double *out, const fathom_margin_points *points, const double *v);

void fathom_margin_points_free(fathom_context *context, fathom_margin_points *points);

/* A kernel H o yy' of infinite width: E |S_q|^2 = q'K q for the vector S_q of a gate. */
typedef struct fathom_margin_kernel {
    double *k;    /* n x n; owned */
    double error; /* entries are within `error` |x_i||x_k|, (K q)_i within `error` max |x| sum_k q_k |x_k| */
    double stretch; /* |S_q| <= stretch sum_i q_i |x_i|: 1, or 2 for both layers, whose |w| < 2 */
} fathom_margin_kernel;

/* Gives the kernel of the first layer; with first and second > 0 that of both, first <x,x'> P(both open) +
 * second E relu(<z,x>) relu(<z,x'>), z ~ N(0, I), whose factors are known to `doubt`. */
fathom_status fathom_margin_kernel_create(fathom_margin_kernel *kernel, fathom_context *context,
                                          const fathom_margin_points *points, const fathom_data *data,
                                          double first, double second, double doubt);

/* sum_i q_i |x_i|, rounded up: no S_q is longer. */
double fathom_margin_mass(const fathom_margin_points *points, const double *q);

/* Bounds lower <= gamma <= upper at infinite width from the kernel, rounding included, and the q (n) that gives them. */
fathom_status fathom_margin_kernel_bounds(double *lower, double *upper, double *q, fathom_context *context,
                                          const fathom_margin_points *points,
                                          const fathom_margin_kernel *kernel);

/* Improves q (n, in the simplex) towards the minimum of q'K q / 2 + c'q over the simplex; c NULL: 0. */
fathom_status fathom_margin_quadratic(double *q, fathom_context *context, int64_t n, const double *k,
                                      const double *c);

/* Euclidean projection of v (n) to the simplex, in place; `order` (n) is workspace. */
void fathom_margin_project(double *v, int64_t n, double *order);

#endif
