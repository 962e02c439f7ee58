/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of chosen lines by tables of all subset sums; see gate_tables.c. */
#ifndef FATHOM_GATE_TABLES_H
#define FATHOM_GATE_TABLES_H

#include <stdint.h>

enum {
    FATHOM_TABLE_LINES = 32,   /* lines per pass: one word of bits */
    FATHOM_TABLE_COLUMNS = 16, /* columns per pass at most */
    FATHOM_TABLE_LANES = 4,    /* columns come in multiples of this */
    FATHOM_TABLE_ROOM = (FATHOM_TABLE_LINES / 4) * 16 * FATHOM_TABLE_COLUMNS /* doubles of one table */
};

/* sum_r (rows x columns, packed) += sum over b < count with bit b of bits[r] set of line_b (FATHOM_TABLE_LINES x columns, packed;
 * those from `count` on are zero). Columns are 4, 8, 12 or 16; bits from `count` on are 0. sum, line and table
 * (FATHOM_TABLE_ROOM doubles of workspace) start at multiples of 64 bytes. */
void fathom_table_add(double *sum, int64_t rows, int64_t columns, const uint32_t *bits, const double *line,
                      int64_t count, double *table);

/* out[r] (512 words, bit b) = bit r of in_b: b < 32 lines of `words` <= 8 words of 64 bits. out has 64 * words entries. */
void fathom_bits_transpose(uint32_t *out, const uint64_t *const *in, int64_t lines, int64_t words);

#endif
