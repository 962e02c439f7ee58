/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training in the row space of the data: with more columns than points, d > n, X = B Q' with Q (d x n) orthonormal, and a
 * neuron (u, b) does no better than (Q'u, b) on B (n x n): the part of u outside the row space only adds to |u|. Optima and
 * prices are the same, and neurons come back as u = Q t.
 *
 * Independent rows of B have all 2^n cones, as those of X have. Where rows depend on each other rounding parts them, and B has
 * cones that X has not: the problem says so (`dependent`), and no list of cones is evidence.
 *
 * Rounding. B Q' is X up to rows e_i; prices of X exceed those of B by at most sum_i |v_i| (|e_i| + |b_i| |Q'Q - I|), measured here
 * and added to `reach`, which every bound already charges for rounding (objective_bound.c: 2 q sum_i |v_i| reach_i).
 */
#ifndef FATHOM_ROW_SPACE_H
#define FATHOM_ROW_SPACE_H

#include "train_internal.h"

typedef struct fathom_row_space {
    fathom_train_problem problem; /* the problem on B; all else borrowed from the original one */
    double *q;                    /* d x n */
    double *b;                    /* n x n */
    double *reach;                /* n */
} fathom_row_space;

fathom_status fathom_row_space_open(fathom_row_space *space, const fathom_train_problem *problem);
void fathom_row_space_close(fathom_row_space *space);

/* Replaces the result's network on B by the one on X, and its values by that network's. */
fathom_status fathom_row_space_return(fathom_train_result *result, const fathom_row_space *space,
                                      const fathom_train_problem *problem);

#endif
