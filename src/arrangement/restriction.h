/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of any central arrangement by restriction, in exact integers.
 *
 * Hyperplanes N_0 .. N_{p-1} in R^r, pairwise not parallel, otherwise arbitrary. Adding N_i to the arrangement of the
 * first i splits exactly those cells that meet it, and these are in bijection with the cells of the restriction of the
 * first i to N_i: an arrangement in r - 1 dimensions, where some hyperplanes may coincide. Recursion ends at r = 2,
 * where cells are the sectors between rays sorted by angle.
 */
#ifndef FATHOM_RESTRICTION_H
#define FATHOM_RESTRICTION_H

#include "cone_sink.h"
#include "patterns.h"

enum { FATHOM_CELLS_RANK = 64 }; /* largest rank */

/* Cells of p hyperplanes in R^r. Bit i of a pattern: <N_i, z> > 0. */
typedef struct fathom_cells {
    fathom_context *context;
    int64_t p, r, words, count;
    uint64_t *bits;  /* count x words */
    double *witness; /* count x r, strictly inside: verified exactly on these doubles; not used where exact */
    int64_t bits_capacity, witness_capacity;
    /* count x r: integer witnesses, kept where some cell is too thin for doubles; else NULL */
    fathom_integer *point;
    int64_t point_capacity, point_count; /* numbers; those that are initialised */
    bool exact;                          /* with integer witnesses */
    bool thin;                           /* given up: a cell was too thin for doubles */
} fathom_cells;

/* Fills *cells (which the caller frees, also on failure) with all cells of normal (p x r). `threads` for the outermost
 * recursion. */
fathom_status fathom_cells_enumerate(fathom_cells *cells, fathom_context *context, int64_t p, int64_t r,
                                     const fathom_integer *normal, int threads);
void fathom_cells_free(fathom_cells *cells);

/* What integer witnesses need: room for cell number `count` - 1, the witness of cell k beyond `facet` (r; on hyperplane i)
 * as seen from cell `from` (or along the normal where that one's lies on the hyperplane), and of the sector between
 * two rays. All are exact by construction. */
fathom_status fathom_cells_reserve_points(fathom_cells *cells, int64_t count);
void fathom_cells_split_point(fathom_cells *cells, const fathom_integer *normal, int64_t i, int64_t k,
                              int64_t from, const fathom_integer *facet);
void fathom_cells_sector_points(fathom_cells *cells, const fathom_integer *normal, const int32_t *order);

/* Witness of cell k as doubles, verified; false where no rounding of its integers is inside. */
bool fathom_cells_round_point(double *z, const fathom_cells *cells, const fathom_integer *normal, int64_t k);

/* Hyperplanes restricted to another one: distinct ones among them, and where each went. */
typedef struct fathom_restriction {
    fathom_context *context;
    int64_t given, p, r;    /* hyperplanes given, distinct restrictions, dimension of the flat */
    fathom_integer *normal; /* given x r; the first p rows are used */
    int32_t *plane_of;      /* given: number of the restriction; -1 where the flat lies in the hyperplane */
    int8_t *side_of;        /* given: 1 or -1, its orientation */
    int64_t pivot;          /* the coordinate that was left out */
} fathom_restriction;

/* Restricts normal (given x (r + 1)) to the hyperplane of `base`. */
fathom_status fathom_restriction_init(fathom_restriction *to, fathom_context *context, int64_t given,
                                      int64_t r, const fathom_integer *normal, const fathom_integer *base);
void fathom_restriction_free(fathom_restriction *restriction);

/* All cones of the arrangement, whatever its position, handed to the sink. All are held in memory. */
fathom_status fathom_restriction_enumerate(const fathom_hyperplanes *planes, const fathom_cone_sink *sink);

#endif
