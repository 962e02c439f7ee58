/* SPDX-License-Identifier: Apache-2.0 */
/* Splines on given knots by a primal-dual interior point, O(K + n) per step: see spline_ipm.c. */
#ifndef FATHOM_SPLINE_IPM_H
#define FATHOM_SPLINE_IPM_H

#include "spline.h"

typedef struct fathom_spline_task {
    const fathom_spline_points *points;
    double beta;   /* in the units of t */
    double side;   /* 0: the norm is TV; 1 or -1: max(TV, (TV + side (s_1 + s_{N-1})) / 2) */
    double enough; /* sum of all complementarity products to reach */
    double *dual;  /* n: receives v = -l' of the losses' duals; not of the squared loss */
} fathom_spline_task;

/* Fills z, s and jump for the knots of the spline; *steps grows by the steps taken. Ends early, with what it has, where
 * the context asks to stop or where rounding stops it. */
fathom_status fathom_spline_ipm(fathom_spline *spline, int64_t *steps, const fathom_spline_task *task);

#endif
