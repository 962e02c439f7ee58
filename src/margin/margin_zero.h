/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the margin is 0, decided exactly; theorem and proof in margin_zero.c. */
#ifndef FATHOM_MARGIN_ZERO_H
#define FATHOM_MARGIN_ZERO_H

#include "fathom/context.h"

typedef struct fathom_margin_decision {
    bool zero;
    int64_t first, second; /* two points on one ray with labels +1 and -1, or -1 */
    int64_t lines;         /* distinct lines through the points */
    int64_t opposite;      /* lines with +u labelled +1 and -u labelled -1 that were looked at */
    int64_t pairs;         /* where zero: points a (+1) and b (-1) on one ray, or pairs on opposite rays, */
    int64_t *pair;         /* pairs x 2, owned, */
    char **weight; /* pairs, owned: integers l > 0 in hexadecimal, sum l x_a = 0 exactly (one ray: 1) */
} fathom_margin_decision;

/* Frees a list of pairs. */
void fathom_margin_pairs_free(fathom_context *context, int64_t pairs, int64_t *pair, char **weight);

/* With free biases a network separates any distinct points: the margin is 0 iff two equal ones have opposite labels, first
 * and second, else -1. */
fathom_status fathom_margin_find_equal(int64_t *first, int64_t *second, fathom_context *context, int64_t n,
                                       int64_t d, const double *x, const double *y);

/* Decides for x (n x d, packed, no zero row) and y (n, -1 or +1). Where zero, q (n) holds the weights at which every
 * sum vanishes, rounded; otherwise q is 0 and witness (d) has <h, u> > 0 for all u in P (0 where P is empty, or where a
 * double cannot hold it: the decision is exact all the same). */
fathom_status fathom_margin_decide(fathom_margin_decision *decision, double *q, double *witness,
                                   fathom_context *context, int64_t n, int64_t d, const double *x,
                                   const double *y);

#endif
