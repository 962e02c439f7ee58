/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node of the branching on signs: the joint relaxation (joint.h) on the part of the ball where some signs are fixed.
 *
 * Side sigma, w = sigma v. Where the sign of x_j'u is known to be e_j (j in F), s_j = e_j and e_j x_j'u >= 0, so the column of j
 * joins column 0, with a multiplier nu_j >= 0 for the half-space:
 *
 *     psi_i = max(0, w_i + sum_j |Theta_ij|)
 *     C_0 = X'w - sum_i Theta_i0 x_i + sum_{j in F} e_j [(psi_j + nu_j) x_j - sum_i Theta_ij x_i]
 *     C_k = psi_k x_k - sum_i Theta_ik x_i                                     (k not in F)
 *     P   = 1/2 (sqrt(sum alpha lambda_max(sum C C'/alpha)) + sum |C_k|), the first over columns with alpha > 0, the second without
 *
 * bounds sigma v'(Xu)_+ on that part for ANY Theta, nu >= 0, alpha >= 0; p(v) is at most the largest P over the leaves of two
 * complete trees. Theta_ij with j in F is the same as Theta_i0 up to sign and is kept there. [bounds-branching.md 1]
 */
#ifndef FATHOM_SIGN_NODE_H
#define FATHOM_SIGN_NODE_H

#include "objective.h"

/* What the nodes of one side share. Theta_ij is kept for `rows` points i and k neighbours j each, with a fixed sign: at least for the
 * points of negative weight, without which a leaf is not exact. Room is for n rows. */
typedef struct fathom_sign_side {
    const fathom_objective *p; /* borrowed: n, d, x, reach */
    double sigma;
    int64_t rows, k;
    int64_t given;   /* rows that the joint relaxation had */
    int64_t *point;  /* rows: the point i */
    int64_t *row_of; /* n: the row of a point, -1 where it has none */
    int32_t *column; /* rows x k: the neighbour j */
    double *sign;    /* rows x k: of Theta_ij */
    double *w;       /* n: sigma v */
    double *turn;    /* n: w over what it was before the last move, 0 where the sign has changed */
    int64_t ld;      /* of padded rows, short_rows.h */
    double *padded;  /* n x ld: the points */
} fathom_sign_side;

/* Multipliers of one node: theta (n x (k + 2), of which `rows` are in use): |Theta_ij| of the neighbours, then the positive and the negative part of
 * Theta_i0; nu (n); log alpha (n + 1), column 0 first, -INFINITY where alpha = 0, then t of the ball of a free bias
 * (joint_internal.h). fixed (n): e_i or 0. */
typedef struct fathom_sign_node {
    double *theta, *nu, *log_alpha;
    int8_t *fixed;
} fathom_sign_node;

/* Gives point i a row; its neighbours stand in `column` already. */
void fathom_sign_side_add(fathom_sign_side *side, int64_t i);

/* Numbers in theta of a node; the larger of two sides. */
int64_t fathom_sign_theta_size(const fathom_sign_side *side);
int64_t fathom_sign_theta_most(const fathom_sign_side *sides);

/* Workspace of one thread, for the nodes of two sides. */
typedef struct fathom_sign_work fathom_sign_work;
fathom_status fathom_sign_work_create(fathom_sign_work **work, const fathom_sign_side *sides);
void fathom_sign_work_free(fathom_sign_work *work, fathom_context *context);

/* Fixes the sign of point i in a node whose multipliers are those of its parent: the bound does not rise. */
void fathom_sign_node_fix(fathom_sign_node *node, const fathom_sign_side *side, int64_t i, int sign);

/* Improves the multipliers by `steps` steps in each of two smoothings, ending once P <= aim. Returns the point to branch on,
 * -1 where none is left. */
int64_t fathom_sign_node_improve(fathom_sign_node *node, const fathom_sign_side *side, int64_t steps,
                                 double aim, fathom_sign_work *work);

/* P, rounded up; columns that are better left out of the matrix get alpha = 0. */
double fathom_sign_node_price(fathom_sign_node *node, const fathom_sign_side *side, fathom_sign_work *work);

#endif
