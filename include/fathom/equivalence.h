/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equivalent networks: standard (relu) and convex (gated) networks that compute the same function [000, Sec. 3].
 *
 * Every function gives a new network, with the constants c and, on the points named, the outputs of the old one; how
 * close in floating point, fathom_net_difference measures.
 */
#ifndef FATHOM_EQUIVALENCE_H
#define FATHOM_EQUIVALENCE_H

#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Standard to convex, for all x: V = U, W_jk = W_jk u_j (T_1 of [000, App. D], first half of Thm 3.1). For relu and
 * scalar networks without hidden biases. */
FATHOM_API fathom_status fathom_net_to_gated(fathom_net **gated, fathom_context *context,
                                             const fathom_net *net);

/* Convex to standard, on the data: 2m neurons (outputs + 1 per gate in general; second half of Thm 3.1). ERROR_INPUT
 * with the pair and the inner product where an orientation lies on the hyperplane of a nonzero point. */
FATHOM_API fathom_status fathom_net_to_relu(fathom_net **relu, fathom_context *context,
                                            const fathom_net *gated, const fathom_data *data);

/* One neuron per cone that holds an orientation, on the data: gated networks [Lemma 3.3]; relu networks of one output
 * and without hidden biases, one per cone and sign [Lemma 3.4]. The new rho are the shares: |J| / m where all rho were
 * 1 and the scale 1/m. */
FATHOM_API fathom_status fathom_net_compress(fathom_net **small, fathom_context *context,
                                             const fathom_net *net, const fathom_data *data);

/* The same function with another scale s [App. A]: hidden weights (and biases) times s_old / s_new where the activation
 * is homogeneous, else (huber) output weights. */
FATHOM_API fathom_status fathom_net_rescale(fathom_net *net, fathom_net_scale scale);

/* What pruning left out: neurons, the largest spread max_i f_k(x_i) - min_i f_k(x_i) of an output on the
 * data, and how far the outputs move: by `lower` on the data (computed), by at most `upper` wherever every
 * column is within its range on the data (proved, rounding included; NaN for kernels and networks on
 * images). */
typedef struct fathom_prune_report {
    int64_t dropped;
    double spread, lower, upper;
} fathom_prune_report;

/* Drops neurons, those first that move the outputs least, while no output on the data moves by more than
 * `share` (0 to 1) of the spread. A dropped neuron leaves its mean over the data in the constants c. */
FATHOM_API fathom_status fathom_net_prune(fathom_net **small, fathom_prune_report *report,
                                          fathom_context *context, const fathom_net *net,
                                          const fathom_data *data, double share);

/* *difference = max |f_a - f_b| over the data and the outputs. */
FATHOM_API fathom_status fathom_net_difference(double *difference, const fathom_net *a, const fathom_net *b,
                                               const fathom_data *data);

/* Gives the convex network of eight neurons that classifies the cube {-1, 1}^3 with parity labels [000, Thm 7.3 and F.5,
 * corrected]: y f = 1/8 at every point, by gates of measure zero. No standard network can. */
FATHOM_API fathom_status fathom_net_create_cube(fathom_net **net, fathom_context *context);

#ifdef __cplusplus
}
#endif
#endif
