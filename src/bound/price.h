/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certified prices: both ends of
 *
 *     p(v) = max over |u| <= 1 of |v'(Xu)_+|,        and for several outputs of |V'(Xu)_+|,
 *
 * the support function of all neurons; with a free bias of (Xu + b 1)_+, for v with 1'v = 0, where a best b is on a kink: the
 * maximum over k of the price on X - 1 x_k'. The lower end is the value at a direction found, which is what training adds;
 * the upper end P holds in real arithmetic for the numbers in memory and turns v into a dual point: beta v / P is feasible.
 *
 *   arcs         rank 1 and 2: the plane is walked kink by kink, O(n log n); several outputs too
 *   subdivision  simplicial cones of directions are split where the bound is weak; rank up to 7
 *
 * Beyond that the joint relaxation and its branching take over (joint.h, sign_tree.h).
 */
#ifndef FATHOM_PRICE_H
#define FATHOM_PRICE_H

#include <stdbool.h>

#include "objective.h"

typedef enum fathom_price_method {
    FATHOM_PRICE_AUTO,
    FATHOM_PRICE_ARCS,
    FATHOM_PRICE_SUBDIVISION,
} fathom_price_method;

typedef struct fathom_price_problem {
    fathom_context *context;
    int64_t n, d, outputs;
    const double *x; /* n x d, leading dimension d */
    const double *v; /* outputs x n */
    bool bias;       /* b is free; 1'v = 0 up to rounding, which is the caller's to account for */
} fathom_price_problem;

/* The price over the neurons of an objective, for v of `outputs` outputs. */
static inline fathom_price_problem fathom_price_at(const fathom_objective *p, const double *v,
                                                   int64_t outputs)
{
    return (fathom_price_problem){p->context, p->n, p->d, outputs, p->x, v, p->constant};
}

typedef struct fathom_price_options {
    fathom_price_method method;
    double gap;    /* end once upper <= (1 + gap) lower */
    double enough; /* nothing below this need be told apart: end once upper is at most this; 0 for none */
    /* a third of what lower exceeds this by is accuracy enough: a neuron to add is found; INFINITY for
     * none */
    double excess;
    int64_t nodes; /* most nodes; 0 for as many as memory and the context's limits allow */
} fathom_price_options;

typedef struct fathom_price_result {
    double lower, upper;
    double sign;   /* of v'(Xu)_+ at the direction */
    int64_t nodes; /* arcs, cells or cones looked at */
    bool closed;   /* the gap asked for was reached */
    const char *method;
} fathom_price_result;

/* `direction` (d, and b where it is free) receives a neuron with |u| = 1 of value `lower`, or zero where p(v) = 0. Where the method does not suit the rank
 * or the number of outputs, or the context asks to stop before anything is known, upper = INFINITY. */
fathom_status fathom_price_bound(fathom_price_result *result, double *direction,
                                 const fathom_price_problem *problem, const fathom_price_options *options);

/* Whether AUTO has a method that reaches small gaps in seconds: rank of X at most 2, or 5 with one output; with a free bias for
 * a few hundred points. */
fathom_status fathom_price_is_small(bool *small, const fathom_price_problem *problem);

#endif
