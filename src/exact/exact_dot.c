/* SPDX-License-Identifier: Apache-2.0 */
/* The exact sign of an inner product of doubles: see exact_dot.h. */
#include "exact_dot.h"

#include <string.h>

enum { LOWEST = -2148 }; /* the exponent of the accumulator's unit: twice that of the least double */

/* |a| = mantissa * 2^exponent, mantissa < 2^53. */
static uint64_t mantissa_of(double a, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    const int field = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & 0xfffffffffffffu;
    *exponent = field ? field - 1075 : -1074;
    return field ? fraction | (uint64_t)1 << 52 : fraction;
}

void fathom_exact_sum_init(fathom_exact_sum *sum) { memset(sum, 0, sizeof *sum); }

/* word[first ..] += three words, carries to the top. */
static void add_words(uint64_t *word, int first, const uint64_t part[3])
{
    unsigned carry = 0;
    for (int k = first; k < FATHOM_EXACT_WORDS && (k < first + 3 || carry); k++) {
        const uint64_t addend = k < first + 3 ? part[k - first] : 0;
        const unsigned out = __builtin_add_overflow(word[k], addend, &word[k]);
        carry = out + __builtin_add_overflow(word[k], (uint64_t)carry, &word[k]);
    }
}

/* word[first ..] -= three words, borrows to the top. */
static void subtract_words(uint64_t *word, int first, const uint64_t part[3])
{
    unsigned borrow = 0;
    for (int k = first; k < FATHOM_EXACT_WORDS && (k < first + 3 || borrow); k++) {
        const uint64_t part_k = k < first + 3 ? part[k - first] : 0;
        const unsigned out = __builtin_sub_overflow(word[k], part_k, &word[k]);
        borrow = out + __builtin_sub_overflow(word[k], (uint64_t)borrow, &word[k]);
    }
}

void fathom_exact_sum_add(fathom_exact_sum *sum, double a, double b)
{
    int exponent_a, exponent_b;
    const uint64_t left = mantissa_of(a, &exponent_a), right = mantissa_of(b, &exponent_b);
    if (left == 0 || right == 0)
        return;
    const unsigned __int128 product = (unsigned __int128)left * right; /* < 2^106 */
    const int position = exponent_a + exponent_b - LOWEST;
    const int shift = position % 64;
    const uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
    const uint64_t part[3] = {low << shift, shift ? high << shift | low >> (64 - shift) : high,
                              shift ? high >> (64 - shift) : 0};
    if ((a < 0) == (b < 0))
        add_words(sum->word, position / 64, part);
    else
        subtract_words(sum->word, position / 64, part);
}

int fathom_exact_sum_sign(const fathom_exact_sum *sum)
{
    if (sum->word[FATHOM_EXACT_WORDS - 1] >> 63)
        return -1;
    for (int k = 0; k < FATHOM_EXACT_WORDS; k++)
        if (sum->word[k])
            return 1;
    return 0;
}

int fathom_exact_dot_sign(int64_t d, const double *a, const double *b)
{
    fathom_exact_sum sum;
    fathom_exact_sum_init(&sum);
    for (int64_t k = 0; k < d; k++)
        fathom_exact_sum_add(&sum, a[k], b[k]);
    return fathom_exact_sum_sign(&sum);
}

int fathom_exact_sparse_dot_sign(int64_t count, const int32_t *column, const double *value, const double *b)
{
    fathom_exact_sum sum;
    fathom_exact_sum_init(&sum);
    for (int64_t k = 0; k < count; k++)
        fathom_exact_sum_add(&sum, value[k], b[column[k]]);
    return fathom_exact_sum_sign(&sum);
}
