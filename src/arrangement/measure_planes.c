/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planes to be measured against: distinct hyperplanes of the points, and inner products that keep the Gaussian measure.
 *
 * Which points share a hyperplane, and the rank, are decided exactly (hyperplanes.h). Normals are those integers in r kept
 * columns. Where r = d, z is standard Gaussian there; otherwise it is Gaussian with a covariance that the row space gives
 * (fathom_exact_metric), as integers too.
 */
#include <string.h>

#include "measure_internal.h"
#include "memory.h"

/* The inner products, where the rank is below d. */
static fathom_status find_metric(measure_planes *planes)
{
    const fathom_hyperplanes *h = planes->data;
    const int64_t r = planes->r;
    if (r == h->d || r == 0)
        return FATHOM_OK;
    planes->metric = fathom_integers_create(planes->context, r * r);
    planes->covariance = fathom_integers_create(planes->context, r * r);
    if (!planes->metric || !planes->covariance)
        return FATHOM_ERROR_MEMORY;
    fathom_exact_metric(planes->metric, planes->covariance, h->basis, h->column, r, h->d);
    return FATHOM_OK;
}

/* The gate's pattern over hyperplanes into own (words, zeroed); false where no point off all hyperplanes has the gate's
 * pattern: parallel points must agree, antiparallel ones differ, zero points be closed. */
static bool reduce(uint64_t *own, const uint64_t *bits, const fathom_hyperplanes *h)
{
    for (int64_t w = 0; w < h->words; w++)
        if (bits[w] & ~h->nonzero[w])
            return false;
    for (int64_t k = 0; k < h->p; k++) {
        const int64_t first = h->member_start[k];
        const bool open = fathom_pattern_bit(bits, h->member[first]) == (h->side[first] > 0);
        for (int64_t q = first; q < h->member_start[k + 1]; q++)
            if (fathom_pattern_bit(bits, h->member[q]) != (open == (h->side[q] > 0)))
                return false;
        if (open)
            own[k / 64] |= (uint64_t)1 << (k % 64);
    }
    return true;
}

/* Patterns over hyperplanes, and their index. */
static fathom_status find_patterns(measure_planes *planes, const fathom_gates_view *gates,
                                   const fathom_hyperplanes *h)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < gates->m && status == FATHOM_OK; j++) {
        uint64_t *own = planes->bits + planes->m * planes->words;
        memset(own, 0, (size_t)planes->words * sizeof *own);
        planes->cell[j] = -1;
        if (!reduce(own, gates->bits + j * gates->words, h) ||
            fathom_pattern_index_find(&planes->index, planes->bits, own) >= 0)
            continue;
        status = fathom_pattern_index_add(&planes->index, planes->bits);
        planes->cell[j] = planes->m++;
    }
    return status;
}

static fathom_status fill(measure_planes *planes, const fathom_gates_view *gates)
{
    const fathom_hyperplanes *h = planes->data;
    const int64_t r = h->r;
    planes->p = h->p;
    planes->r = r;
    planes->words = fathom_pattern_words(h->p);
    planes->normal = h->normal;
    planes->approximate = fathom_memory_alloc(planes->context, h->p * r, sizeof *planes->approximate);
    planes->cell = fathom_memory_alloc(planes->context, gates->m, sizeof *planes->cell);
    planes->bits = fathom_memory_alloc(planes->context, gates->m * planes->words, sizeof *planes->bits);
    if (!planes->approximate || !planes->cell || !planes->bits)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < h->p; k++)
        fathom_integers_to_doubles(planes->approximate + k * r, h->normal + k * r, r);
    FATHOM_TRY(fathom_pattern_index_init(&planes->index, planes->context, planes->words));
    FATHOM_TRY(find_metric(planes));
    return find_patterns(planes, gates, h);
}

fathom_status fathom_measure_planes_init(measure_planes *planes, fathom_context *context,
                                         const fathom_data *data, const fathom_gates *gates)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    *planes = (measure_planes){.context = context};
    FATHOM_TRY(fathom_hyperplanes_create(&planes->data, context, data));
    return fill(planes, &view);
}

void fathom_measure_planes_free(measure_planes *planes)
{
    const int64_t size = planes->r * planes->r;
    fathom_pattern_index_free(&planes->index);
    fathom_memory_free(planes->context, planes->approximate);
    fathom_integers_free(planes->context, planes->metric, size);
    fathom_integers_free(planes->context, planes->covariance, size);
    FATHOM_FREE(planes->context, planes->cell, planes->bits);
    fathom_hyperplanes_free(planes->data);
}
