/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs in floating point: the one adapter to Clp. What it answers is a proposal, to be checked by whoever
 * needs a proof. */
#ifndef FATHOM_LP_CLP_H
#define FATHOM_LP_CLP_H

#include "fathom/context.h"

/* min cost'x over column_low <= x <= column_high, row_low <= A x <= row_high; infinite bounds are allowed. Borrows. */
typedef struct fathom_lp {
    int64_t rows, columns;
    const double *a; /* rows x columns, packed */
    const double *cost, *column_low, *column_high;
    const double *row_low, *row_high;
    double tolerance; /* by which bounds may be left, relative to the terms of a row */
} fathom_lp;

/* x (columns) and dual (rows) at the optimum; dual is the derivative of the optimal value by the active row bound.
 * *optimal is false where the program is infeasible, unbounded or was not solved. Several attempts are made where rounding
 * keeps the first from the tolerance; the best of them is given. x and dual may be NULL. */
fathom_status fathom_lp_solve(double *value, double *x, double *dual, bool *optimal, fathom_context *context,
                              const fathom_lp *lp);

#endif
