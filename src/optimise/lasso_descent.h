/* SPDX-License-Identifier: Apache-2.0 */
/* Descent on one task of a sparse least-squares fit; see lasso_descent.c. */
#ifndef FATHOM_LASSO_DESCENT_H
#define FATHOM_LASSO_DESCENT_H

#include <stdint.h>

enum { FATHOM_LASSO_NEWTON = 2000 }; /* the largest support that Newton steps take */

/* One task; everything is borrowed. */
typedef struct fathom_lasso_task {
    int64_t p, width;
    const double *gram;  /* p x p */
    const double *cross; /* p x width */
    double beta, square;
    double *w;       /* p x width: the iterate */
    double *slope;   /* p x width: cross - G w */
    double *trial;   /* 2 p: workspace */
    double *factor;  /* room x room: workspace of Newton steps */
    int64_t *member; /* p: workspace */
    int64_t room;
} fathom_lasso_task;

/* slope = cross - G w. */
void fathom_lasso_refresh(fathom_lasso_task *task);

/* Rounds of descent until the gap as the Gram matrix shows it is at most `gap` times the objective, or `rounds` are
 * over; returns how many were run. The objective never rises but for rounding. */
int64_t fathom_lasso_descend(fathom_lasso_task *task, double gap, int64_t rounds);

#endif
