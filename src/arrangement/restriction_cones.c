/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of restriction.c as cones of the data: patterns over points, witnesses in R^d. */
#include <math.h>
#include <string.h>

#include "cell_witness.h"
#include "context_internal.h"
#include "memory.h"
#include "restriction.h"

enum { BLOCK = 1024 };

/* Cell k over points. */
static void cone_pattern(uint64_t *bits, const fathom_hyperplanes *planes, const uint64_t *cell)
{
    memset(bits, 0, (size_t)planes->words * sizeof *bits);
    for (int64_t h = 0; h < planes->p; h++)
        for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
            if (fathom_pattern_bit(cell, h) == (planes->side[k] > 0))
                bits[planes->member[k] / 64] |= (uint64_t)1 << (planes->member[k] % 64);
}

static fathom_status hand_over(const fathom_hyperplanes *planes, const fathom_cells *cells,
                               const fathom_cone_sink *sink, uint64_t *bits, double *witness)
{
    int32_t flips[BLOCK];
    double rounded[FATHOM_CELLS_RANK] = {0};
    for (int64_t j = 0; j < BLOCK; j++)
        flips[j] = -1; /* whole patterns */
    for (int64_t first = 0; first < cells->count; first += BLOCK) {
        const int64_t count = cells->count - first < BLOCK ? cells->count - first : BLOCK;
        memset(witness, 0, (size_t)(count * planes->d) * sizeof *witness);
        for (int64_t j = 0; j < count; j++) {
            cone_pattern(bits + j * planes->words, planes, cells->bits + (first + j) * cells->words);
            const double *z = cells->witness + (first + j) * planes->r;
            if (cells->exact) {
                const bool found =
                    !sink->witnesses || fathom_cells_round_point(rounded, cells, planes->normal, first + j);
                if (!found && !sink->gaps)
                    return fathom_cell_too_thin(planes->context);
                for (int64_t c = 0; c < planes->r && !found; c++)
                    rounded[c] = NAN;
                z = rounded;
            }
            for (int64_t c = 0; c < planes->r && sink->witnesses; c++)
                witness[j * planes->d + planes->column[c]] = z[c];
        }
        const fathom_cone_block block = {count, flips, NULL, bits, sink->witnesses ? witness : NULL};
        const fathom_status status = sink->put(sink->user, &block);
        if (status != FATHOM_OK)
            return status;
    }
    return FATHOM_OK;
}

/* Refuses before allocating, by the number of cones in general position, which is the most there can be. */
static fathom_status require(const fathom_hyperplanes *planes)
{
    const double cones = fathom_cover_count(planes->p, planes->r);
    const double bytes = cones * 8.0 * (double)(fathom_pattern_words(planes->p) + planes->r + 4);
    if (fathom_context_require(planes->context, bytes, "cones") == FATHOM_OK)
        return FATHOM_OK;
    return fathom_error_set(planes->context, FATHOM_ERROR_MEMORY,
                            "this arrangement is not in general position and has up to %.3g cones; "
                            "enumerating them may need %.3g GB",
                            cones, bytes / 1e9);
}

fathom_status fathom_restriction_enumerate(const fathom_hyperplanes *planes, const fathom_cone_sink *sink)
{
    fathom_context *context = planes->context;
    fathom_cells cells = {0};
    /* Rank 0 is one cell of R^0, its pattern all zeros; enumerate it in R^1 instead. */
    const int64_t r = planes->r > 0 ? planes->r : 1;
    fathom_status status = require(planes);
    if (status == FATHOM_OK)
        status = fathom_cells_enumerate(&cells, context, planes->p, r, planes->normal,
                                        fathom_context_threads(context));
    uint64_t *bits = fathom_memory_alloc(context, BLOCK * planes->words, sizeof *bits);
    double *witness = fathom_memory_alloc(context, BLOCK * planes->d, sizeof *witness);
    if (status == FATHOM_OK)
        status = bits && witness ? hand_over(planes, &cells, sink, bits, witness) : FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, bits);
    fathom_memory_free(context, witness);
    fathom_cells_free(&cells);
    return status;
}
