/* SPDX-License-Identifier: Apache-2.0 */
/* The gated program on some of the rows: coarse levels of the start, folds of cross-validation. */
#ifndef FATHOM_GATED_SUBSET_H
#define FATHOM_GATED_SUBSET_H

#include "objective.h"

/* The problem borrows from the arrays beside it. */
typedef struct fathom_gated_subset {
    fathom_gated_problem problem;
    int64_t *row;
    double *x, *reach, *y, *weight;
    uint64_t *bits;
} fathom_gated_subset;

/* The rows row[0..count) (ascending) with the same gates; beta falls with the total sample weight. */
fathom_status fathom_gated_subset_create(fathom_gated_subset *s, const fathom_gated_problem *p,
                                         const int64_t *row, int64_t count);
void fathom_gated_subset_clear(fathom_gated_subset *s, fathom_context *context);

#endif
