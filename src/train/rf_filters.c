/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters from patches of images: lines 2 to 11 of Convex-RF [001, Alg. 2].
 *
 *     p_i = (x_t - mean x_t) / sqrt(var x_t + epsilon),   M = (Cov(p) + e I)^{-1/2},   q_i = M p_i,
 *     u_i = (q_i - z_i) / |q_i - z_i|,   z_i the point of conv{q_j : j != i} nearest to q_i           [001, eq. 10]
 *
 * Symbols: P patches of `size` numbers drawn with equal probability from all places of all images, a constant patch (which
 * would become 0) or one that was drawn before drawn again; epsilon is --contrast times the mean variance of the patches, so that the unit of the pixels
 * does not matter; e is --whiten. The paper has one number for both.
 * What is stored is M u_i: <u_i, M p> = <M u_i, p>. A patch inside the hull of the others has no u_i and is left out.
 * With --filter-source patches u_i = q_i / |q_i|; with random u_i is a Gaussian direction.
 * Cost: P minimum-norm points (extreme_directions.c).
 */
#include "rf_filters.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "extreme_directions.h"
#include "gemm.h"
#include "memory.h"
#include "random.h"

enum { TRIES = 50 };

typedef struct maker {
    const fathom_train_problem *problem;
    fathom_net_image *image;
    int64_t size, count; /* numbers of a patch, patches */
    double *patch;       /* count x size: p, then q */
    double *u;           /* count x size */
    double *whitener;    /* size x size: M, or NULL */
    double *room;        /* count x size */
    bool *made;          /* count: whether there is a filter */
} maker;

/* Number `k` of `count` equally likely ones. */
static int64_t pick(uint64_t seed, int64_t *index, int64_t count)
{
    const double u = fathom_random_uniform(seed, FATHOM_STREAM_PATCH, 0, (uint64_t)(*index)++);
    const int64_t k = (int64_t)(u * (double)count);
    return k < count ? k : count - 1;
}

/* Whether the newest patch is among those before: two equal ones are in each other's hull. */
static bool repeats(const maker *a)
{
    const double *newest = a->patch + a->count * a->size;
    for (int64_t k = 0; k < a->count; k++)
        if (a->patch[k * a->size] == newest[0] &&
            memcmp(a->patch + k * a->size, newest, (size_t)a->size * sizeof *newest) == 0)
            return true;
    return false;
}

/* Patches around their means, and epsilon; those that are constant or not new are drawn again, but not for ever. */
static fathom_status draw(maker *a)
{
    const fathom_train_problem *p = a->problem;
    const uint64_t seed = fathom_context_seed(p->context);
    const int64_t wanted = a->count;
    double sum = 0;
    int64_t index = 0;
    a->count = 0;
    for (int64_t t = 0; t < TRIES * wanted && a->count < wanted; t++) {
        const int64_t i = pick(seed, &index, p->n), row = pick(seed, &index, fathom_rf_down(a->image));
        const int64_t column = pick(seed, &index, fathom_rf_across(a->image));
        const double variance =
            fathom_rf_patch(a->patch + a->count * a->size, p->x + i * p->d, a->image, row, column);
        if (!(variance > 0) || repeats(a))
            continue;
        sum += variance;
        a->room[a->count++] = variance;
    }
    if (a->count == 0)
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "no patch drawn has any contrast");
    a->image->epsilon = p->options->contrast * (sum / (double)a->count);
    if (!(a->image->epsilon > 0 && isfinite(a->image->epsilon)))
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT,
                                "the contrast of the patches leaves the range of numbers: scale the pixels");
    for (int64_t k = 0; k < a->count; k++)
        fathom_blas_scale(a->patch + k * a->size, 1 / sqrt(a->room[k] + a->image->epsilon), a->size);
    return FATHOM_OK;
}

/* M = V (D + e I)^{-1/2} V', Cov = V D V' with divisor P - 1 (1 where there is one patch). */
static fathom_status whiten(maker *a)
{
    fathom_context *context = a->problem->context;
    const int64_t size = a->size;
    double *mean = fathom_memory_zero(context, 2 * size, sizeof *mean), *value = mean ? mean + size : NULL;
    double *vector = fathom_memory_alloc(context, size * size, sizeof *vector);
    a->whitener = fathom_memory_alloc(context, size * size, sizeof *a->whitener);
    fathom_status status = mean && vector && a->whitener ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const double divisor = a->count > 1 ? (double)(a->count - 1) : 1;
        for (int64_t k = 0; k < a->count; k++)
            fathom_blas_axpy(mean, 1 / (double)a->count, a->patch + k * size, size);
        memcpy(a->room, a->patch, (size_t)(a->count * size) * sizeof *a->room);
        for (int64_t k = 0; k < a->count; k++)
            fathom_blas_axpy(a->room + k * size, -1, mean, size);
        fathom_blas_syrk(vector, size, size, a->count, 1 / divisor, fathom_transposed(a->room, size), 0);
        status = fathom_blas_eigen(value, vector, size, size, true, context);
    }
    if (status == FATHOM_OK) { /* row k of `vector` is the k-th eigenvector */
        for (int64_t k = 0; k < size; k++)
            fathom_blas_scale(vector + k * size, pow(fmax(value[k], 0) + a->problem->options->whiten, -0.25),
                              size);
        fathom_blas_syrk(a->whitener, size, size, size, 1, fathom_transposed(vector, size), 0);
        memcpy(a->room, a->patch, (size_t)(a->count * size) * sizeof *a->room);
        status = fathom_gemm(a->patch, size, a->count, size, size, 1, fathom_plain(a->room, size),
                             fathom_plain(a->whitener, size), 0, context);
    }
    FATHOM_FREE(context, mean, vector);
    return status;
}

/* The two baselines. */
static void make_plain(maker *a, bool random)
{
    const uint64_t seed = fathom_context_seed(a->problem->context);
    if (random)
        fathom_random_normals(a->u, a->count * a->size, seed, FATHOM_STREAM_PATCH, 1, 0);
    else
        memcpy(a->u, a->patch, (size_t)(a->count * a->size) * sizeof *a->u);
    for (int64_t i = 0; i < a->count; i++) {
        const double norm = fathom_blas_norm(a->u + i * a->size, a->size);
        a->made[i] = norm > 0;
        if (a->made[i])
            fathom_blas_scale(a->u + i * a->size, 1 / norm, a->size);
    }
}

/* The filters that were made, one after the other, with the whitening folded in. */
static fathom_status gather(fathom_rf_filters *filters, const maker *a)
{
    fathom_context *context = a->problem->context;
    for (int64_t i = 0; i < a->count; i++)
        if (a->made[i])
            memmove(a->u + a->size * filters->m++, a->u + a->size * i, (size_t)a->size * sizeof *a->u);
    filters->drawn = a->count;
    filters->inside = a->count - filters->m;
    if (filters->m == 0)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "no patch drawn is an extreme point of all");
    if (!a->whitener)
        memcpy(filters->u, a->u, (size_t)(filters->m * a->size) * sizeof *filters->u);
    else
        return fathom_gemm(filters->u, a->size, filters->m, a->size, a->size, 1, fathom_plain(a->u, a->size),
                           fathom_plain(a->whitener, a->size), 0, context);
    return FATHOM_OK;
}

static fathom_status open_maker(maker *a)
{
    fathom_context *context = a->problem->context;
    const int64_t numbers = a->count * a->size;
    FATHOM_TRY(fathom_context_require(
        context, 32.0 * (double)a->count * (double)a->size + 16.0 * (double)a->size * (double)a->size,
        "the patches and filters"));
    a->patch = fathom_memory_alloc(context, numbers, sizeof *a->patch);
    a->u = fathom_memory_alloc(context, numbers, sizeof *a->u);
    a->room = fathom_memory_alloc(context, numbers, sizeof *a->room);
    a->made = fathom_memory_zero(context, a->count, sizeof *a->made);
    return a->patch && a->u && a->room && a->made ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_rf_filters_make(fathom_rf_filters *filters, fathom_net_image *image,
                                     const fathom_train_problem *problem)
{
    const fathom_train_options *o = problem->options;
    fathom_context *context = problem->context;
    maker a = {.problem = problem, .image = image, .size = fathom_rf_size(image), .count = o->filters};
    *filters = (fathom_rf_filters){0};
    fathom_status status = open_maker(&a);
    if (status == FATHOM_OK)
        filters->u = fathom_memory_alloc(context, a.count * a.size, sizeof *filters->u);
    if (status == FATHOM_OK && !filters->u)
        status = FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, draw(&a));
    if (status == FATHOM_OK && o->whiten > 0)
        status = whiten(&a);
    if (status == FATHOM_OK && o->filter_source == FATHOM_FILTER_EXTREME && a.count > 1)
        status = fathom_extreme_directions(a.u, a.made, a.patch, a.count, a.size, context);
    else if (status == FATHOM_OK)
        make_plain(&a, o->filter_source == FATHOM_FILTER_RANDOM);
    FATHOM_THEN(status, gather(filters, &a));
    void *const block[] = {a.patch, a.u, a.room, a.made, a.whitener};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
    if (status != FATHOM_OK) {
        fathom_memory_free(context, filters->u);
        *filters = (fathom_rf_filters){0};
    }
    return status;
}
