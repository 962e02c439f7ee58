/* SPDX-License-Identifier: Apache-2.0 */
/* Enumeration of cones by the best method for the arrangement at hand. */
#ifndef FATHOM_CONES_INTERNAL_H
#define FATHOM_CONES_INTERNAL_H

#include "cone_sink.h"
#include "gates_internal.h"

/* Hands all full-dimensional cones to the sink: by lines and lowest vertices in general position (*general is then
 * true), by restriction otherwise. */
fathom_status fathom_cones_enumerate(bool *general, const fathom_hyperplanes *planes,
                                     const fathom_cone_sink *sink);

/* Orders the gates of all cones (bits and orientations given) by their distance from gate 0 and makes them a tree in
 * which each gate differs from its parent in the points of one hyperplane. */
fathom_status fathom_gates_plant(fathom_gates *gates, const fathom_hyperplanes *planes);

/* The bytes that the gates of all cones of p hyperplanes in general position, of rank r, take until they are planted.
 * The most is in use while their tree orders the patterns: those twice, witnesses, parents and places in both
 * numberings, flips, and a table of patterns that is at most half full. */
double fathom_gates_need(int64_t p, int64_t r, int64_t words, int64_t d);

#endif
