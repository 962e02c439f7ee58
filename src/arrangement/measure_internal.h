/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that measure cones share: planes, patterns over planes, rays. */
#ifndef FATHOM_MEASURE_INTERNAL_H
#define FATHOM_MEASURE_INTERNAL_H

#include "fathom/measure.h"

#include "hyperplanes.h"
#include "orthant.h"
#include "patterns.h"

enum { MEASURE_RANK = 5 }; /* largest rank with deterministic measures */

/* The distinct hyperplanes of the points as exact normals in R^r, the inner products that keep the Gaussian measure there,
 * and the gates as patterns over hyperplanes. */
typedef struct measure_planes {
    fathom_context *context;
    fathom_hyperplanes *data;   /* owned */
    int64_t p, r, words;        /* hyperplanes, rank, 64-bit words of a pattern over hyperplanes */
    fathom_integer *normal;     /* p x r, of data */
    double *approximate;        /* p x r: normals over powers of two, entries at most 1, within 2^-52 */
    fathom_integer *metric;     /* r x r: <a, b> = a' metric b of directions; NULL: that of R^r */
    fathom_integer *covariance; /* r x r: the same of normals */
    int64_t m;                  /* cells: distinct gates that can be full-dimensional cones */
    int64_t *cell;  /* the cell of each gate; -1: measure 0, or the same pattern as an earlier gate */
    uint64_t *bits; /* m x words: bit k is set on the side of normal k */
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
    int64_t count;             /* even: ray 2k + 1 is the negative of ray 2k */
    fathom_integer *direction; /* (count / 2) x r, primitive: of rays 0, 2, 4, .. */
    double *approximate;       /* the same over powers of two, within 2^-52 */
    int64_t *plane_start;      /* count + 1 */
    int32_t *plane;            /* hyperplanes through ray k, ascending: plane_start[k] .. plane_start[k+1] */
    int64_t *cell_start;       /* m + 1 */
    int64_t *cell_ray;         /* rays of cell j: cell_start[j] .. cell_start[j+1], ascending */
    int64_t capacity_direction, capacity_approximate, capacity_start, capacity_plane, capacity_pair, pairs;
    int64_t *pair; /* (cell, ray), while they are found */
} measure_rays;

fathom_status fathom_measure_rays_init(measure_rays *rays, const measure_planes *planes);
void fathom_measure_rays_free(measure_rays *rays, int64_t r, fathom_context *context);

#endif
