/* SPDX-License-Identifier: Apache-2.0 */
/* A claim about training, between its network (train.c) and its dual point (dual.c). */
#ifndef FATHOM_CHECK_TRAIN_CLAIM_H
#define FATHOM_CHECK_TRAIN_CLAIM_H

#include "ball.h"

enum { MODEL_RELU, MODEL_GATED };
enum { BOUND_NONE, BOUND_GATES, BOUND_GLOBAL };

typedef struct train {
    int model, loss, bound;
    bool mean;
    dyadic beta, upper, lower;
    int64_t outputs;
    double *y;      /* n x outputs, coded for the loss */
    int64_t *label; /* n: the class of a one-hot row */
    int64_t width;  /* columns of x: d, and one of ones */
    grid x;         /* n x width */
    arb_struct *f;  /* outputs x n */
    arb_t norm;     /* R */
    dyadic *dual;   /* outputs x n: the dual point before scaling, */
    grid v;         /* and as integers */
    dyadic scale;
} train;

/* The lines from `dual` on; `line` is that of the claimed lower bound. */
void check_dual(check *c, train *t, int64_t line);

/* scale |F*(v)_j| <= N beta for every gate. */
void check_gate_norms(check *c, const train *t);

/* The same over all neurons: trees of the joint relaxation. */
void check_trees(check *c, const train *t);

/* The same in at most two dimensions, by walking around them. */
void check_plane(check *c, const train *t);

/* N beta, or 1 for equality, as z 2^e; the caller clears z. */
int64_t train_limit(mpz_t z, const check *c, const train *t);

/* Whether s^2 z 2^e <= limit^2, the limit of the claim. */
bool train_square_fits(const mpz_t z, int64_t e, const check *c, const train *t);

#endif
