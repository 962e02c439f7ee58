/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M is positive semidefinite if M = L L' + R with a symmetric R that is diagonally dominant: R_kk >= sum_{l != k} |R_kl|
 * (Gershgorin). L is a guess, a Cholesky factor in floating point that nobody trusts; L L' + R = M is checked in
 * integers: M is scaled so that its largest entry has 60 bits and rounded, which moves every eigenvalue by at most d / 2
 * units; L, on the grid 2^-20, has entries below 2^51; sums of up to 2^20 products fit into 128 bits. Cost d^3 / 6.
 */
#include "positive.h"

#include <math.h>

enum { MATRIX_BITS = 60, FACTOR_BITS = 20 };

void exact_init(exact_sum *sum)
{
    mpz_init(sum->z);
    sum->e = 0;
}

void exact_clear(exact_sum *sum) { mpz_clear(sum->z); }

void exact_refine(exact_sum *sum, int64_t e)
{
    if (mpz_sgn(sum->z) != 0)
        mpz_mul_2exp(sum->z, sum->z, (mp_bitcnt_t)(sum->e - e));
    sum->e = e;
}

void exact_add(exact_sum *sum, const mpz_t z, int64_t e, int sign)
{
    mpz_t term;
    if (mpz_sgn(z) == 0)
        return;
    if (mpz_sgn(sum->z) == 0 || e < sum->e)
        exact_refine(sum, e);
    mpz_init(term);
    mpz_mul_2exp(term, z, (mp_bitcnt_t)(e - sum->e));
    if (sign > 0)
        mpz_add(sum->z, sum->z, term);
    else
        mpz_sub(sum->z, sum->z, term);
    mpz_clear(term);
}

/* Lower triangle as 64-bit integers in units of 2^shift; the rounding is at most 1/2 each. */
static void round_matrix(int64_t *out, const grid *matrix, int64_t d)
{
    size_t most = 0;
    mpz_t one;
    for (int64_t k = 0; k < d * d; k++)
        if (mpz_sgn(matrix->z[k]) && mpz_sizeinbase(matrix->z[k], 2) > most)
            most = mpz_sizeinbase(matrix->z[k], 2);
    mpz_init(one);
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            if (most > MATRIX_BITS) {
                mpz_fdiv_q_2exp(one, matrix->z[k * d + r], most - MATRIX_BITS - 1);
                mpz_add_ui(one, one, 1);
                mpz_fdiv_q_2exp(one, one, 1);
            } else {
                mpz_mul_2exp(one, matrix->z[k * d + r], MATRIX_BITS - most);
            }
            out[k * d + r] = (int64_t)mpz_get_si(one);
        }
    mpz_clear(one);
}

/* A Cholesky factor of M - shift I in floating point, on its grid; false where there is none. */
static bool guess_factor(int64_t *factor, double *work, const int64_t *m, int64_t d)
{
    double largest = 0;
    for (int64_t k = 0; k < d; k++)
        largest = fmax(largest, fabs((double)m[k * d + k]));
    const double shift = 4 * (double)(d * d) * 0x1p-52 * largest + (double)(2 * d);
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            double sum = (double)m[k * d + r] - (r == k ? shift : 0);
            for (int64_t l = 0; l < r; l++)
                sum -= work[k * d + l] * work[r * d + l];
            if (r == k && !(sum > 0))
                return false;
            work[k * d + r] = r == k ? sqrt(sum) : sum / work[r * d + r];
            if (!(fabs(work[k * d + r]) < 0x1p31))
                return false;
            factor[k * d + r] = (int64_t)rint(ldexp(work[k * d + r], FACTOR_BITS));
        }
    return true;
}

/* |.| of M 2^(2 FACTOR_BITS) - L L' in row k, column r <= k; signed on the diagonal. */
static __int128 remainder_of(const int64_t *m, const int64_t *factor, int64_t d, int64_t k, int64_t r)
{
    __int128 sum = (__int128)m[k * d + r] * (INT64_C(1) << (2 * FACTOR_BITS));
    for (int64_t l = 0; l <= r; l++)
        sum -= (__int128)factor[k * d + l] * factor[r * d + l];
    return sum < 0 && r != k ? -sum : sum;
}

bool matrix_is_positive(check *c, const grid *matrix, int64_t d)
{
    if (d > 1 << 14)
        check_fail(c, 6, "a matrix of %lld rows is too large", (long long)d);
    int64_t *m = check_alloc(c, d * d, sizeof *m), *factor = check_alloc(c, d * d, sizeof *factor);
    double *work = check_alloc(c, d * d, sizeof *work);
    __int128 *slack = check_alloc(c, d, sizeof *slack);
    round_matrix(m, matrix, d);
    bool good = guess_factor(factor, work, m, d);
    for (int64_t k = 0; k < d && good; k++)
        slack[k] -= (__int128)d << (2 * FACTOR_BITS); /* what the rounding of M may cost */
    for (int64_t k = 0; k < d && good; k++)
        for (int64_t r = 0; r <= k; r++) {
            const __int128 rest = remainder_of(m, factor, d, k, r);
            slack[k] += r == k ? rest : -rest;
            if (r != k)
                slack[r] -= rest;
        }
    for (int64_t k = 0; k < d; k++)
        good = good && slack[k] >= 0;
    check_free(c, slack);
    check_free(c, work);
    check_free(c, factor);
    check_free(c, m);
    return good;
}
