/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several networks with the same outputs and the same norm.
 *
 * The atoms z_j = relu(X u_j + b_j) w_j' / (|u_j||w_j|) (outputs times n numbers) and weights a_j = |u_j||w_j| > 0 give f =
 * sum_j a_j z_j at the norm sum_j a_j. Any other a >= 0 with the same f and the same norm is the same network as far as
 * objective and training data go.
 *
 *   sparse     dependent atoms trade weight until one of them is without: what is left is linearly independent, at most
 *              rank Z neurons, where Caratheodory's theorem promises n + 1. No fewest: that is a combinatorial problem.
 *   min-norm   of all a >= 0 with sum_j a_j z_j = f the one of least sum of squares, by a semismooth Newton method on its
 *              dual: a = (Z' m)_+ with Z (Z' m)_+ = f. Unique.
 */
#ifndef FATHOM_RELU_SELECT_H
#define FATHOM_RELU_SELECT_H

#include "relu_network.h"

/* The same on the weights a (m) of atoms z (m x n); spread leaves them where it does not come to rest. O(n min(m, n)) and
 * O(n^2) memory. */
fathom_status fathom_atoms_sparsify(double *a, fathom_context *context, int64_t m, int64_t n,
                                    const double *z);
fathom_status fathom_atoms_spread(double *a, fathom_context *context, int64_t m, int64_t n, const double *z);

/* Both keep the outputs to rounding and never raise the norm by more than rounding; the network is refreshed. */
fathom_status fathom_relu_network_sparsify(fathom_relu_network *net);
fathom_status fathom_relu_network_spread(fathom_relu_network *net);

#endif
