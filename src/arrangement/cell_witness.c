/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses of cells, verified exactly: see cell_witness.h. */
#include "cell_witness.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "patterns.h"

enum { ATTEMPTS = 60 }; /* halvings of the step before giving up */

static const double NEAR = 0x1p-16; /* relative distance below which a point counts as on a hyperplane */
static const double LEAN =
    0.46875; /* where on a chord to stop: not the middle, which later hyperplanes of symmetric
                                        arrangements tend to hit */

fathom_status fathom_cell_frame_init(fathom_cell_frame *frame, fathom_context *context, int64_t p, int64_t r,
                                     const fathom_integer *normal)
{
    *frame = (fathom_cell_frame){.context = context, .p = p, .r = r, .normal = normal};
    frame->approximate = fathom_memory_alloc(context, p * r, sizeof *frame->approximate);
    frame->workspace = fathom_memory_alloc(context, 3 * r + p, sizeof *frame->workspace);
    if (!frame->approximate || !frame->workspace)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p; i++)
        fathom_integers_to_doubles(frame->approximate + i * r, normal + i * r, r);
    return FATHOM_OK;
}

void fathom_cell_frame_free(fathom_cell_frame *frame)
{
    FATHOM_FREE(frame->context, frame->approximate, frame->workspace);
}

static double dot(const double *a, const double *b, int64_t r)
{
    double sum = 0;
    for (int64_t c = 0; c < r; c++)
        sum += a[c] * b[c];
    return sum;
}

/* Bound on |computed - exact| of a product with z: 2^-53 |z|_1 from the normal's entries, the rest from the sum. */
static double product_error(const double *z, int64_t r)
{
    double size = 0;
    for (int64_t c = 0; c < r; c++)
        size += fabs(z[c]);
    return (double)(r + 4) * 0x1p-52 * size;
}

int fathom_cell_frame_sign(const fathom_cell_frame *frame, int64_t i, const double *z)
{
    const double value = dot(frame->approximate + i * frame->r, z, frame->r),
                 error = product_error(z, frame->r);
    if (value > error)
        return 1;
    if (value < -error)
        return -1;
    return fathom_integers_dot_sign(frame->normal + i * frame->r, z, frame->r);
}

bool fathom_cell_frame_near(const fathom_cell_frame *frame, int64_t i, const double *z)
{
    double size = 0;
    for (int64_t c = 0; c < frame->r; c++)
        size += fabs(z[c]);
    return fabs(dot(frame->approximate + i * frame->r, z, frame->r)) < NEAR * size;
}

bool fathom_cell_frame_verify(const fathom_cell_frame *frame, const double *z, const uint64_t *bits,
                              int64_t count)
{
    const double error = product_error(z, frame->r);
    for (int64_t i = 0; i < count; i++) {
        const int side = fathom_pattern_bit(bits, i) ? 1 : -1;
        const double value = side * dot(frame->approximate + i * frame->r, z, frame->r);
        if (value > error)
            continue;
        if (!(value >= -error) || fathom_integers_dot_sign(frame->normal + i * frame->r, z, frame->r) != side)
            return false;
    }
    return true;
}

/* The longest step along `way` from `point` that crosses none of hyperplanes 0 .. count - 1. */
static double free_way(const fathom_cell_frame *frame, const double *point, const double *way,
                       const uint64_t *bits, int64_t count)
{
    double first = INFINITY;
    for (int64_t j = 0; j < count; j++) {
        const double *a = frame->approximate + j * frame->r;
        const int side = fathom_pattern_bit(bits, j) ? 1 : -1;
        const double value = side * dot(a, point, frame->r), slope = side * dot(a, way, frame->r);
        if (slope < 0 && -value / slope < first)
            first = -value / slope;
    }
    return first;
}

/*
 * Moves z, inside the cell, to about the middle of its chord along every coordinate in turn (a chord that is open on one side
 * is cut at the length of z), so that witnesses stay away from the walls however often cells are split. Keeps the
 * result only where it is verified. Spoils the workspace.
 */
static void recentre(fathom_cell_frame *frame, double *z, const uint64_t *bits, int64_t count)
{
    const int64_t r = frame->r;
    double *moved = frame->workspace, *value = moved + r;
    for (int64_t j = 0; j < count; j++)
        value[j] = (fathom_pattern_bit(bits, j) ? 1 : -1) * dot(frame->approximate + j * r, z, r);
    memcpy(moved, z, (size_t)r * sizeof *z);
    for (int64_t c = 0; c < r; c++) {
        const double length = sqrt(dot(moved, moved, r));
        double forward = length, backward = length;
        for (int64_t j = 0; j < count; j++) {
            const double slope = (fathom_pattern_bit(bits, j) ? 1 : -1) * frame->approximate[j * r + c];
            const double way = value[j] / slope;
            forward = slope < 0 && -way < forward ? -way : forward;
            backward = slope > 0 && way < backward ? way : backward;
        }
        const double step = LEAN * forward - (1 - LEAN) * backward;
        moved[c] += step;
        for (int64_t j = 0; j < count; j++)
            value[j] += step * (fathom_pattern_bit(bits, j) ? 1 : -1) * frame->approximate[j * r + c];
    }
    if (fathom_cell_frame_verify(frame, moved, bits, count))
        memcpy(z, moved, (size_t)r * sizeof *z);
}

bool fathom_cell_frame_find(fathom_cell_frame *frame, double *z, const uint64_t *bits, int64_t i,
                            const double *point, const double *from)
{
    const int64_t r = frame->r;
    const double *normal = frame->approximate + i * r;
    const double side = fathom_pattern_bit(bits, i) ? 1 : -1, scale = sqrt(dot(point, point, r));
    double *unit = frame->workspace, *way = unit + r, *moved = way + r, length = 0;
    for (int64_t c = 0; c < r; c++) {
        unit[c] = point[c] / scale;
        way[c] = side * normal[c];
    }
    if (from) { /* away from a point of the other side, at the same scale */
        const double back = sqrt(dot(from, from, r));
        for (int64_t c = 0; c < r; c++)
            way[c] = unit[c] - from[c] / back;
    }
    length = sqrt(dot(way, way, r));
    double step = fmin(free_way(frame, unit, way, bits, i) / 2, 1 / length);
    for (int attempt = 0; attempt < ATTEMPTS && step > 0; attempt++, step /= 2) {
        for (int64_t c = 0; c < r; c++)
            moved[c] = unit[c] + step * way[c];
        if (fathom_cell_frame_verify(frame, moved, bits, i + 1)) {
            memcpy(z, moved, (size_t)r * sizeof *z);
            recentre(frame, z, bits, i + 1);
            return true;
        }
    }
    return false;
}

fathom_status fathom_cell_too_thin(fathom_context *context)
{
    return fathom_error_set(context, FATHOM_ERROR_RUNTIME,
                            "a cone is too thin to hold a point in double precision");
}
