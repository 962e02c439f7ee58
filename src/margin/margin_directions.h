/* SPDX-License-Identifier: Apache-2.0 */
/* The best margin over given directions: max over alpha, |alpha|_1 <= 1, of min_i y_i sum_k alpha_k
 * relu(<b_k, x_i>)/|b_k|. */
#ifndef FATHOM_MARGIN_DIRECTIONS_H
#define FATHOM_MARGIN_DIRECTIONS_H

#include "fathom/context.h"

/* Borrowed. */
typedef struct fathom_directions {
    int64_t n, d, m;
    const double *x;    /* n x d */
    const double *y;    /* n: -1 and +1 */
    const double *b;    /* m x d, of any length; 0 is no neuron */
    const double *sign; /* m: the sign that alpha_k has, 0: either; NULL: all either */
} fathom_directions;

typedef struct fathom_directions_margin {
    double lower, upper; /* rounding included; 0 <= lower */
    int64_t used;        /* columns of the last linear program */
    int64_t rounds;
} fathom_directions_margin;

/* Fills alpha (m, |alpha|_1 <= 1) and q (n, in the simplex), which give the two ends. Goes on until upper
 * - lower <= gap * upper, nothing is gained, or the context asks to stop: the interval holds in any case. */
fathom_status fathom_directions_solve(fathom_directions_margin *margin, double *alpha, double *q,
                                      fathom_context *context, const fathom_directions *problem, double gap);

#endif
