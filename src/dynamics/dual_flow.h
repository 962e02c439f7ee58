/* SPDX-License-Identifier: Apache-2.0 */
/* What the explicit and the implicit steps of the flow by frozen duals share. */
#ifndef FATHOM_DUAL_FLOW_H
#define FATHOM_DUAL_FLOW_H

#include "dynamics_internal.h"
#include "neuron_flow.h"

typedef struct dual_flow {
    dynamics_run *run;
    neuron_field field;
    double alpha; /* slope below the kinks */
    double tolerance;
    dynamics_state half, next;
    double *above;      /* n: effects of the forces of a motion on either side of the planes ... */
    double *below;      /* n */
    double *gates;      /* m x n: the gates transposed; scalar and gated */
    double *force[3];   /* n each: q_i y_i at the beginning, the middle and the end of the step */
    double log_loss[3]; /* ln R there */
    double log_rate[3]; /* ln(dt / dtau) there */
    double middle;      /* where the middle is: 1/2, or that of the implicit step */
    dynamics_mark level[DYNAMICS_MARKS + LEVELS]; /* where steps end: values that rise to them */
    int levels;
    neuron_work *work; /* one per thread */
    int threads;
    struct dual_newton *newton; /* implicit steps; made when first needed */
} dual_flow;

/* Forces and clocks of a state; k = 0, 1, 2 for the beginning, the middle and the end. The batch holds its margins. */
fathom_status fathom_dual_find(dual_flow *flow, const dynamics_state *state, int k);

/* state <- Flow(state, force, h); false where a neuron met kinks without end. */
bool fathom_dual_move(dual_flow *flow, dynamics_state *state, const double *force, double h);

/* dual_newton.c: the tangent kernel at the run's state; h times its trace weighted by the duals, which is at least h times
 * the fastest rate at which duals relax; and the implicit step from the run's state to flow->next, *error infinite where
 * it failed. flow->force[0] is that of the state. */
fathom_status fathom_dual_newton_kernel(double *rate, dual_flow *flow);
fathom_status fathom_dual_newton_step(double *error, dual_flow *flow, double h);
void fathom_dual_newton_free(dual_flow *flow);

#endif
