/* SPDX-License-Identifier: Apache-2.0 */
/* Cones on one line of a chart: what simple.c and simple_cell.c share. */
#ifndef FATHOM_SIMPLE_H
#define FATHOM_SIMPLE_H

#include "cone_sink.h"
#include "line.h"

/* One thread's workspace. */
typedef struct fathom_cell_maker {
    fathom_line line;
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

/* Emits the cells with h_0 > 0 whose lowest points are cuts of the placed line with hyperplanes beyond T: *count cones are appended to bits (words each) and, where not NULL, witness (d each). False where a
 * determinant vanishes or no witness in double precision was found (*thin is then set). */
bool fathom_cell_maker_walk(fathom_cell_maker *maker, uint64_t *bits, double *witness, int64_t *count,
                            bool *thin);

/* Rank 3, first level: row s of `above` (p) for the placed line of s; -1 where t is the highest cut. */
void fathom_plane_above(int32_t *above, const fathom_line *line);

/* Rank 3, first level: a point (scaled coordinates) of the cell above the cut k of the placed line, from the three
 * corners or rays nearest to the cut, in O(1). False where rounding leaves it unproved. */
bool fathom_plane_witness(double point[3], const fathom_cell_maker *maker, int64_t k);

/* The last level: the one cell with h_0 > 0 that contains the ray F = 0, a > 0 in its closure. */
bool fathom_cell_maker_last(fathom_cell_maker *maker, const fathom_line_level *level, uint64_t *bits,
                            double *witness, int64_t *count, bool *thin);

#endif
