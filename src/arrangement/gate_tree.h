/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with all gates at once, along the gate tree.
 *
 * D_j = diag of gate j's pattern. The m vectors X' D_j v cost O((n + m) d) instead of O(n m d), because a gate's sum is its
 * parent's plus or minus v_i x_i for the flipped points; the adjoint costs the same by sums over subtrees.
 * Sums are kept as unevaluated pairs high + low with exact products and two-sums [Ogita-Rump-Oishi 2005], so that
 * differences along a path of K flips do not build up error: each result is within
 *     2^-52 |result| + (K + n + d)^2 2^-104 S
 * of exact, S the sum of the absolute values of all terms that were added or subtracted on the way.
 */
#ifndef FATHOM_GATE_TREE_H
#define FATHOM_GATE_TREE_H

#include "fathom/gates.h"

/* out_j = X' D_j v = sum of v_i x_i over the points open in gate j: out m x d (leading dimension d), v (n), work (m x d).
 * The gates have a tree. */
void fathom_gate_tree_sums(double *out, double *work, const fathom_gates_view *gates,
                           const fathom_data_view *data, const double *v);

/* The adjoint: out_i = sum of <x_i, z_j> over the gates j open on point i: out (n), z m x d (leading dimension d),
 * work (2 m d + n). */
void fathom_gate_tree_adjoint(double *out, double *work, const fathom_gates_view *gates,
                              const fathom_data_view *data, const double *z);

#endif
