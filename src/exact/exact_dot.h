/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact sign of an inner product of doubles.
 *
 * sum_k a_k b_k is held in a fixed-point number wide enough for every product of two finite doubles (an exact
 * accumulator [Kulisch 2013]), so neither cancellation, overflow nor underflow
 * exists. About 10 ns per term and 100 ns per sign: for the few pairs that a rounding bound leaves open.
 */
#ifndef FATHOM_EXACT_DOT_H
#define FATHOM_EXACT_DOT_H

#include <stdint.h>

/* Products are multiples of 2^-2148 below 2^2048; 31 further bits hold the carries of 2^31 of them. */
enum { FATHOM_EXACT_WORDS = 67 };

typedef struct fathom_exact_sum {
    uint64_t word[FATHOM_EXACT_WORDS]; /* two's complement, least significant first, unit 2^-2148 */
} fathom_exact_sum;

void fathom_exact_sum_init(fathom_exact_sum *sum);

/* sum += a b, exactly. a and b are finite. */
void fathom_exact_sum_add(fathom_exact_sum *sum, double a, double b);

/* -1, 0 or 1. */
int fathom_exact_sum_sign(const fathom_exact_sum *sum);

/* Sign of sum_{k < d} a[k] b[k]. */
int fathom_exact_dot_sign(int64_t d, const double *a, const double *b);

/* Sign of sum_{k < count} value[k] b[column[k]]: a sparse vector against a dense one. */
int fathom_exact_sparse_dot_sign(int64_t count, const int32_t *column, const double *value, const double *b);

#endif
