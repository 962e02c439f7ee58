/* SPDX-License-Identifier: Apache-2.0 */
/* How enumerators hand over cones: blocks in a fixed order, to one sink. */
#ifndef FATHOM_CONE_SINK_H
#define FATHOM_CONE_SINK_H

#include "hyperplanes.h"

/* Full-dimensional cones, borrowed for the call, each given by its difference from the one before. */
typedef struct fathom_cone_block {
    int64_t count;
    const int32_t *flips; /* count: number of points that differ from the cone before; -1: whole pattern */
    const int32_t *flip;  /* those points, one cone after the other */
    const uint64_t
        *pattern;          /* the whole patterns (words each), one after the other; the first cone has one */
    const double *witness; /* count x d, strictly inside, or NULL where the sink wants none */
    /* count x d: points inside where doubles are not, whose row of `witness` is NaN; zeros where they are;
     * NULL where they all are */
    const fathom_integer *exact;
} fathom_cone_block;

/* Turns `bits` (words) into the next cone's pattern; at the first call, flip and pattern are those of the block. */
static inline void fathom_cone_block_step(uint64_t *bits, int64_t words, int32_t flips, const int32_t **flip,
                                          const uint64_t **pattern)
{
    for (int32_t k = 0; k < flips; k++)
        bits[(*flip)[k] / 64] ^= (uint64_t)1 << ((*flip)[k] % 64);
    for (int64_t k = 0; k < words && flips < 0; k++)
        bits[k] = (*pattern)[k];
    if (flips > 0)
        *flip += flips;
    if (flips < 0)
        *pattern += words;
}

typedef struct fathom_cone_sink {
    void *user;
    bool witnesses; /* whether to compute them */
    /* NaN without integers is allowed, for cones too thin for doubles and too many to start over;
     * otherwise that is an error */
    bool gaps;
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
