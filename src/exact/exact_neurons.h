/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the best margin of given neurons 0? Decided exactly.
 *
 * For points x_i with labels y_i and neurons b_k, f_ki = y_i max(0, <b_k, x_i>), exactly one holds:
 *     (a) q >= 0, sum q = 1, has sum_i q_i f_ki = 0 for every k that may have either sign, and of the sign against s_k, or 0,
 *         for every k whose weight must have the sign s_k;
 *     (b) some weights of these signs classify: sum_k alpha_k f_ki > 0 for all i.
 */
#ifndef FATHOM_EXACT_NEURONS_H
#define FATHOM_EXACT_NEURONS_H

#include "fathom/context.h"

/* Borrowed. */
typedef struct fathom_exact_neurons {
    int64_t n, d, m;
    const double *x;    /* n x d */
    const double *y;    /* n: -1 and +1 */
    const double *b;    /* m x d */
    const double *sign; /* m: s_k, 0: either; NULL: all either */
} fathom_exact_neurons;

/* Decides (a) for the points with use_i != 0 alone (NULL: all); then q (n) is the solution, each number rounded once, and
 * integer (n texts, NULL before) its least multiple in integers, hexadecimal, where they are positive; the caller frees
 * them, also after a failure. Cost: a rational simplex of m + 1 rows and n + 2 m columns. ERROR_STOPPED on the context's limits. */
fathom_status fathom_exact_neurons_decide(bool *zero, double *q, char **integer, fathom_context *context,
                                          const fathom_exact_neurons *problem, const char *use);

#endif
