/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs on rows, some of which lie close together, in coordinates that tell those apart; see near_rows.c.
 */
#ifndef FATHOM_NEAR_ROWS_H
#define FATHOM_NEAR_ROWS_H

#include "train_internal.h"

typedef struct fathom_near_rows {
    const fathom_train_problem *problem;
    int64_t *parent; /* n: the row that row i is taken relative to, or -1 */
    double *factor;  /* n: c_i, 0 where there is none */
    double *step;    /* n x (d + 1): x_i - c_i x_p, then 1 - c_i, what is left of a bias */
    double *length;  /* n: l_i */
} fathom_near_rows;

/* apart: whether rows that are close are taken relative to each other, or all on their own. To be closed
 * also after a failure. */
fathom_status fathom_near_rows_open(fathom_near_rows *rows, const fathom_train_problem *problem, bool apart);
void fathom_near_rows_close(fathom_near_rows *rows);

/* g (n) = T f; may not overlap. */
void fathom_near_rows_apply(double *g, const fathom_near_rows *rows, const double *f);

/* g (n) = T relu(X u + b) of a neuron (u, b), d + 1 numbers, without the rounding of f. */
void fathom_near_rows_neuron(double *g, const fathom_near_rows *rows, const double *neuron);

/* v (n) = T' w, so that <v, f> = <w, T f>. */
void fathom_near_rows_transpose(double *v, const fathom_near_rows *rows, const double *w);

#endif
