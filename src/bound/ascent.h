/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local ascent on the price of a neuron, from many starts:
 *
 *     one output        max F(u) = sigma v'(Xu)_+         over |u| <= 1, for a side sigma = -1, +1
 *     several           max F(u) = |V'(Xu)_+|             = max over |c| = 1 of (Vc)'(Xu)_+
 *     free bias         (Xu + b 1)_+ in place of (Xu)_+, b free (finite where 1'V = 0)
 *
 * For fixed weights a = sigma v or V c, F = hP - hN, two convex functions (a_i > 0 and a_i < 0). A step replaces hP by its
 * linearisation at u and solves the concave rest exactly through its dual, a least-norm problem in a box:
 *
 *     g = sum_{P, x_i'u > 0} a_i x_i,   w = g - sum_N lambda_i |a_i| x_i of least norm over 0 <= lambda <= 1,   u = w / |w|
 *
 * F never falls from step to step. The plain fixed point u = X'D(u)a / |.| cannot reach a maximiser with a point on its
 * kink, and optimal neurons sit there. Points with 0 < lambda_i < 1 are those on the kink: the step ends with the closed
 * form on their face, w less its projection on their span, wherever that is better, so that they are on the kink to
 * rounding. Between steps c = V'(Xu)_+ / |.|, and b moves to the best kink of (Xu + b)_+ by sorting; with b at the kink
 * of point k the step works on x_i - x_k.
 * What is found is a lower bound on the price, never a certificate.
 */
#ifndef FATHOM_ASCENT_H
#define FATHOM_ASCENT_H

#include "fathom/context.h"

typedef struct fathom_ascent {
    int64_t n, d;
    const double *x; /* n x d */
    const double *v; /* outputs x n */
    int64_t outputs; /* 0 stands for 1 */
    bool bias;       /* b is free; neurons are then d + 1 numbers, u and b */
} fathom_ascent;

/* Numbers of a neuron. */
static inline int64_t fathom_ascent_width(const fathom_ascent *problem)
{
    return problem->d + (problem->bias ? 1 : 0);
}

/* Ascends from `count` starts: u (count x width) is replaced by neurons with |u| = 1, or zero where F > 0 was not found;
 * start k is for side sign[k] (count; ignored and not read where there are several outputs); value[k] receives F.
 * Parallel over starts, the same bits for every thread count. Starts are left out (value 0) once the context asks to stop. */
fathom_status fathom_ascent_run(double *u, double *value, const double *sign, int64_t count,
                                const fathom_ascent *problem, fathom_context *context);

/* F(u) as above for one neuron. */
double fathom_ascent_value(const fathom_ascent *problem, const double *u, double sign);

#endif
