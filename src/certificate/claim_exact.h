/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a claim as the checker will find them, in balls: claim_price.c and claim_value.c. */
#ifndef FATHOM_CLAIM_EXACT_H
#define FATHOM_CLAIM_EXACT_H

#include "certificate_internal.h"

/* Whether the sums of v that must vanish (constants that are free, rows of softmax) are 0 exactly. */
bool fathom_exact_balanced(const fathom_claim *claim);

/* The directions of several outputs (directions x outputs): axes or differences, then what their parents make. c is 0 at first. */
void fathom_proof_directions(double *c, const fathom_proof *proof);

/* Majorants of pieces after prices of directions have risen: each grows by what its corners lack. False where one cannot, or memory is
 * short. */
bool fathom_claim_raise_pieces(fathom_proof *proof);

/* Raises the prices of the proof until every leaf of every tree is proved at the dual point v of the claim, and the majorants of
 * pieces with them. False where a leaf proves nothing. */
bool fathom_exact_trees(fathom_proof *proof, const fathom_claim *claim);

/* The largest price of a gate, or of a side of a cone with its multipliers, at v, rounded up. */
double fathom_exact_gates(const fathom_proof *proof, const fathom_claim *claim);

/* The price of v, one output with free biases, on one column or along the line of the proof, rounded up. */
double fathom_exact_line(const fathom_proof *proof, const fathom_claim *claim);

/* The price of v that the weights of the orthant prove, rounded up. */
double fathom_exact_orthant(const fathom_proof *proof, const fathom_claim *claim);

/* D(s v) / N, rounded down; -INFINITY where s v is outside the domain. */
double fathom_exact_dual(const fathom_claim *claim, double s);

/* What a network (m neurons u, b, w and constants; gated: gates and weights of the proof) attains, rounded up; for equality R. In
 * *residual its largest |f - y|, rounded up. */
double fathom_exact_objective(double *residual, const fathom_claim *claim, const fathom_net_weights *net,
                              int64_t m, const fathom_proof *gated);

#endif
