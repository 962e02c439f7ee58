/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the open points of gates, eight points at a time.
 *
 * A byte of a pattern says which of 8 points are open; the 256 possible sums of 8 vectors are tabulated once, and a gate
 * then needs n / 8 additions of d numbers instead of n / 2. The adjoint adds a gate's vector to one of 256 buckets per
 * byte and unfolds the buckets at the end. For small d this beats dense products five to ten times.
 */
#ifndef FATHOM_MARGIN_BYTES_H
#define FATHOM_MARGIN_BYTES_H

#include <stdint.h>

/* Gates whose vectors go into the buckets between two unfoldings, which bounds the depth of the sums. */
enum { FATHOM_BYTES_RUN = 4096 };

/* Numbers in a table or a set of buckets for n points in R^d. */
static inline int64_t fathom_bytes_size(int64_t n, int64_t d) { return (n + 7) / 8 * 256 * d; }

/* table = the sums of every subset of 8 points, from vectors v (n x d). */
void fathom_bytes_table(double *table, const double *v, int64_t n, int64_t d);

/* s (count x d) += sums over the open points among the n of the table of `count` patterns, `words` apart; their first word is
 * that of the first of these points. */
void fathom_bytes_sums(double *s, const double *table, const uint64_t *bits, int64_t words, int64_t count,
                       int64_t n, int64_t d);

/* out (n x d) += sum over the patterns, given as above, that are open on point i of v_j (count x d); `bucket` is workspace. */
void fathom_bytes_scores(double *out, double *bucket, const double *v, const uint64_t *bits, int64_t words,
                         int64_t count, int64_t n, int64_t d);

#endif
