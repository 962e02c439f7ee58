/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directions that see one point from the hull of the others; see extreme_directions.c.
 */
#ifndef FATHOM_EXTREME_DIRECTIONS_H
#define FATHOM_EXTREME_DIRECTIONS_H

#include <stdbool.h>

#include "fathom/context.h"

/* u (count x d): unit vectors for the points (count x d, at least two), made (count): whether there is one. ERROR_STOPPED
 * where a limit ends the run before all are made. */
fathom_status fathom_extreme_directions(double *u, bool *made, const double *points, int64_t count, int64_t d,
                                        fathom_context *context);

#endif
