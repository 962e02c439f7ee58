/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of numbers on different grids, and the exact test for positive semidefinite matrices. */
#ifndef FATHOM_CHECK_POSITIVE_H
#define FATHOM_CHECK_POSITIVE_H

#include "checker.h"

/* z 2^e. */
typedef struct exact_sum {
    mpz_t z;
    int64_t e;
} exact_sum;

void exact_init(exact_sum *sum);
void exact_clear(exact_sum *sum);
void exact_refine(exact_sum *sum, int64_t e);                       /* to a grid at least as fine */
void exact_add(exact_sum *sum, const mpz_t z, int64_t e, int sign); /* sum += sign z 2^e */

/* Whether the symmetric d x d matrix, given by its lower triangle, is positive semidefinite: true proves it; false may
 * also mean that it is singular up to about d^2 2^-52 of its largest entry. */
bool matrix_is_positive(check *c, const grid *matrix, int64_t d);

#endif
