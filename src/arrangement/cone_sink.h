/* SPDX-License-Identifier: Apache-2.0 */
/* How enumerators hand over cones: blocks in a fixed order, to one sink. */
#ifndef FATHOM_CONE_SINK_H
#define FATHOM_CONE_SINK_H

#include "hyperplanes.h"

/* Full-dimensional cones, borrowed for the call. */
typedef struct fathom_cone_block {
    int64_t count;
    const uint64_t *bits;  /* count x words, over points */
    const double *witness; /* count x d, strictly inside, or NULL where the sink wants none */
} fathom_cone_block;

typedef struct fathom_cone_sink {
    void *user;
    bool witnesses; /* whether to compute them */
    fathom_status (*put)(void *user, const fathom_cone_block *block);
    fathom_status (*reset)(void *user); /* forget everything: another method starts over */
} fathom_cone_sink;

/*
 * All cones of an arrangement in general position, on the context's threads, in an order that depends on the data
 * alone. *general is set to false, and the enumeration abandoned, where it is not in general position. With a NULL
 * sink nothing is emitted: the call proves general position. Rank 1 .. FATHOM_MINORS_LARGEST.
 */
fathom_status fathom_simple_enumerate(bool *general, const fathom_hyperplanes *planes,
                                      const fathom_cone_sink *sink);

#endif
