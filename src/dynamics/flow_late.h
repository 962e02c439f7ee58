/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The late flow in dual coordinates: fixed output weights and settled patterns.
 *
 * c in R^n are the impulses of the duals, dc/dtau = q(p), p = p_0 + K c, K the constant tangent kernel;
 * u = ln(1 + t), du/dtau = dt/dtau e^-u. The clock is x = ln tau from an origin that makes ln(1/R) about linear in tau.
 */
#ifndef FATHOM_FLOW_LATE_H
#define FATHOM_FLOW_LATE_H

#include "fathom/loss.h"

typedef struct fathom_late {
    fathom_context *context;
    fathom_loss loss; /* logistic or exponential */
    int64_t n;
    const double *kernel;              /* n x n: y_i y_k <dp_i, dp_k> */
    const double *margin;              /* n: p_0 */
    const double *y, *weight;          /* n; weight may be NULL */
    double log_loss_end, log_time_end; /* where to stop; NaN: not asked for */
} fathom_late;

/* From x0 to x1 at most; c (n) and *u begin as they are and receive the end, *x where it is. *evaluations
 * counts those of the field. False in *done where the integrator gave up before. Everything starts anew: the result depends on the arguments alone. */
fathom_status fathom_late_run(bool *done, double *c, double *u, double *x, int64_t *evaluations,
                              const fathom_late *late, double x1);

#endif
