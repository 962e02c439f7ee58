/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of a matrix of bits with a matrix of numbers: C = B L, B rows x 32 bits, L 32 x columns.
 *
 * Method of the four Russians [Arlazarov-Dinic-Kronrod-Faradzev 1970]: the 32 lines of L form eight groups of four; the
 * 16 subset sums of every group are tabulated, 11 additions each, and a row of C is the sum of eight table entries,
 * chosen by the row's bits four at a time. One addition thus stands for four multiply-adds. Eight tables of
 * 16 x 16 numbers are 16 kB and stay in the first-level cache.
 *
 * Cost: 88 + 8 rows vector additions of `columns` numbers in place of 32 rows multiply-adds: it pays from some 16 rows on.
 * Rounding: an entry is a sum of at most 32 terms in a fixed order, each term passing at most 3 + 8 additions.
 */
#include "gate_tables.h"

#include <stddef.h>
#include <string.h>

#include "dispatch.h"

enum { GROUP = 4, SUBSETS = 16, GROUPS = FATHOM_TABLE_LINES / GROUP, WORDS = 8 };

typedef double lane __attribute__((vector_size(32), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* Lanes between table entries: a power of two, so that a row's bits are an offset but for shift and mask. */
INLINE int stride(int lanes) { return lanes > 2 ? 4 : lanes; }

/* All subset sums of `groups` groups of four lines. */
INLINE void tabulate(lane *restrict table, const lane *restrict line, int groups, const int lanes)
{
    for (int g = 0; g < groups; g++)
        for (int l = 0; l < lanes; l++) {
            lane *entry = table + g * SUBSETS * stride(lanes) + l;
            const lane *a = line + g * GROUP * lanes + l;
            lane sum[SUBSETS] = {{0}};
            for (int b = 0; b < GROUP; b++) {
                sum[1 << b] = a[b * lanes];
                for (int s = 1; s < 1 << b; s++)
                    sum[(1 << b) + s] = sum[s] + a[b * lanes];
            }
            for (int s = 0; s < SUBSETS; s++)
                entry[s * stride(lanes)] = sum[s];
        }
}

/* sum_r += the entries that the bits of row r choose. */
INLINE void look_up(lane *restrict sum, int64_t rows, const uint32_t *restrict bits,
                    const lane *restrict table, const int groups, const int lanes)
{
    const int shift = lanes > 2 ? 7 : lanes == 2 ? 6 : 5; /* log2 of an entry's bytes */
    const uint64_t mask = (uint64_t)(SUBSETS - 1) << shift;
    for (int64_t r = 0; r < rows; r++) {
        const uint64_t offset = (uint64_t)bits[r] << shift;
        const lane *entry = (const lane *)((const char *)table + (offset & mask));
        lane s[FATHOM_TABLE_COLUMNS / FATHOM_TABLE_LANES];
        for (int l = 0; l < lanes; l++)
            s[l] = entry[l];
#pragma GCC unroll 8
        for (int g = 1; g < groups; g++) {
            entry = (const lane *)((const char *)table + ((offset >> (GROUP * g)) & mask)) +
                    g * SUBSETS * stride(lanes);
            for (int l = 0; l < lanes; l++)
                s[l] += entry[l];
        }
        for (int l = 0; l < lanes; l++)
            sum[r * lanes + l] += s[l];
    }
}

/* Both for one width; whole words of bits have their own, unrolled copy. */
INLINE void add(double *sum, int64_t rows, const uint32_t *bits, const double *line, int groups,
                double *table, const int lanes)
{
    tabulate((lane *)table, (const lane *)line, groups, lanes);
    if (groups == GROUPS)
        look_up((lane *)sum, rows, bits, (const lane *)table, GROUPS, lanes);
    else
        look_up((lane *)sum, rows, bits, (const lane *)table, groups, lanes);
}

FATHOM_DISPATCH
static void add_4(double *sum, int64_t rows, const uint32_t *bits, const double *line, int groups,
                  double *table)
{
    add(sum, rows, bits, line, groups, table, 1);
}

FATHOM_DISPATCH
static void add_8(double *sum, int64_t rows, const uint32_t *bits, const double *line, int groups,
                  double *table)
{
    add(sum, rows, bits, line, groups, table, 2);
}

FATHOM_DISPATCH
static void add_12(double *sum, int64_t rows, const uint32_t *bits, const double *line, int groups,
                   double *table)
{
    add(sum, rows, bits, line, groups, table, 3);
}

FATHOM_DISPATCH
static void add_16(double *sum, int64_t rows, const uint32_t *bits, const double *line, int groups,
                   double *table)
{
    add(sum, rows, bits, line, groups, table, 4);
}

void fathom_table_add(double *sum, int64_t rows, int64_t columns, const uint32_t *bits, const double *line,
                      int64_t count, double *table)
{
    const int groups = (int)((count + GROUP - 1) / GROUP);
    if (count <= 0)
        return;
    switch (columns / FATHOM_TABLE_LANES) {
    case 1:
        add_4(sum, rows, bits, line, groups, table);
        break;
    case 2:
        add_8(sum, rows, bits, line, groups, table);
        break;
    case 3:
        add_12(sum, rows, bits, line, groups, table);
        break;
    default:
        add_16(sum, rows, bits, line, groups, table);
    }
}

/* Both 32 x 32 halves of eight words side by side: bits with index bit `step` set change places with those of the line
 * `step` further on that have it clear, for step = 16, 8, 4, 2, 1. */
FATHOM_DISPATCH
static void transpose_blocks(uint64_t (*restrict a)[WORDS])
{
    uint64_t mask = 0x0000ffff0000ffff;
    for (int step = 16; step > 0; step /= 2, mask ^= mask << step)
        for (int first = 0; first < FATHOM_TABLE_LINES; first += 2 * step)
            for (int b = first; b < first + step; b++)
                for (int w = 0; w < WORDS; w++) {
                    const uint64_t swap = ((a[b][w] >> step) ^ a[b + step][w]) & mask;
                    a[b + step][w] ^= swap;
                    a[b][w] ^= swap << step;
                }
}

void fathom_bits_transpose(uint32_t *out, const uint64_t *const *in, int64_t lines, int64_t words)
{
    uint64_t a[FATHOM_TABLE_LINES][WORDS] = {{0}};
    for (int64_t b = 0; b < lines; b++)
        memcpy(a[b], in[b], (size_t)words * sizeof **a);
    transpose_blocks(a);
    for (int64_t w = 0; w < words; w++)
        for (int64_t r = 0; r < FATHOM_TABLE_LINES; r++) {
            out[64 * w + r] = (uint32_t)a[r][w];
            out[64 * w + 32 + r] = (uint32_t)(a[r][w] >> 32);
        }
}
