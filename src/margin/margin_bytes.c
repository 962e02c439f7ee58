/* SPDX-License-Identifier: Apache-2.0 */
/* Table look-ups in place of masked products; see margin_bytes.h. */
#include "margin_bytes.h"

#include <string.h>

#include "dispatch.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* Byte b of a pattern. */
INLINE int64_t byte_of(const uint64_t *pattern, int64_t b)
{
    return (int64_t)(pattern[b / 8] >> (8 * (b % 8)) & 255);
}

void fathom_bytes_table(double *table, const double *v, int64_t n, int64_t d)
{
    for (int64_t b = 0; b < (n + 7) / 8; b++) {
        double *rows = table + b * 256 * d;
        memset(rows, 0, (size_t)d * sizeof *rows);
        for (int64_t set = 1; set < 256; set++) {
            int64_t low = 0; /* the set without its lowest point is already there */
            while (!(set >> low & 1))
                low++;
            const int64_t i = 8 * b + low;
            for (int64_t k = 0; k < d; k++)
                rows[set * d + k] = rows[(set & (set - 1)) * d + k] + (i < n ? v[i * d + k] : 0);
        }
    }
}

/* The loops for a dimension that the compiler knows. */
INLINE void sums(double *restrict s, const double *restrict table, const uint64_t *bits, int64_t words,
                 int64_t count, int64_t bytes, int64_t d)
{
    for (int64_t j = 0; j < count; j++, s += d, bits += words) {
        for (int64_t b = 0; b < bytes; b++) {
            const double *row = table + (b * 256 + byte_of(bits, b)) * d;
            for (int64_t k = 0; k < d; k++)
                s[k] += row[k];
        }
    }
}

INLINE void fill(double *restrict bucket, const double *restrict v, const uint64_t *bits, int64_t words,
                 int64_t count, int64_t bytes, int64_t d)
{
    for (int64_t j = 0; j < count; j++, v += d, bits += words)
        for (int64_t b = 0; b < bytes; b++) {
            double *row = bucket + (b * 256 + byte_of(bits, b)) * d;
            for (int64_t k = 0; k < d; k++)
                row[k] += v[k];
        }
}

/* The dimension as a constant: the loops over it are unrolled. */
FATHOM_DISPATCH static void sums_of(double *s, const double *table, const uint64_t *bits, int64_t words,
                                    int64_t count, int64_t bytes, int64_t d)
{
    switch (d) {
    case 2:
        sums(s, table, bits, words, count, bytes, 2);
        break;
    case 3:
        sums(s, table, bits, words, count, bytes, 3);
        break;
    case 4:
        sums(s, table, bits, words, count, bytes, 4);
        break;
    case 5:
        sums(s, table, bits, words, count, bytes, 5);
        break;
    case 6:
        sums(s, table, bits, words, count, bytes, 6);
        break;
    case 7:
        sums(s, table, bits, words, count, bytes, 7);
        break;
    case 8:
        sums(s, table, bits, words, count, bytes, 8);
        break;
    case 10:
        sums(s, table, bits, words, count, bytes, 10);
        break;
    case 12:
        sums(s, table, bits, words, count, bytes, 12);
        break;
    case 16:
        sums(s, table, bits, words, count, bytes, 16);
        break;
    default:
        sums(s, table, bits, words, count, bytes, d);
    }
}

FATHOM_DISPATCH static void fill_of(double *bucket, const double *v, const uint64_t *bits, int64_t words,
                                    int64_t count, int64_t bytes, int64_t d)
{
    switch (d) {
    case 2:
        fill(bucket, v, bits, words, count, bytes, 2);
        break;
    case 3:
        fill(bucket, v, bits, words, count, bytes, 3);
        break;
    case 4:
        fill(bucket, v, bits, words, count, bytes, 4);
        break;
    case 5:
        fill(bucket, v, bits, words, count, bytes, 5);
        break;
    case 6:
        fill(bucket, v, bits, words, count, bytes, 6);
        break;
    case 7:
        fill(bucket, v, bits, words, count, bytes, 7);
        break;
    case 8:
        fill(bucket, v, bits, words, count, bytes, 8);
        break;
    case 10:
        fill(bucket, v, bits, words, count, bytes, 10);
        break;
    case 12:
        fill(bucket, v, bits, words, count, bytes, 12);
        break;
    case 16:
        fill(bucket, v, bits, words, count, bytes, 16);
        break;
    default:
        fill(bucket, v, bits, words, count, bytes, d);
    }
}

void fathom_bytes_sums(double *s, const double *table, const uint64_t *bits, int64_t words, int64_t count,
                       int64_t n, int64_t d)
{
    sums_of(s, table, bits, words, count, (n + 7) / 8, d);
}

/* out_i += the buckets of the bytes that hold point i. */
static void unfold(double *out, const double *bucket, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t set = 0; set < 256; set++)
            if (set >> i % 8 & 1)
                for (int64_t k = 0; k < d; k++)
                    out[i * d + k] += bucket[(i / 8 * 256 + set) * d + k];
}

void fathom_bytes_scores(double *out, double *bucket, const double *v, const uint64_t *bits, int64_t words,
                         int64_t count, int64_t n, int64_t d)
{
    const int64_t bytes = (n + 7) / 8;
    for (int64_t first = 0; first < count; first += FATHOM_BYTES_RUN) {
        const int64_t run = count - first < FATHOM_BYTES_RUN ? count - first : FATHOM_BYTES_RUN;
        memset(bucket, 0, (size_t)fathom_bytes_size(n, d) * sizeof *bucket);
        fill_of(bucket, v + first * d, bits + first * words, words, run, bytes, d);
        unfold(out, bucket, n, d);
    }
}
