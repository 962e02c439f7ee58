/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a gated Newton step: the inner problem at fixed eta, and the candidates of the step. */
#ifndef FATHOM_GATED_STEP_H
#define FATHOM_GATED_STEP_H

#include "gated_newton.h"

/* Solves the inner problem at the run's eta to within `tolerance` of its value: sets v, f, c, w, phi and leaves the
 * engine prepared there. Starts from the run's v, f and c. */
fathom_status fathom_gated_evaluate(fathom_gated_run *run, double tolerance);

/* size of the run: |w_j| of the gates of the iterate, from v or from the weights that go with it. */
void fathom_gated_measure(fathom_gated_run *run);

/* Gates in use and gates that violate the dual constraint, with slope = d phi / d eta and their F*(g).
 *
 * `bent` leads Newton's method to |F*(g)_j| = beta by 1 / |F*(g)_j| instead of |F*(g)_j|^2. With p = |F*(g)_j|^2 / beta,
 * slope = (beta - p) / 2, and H_jk = -(d p_j / d eta_k) / 2 the equation p^{-1/2} = beta^{-1/2}, linearised, is
 *
 *     sum_k H_jk (x_k - eta_k) = -bent_j,    bent = p (1 - sqrt(p / beta)) = slope to first order in p - beta
 *
 * For small beta g is nearly homogeneous of degree -1 in eta, and 1 / |F*(g)_j| nearly linear. For one gate, where |F*(g)| =
 * a / (1 + c eta), the step is exact from every eta, also in whether the gate is used at all. */
typedef struct fathom_gated_candidates {
    fathom_gated_support support;
    double *slope, *bent; /* count */
    double *adjoint;      /* count x outputs x d; sparse points: g, outputs x n */
} fathom_gated_candidates;

fathom_status fathom_gated_candidates_create(fathom_gated_candidates *set, const fathom_gated_run *run);
void fathom_gated_candidates_clear(fathom_gated_candidates *set, fathom_context *context);

#endif
