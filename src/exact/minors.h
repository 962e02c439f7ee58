/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All maximal minors of a matrix that grows by rows, with running error bounds.
 *
 * After m rows of length r, value[C] is the determinant of those rows on the columns of the bit set C, |C| = m, by
 * expansion along the last row, and bound[C] the same sum of absolute values, so that
 *     |computed - exact| <= (r + 2)^2 2^-52 bound[C] + 1e-290
 * for entries of absolute value at most 1 that are 0 or at least 2^-500. m C(r, m) multiplications per row, no division.
 */
#ifndef FATHOM_MINORS_H
#define FATHOM_MINORS_H

#include "fathom/context.h"

enum { FATHOM_MINORS_LARGEST = 20 }; /* rank up to which the 2^r minors are held */

/* Bit sets of r columns ordered by size: those of size m are set[start[m] .. start[m+1]]. */
typedef struct fathom_minor_sets {
    int64_t r;
    uint32_t *set; /* 2^r */
    int64_t start[FATHOM_MINORS_LARGEST + 2];
} fathom_minor_sets;

fathom_status fathom_minor_sets_init(fathom_minor_sets *sets, fathom_context *context, int64_t r);
void fathom_minor_sets_free(fathom_minor_sets *sets, fathom_context *context);

/* value and bound have 2^r entries each; no rows: value[0] = bound[0] = 1. */
void fathom_minors_start(double *value, double *bound);

/* Appends row number m (from 0): sizes m + 1 from sizes m, which stay valid. */
void fathom_minors_add(double *value, double *bound, const fathom_minor_sets *sets, int64_t m,
                       const double *row);

/* Coefficient of an error bound in r dimensions. */
static inline double fathom_minors_error(int64_t r) { return (double)((r + 2) * (r + 2)) * 0x1p-52; }

#endif
