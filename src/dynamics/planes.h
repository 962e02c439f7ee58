/* SPDX-License-Identifier: Apache-2.0 */
/* Examples that share a hyperplane {v : <v, x> = 0}: one kink of a neuron, not several; see planes.c. */
#ifndef FATHOM_PLANES_H
#define FATHOM_PLANES_H

#include "fathom/context.h"

typedef struct fathom_planes {
    int64_t count;   /* planes */
    int64_t *of;     /* n: plane of example i; -1: x_i = 0 */
    double *factor;  /* n: x_i = factor_i unit_{of i}; negative on the other side */
    double *unit;    /* count x d, rows of norm 1 */
    double *squares; /* count: 1 */
} fathom_planes;

fathom_status fathom_planes_find(fathom_planes *planes, fathom_context *context, const double *x, int64_t n,
                                 int64_t d);
void fathom_planes_free(fathom_planes *planes, fathom_context *context);

/* Forces of the planes (count) and the drift (d) for forces of the examples (n) and the slope alpha below a
 * kink; returns sum_i |force_i| |x_i|. */
double fathom_planes_gather(double *plane_force, double *drift, const fathom_planes *planes,
                            const double *force, int64_t n, int64_t d, double alpha);

#endif
