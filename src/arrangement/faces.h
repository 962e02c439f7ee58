/* SPDX-License-Identifier: Apache-2.0 */
/* All of S_0(X): the sets U = {i : <x_i, z> > 0} of all z, those of measure zero included [000, Sec. 2]. */
#ifndef FATHOM_FACES_H
#define FATHOM_FACES_H

#include "cone_sink.h"

/*
 * *count = |S_0(X)|, and where sink is not NULL each set is handed to it once, with a point that has it (the origin for U = {});
 * on hyperplanes such points are integers, in doubles where these hold them. Every flat of the arrangement (intersection of hyperplanes) is visited once and its cells are
 * enumerated in exact integers; equal sets U are counted once. Memory: one pattern per set.
 */
fathom_status fathom_faces_enumerate(int64_t *count, const fathom_hyperplanes *planes,
                                     const fathom_cone_sink *sink);

#endif
