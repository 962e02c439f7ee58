/* SPDX-License-Identifier: Apache-2.0 */
/* Cones on one line of a chart: what simple.c and simple_cell.c share. */
#ifndef FATHOM_SIMPLE_H
#define FATHOM_SIMPLE_H

#include "cone_sink.h"
#include "line.h"

/* Cones as they are found: a fathom_cone_block in the making. */
typedef struct fathom_cone_trail {
    fathom_context *context;
    int64_t words, d;
    int64_t count, whole;  /* cones; whole patterns among them */
    int32_t *flips, *flip; /* as in the block */
    uint64_t *pattern;
    double *witness;           /* or NULL */
    int64_t pending, recorded; /* flips since the last cone; flips of all cones */
    int64_t flips_capacity, flip_capacity, pattern_capacity, witness_capacity;
    fathom_status status;
} fathom_cone_trail;

/* Appends the cone `bits`, with the pending flips or as a whole; gives room for its witness, NULL without witnesses
 * or memory (trail->status then says so). */
double *fathom_cone_trail_add(fathom_cone_trail *trail, const uint64_t *bits, bool whole, bool witnesses);
void fathom_cone_trail_clear(fathom_cone_trail *trail);
void fathom_cone_trail_free(fathom_cone_trail *trail);

/* Notes that point i has flipped since the last cone. */
void fathom_cone_trail_flip(fathom_cone_trail *trail, int32_t i);

/* Appends room for the antipodes (patterns and witnesses; the flips are the same). */
fathom_status fathom_cone_trail_mirror(fathom_cone_trail *trail, const uint64_t *nonzero);

/* One thread's workspace. */
typedef struct fathom_cell_maker {
    fathom_line line;
    fathom_cone_trail trail;
    bool gaps;      /* as in the sink */
    uint64_t *bits; /* words: the current pattern over points */
    double *sign;   /* p: the current signs, 1 or -1 */
    double *value;  /* p: h_i at the middle of an edge */
    double *slope;  /* p: h_i along the way inside */
    double dual[FATHOM_MINORS_LARGEST]
               [FATHOM_MINORS_LARGEST];  /* b_k: dual vectors of the walls at the edge */
    int64_t wall[FATHOM_MINORS_LARGEST]; /* their hyperplanes */
    int64_t walls;
    const int32_t
        *above; /* p x p, rank 3 only: the next cut above the one with t on the line of s; NULL: not known */
} fathom_cell_maker;

fathom_status fathom_cell_maker_init(fathom_cell_maker *maker, const fathom_line_frame *frame);
void fathom_cell_maker_free(fathom_cell_maker *maker);

/* Appends to the trail the cells with h_0 > 0 whose lowest points are cuts of the placed line with hyperplanes beyond T.
 * False where a determinant vanishes or no witness in double precision was found (*thin is then set). */
bool fathom_cell_maker_walk(fathom_cell_maker *maker, bool witnesses, bool *thin);

/* Rank 3, first level: row s of `above` (p) for the placed line of s; -1 where t is the highest cut. */
void fathom_plane_above(int32_t *above, const fathom_line *line);

/* Rank 3, first level: a point (scaled coordinates) of the cell above the cut k of the placed line, from the three
 * corners or rays nearest to the cut, in O(1). False where rounding leaves it unproved. */
bool fathom_plane_witness(double point[3], const fathom_cell_maker *maker, int64_t k);

/* Rank 2, first level: the same for the sector above cut k. */
bool fathom_sector_witness(double point[2], const fathom_cell_maker *maker, int64_t k);

/* The last level: the one cell with h_0 > 0 that contains the ray F = 0, a > 0 in its closure. */
bool fathom_cell_maker_last(fathom_cell_maker *maker, const fathom_line_level *level, bool witnesses,
                            bool *thin);

#endif
