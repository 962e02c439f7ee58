/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices by subdivision of the sphere: simplicial cones, best bound first, each split at the middle of an edge.
 *
 * Both sides start with the 2^r orthants. Cones are taken in batches of fixed size, so that neither the result nor the order
 * depends on the number of threads. A cone whose bound is at most c = max((1 + gap) best, enough) is closed (gap: see price.h); the largest
 * bound of closed and open cones is the answer at any time.
 *
 * A new ray is the sum of two old ones times powers of two, kept only where no rounding occurs: children cover their parent
 * exactly. A cone that cannot be split so stays in the answer.
 *
 * Rounding. E = 40 sqrt(r) (m + r + 8) u sum_i |a_i| covers unit for exact rays, rows taken to have one sign on a cone within
 * the margin of fathom_ray_fill, and all sums in price_cone.c (its w is at most sqrt(r) sum |a_i| long).
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "price_cone.h"

enum { BATCH = 64, CLIMBS = 4 };

typedef struct search {
    const fathom_price_rows *rows;
    const fathom_price_options *options;
    fathom_context *context;
    fathom_rays rays;
    fathom_cone *heap; /* largest bound first */
    int64_t count, capacity;
    double closed; /* largest bound of the cones that are done */
    int64_t last;  /* node at which the search ends because a neuron was met; 0: none was */
    fathom_cone child[2 * BATCH];
    double u[2 * BATCH][FATHOM_CONE_RANK];
    double *work;
    int threads;
} search;

static double target(const search *a, const fathom_price_best *best)
{
    const double loose = (best->value / a->options->excess - 1) / 3;
    return fmax(best->value * (1 + fmax(a->options->gap, loose)), a->options->enough);
}

static void sink(fathom_cone *heap, int64_t count, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1].bound > heap[child].bound)
            child++;
        if (!(heap[child].bound > heap[at].bound))
            return;
        const fathom_cone swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static fathom_cone pop(search *a)
{
    const fathom_cone top = a->heap[0];
    a->heap[0] = a->heap[--a->count];
    sink(a->heap, a->count, 0);
    return top;
}

/* There is room. */
static void push(search *a, fathom_cone cone)
{
    int64_t at = a->count++;
    for (; at > 0 && cone.bound > a->heap[(at - 1) / 2].bound; at = (at - 1) / 2)
        a->heap[at] = a->heap[(at - 1) / 2];
    a->heap[at] = cone;
}

static fathom_status room_for_rays(search *a, int64_t count)
{
    fathom_rays *rays = &a->rays;
    if (count <= rays->capacity)
        return FATHOM_OK;
    int64_t capacity = rays->capacity + rays->capacity / 2;
    capacity = capacity > count ? capacity : count;
    FATHOM_TRY(fathom_memory_resize(a->context, (void **)&rays->exact, capacity, sizeof *rays->exact));
    FATHOM_TRY(fathom_memory_resize(a->context, (void **)&rays->unit, capacity, sizeof *rays->unit));
    FATHOM_TRY(fathom_memory_resize(a->context, (void **)&rays->h, capacity, sizeof *rays->h));
    FATHOM_TRY(fathom_memory_resize(a->context, (void **)&rays->bits, 2 * rays->words * capacity,
                                    sizeof *rays->bits));
    rays->capacity = capacity;
    return FATHOM_OK;
}

/* Bounds children first .. last - 1 on all threads, each on its own. */
static void bound_children(search *a, int64_t count, double enough)
{
    const int64_t room = fathom_cone_work(a->rows);
#pragma omp parallel for schedule(dynamic, 1) num_threads(a->threads)
    for (int64_t k = 0; k < count; k++)
        fathom_cone_bound(a->child + k, a->u[k], &a->rays, a->rows, enough,
                          a->work + omp_get_thread_num() * room);
}

/* A new ray whose own value beats the best becomes it, and the ascent starts there. */
static fathom_status try_rays(search *a, int64_t first, fathom_price_best *best)
{
    const int64_t r = a->rows->r;
    double start[FATHOM_CONE_RANK], value = best->value;
    int64_t top = -1;
    for (int64_t k = first; k < a->rays.count; k++)
        if (fabs(a->rays.h[k][0] - a->rays.h[k][1]) > value) {
            value = fabs(a->rays.h[k][0] - a->rays.h[k][1]);
            top = k;
        }
    if (top < 0)
        return FATHOM_OK;
    memcpy(start, a->rays.unit[top], (size_t)r * sizeof *start);
    value = fathom_price_value(&best->sign, a->rows, start);
    memcpy(best->u, start, (size_t)r * sizeof *start);
    best->value = value;
    return fathom_price_ascend(best, a->rows, start, &best->sign, 1, a->context);
}

/* Closes or keeps the children, and climbs from the most promising of their directions. */
static fathom_status take_children(search *a, int64_t count, fathom_price_best *best)
{
    const double enough = target(a, best);
    double starts[CLIMBS * FATHOM_CONE_RANK], sides[CLIMBS], top[CLIMBS] = {0};
    int64_t climbs = 0;
    fathom_status status =
        fathom_memory_grow(a->context, (void **)&a->heap, &a->capacity, a->count + count, sizeof *a->heap);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        if (a->child[k].bound <= enough) {
            a->closed = fmax(a->closed, a->child[k].bound);
            continue;
        }
        push(a, a->child[k]);
        double sign;
        const double value = fathom_price_value(&sign, a->rows, a->u[k]);
        if (!(value > 0.7 * best->value) || sign != (a->child[k].side ? -1 : 1))
            continue;
        int64_t at = climbs < CLIMBS ? climbs++ : CLIMBS - 1;
        if (at == CLIMBS - 1 && top[at] >= value)
            continue;
        for (; at > 0 && top[at - 1] < value; at--) {
            top[at] = top[at - 1];
            sides[at] = sides[at - 1];
            memcpy(starts + at * a->rows->r, starts + (at - 1) * a->rows->r,
                   (size_t)a->rows->r * sizeof *starts);
        }
        top[at] = value;
        sides[at] = sign;
        memcpy(starts + at * a->rows->r, a->u[k], (size_t)a->rows->r * sizeof *starts);
    }
    if (status == FATHOM_OK && climbs > 0)
        status = fathom_price_ascend(best, a->rows, starts, sides, climbs, a->context);
    return status;
}

/* exact sum = 2^s first + second, lengths made equal to a factor of two; false where it rounds. */
static bool add_rays(double *sum, const double *first, const double *second, int64_t r)
{
    double one = 0, two = 0;
    for (int64_t l = 0; l < r; l++) {
        one += first[l] * first[l];
        two += second[l] * second[l];
    }
    const double scale = exp2(round(log2(two / one) / 2));
    for (int64_t l = 0; l < r; l++) {
        const double a = scale * first[l], b = second[l];
        sum[l] = a + b;
        const double back = sum[l] - a;
        if ((a - (sum[l] - back)) + (b - back) != 0)
            return false;
    }
    return true;
}

/* Splits up to BATCH cones of largest bound; *made receives the number of children. */
static fathom_status split_batch(search *a, int64_t *made, double enough)
{
    fathom_status status = room_for_rays(a, a->rays.count + BATCH);
    *made = 0;
    for (int64_t k = 0; k < BATCH && a->count > 0 && status == FATHOM_OK;) {
        const fathom_cone parent = pop(a);
        const int32_t ray = (int32_t)a->rays.count;
        if (parent.bound <= enough ||
            !add_rays(a->rays.exact[ray], a->rays.exact[parent.ray[parent.split[0]]],
                      a->rays.exact[parent.ray[parent.split[1]]], a->rows->r)) {
            a->closed = fmax(a->closed, parent.bound);
            continue;
        }
        for (int c = 0; c < 2; c++) {
            fathom_cone *child = a->child + (*made)++;
            *child = parent;
            child->ray[parent.split[c]] = ray;
        }
        a->rays.count++;
        k++;
    }
    const int64_t fresh = *made / 2, first = a->rays.count - fresh;
#pragma omp parallel for schedule(static) num_threads(a->threads)
    for (int64_t k = 0; k < fresh; k++)
        fathom_ray_fill(&a->rays, first + k, a->rows);
    return status;
}

/* The 2^r orthants on both sides, in batches. */
static fathom_status start(search *a, fathom_price_best *best, int64_t *nodes)
{
    const int64_t r = a->rows->r, all = INT64_C(2) << r;
    fathom_status status = room_for_rays(a, 2 * r);
    for (int64_t k = 0; k < 2 * r && status == FATHOM_OK; k++) {
        memset(a->rays.exact[k], 0, sizeof a->rays.exact[k]);
        a->rays.exact[k][k / 2] = k % 2 ? -1 : 1;
        fathom_ray_fill(&a->rays, k, a->rows);
    }
    a->rays.count = 2 * r;
    FATHOM_THEN(status, try_rays(a, 0, best));
    for (int64_t first = 0; first < all && status == FATHOM_OK; first += 2 * BATCH) {
        const int64_t count = all - first < 2 * BATCH ? all - first : 2 * BATCH;
        for (int64_t k = 0; k < count; k++) {
            a->child[k] = (fathom_cone){.bound = INFINITY, .side = (int32_t)((first + k) & 1)};
            for (int64_t l = 0; l < r; l++)
                a->child[k].ray[l] = (int32_t)(2 * l + ((first + k) >> (l + 1) & 1));
            a->child[k].split[1] = 1;
        }
        bound_children(a, count, target(a, best));
        status = take_children(a, count, best);
        *nodes += count;
    }
    return status;
}

/* A neuron that exceeds what counts changes the dual point: the rest of the proof would be for nothing, and no more is spent on it than
 * on meeting the neuron. */
static void note_neuron(search *a, const fathom_price_best *best, int64_t nodes)
{
    const double counts = fmax(a->options->excess * (1 + 10 * a->options->gap), a->options->enough);
    if (a->last == 0 && best->value > counts)
        a->last = 2 * nodes;
}

static bool finished(const search *a, const fathom_price_best *best, int64_t nodes)
{
    const double upper = a->count > 0 ? fmax(a->heap[0].bound, a->closed) : a->closed;
    return a->count == 0 || a->heap[0].bound <= target(a, best) ||
           (a->options->nodes > 0 && nodes >= a->options->nodes) || (a->last > 0 && nodes >= a->last) ||
           a->rays.count > INT32_MAX - 2 * BATCH ||
           fathom_context_poll(a->context, "price", nodes, best->value, upper) != FATHOM_STOP_NONE;
}

fathom_status fathom_price_subdivide(double *upper, fathom_price_best *best, int64_t *nodes,
                                     const fathom_price_rows *rows, const fathom_price_options *options,
                                     fathom_context *context)
{
    search *a = fathom_memory_zero(context, 1, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    a->rows = rows;
    a->options = options;
    a->context = context;
    a->threads = fathom_context_threads(context);
    a->rays.words = (rows->m + 63) / 64;
    a->work = fathom_memory_alloc(context, a->threads * fathom_cone_work(rows), sizeof *a->work);
    fathom_status status = a->work ? start(a, best, nodes) : FATHOM_ERROR_MEMORY;
    while (status == FATHOM_OK && !finished(a, best, *nodes)) {
        int64_t made;
        const int64_t first = a->rays.count;
        status = split_batch(a, &made, target(a, best));
        FATHOM_THEN(status, try_rays(a, first, best));
        const double enough = target(a, best);
        if (status == FATHOM_OK) {
            bound_children(a, made, enough);
            status = take_children(a, made, best);
        }
        *nodes += made;
        note_neuron(a, best, *nodes);
    }
    *upper = a->count > 0 ? fmax(a->heap[0].bound, a->closed) : a->closed;
    *upper += 40 * sqrt((double)rows->r) * (double)(rows->m + rows->r + 8) * DBL_EPSILON * rows->reach;
    FATHOM_FREE(context, a->rays.exact, a->rays.unit, a->rays.h, a->rays.bits, a->heap, a->work, a);
    return status;
}
