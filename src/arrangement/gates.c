/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates from samples, given orientations and given patterns.
 *
 * Orientations come in chunks of CHUNK: their patterns are computed by tiles (patterns.h), then entered one by one
 * into the index of distinct patterns, in order. Memory: the distinct gates and one chunk. The result is a function
 * of the seed, or of the orientations, alone.
 */
#include "gates_internal.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "patterns.h"
#include "random.h"

enum { CHUNK = 4096 };

fathom_status fathom_gates_create(fathom_gates **gates, fathom_context *context, int64_t n, int64_t d)
{
    fathom_gates *g = fathom_memory_zero(context, 1, sizeof *g);
    *gates = g;
    if (!g)
        return FATHOM_ERROR_MEMORY;
    g->context = context;
    g->n = n;
    g->d = d;
    g->words = fathom_pattern_words(n);
    return FATHOM_OK;
}

void fathom_gates_free(fathom_gates *gates)
{
    if (!gates)
        return;
    fathom_context *context = gates->context;
    FATHOM_FREE(context, gates->bits, gates->orientation, gates->parent, gates->flip_start, gates->flip,
                gates->weight, gates->exact_at, gates->exact_text, gates);
}

fathom_gates_view fathom_gates_look(const fathom_gates *gates)
{
    return (fathom_gates_view){.n = gates->n,
                               .d = gates->d,
                               .m = gates->m,
                               .words = gates->words,
                               .bits = gates->bits,
                               .orientation = gates->orientation,
                               .parent = gates->parent,
                               .flip_start = gates->flip_start,
                               .flip = gates->flip,
                               .weight = gates->weight,
                               .exact_at = gates->exact_size > 0 ? gates->exact_at : NULL,
                               .exact_text = gates->exact_text};
}

/* Where orientations come from: given ones, or Gaussian draws with a seed. */
typedef struct source {
    int64_t count, d;
    const double *given; /* count x d, leading dimension ld; NULL: draws */
    int64_t ld;
    int64_t *gate_of; /* count, or NULL */
    uint64_t seed;
} source;

/* What the intake of orientations holds beside the gates themselves. */
typedef struct intake {
    fathom_data_view data;
    fathom_pattern_index index;
    double *norm;         /* n: |x_i|_1 */
    double *chunk;        /* CHUNK x d orientations */
    uint64_t *chunk_bits; /* CHUNK x words */
} intake;

static void intake_free(intake *in, fathom_context *context)
{
    fathom_pattern_index_free(&in->index);
    FATHOM_FREE(context, in->norm, in->chunk, in->chunk_bits);
}

static fathom_status intake_init(intake *in, fathom_context *context, const fathom_data *data, int64_t count)
{
    const int64_t chunk = count < CHUNK ? count : CHUNK;
    *in = (intake){.data = fathom_data_look(data)};
    FATHOM_TRY(fathom_pattern_index_init(&in->index, context, fathom_pattern_words(in->data.n)));
    in->norm = fathom_memory_alloc(context, in->data.n, sizeof *in->norm);
    in->chunk = fathom_memory_alloc(context, chunk * in->data.d, sizeof *in->chunk);
    in->chunk_bits = fathom_memory_alloc(context, chunk * in->index.words, sizeof *in->chunk_bits);
    if (!in->norm || !in->chunk || !in->chunk_bits)
        return FATHOM_ERROR_MEMORY;
    fathom_patterns_norms(in->norm, &in->data, context);
    return FATHOM_OK;
}

/* Room for one more gate. */
static fathom_status reserve(fathom_gates *g)
{
    FATHOM_TRY(fathom_memory_grow(g->context, (void **)&g->bits, &g->bits_capacity, (g->m + 1) * g->words,
                                  sizeof *g->bits));
    FATHOM_TRY(fathom_memory_grow(g->context, (void **)&g->orientation, &g->orientation_capacity,
                                  (g->m + 1) * g->d, sizeof *g->orientation));
    return fathom_memory_grow(g->context, (void **)&g->weight, &g->weight_capacity, g->m + 1,
                              sizeof *g->weight);
}

/* Enters one orientation v with its pattern; *gate receives its number. weight[gate] counts orientations. */
static fathom_status enter(fathom_gates *g, intake *in, const double *v, const uint64_t *pattern,
                           int64_t *gate)
{
    *gate = fathom_pattern_index_find(&in->index, g->bits, pattern);
    if (*gate < 0) {
        fathom_status status = reserve(g);
        if (status != FATHOM_OK)
            return status;
        if (g->words > 0)
            memcpy(g->bits + g->m * g->words, pattern, (size_t)g->words * sizeof *pattern);
        if (g->d > 0)
            memcpy(g->orientation + g->m * g->d, v, (size_t)g->d * sizeof *v);
        g->weight[g->m] = 0;
        status = fathom_pattern_index_add(&in->index, g->bits);
        if (status != FATHOM_OK)
            return status;
        *gate = g->m++;
    }
    g->weight[*gate] += 1;
    return FATHOM_OK;
}

/* The orientations first .. first + count of the source, contiguous, into the chunk. */
static void fetch(intake *in, const source *from, int64_t first, int64_t count)
{
    const int64_t d = from->d;
    if (!from->given) {
        fathom_random_normals(in->chunk, count * d, from->seed, FATHOM_STREAM_GATE, 0, (uint64_t)(first * d));
        return;
    }
    for (int64_t j = 0; j < count && d > 0; j++)
        memcpy(in->chunk + j * d, from->given + (first + j) * from->ld, (size_t)d * sizeof *in->chunk);
}

static fathom_status take_chunk(fathom_gates *g, intake *in, const source *from, int64_t first, int64_t count)
{
    fetch(in, from, first, count);
    fathom_status status =
        fathom_patterns_compute(in->chunk_bits, g->context, &in->data, in->norm, count, in->chunk, from->d);
    for (int64_t j = 0; j < count && status == FATHOM_OK; j++) {
        int64_t gate = 0;
        status = enter(g, in, in->chunk + j * g->d, in->chunk_bits + j * g->words, &gate);
        if (from->gate_of)
            from->gate_of[first + j] = gate;
    }
    return status;
}

static fathom_status take_all(fathom_gates *g, const fathom_data *data, const source *from)
{
    intake in;
    fathom_status status = intake_init(&in, g->context, data, from->count);
    for (int64_t first = 0; first < from->count && status == FATHOM_OK; first += CHUNK) {
        const int64_t left = from->count - first;
        status = take_chunk(g, &in, from, first, left < CHUNK ? left : CHUNK);
        if (status == FATHOM_OK &&
            fathom_context_poll(g->context, "gates", first, NAN, NAN) != FATHOM_STOP_NONE)
            status = fathom_error_set(g->context, FATHOM_ERROR_STOPPED, "stopped while computing gates");
    }
    intake_free(&in, g->context);
    for (int64_t j = 0; j < g->m; j++)
        g->weight[j] /= (double)from->count;
    return status;
}

/* Gives the gates of a source of orientations. */
static fathom_status gates_from(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                const source *from)
{
    const int64_t n = fathom_data_look(data).n;
    fathom_status status = fathom_gates_create(gates, context, n, from->d);
    FATHOM_THEN(status, take_all(*gates, data, from));
    if (status != FATHOM_OK) {
        fathom_gates_free(*gates);
        *gates = NULL;
    }
    return status;
}

fathom_status fathom_gates_sample(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                  int64_t count)
{
    *gates = NULL;
    if (count < 1)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "at least one gate must be sampled, not %lld",
                                (long long)count);
    const source from = {.count = count, .d = fathom_data_look(data).d, .seed = fathom_context_seed(context)};
    return gates_from(gates, context, data, &from);
}

fathom_status fathom_gates_from_orientations(fathom_gates **gates, fathom_context *context,
                                             const fathom_data *data, int64_t m, const double *orientation,
                                             int64_t ld, int64_t *gate_of)
{
    const int64_t d = fathom_data_look(data).d;
    *gates = NULL;
    if (m < 1 || ld < d)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "expected at least one orientation with %lld entries", (long long)d);
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < d; k++)
            if (!isfinite(orientation[j * ld + k]))
                return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                        "entry %lld of orientation %lld is not a finite number", (long long)k,
                                        (long long)j);
    const source from = {.count = m, .d = d, .given = orientation, .ld = ld, .gate_of = gate_of};
    return gates_from(gates, context, data, &from);
}

/* Packs an m x n matrix of zeros and ones into g->bits (zeroed). */
static fathom_status pack(fathom_gates *g, const double *pattern, int64_t ld)
{
    for (int64_t j = 0; j < g->m; j++)
        for (int64_t i = 0; i < g->n; i++) {
            const double p = pattern[j * ld + i];
            if (p != 0 && p != 1)
                return fathom_error_set(g->context, FATHOM_ERROR_INPUT,
                                        "gate %lld has %g at point %lld where 0 or 1 was expected",
                                        (long long)j, p, (long long)i);
            g->bits[j * g->words + i / 64] |= (uint64_t)(p == 1) << (i % 64);
        }
    return FATHOM_OK;
}

fathom_status fathom_gates_from_patterns(fathom_gates **gates, fathom_context *context,
                                         const fathom_data *data, int64_t m, const double *pattern,
                                         int64_t ld)
{
    const fathom_data_view view = fathom_data_look(data);
    *gates = NULL;
    if (m < 1 || ld < view.n)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "expected at least one pattern with %lld entries", (long long)view.n);
    FATHOM_TRY(fathom_gates_create(gates, context, view.n, view.d));
    fathom_gates *g = *gates;
    g->m = m;
    g->bits = fathom_memory_zero(context, m * g->words, sizeof *g->bits);
    g->weight = fathom_memory_alloc(context, m, sizeof *g->weight);
    fathom_status status = g->bits && g->weight ? pack(g, pattern, ld) : FATHOM_ERROR_MEMORY;
    if (status != FATHOM_OK) {
        fathom_gates_free(g);
        *gates = NULL;
        return status;
    }
    for (int64_t j = 0; j < m; j++)
        g->weight[j] = 1.0 / (double)m;
    return FATHOM_OK;
}
