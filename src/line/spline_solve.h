/* SPDX-License-Identifier: Apache-2.0 */
/* The best spline of a penalised problem on the line, with a bound: see spline_solve.c. */
#ifndef FATHOM_SPLINE_SOLVE_H
#define FATHOM_SPLINE_SOLVE_H

#include "spline.h"

typedef struct fathom_spline_run {
    const fathom_spline_points *points; /* borrowed; at least two places */
    double beta;                        /* in units of x */
    double gap;                         /* relative, to reach */
    double excess;                      /* to add to the price per unit of sum |v_i|: rank one to rounding */
    double divisor;                     /* of the values in reports */
    fathom_spline best;                 /* owned; where it has knots they start the search */
    double objective;                   /* of it, computed */
    double lower;                       /* bound on the optimum, rounding included; never below 0 */
    double *v;                          /* n: the dual point of `lower`; borrowed, NULL: not asked for */
    int64_t steps, rounds;
} fathom_spline_run;

fathom_status fathom_spline_solve(fathom_spline_run *run);
void fathom_spline_run_clear(fathom_spline_run *run);

/* Balances dual->v, prices it, and returns the bound that it gives on the whole problem. */
double fathom_spline_bound(fathom_spline_dual *dual, const fathom_spline_run *run);

#endif
