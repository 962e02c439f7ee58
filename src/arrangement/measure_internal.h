/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that measure cones share: planes, patterns over planes, rays. */
#ifndef FATHOM_MEASURE_INTERNAL_H
#define FATHOM_MEASURE_INTERNAL_H

#include "fathom/measure.h"

#include "orthant.h"
#include "patterns.h"

enum { MEASURE_RANK = 5 }; /* largest rank with deterministic measures */

/* The distinct hyperplanes of the points, each by the row of its first point in orthonormal coordinates of the row space
 * (the data's own where the rank is d), and the gates as patterns over hyperplanes. */
typedef struct measure_planes {
    fathom_context *context;
    int64_t p, r, words; /* hyperplanes, rank, 64-bit words of a pattern over hyperplanes */
    double *normal;      /* p x r, entries at most 1 in absolute value */
    int64_t m;           /* cells: distinct gates that can be full-dimensional cones */
    int64_t *cell;       /* the cell of each gate; -1: measure 0, or the same pattern as an earlier gate */
    uint64_t *bits;      /* m x words: bit k is the gate's bit of the first point of hyperplane k */
    fathom_pattern_index index;
} measure_planes;

fathom_status fathom_measure_planes_init(measure_planes *planes, fathom_context *context,
                                         const fathom_data *data, const fathom_gates *gates);
void fathom_measure_planes_free(measure_planes *planes);

/* Where results go: m values with absolute errors; zero on entry. */
typedef struct measure_result {
    double *value, *error;
} measure_result;

/* Rank 0, 1 and 2: half lines and arcs. */
fathom_status fathom_measure_arcs(measure_result *out, const measure_planes *planes);

/* Rank 3 to MEASURE_RANK: cones as sums of simplicial cones. fathom_measure_ray_count is the number of sets of r - 1
 * hyperplanes that are looked at (may be infinite). */
fathom_status fathom_measure_simplices(measure_result *out, const measure_planes *planes);
double fathom_measure_ray_count(const measure_planes *planes);

/* Random great circles: shares of `circles` circles in each cone. */
fathom_status fathom_measure_circles(double *share, const fathom_data *data, const fathom_gates *gates,
                                     int64_t circles, fathom_context *context);

/* Extreme rays of all cones of the arrangement, and which belong to which cell. */
typedef struct measure_rays {
    int64_t count;
    long double *direction; /* count x r, unit */
    int64_t *plane_start;   /* count + 1 */
    int32_t *plane;         /* hyperplanes through ray k, ascending: plane_start[k] .. plane_start[k+1] */
    int64_t *cell_start;    /* m + 1 */
    int64_t *cell_ray;      /* rays of cell j: cell_start[j] .. cell_start[j+1], ascending */
    int64_t capacity_direction, capacity_start, capacity_plane, capacity_pair, pairs;
    int64_t *pair; /* (cell, ray), while they are found */
} measure_rays;

fathom_status fathom_measure_rays_init(measure_rays *rays, const measure_planes *planes);
void fathom_measure_rays_free(measure_rays *rays, fathom_context *context);

#endif
