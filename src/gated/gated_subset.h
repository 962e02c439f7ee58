/* SPDX-License-Identifier: Apache-2.0 */
/* The gated program on some of the rows: coarse levels of the start, folds of cross-validation. */
#ifndef FATHOM_GATED_SUBSET_H
#define FATHOM_GATED_SUBSET_H

#include "objective.h"

/* Sparse rows and the same by columns, owned. */
typedef struct fathom_gated_rows {
    fathom_sparse_points points; /* borrows from the arrays below, and rows that it was made of */
    int64_t *row_start, *column_start;
    int32_t *column, *row;
    double *value, *by_column;
} fathom_gated_rows;

/* Takes the rows (borrowed) and makes their columns. */
fathom_status fathom_gated_rows_open(fathom_gated_rows *rows, fathom_context *context, fathom_csr from);
/* Copies rows row[0..count), and makes their columns. */
fathom_status fathom_gated_rows_copy(fathom_gated_rows *rows, fathom_context *context, fathom_csr from,
                                     const int64_t *row, int64_t count);
void fathom_gated_rows_clear(fathom_gated_rows *rows, fathom_context *context);

/* The problem borrows from the arrays beside it. */
typedef struct fathom_gated_subset {
    fathom_objective problem;
    int64_t *row;
    double *x, *reach, *y, *weight;
    fathom_gated_rows own; /* sparse rows */
    uint64_t *bits;
} fathom_gated_subset;

/* The rows row[0..count) (ascending) with the same gates; beta falls with the total sample weight. */
fathom_status fathom_gated_subset_create(fathom_gated_subset *s, const fathom_objective *p,
                                         const int64_t *row, int64_t count);
void fathom_gated_subset_clear(fathom_gated_subset *s, fathom_context *context);

#endif
