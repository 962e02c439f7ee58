/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of restriction.c as cones of the data: patterns over points, witnesses in R^d. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The witness of cell k in data coordinates: doubles, or NaN and integers. */
static void place_witness(double *witness, fathom_integer *exact, const fathom_hyperplanes *planes,
                          const fathom_cells *cells, int64_t k)
{
    double rounded[FATHOM_CELLS_RANK] = {0};
    const double *z = cells->exact || planes->r == 0 ? rounded : cells->witness + k * planes->r;
    const bool found = !cells->exact || fathom_cells_round_point(rounded, cells, planes->normal, k);
    memset(witness, 0, (size_t)planes->d * sizeof *witness);
    fathom_integers_clear(exact, planes->d);
    for (int64_t c = 0; c < planes->r; c++)
        if (found)
            witness[planes->column[c]] = z[c];
        else
            fathom_integers_copy(exact + planes->column[c], cells->point + k * planes->r + c, 1);
    for (int64_t c = 0; c < planes->d && !found; c++)
        witness[c] = NAN;
}

static fathom_status hand_over(const fathom_hyperplanes *planes, const fathom_cells *cells,
                               const fathom_cone_sink *sink, uint64_t *bits, double *witness,
                               fathom_integer *exact)
{
    int32_t flips[BLOCK];
    for (int64_t j = 0; j < BLOCK; j++)
        flips[j] = -1; /* whole patterns */
    for (int64_t first = 0; first < cells->count; first += BLOCK) {
        const int64_t count = cells->count - first < BLOCK ? cells->count - first : BLOCK;
        for (int64_t j = 0; j < count; j++) {
            cone_pattern(bits + j * planes->words, planes, cells->bits + (first + j) * cells->words);
            if (sink->witnesses)
                place_witness(witness + j * planes->d, exact + j * planes->d, planes, cells, first + j);
        }
        const fathom_cone_block block = {count,
                                         flips,
                                         NULL,
                                         bits,
                                         sink->witnesses ? witness : NULL,
                                         sink->witnesses && cells->exact ? exact : NULL};
        FATHOM_TRY(sink->put(sink->user, &block));
    }
    return FATHOM_OK;
}

/* Refuses before allocating, by the number of cones in general position, which is the most there can be. */
static fathom_status require(const fathom_hyperplanes *planes)
{
    const double cones = fathom_cover_count(planes->p, planes->r);
    const double bytes = cones * 8.0 * (double)(fathom_pattern_words(planes->p) + planes->r + 4);
    char what[160];
    snprintf(what, sizeof what,
             "this arrangement is not in general position and has up to %.3g cones; enumerating them", cones);
    return fathom_context_require(planes->context, bytes, what);
}

fathom_status fathom_restriction_enumerate(const fathom_hyperplanes *planes, const fathom_cone_sink *sink)
{
    fathom_context *context = planes->context;
    fathom_cells cells = {0};
    /* Rank 0 is one cell of R^0, its pattern all zeros; enumerate it in R^1 instead. */
    const int64_t r = planes->r > 0 ? planes->r : 1;
    fathom_status status = require(planes);
    FATHOM_THEN(status, fathom_cells_enumerate(&cells, context, planes->p, r, planes->normal,
                                               fathom_context_threads(context)));
    uint64_t *bits = fathom_memory_alloc(context, BLOCK * planes->words, sizeof *bits);
    double *witness = fathom_memory_alloc(context, BLOCK * planes->d, sizeof *witness);
    fathom_integer *exact = fathom_integers_create(context, BLOCK * planes->d);
    FATHOM_THEN(status, bits && witness && exact ? hand_over(planes, &cells, sink, bits, witness, exact)
                                                 : FATHOM_ERROR_MEMORY);
    FATHOM_FREE(context, bits, witness);
    fathom_integers_free(context, exact, BLOCK * planes->d);
    fathom_cells_free(&cells);
    return status;
}
