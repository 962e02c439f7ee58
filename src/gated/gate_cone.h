/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest point of a gate's cone, by an active-set method on the multipliers.
 *
 *     minimise |u - p|   over   s_i <x_i, u> >= b_i,   s_i = +1 where the gate is open on x_i, -1 where it is closed
 *
 * b = 0: the projection on the cone K of the gate. See gate_cone.c.
 */
#ifndef FATHOM_GATE_CONE_H
#define FATHOM_GATE_CONE_H

#include <stdbool.h>

#include "fathom/context.h"

/* Workspace and result of one projection at a time; one per thread. */
typedef struct fathom_gate_cone {
    fathom_context *context;
    int64_t n, d;
    const double *x;     /* n x d, leading dimension d; borrowed */
    const double *reach; /* n, |x_i| rounded up; borrowed */
    int64_t count;       /* tight rows, at most d */
    int64_t *tight;      /* d: their numbers; on entry a guess */
    double *mu;          /* d: their multipliers >= 0 */
    double *u;           /* d: the point, p + sum_i mu_i s_i x_i */
    double *q;           /* d x d: orthonormal rows that span the tight rows */
    double *factor;      /* d x d: L, tight row k = sum_{l <= k} L_kl q_l */
    double *y, *trial;   /* d */
    double *product;     /* n: <x_i, u> */
    bool exact; /* false where the method gave up: u may violate rows; the bound below holds even so */
} fathom_gate_cone;

fathom_status fathom_gate_cone_open(fathom_gate_cone *cone, fathom_context *context, int64_t n, int64_t d,
                                    const double *x, const double *reach);
void fathom_gate_cone_close(fathom_gate_cone *cone);

/* Sets tight, mu, u. `open` is the gate's pattern, `least` holds b (n) or is NULL: 0. The first cone->count entries of
 * cone->tight are the guess. O(n d + k^2) per row that enters or leaves, k = number of tight rows. */
void fathom_gate_cone_project(fathom_gate_cone *cone, const uint64_t *open, const double *p,
                              const double *least);

/* An upper bound on max {<p, u> : u in K, |u| <= 1} after a projection with b = 0: |p + sum_i mu_i s_i x_i| for the mu
 * found, rounding included (that of p itself excepted). Valid for every mu >= 0. */
double fathom_gate_cone_bound(const fathom_gate_cone *cone, const uint64_t *open, const double *p);

/* s_i as a factor. */
static inline double fathom_gate_side(const uint64_t *open, int64_t i)
{
    return (open[i / 64] >> (i % 64)) & 1 ? 1 : -1;
}

#endif
