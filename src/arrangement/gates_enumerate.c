/* SPDX-License-Identifier: Apache-2.0 */
/* All cones of the arrangement as gates: collected from the enumerator, then made a tree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cones_internal.h"
#include "context_internal.h"
#include "faces.h"
#include "memory.h"
#include "restriction.h"

/* Starts over where a cone was too thin for doubles: by restriction, which has integers for them, or where that would be too
 * much memory and the sink allows it, with gaps. */
static fathom_status enumerate_thin(bool *general, const fathom_hyperplanes *planes,
                                    const fathom_cone_sink *sink)
{
    fathom_status status = sink->reset(sink->user);
    FATHOM_THEN(status, fathom_restriction_enumerate(planes, sink));
    if (status == FATHOM_OK)
        return fathom_simple_enumerate(general, planes, NULL);
    if (status != FATHOM_ERROR_MEMORY || !sink->gaps)
        return status;
    status = sink->reset(sink->user);
    return status == FATHOM_OK ? fathom_simple_enumerate(general, planes, sink) : status;
}

fathom_status fathom_cones_enumerate(bool *general, const fathom_hyperplanes *planes,
                                     const fathom_cone_sink *sink)
{
    fathom_cone_sink strict = *sink;
    strict.gaps = false;
    fathom_status status = fathom_simple_enumerate(general, planes, &strict);
    if (status == FATHOM_ERROR_RUNTIME && sink->witnesses)
        return enumerate_thin(general, planes, sink);
    if (status != FATHOM_OK || *general)
        return status;
    status = sink->reset(sink->user);
    return status == FATHOM_OK ? fathom_restriction_enumerate(planes, sink) : status;
}

/* Gives gate j integers in place of an orientation in doubles, which becomes their rounding; zeros: leaves it as it is. */
static fathom_status place(fathom_gates *g, int64_t j, const fathom_integer *exact)
{
    const int64_t before = g->exact_capacity;
    fathom_status status =
        fathom_memory_grow(g->context, (void **)&g->exact_at, &g->exact_capacity, j + 1, sizeof *g->exact_at);
    for (int64_t k = before; k < g->exact_capacity && status == FATHOM_OK; k++)
        g->exact_at[k] = -1;
    if (status != FATHOM_OK || fathom_integers_are_zero(exact, g->d))
        return status;
    const int64_t length = fathom_integers_length(exact, g->d);
    status =
        fathom_memory_grow(g->context, (void **)&g->exact_text, &g->text_capacity, g->exact_size + length, 1);
    if (status != FATHOM_OK)
        return status;
    g->exact_at[j] = g->exact_size;
    g->exact_size += fathom_integers_print(g->exact_text + g->exact_size, exact, g->d) + 1;
    fathom_integers_to_doubles(g->orientation + j * g->d, exact, g->d);
    return FATHOM_OK;
}

/* Appends a block to the gates. */
static fathom_status collect(void *user, const fathom_cone_block *block)
{
    fathom_gates *g = user;
    const int64_t m = g->m + block->count;
    FATHOM_TRY(
        fathom_memory_grow(g->context, (void **)&g->bits, &g->bits_capacity, m * g->words, sizeof *g->bits));
    FATHOM_TRY(fathom_memory_grow(g->context, (void **)&g->orientation, &g->orientation_capacity, m * g->d,
                                  sizeof *g->orientation));
    fathom_status status = FATHOM_OK;
    const int32_t *flip = block->flip;
    const uint64_t *pattern = block->pattern;
    for (int64_t j = 0; j < block->count; j++) {
        uint64_t *bits = g->bits + (g->m + j) * g->words;
        if (j > 0)
            memcpy(bits, bits - g->words, (size_t)g->words * sizeof *bits);
        fathom_cone_block_step(bits, g->words, block->flips[j], &flip, &pattern);
    }
    memcpy(g->orientation + g->m * g->d, block->witness,
           (size_t)(block->count * g->d) * sizeof *g->orientation);
    for (int64_t j = 0; j < block->count && block->exact && status == FATHOM_OK; j++)
        status = place(g, g->m + j, block->exact + j * g->d);
    g->m = m;
    return status;
}

/* No integers for the gates behind the last that has some. */
static fathom_status fill_places(fathom_gates *g)
{
    const int64_t before = g->exact_capacity;
    if (!g->exact_at)
        return FATHOM_OK;
    const fathom_status status =
        fathom_memory_grow(g->context, (void **)&g->exact_at, &g->exact_capacity, g->m, sizeof *g->exact_at);
    for (int64_t k = before; k < g->exact_capacity && status == FATHOM_OK; k++)
        g->exact_at[k] = -1;
    return status;
}

static fathom_status forget(void *user)
{
    fathom_gates *g = user;
    g->m = g->exact_size = 0;
    fathom_memory_free(g->context, g->exact_at);
    g->exact_at = NULL;
    g->exact_capacity = 0;
    return FATHOM_OK;
}

double fathom_gates_need(int64_t p, int64_t r, int64_t words, int64_t d)
{
    const double cones = fathom_cover_count(p, r), slots = exp2(ceil(log2(2 * fmax(1, cones))));
    return cones * (double)(16 * words + 8 * d + 40) + 8 * slots;
}

/* Refuses before allocating. */
static fathom_status require(const fathom_hyperplanes *planes)
{
    const double cones = fathom_cover_count(planes->p, planes->r);
    const double bytes = fathom_gates_need(planes->p, planes->r, planes->words, planes->d);
    char what[80];
    snprintf(what, sizeof what, "this arrangement has about %.3g cones; keeping them", cones);
    return fathom_context_require(planes->context, bytes, what);
}

static fathom_status enumerate(fathom_gates **gates, const fathom_hyperplanes *planes)
{
    bool general;
    FATHOM_TRY(require(planes));
    FATHOM_TRY(fathom_gates_create(gates, planes->context, planes->n, planes->d));
    const fathom_cone_sink sink = {.user = *gates, .witnesses = true, .put = collect, .reset = forget};
    FATHOM_TRY(fathom_cones_enumerate(&general, planes, &sink));
    return fathom_gates_plant(*gates, planes);
}

fathom_status fathom_gates_enumerate_faces(fathom_gates **gates, fathom_context *context,
                                           const fathom_data *data)
{
    fathom_hyperplanes *planes;
    int64_t count;
    *gates = NULL;
    fathom_status status = fathom_hyperplanes_create(&planes, context, data);
    FATHOM_THEN(status, fathom_gates_create(gates, context, planes->n, planes->d));
    if (status == FATHOM_OK) {
        const fathom_cone_sink sink = {.user = *gates, .witnesses = true, .put = collect, .reset = forget};
        status = fathom_faces_enumerate(&count, planes, &sink);
    }
    fathom_hyperplanes_free(planes);
    FATHOM_THEN(status, fill_places(*gates));
    if (status != FATHOM_OK) {
        fathom_gates_free(*gates);
        *gates = NULL;
    }
    return status;
}

fathom_status fathom_gates_enumerate(fathom_gates **gates, fathom_context *context, const fathom_data *data)
{
    fathom_hyperplanes *planes;
    *gates = NULL;
    fathom_status status = fathom_hyperplanes_create(&planes, context, data);
    FATHOM_THEN(status, enumerate(gates, planes));
    fathom_hyperplanes_free(planes);
    if (status != FATHOM_OK) {
        fathom_gates_free(*gates);
        *gates = NULL;
    }
    return status;
}
