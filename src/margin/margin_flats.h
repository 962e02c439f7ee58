/* SPDX-License-Identifier: Apache-2.0 */
/* The flats on which a neuron of the largest price lies, with their cones, listed once; see margin_flats.c. */
#ifndef FATHOM_MARGIN_FLATS_H
#define FATHOM_MARGIN_FLATS_H

#include "fathom/gates.h"

/* Where the kink of a point meets the circle of a plane: at +-end. Beyond it, in the sense of growing angle, the point is open
 * on the half that begins with the first one's +end, or, turned, no longer is. */
typedef struct fathom_flat_crossing {
    int64_t point;
    bool turned;
    double end[2];
} fathom_flat_crossing;

typedef struct fathom_flat {
    int64_t r;                      /* dimension, at least 1 */
    int64_t centre;                 /* the point on whose kink the biases are, where they are free; else -1 */
    double error;                   /* a direction of the flat is off by this at most, per unit of length */
    double *basis;                  /* r x d, orthonormal rows */
    fathom_gates *cones;            /* r >= 3: of the arrangement within the flat; else NULL */
    fathom_flat_crossing *crossing; /* r = 2: in the order of their angle; else NULL */
    int64_t crossings;
} fathom_flat;

typedef struct fathom_flats {
    fathom_context *context; /* borrowed */
    int64_t n, d;
    fathom_flat *flat;
    int64_t count, capacity;
    int64_t most_cones; /* of one flat */
} fathom_flats;

/* How many cells the flats of n points on `lines` lines in R^d have in all, from above; with free biases there is an
 * arrangement around every point. */
double fathom_flats_cells(int64_t n, int64_t lines, int64_t d, bool bias);

/* What the list of these flats takes: as many as there are in general position. */
double fathom_flats_bytes(int64_t n, int64_t lines, int64_t d, bool bias);

/* Lists all flats of x (n x d, packed), d at most FATHOM_FLATS_DEEPEST. To be freed also after a failure. */
enum { FATHOM_FLATS_DEEPEST = 5 };
fathom_status fathom_flats_create(fathom_flats *flats, fathom_context *context, int64_t n, int64_t d,
                                  const double *x, bool bias);
void fathom_flats_free(fathom_flats *flats);

#endif
