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

/* What forces on the examples (n) do to neurons on either side of the planes (count each), alpha the slope below
 * a kink; returns sum_i |force_i| |x_i|. */
double fathom_planes_gather(double *above, double *below, const fathom_planes *planes, const double *force,
                            int64_t n, double alpha);

#endif
