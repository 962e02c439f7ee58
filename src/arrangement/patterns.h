/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activation patterns of orientations: bit i of row j is 1[<x_i, v_j> > 0], decided exactly on the stored doubles.
 *
 * Products X V' are computed by tiles; a pair whose product lies within the rounding bound
 *     |fl(<x, v>) - <x, v>| <= (d + 4) 2^-52 |x|_1 |v|_inf + d 2^-1022
 * (any order of summation, with or without fused multiply-add) is decided by exact_dot.h. Patterns therefore depend
 * neither on threads nor on the processor. Cost: one GEMM, 2 n m d flops.
 */
#ifndef FATHOM_PATTERNS_H
#define FATHOM_PATTERNS_H

#include "fathom/data.h"

/* 64-bit words of a pattern of n bits. */
static inline int64_t fathom_pattern_words(int64_t n) { return (n + 63) / 64; }

/* Bit i of a pattern. */
static inline bool fathom_pattern_bit(const uint64_t *bits, int64_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* |x_i|_1 of every row, into norm (n). */
void fathom_patterns_norms(double *norm, const fathom_data_view *data, fathom_context *context);

/* bits (m x words) = patterns of the m orientations v (m x d, leading dimension ld, finite); norm (n) as above. */
fathom_status fathom_patterns_compute(uint64_t *bits, fathom_context *context, const fathom_data_view *data,
                                      const double *norm, int64_t m, const double *v, int64_t ld);

/*
 * Distinct patterns in order of first appearance: an open-addressing table of numbers into an array of patterns
 * that the caller keeps.
 */
typedef struct fathom_pattern_index {
    fathom_context *context;
    int64_t words;
    int64_t *slot; /* capacity entries; -1 where free */
    int64_t capacity, count;
} fathom_pattern_index;

fathom_status fathom_pattern_index_init(fathom_pattern_index *index, fathom_context *context, int64_t words);
void fathom_pattern_index_free(fathom_pattern_index *index);

/* Number of `pattern` among the patterns of `bits` (count x words) that the index knows, or -1. */
int64_t fathom_pattern_index_find(const fathom_pattern_index *index, const uint64_t *bits,
                                  const uint64_t *pattern);

/* Enters row number `index->count` of `bits`, which must be new. */
fathom_status fathom_pattern_index_add(fathom_pattern_index *index, const uint64_t *bits);

#endif
