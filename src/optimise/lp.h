/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs. What floating point answers is a proposal, to be checked by whoever needs a proof. */
#ifndef FATHOM_LP_H
#define FATHOM_LP_H

#include "fathom/context.h"

/* min cost'x over column_low <= x <= column_high, row_low <= A x <= row_high; infinite bounds are allowed. Borrows. */
typedef struct fathom_lp {
    int64_t rows, columns;
    const double *a; /* rows x columns, packed */
    const double *cost, *column_low, *column_high;
    const double *row_low, *row_high;
    double tolerance; /* by which bounds may be left, relative to the terms of a row */
} fathom_lp;

typedef enum fathom_lp_answer {
    FATHOM_LP_OPTIMAL,
    FATHOM_LP_INFEASIBLE,
    FATHOM_LP_UNBOUNDED,
    FATHOM_LP_UNSOLVED /* too large for rational arithmetic, or stopped by the context's limits */
} fathom_lp_answer;

/* Ways to an answer, in the order in which they are tried. */
typedef enum fathom_lp_way {
    FATHOM_LP_DUAL,   /* dual simplex, geometric scaling */
    FATHOM_LP_PRIMAL, /* primal simplex, no scaling */
    FATHOM_LP_SCALED, /* primal simplex, equilibrium scaling, no perturbation */
    FATHOM_LP_EXACT,  /* rational simplex (lp_exact.c), for small programs */
    FATHOM_LP_WAYS
} fathom_lp_way;

/* x (columns) and dual (rows) at the optimum; dual is the derivative of the optimal value by the active row bound.
 * *optimal is false where the program is infeasible or unbounded, which two ways agree on or rational arithmetic shows, or
 * nobody has an answer. The ways are tried until the tolerance is met; the best is given. x and dual may be NULL. */
fathom_status fathom_lp_solve(double *value, double *x, double *dual, bool *optimal, fathom_context *context,
                              const fathom_lp *lp);

/* The answer of one way alone. */
fathom_status fathom_lp_try(fathom_lp_answer *answer, double *value, double *x, double *dual,
                            fathom_context *context, const fathom_lp *lp, fathom_lp_way way);

/* Those of Clp, whose exceptions end in the adapter, and of rational arithmetic. */
fathom_status fathom_lp_clp(fathom_lp_answer *answer, double *value, double *x, double *dual,
                            fathom_context *context, const fathom_lp *lp, fathom_lp_way way);
fathom_status fathom_lp_exact(fathom_lp_answer *answer, double *value, double *x, double *dual,
                              fathom_context *context, const fathom_lp *lp);

#endif
