/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows at one place, or in one direction, as one row with a weight: the same problem on fewer rows
 * (docs/explanation/global.md).
 */
#ifndef FATHOM_MERGE_ROWS_H
#define FATHOM_MERGE_ROWS_H

#include "train_internal.h"

typedef struct fathom_merged_rows {
    fathom_train_problem problem; /* on the rows that are left; all else borrowed from the original one */
    double *x, *y, *weight;       /* count x d, outputs x count, count + count: weights, then |x_i| */
    int64_t *place;               /* n: of row i among the rows that are left */
    double constant;              /* objective = constant + that of `problem` (sum problem), */
    double shrink, lost;          /* lower bound = constant + (1 - shrink) its lower bound - lost */
} fathom_merged_rows;

/* Whether row q = t x for a t > 0, exactly; l is the first entry of x that is not 0. */
bool fathom_rows_same_direction(const double *x, const double *q, int64_t d, int64_t l);
bool fathom_rows_same(const double *x, const double *q, int64_t d);
int64_t fathom_row_first_entry(const double *x, int64_t d);

/* a b == c d in exact arithmetic (no overflow or underflow: the data is scaled). */
bool fathom_products_equal(double a, double b, double c, double d);

/* *fewer: whether there is anything to merge; if not, nothing is held. */
fathom_status fathom_merged_rows_open(fathom_merged_rows *merged, bool *fewer,
                                      const fathom_train_problem *problem);
void fathom_merged_rows_close(fathom_merged_rows *merged);

/* A result of the merged problem becomes one of the original; its proof, if it has one, becomes a dual point to start a proof from
 * (`started`). */
fathom_status fathom_merged_rows_return(fathom_train_result *result, const fathom_merged_rows *merged,
                                        const fathom_train_problem *problem);

#endif
