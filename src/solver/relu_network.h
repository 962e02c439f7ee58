/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing ReLU network with one output, for the upper side of global training.
 *
 *     E(U, w) = sum_i c_i l(f_i, y_i) + beta/2 sum_j (|u_j|^2 + w_j^2),   f_i = sum_j w_j relu(<u_j, x_i>)
 *
 * At a minimiser |u_j| = |w_j|, so E equals the objective with the penalty beta sum_j |w_j||u_j| there, and is never
 * below it. Neurons with the same pattern and sign are merged: the sum of two is no longer than both together.
 */
#ifndef FATHOM_RELU_NETWORK_H
#define FATHOM_RELU_NETWORK_H

#include "gated_problem.h"
#include "train_internal.h"

typedef struct fathom_relu_network {
    const fathom_train_problem *problem; /* borrowed */
    double beta;
    int64_t m, capacity;
    double *theta;    /* capacity x (d + 1): u_j, then w_j */
    double *f;        /* n: outputs */
    double *residual; /* n: -l'(f), the natural dual point */
} fathom_relu_network;

fathom_status fathom_relu_network_open(fathom_relu_network *net, const fathom_train_problem *problem,
                                       double beta);
void fathom_relu_network_close(fathom_relu_network *net);

/* Points, loss and penalty in the form that the gated solver's losses and bounds take; it has no gates. */
fathom_gated_problem fathom_relu_network_problem(const fathom_relu_network *net);

/* Adds a neuron along the unit vector u with the given sign, as large as decreases the objective most (nearly). */
fathom_status fathom_relu_network_add(fathom_relu_network *net, const double *u, double sign, double price);

/* The best weights for the directions at hand (relu_master.c); directions without weight leave. */
fathom_status fathom_relu_network_reweight(fathom_relu_network *net);

/* Descends in all parameters for at most `steps` steps, merges and prunes, refreshes f and residual. */
fathom_status fathom_relu_network_descend(fathom_relu_network *net, int64_t steps);

/* Loss, sum_j |w_j||u_j|, and the objective loss + beta norm, the sums rounded up. */
double fathom_relu_network_objective(const fathom_relu_network *net, double *loss, double *norm);

/* Gives the network with unit u_j, the largest weights first. */
fathom_status fathom_relu_network_give(fathom_net **given, const fathom_relu_network *net);

#endif
