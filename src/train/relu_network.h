/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing ReLU network, for the upper side of global training.
 *
 *     E(U, b, W, c) = sum_i c_i l(f_i, y_i) + beta/2 sum_j (|u_j|^2 + |w_j|^2),   f_i = c + sum_j w_j relu(<u_j, x_i> + b_j)
 *
 * with w_j in R^outputs; the biases b_j and the constant c are there, and free, only where the problem has a free
 * bias. At a minimiser |u_j| = |w_j|, so E equals the objective with the penalty beta sum_j |w_j||u_j| there, and is never
 * below it. Neurons with the same pattern and sign are merged: the sum of two is no longer than both together.
 */
#ifndef FATHOM_RELU_NETWORK_H
#define FATHOM_RELU_NETWORK_H

#include "objective.h"
#include "train_internal.h"

typedef struct fathom_relu_network {
    const fathom_train_problem *problem; /* borrowed */
    double beta;
    int64_t m, capacity, stride; /* stride = d + 1 + outputs */
    double *theta;               /* outputs + capacity stride: c, then neurons u_j, b_j, w_j */
    double *f;                   /* outputs x n: outputs */
    double *residual;            /* outputs x n: -l'(f), the natural dual point */
} fathom_relu_network;

/* f is that of the best constant (zero where there is none); beta may be set later. */
fathom_status fathom_relu_network_open(fathom_relu_network *net, const fathom_train_problem *problem,
                                       double beta);
void fathom_relu_network_close(fathom_relu_network *net);

/* Points, loss and penalty in the form that the gated solver's losses and bounds take; it has no gates. */
fathom_objective fathom_relu_network_problem(const fathom_relu_network *net);

/* u_j, b_j, w_j of neuron j. */
static inline double *fathom_relu_neuron(const fathom_relu_network *net, int64_t j)
{
    return net->theta + net->problem->outputs + j * net->stride;
}

/* v (outputs x n) = -l'(f) of a network without neurons, balanced (relu_beta.c). */
void fathom_relu_first_dual(double *v, const fathom_objective *loss, const double *f);

/* Adds a neuron along (u, b), |u| = 1, weighted w (outputs). */
fathom_status fathom_relu_network_add(fathom_relu_network *net, const double *u, double b, const double *w);

/* Adds the neuron of the given price at the residual, as large as decreases the objective most (nearly); one output: on
 * side `sign`. */
fathom_status fathom_relu_network_add_priced(fathom_relu_network *net, const double *u, double b, double sign,
                                             double price);

/* The best weights for the directions at hand (relu_master.c); directions without weight leave. */
fathom_status fathom_relu_network_reweight(fathom_relu_network *net);

/* Descends in all parameters for at most `steps` steps, merges and prunes, refreshes f and residual. */
fathom_status fathom_relu_network_descend(fathom_relu_network *net, int64_t steps);

/* f and residual afresh from the parameters. */
fathom_status fathom_relu_network_refresh(fathom_relu_network *net);

/* Loss, sum_j |w_j||u_j|, and the objective loss + beta norm, the sums rounded up. */
double fathom_relu_network_objective(const fathom_relu_network *net, double *loss, double *norm);

/* `net` = (1 - t) net + t other with the best t in [0, 1], which lowers the objective below both (the objective is convex
 * along it); neurons of weight 0 leave. Refreshed. */
fathom_status fathom_relu_network_blend(fathom_relu_network *net, const fathom_relu_network *other);

/* Makes `into` (opened for the same problem) equal to `from`. */
fathom_status fathom_relu_network_copy(fathom_relu_network *into, const fathom_relu_network *from);

/* Gives the network with unit u_j, the largest weights first. */
fathom_status fathom_relu_network_give(fathom_net **given, const fathom_relu_network *net);

#endif
