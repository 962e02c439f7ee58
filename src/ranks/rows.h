/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of rows, dealt to ranks.
 *
 * n rows are cut into blocks, by n alone: one block where there are few rows, else at most 64 of nearly the same
 * size, a multiple of 512. A rank has neighbouring blocks. What is summed over rows is summed block by block, and
 * the sums of blocks are added along a fixed binary tree over their numbers: node [low, high) is the sum of its
 * halves [low, middle) and [middle, high). So the bits depend on n and on no number of ranks or threads.
 *
 * Every rank takes the same steps with the same numbers. A vector over the rows has all of its entries on every
 * rank, or, inside a computation that says so, those of the rank's own rows alone, until they are gathered. Where
 * rank 0 was stopped and goes on alone all rows are its own; entries that it had not are then missing: whoever keeps
 * such vectors looks whether fathom_rows_own is what it was.
 *
 * A rank that fails is noticed at the next sum or gathering. Rank 0 then goes on alone, with correct numbers, until
 * its caller asks fathom_rows_failure.
 */
#ifndef FATHOM_ROWS_H
#define FATHOM_ROWS_H

#include "ranks.h"

typedef struct fathom_rows {
    int64_t n, size, blocks; /* rows; rows of a block, but for the last; blocks */
} fathom_rows;

/* A range of rows. */
typedef struct fathom_row_range {
    int64_t first, end;
} fathom_row_range;

fathom_rows fathom_rows_cut(int64_t n);

/* All rows as one block: sums that are not dealt. */
static inline fathom_rows fathom_rows_whole(int64_t n) { return (fathom_rows){n, n, 1}; }

fathom_row_range fathom_rows_block(fathom_rows rows, int64_t block);

/* The rows of this rank from here on: all of them where there is one rank or one block, inside tasks and
 * after a stop. */
fathom_row_range fathom_rows_own(fathom_rows rows);

/* The next block of this rank's rows; begins with {-1, -1}, false at the end. */
bool fathom_rows_next(fathom_row_range *block, fathom_rows rows, fathom_context *context);

/* Doubles of room that sums of up to `count` numbers take. */
int64_t fathom_rows_room(fathom_rows rows, int64_t count);

/* sum (count) = what `part` gives for all blocks, added up; its result replaces what `part` holds. */
typedef void (*fathom_rows_part)(double *part, void *user, fathom_row_range range);
void fathom_rows_sum(double *sum, int64_t count, fathom_context *context, fathom_rows rows,
                     fathom_rows_part part, void *user, double *room);

/* x (lines x n): every rank gets what the others have in their own rows. False where rank 0 has been left
 * alone meanwhile and lacks rows: x is then what it was. */
bool fathom_rows_gather(double *x, int64_t lines, fathom_context *context, fathom_rows rows);

/* The failure of another rank since the last question; FATHOM_OK where there was none. */
fathom_status fathom_rows_failure(void);

#endif
