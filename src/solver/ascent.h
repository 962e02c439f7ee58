/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local ascent on the price of a neuron: max F(u) = sigma v'(Xu)_+ over |u| <= 1, from many starts.
 *
 * F = hP - hN, two convex functions (weights sigma v_i > 0 and < 0). A step replaces hP by its linearisation at u and
 * solves the concave rest exactly through its dual, a least-norm problem in a box:
 *
 *     c = sum_{P, x_i'u > 0} sigma v_i x_i,   w = c - sum_N lambda_i |v_i| x_i of least norm over 0 <= lambda <= 1,   u = w / |w|
 *
 * F never falls from step to step. The plain fixed point u = X'D(u)v / |.| cannot reach a maximiser with a point on its
 * kink, and optimal neurons sit there. What is found is a lower bound on the price, never a certificate.
 */
#ifndef FATHOM_ASCENT_H
#define FATHOM_ASCENT_H

#include "fathom/context.h"

typedef struct fathom_ascent {
    int64_t n, d;
    const double *x; /* n x d */
    const double *v; /* n */
} fathom_ascent;

/* Ascends from `count` starts: u (count x d) is replaced by unit vectors, or zero where F > 0 was not found; start k is
 * for side sign[k]; value[k] receives F. Parallel over starts, the same bits for every thread count. */
fathom_status fathom_ascent_run(double *u, double *value, const double *sign, int64_t count,
                                const fathom_ascent *problem, fathom_context *context);

/* F(u) as above for one u. */
double fathom_ascent_value(const fathom_ascent *problem, const double *u, double sign);

#endif
