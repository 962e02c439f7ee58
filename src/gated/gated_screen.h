/* SPDX-License-Identifier: Apache-2.0 */
/* Gates whose dual constraint holds without a look at them; see gated_screen.c. */
#ifndef FATHOM_GATED_SCREEN_H
#define FATHOM_GATED_SCREEN_H

#include "objective.h"

/* Off where `upper` is NULL. */
typedef struct fathom_gated_screen {
    double reach;   /* at least the spectral norm of X */
    double *last;   /* outputs x n: g of the last pricing */
    double *upper;  /* m: at least |F*(last)_j|, proven */
    int64_t *index; /* m: workspace */
} fathom_gated_screen;

/* Room for the problem's size; the screen stays off where it would not pay. */
fathom_status fathom_gated_screen_create(fathom_gated_screen *screen, const fathom_objective *problem);
void fathom_gated_screen_clear(fathom_gated_screen *screen, fathom_context *context);

/* Moves the bounds from the last g to this one and lists in screen->index the gates that may exceed beta, and those
 * marked in `used`; returns how many. */
int64_t fathom_gated_screen_list(fathom_gated_screen *screen, const fathom_objective *problem,
                                 const double *g, const bool *used);

/* Takes the computed norms of `count` gates of screen->index (NULL: all gates). */
void fathom_gated_screen_take(fathom_gated_screen *screen, const fathom_objective *problem, const double *g,
                              const double *norm, int64_t count, bool all);

#endif
