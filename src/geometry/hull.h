/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows are vertices of the convex hull of all rows. */
#ifndef FATHOM_HULL_H
#define FATHOM_HULL_H

#include <stdbool.h>

#include "fathom/context.h"

typedef struct fathom_hull_count {
    int64_t vertices;  /* distinct points proven to be vertices */
    int64_t undecided; /* distinct points that rounding, or the time limit, leaves open */
} fathom_hull_count;

/* vertex (n): 1 a vertex (of equal rows the first one), 0 none, -1 undecided. x is n x d with leading dimension ld. A row
 * within fathom_min_norm_zero of the hull of the others counts as inside. */
fathom_status fathom_hull_vertices(fathom_hull_count *count, signed char *vertex, const double *x, int64_t n,
                                   int64_t d, int64_t ld, fathom_context *context);

#endif
