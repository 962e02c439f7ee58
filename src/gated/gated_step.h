/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a gated Newton step: the inner problem at fixed eta, and the candidates of the step. */
#ifndef FATHOM_GATED_STEP_H
#define FATHOM_GATED_STEP_H

#include "gated_newton.h"

/* Solves the inner problem at the run's eta to within `tolerance` of its value: sets v, f, c, w, phi and leaves the
 * engine prepared there. Starts from the run's v, f and c. */
fathom_status fathom_gated_evaluate(fathom_gated_run *run, double tolerance);

/* Gates in use and gates that violate the dual constraint, with slope = d phi / d eta and their F*(g). */
typedef struct fathom_gated_candidates {
    fathom_gated_support support;
    double *slope;   /* count */
    double *adjoint; /* count x outputs x d */
} fathom_gated_candidates;

fathom_status fathom_gated_candidates_create(fathom_gated_candidates *set, const fathom_gated_run *run);
void fathom_gated_candidates_clear(fathom_gated_candidates *set, fathom_context *context);

#endif
