/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses of cells of an arrangement of integer hyperplanes: found in floating point, verified exactly. */
#ifndef FATHOM_CELL_WITNESS_H
#define FATHOM_CELL_WITNESS_H

#include "exact.h"

typedef struct fathom_cell_frame {
    fathom_context *context;
    int64_t p, r;
    const fathom_integer *normal; /* p x r, borrowed */
    double *approximate;          /* p x r: normals over powers of two, entries at most 1, within 2^-53 */
    double *workspace;            /* 3 r + p */
} fathom_cell_frame;

fathom_status fathom_cell_frame_init(fathom_cell_frame *frame, fathom_context *context, int64_t p, int64_t r,
                                     const fathom_integer *normal);
void fathom_cell_frame_free(fathom_cell_frame *frame);

/* Exact sign of <N_i, z>. */
int fathom_cell_frame_sign(const fathom_cell_frame *frame, int64_t i, const double *z);

/* Whether z lies on hyperplane i or so close to it that it makes a poor witness. */
bool fathom_cell_frame_near(const fathom_cell_frame *frame, int64_t i, const double *z);

/* Whether z lies strictly on the sides that the pattern names, for hyperplanes 0 .. count - 1. */
bool fathom_cell_frame_verify(const fathom_cell_frame *frame, const double *z, const uint64_t *bits,
                              int64_t count);

/* Finds z strictly inside the cell `bits` of hyperplanes 0 .. i next to `point`, which lies in the relative interior of
 * its facet on hyperplane i up to rounding: beyond the point as seen from `from`, a point of the neighbour across, or,
 * where `from` is NULL, along the normal. False, with z as it was, where rounding leaves no room. */
bool fathom_cell_frame_find(fathom_cell_frame *frame, double *z, const uint64_t *bits, int64_t i,
                            const double *point, const double *from);

/* ERROR_RUNTIME: a cone holds no double. */
fathom_status fathom_cell_too_thin(fathom_context *context);

#endif
