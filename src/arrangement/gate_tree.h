/* SPDX-License-Identifier: Apache-2.0 */
/* Products with all gates at once, along the gate tree, in O((n + m) d); see gate_tree.c. */
#ifndef FATHOM_GATE_TREE_H
#define FATHOM_GATE_TREE_H

#include "fathom/gates.h"

typedef struct fathom_gate_tree fathom_gate_tree;

/* Gives the tree of gates that have one (their arrays are borrowed) in a form that products walk fast: 8 bytes per gate.
 * It owns workspace: one product at a time. */
fathom_status fathom_gate_tree_create(fathom_gate_tree **tree, fathom_context *context,
                                      const fathom_gates_view *gates);
void fathom_gate_tree_free(fathom_gate_tree *tree);

/* out_j = X' D_j v = sum of v_i x_i over the points open in gate j: out m x d (leading dimension d), v (n); norm (m) = |out_j|.
 * Either may be NULL. */
void fathom_gate_tree_sums(double *out, double *norm, fathom_gate_tree *tree, const fathom_data_view *data,
                           const double *v);

/* The adjoint: out_i = sum of <x_i, z_j> over the gates j open on point i: out (n), z m x d (leading dimension d). */
void fathom_gate_tree_adjoint(double *out, fathom_gate_tree *tree, const fathom_data_view *data,
                              const double *z);

#endif
