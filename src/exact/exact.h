/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact integer vectors: the one adapter over FLINT.
 *
 * Doubles are dyadic rationals, so every row of data is a positive multiple of one primitive integer vector (greatest
 * common divisor 1), and two rows span the same hyperplane when their vectors agree up to sign. Small entries live in
 * one machine word, large ones grow as needed; nothing is ever rounded.
 */
#ifndef FATHOM_EXACT_H
#define FATHOM_EXACT_H

#include "fathom/context.h"

/* An integer of FLINT; 0 is a valid one that owns nothing. */
#ifdef _WIN64
typedef long long fathom_integer;
#else
typedef long fathom_integer;
#endif

/* Gives `count` zeros. */
fathom_integer *fathom_integers_create(fathom_context *context, int64_t count);
void fathom_integers_free(fathom_context *context, fathom_integer *v, int64_t count);

/* Makes them zeros that own nothing, for vectors on the stack. */
void fathom_integers_clear(fathom_integer *v, int64_t count);

/* v = the primitive integer vector that is a positive multiple of x (finite); false where x = 0. */
bool fathom_integers_from_doubles(fathom_integer *v, const double *x, int64_t count);

/* x = v divided by a power of two, so that the largest |x_k| is in [1/2, 1]; each entry within 2^-53 of exact. v != 0. */
void fathom_integers_to_doubles(double *x, const fathom_integer *v, int64_t count);

/* Divides v by the greatest common divisor of its entries. */
void fathom_integers_reduce(fathom_integer *v, int64_t count);
void fathom_integers_negate(fathom_integer *v, int64_t count);
void fathom_integers_copy(fathom_integer *v, const fathom_integer *from, int64_t count);
bool fathom_integers_are_zero(const fathom_integer *v, int64_t count);
bool fathom_integers_equal(const fathom_integer *a, const fathom_integer *b, int64_t count);
uint64_t fathom_integers_hash(const fathom_integer *v, int64_t count);

/* Makes the first nonzero entry positive; gives the sign (1 or -1) by which v was multiplied. */
int fathom_integers_orient(fathom_integer *v, int64_t count);

/* Index of a nonzero entry of least size, or -1. */
int64_t fathom_integers_pivot(const fathom_integer *v, int64_t count);

/* out (count) = the primitive positive multiple of v - (v_p / b_p) b; entry p becomes 0. out may be v; out may be 0. */
void fathom_integers_eliminate(fathom_integer *out, const fathom_integer *v, const fathom_integer *b,
                               int64_t p, int64_t count);

/* out (count - 1): the same with entry p left out, that is, the restriction of v to the hyperplane of b in the
 * coordinates other than p. */
void fathom_integers_restrict(fathom_integer *out, const fathom_integer *v, const fathom_integer *b,
                              int64_t p, int64_t count);

/* Sign of a_0 b_1 - a_1 b_0. */
int fathom_integers_turn(const fathom_integer *a, const fathom_integer *b);

/* Writes the integers in hexadecimal, separated by spaces, and a zero byte; text has room for fathom_integers_length
 * characters. Gives the number of characters written, without that byte. */
int64_t fathom_integers_length(const fathom_integer *v, int64_t count);
int64_t fathom_integers_print(char *text, const fathom_integer *v, int64_t count);

/* Sign of v_k. */
int fathom_integers_sign(const fathom_integer *v, int64_t k);

/* Sign of sum_k v_k z_k. */
int fathom_integers_product_sign(const fathom_integer *v, const fathom_integer *z, int64_t count);

/* Bits of the largest |v_k|; 0 for v = 0. */
int64_t fathom_integers_bits(const fathom_integer *v, int64_t count);

/* out = sign_a 2^shift_a a + sign_b 2^shift_b b; the signs are 1 or -1, out may be a or b. */
void fathom_integers_combine(fathom_integer *out, const fathom_integer *a, int sign_a, int64_t shift_a,
                             const fathom_integer *b, int sign_b, int64_t shift_b, int64_t count);

/* z (count) = the point of the hyperplane of b whose coordinates other than p are a positive multiple of y (count - 1). */
void fathom_integers_lift(fathom_integer *z, const fathom_integer *y, const fathom_integer *b, int64_t p,
                          int64_t count);

/* x = about factor v over a power of two, largest entry in [1/2, 1]; every factor rounds differently. v != 0. */
void fathom_integers_round(double *x, const fathom_integer *v, int64_t factor, int64_t count);

/* Sign of sum_k v_k z_k for finite doubles z. */
int fathom_integers_dot_sign(const fathom_integer *v, const double *z, int64_t count);

/* v_ij / sqrt(v_ii v_jj) from the three entries, within 8 units of 2^-53 relative to itself, where long
 * doubles have 64 bits within 1.01. */
double fathom_integers_quotient(const fathom_integer *ij, const fathom_integer *ii, const fathom_integer *jj);

/* The principal minor of h (k x k) with the rows in `set` over the product of its diagonal entries there, within 32 units of
 * 2^-53 relative to itself, where long doubles have 64 bits within 1.1; 0 where it is below 1e-300. */
double fathom_integers_minor(const fathom_integer *h, int k, unsigned set);

/* out (k x k) = a positive multiple of the inverse of the positive definite matrix a (k x k). */
void fathom_integers_invert(fathom_integer *out, const fathom_integer *a, int64_t k);

/* out (r) orthogonal to the r - 1 vectors row[0] .. row[r-2] of r entries, primitive; false, and zero, where these are
 * dependent. */
bool fathom_integers_cross(fathom_integer *out, const fathom_integer *const *row, int64_t r);

/* Rank of `count` vectors of r entries. */
int64_t fathom_integers_rank(const fathom_integer *const *row, int64_t count, int64_t r);

/* *out = a' metric b (r x r), or a' b where metric is NULL. */
void fathom_integers_product(fathom_integer *out, const fathom_integer *a, const fathom_integer *metric,
                             const fathom_integer *b, int64_t r);

/*
 * For z standard Gaussian in R^d and basis (r x d) of a space of rows whose columns `column` are independent: rows of the
 * space are x = x_C T, <x, z> = x_C T z. covariance (r x r) = a positive multiple of T T', that of T z, by which normals x_C
 * are compared; metric (r x r) = one of its inverse, by which directions are.
 */
void fathom_exact_metric(fathom_integer *metric, fathom_integer *covariance, const fathom_integer *basis,
                         const int64_t *column, int64_t r, int64_t d);

/* Sign of the determinant of the r x r matrix whose rows are row[0] .. row[r-1] (r finite doubles each). */
int fathom_exact_determinant_sign(const double *const *row, int64_t r);

/* Rank of the matrix of `rows` x `columns` finite doubles, leading dimension ld. */
int64_t fathom_exact_rank(const double *a, int64_t rows, int64_t columns, int64_t ld);

/* Signs of the inverse of the Gram matrix K = R R' of `rows` x `columns` finite doubles: false where the rows are
 * dependent. Otherwise *i < *j is a pair with (K^{-1})_ij > 0, or both are -1 where there is none. Time grows with the
 * fourth power of `rows`. */
bool fathom_exact_inverse_gram(int64_t *i, int64_t *j, const double *r, int64_t rows, int64_t columns,
                               int64_t ld);

#endif
