/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones measured along random great circles.
 *
 * Two Gaussian vectors e, f span a uniformly random plane (orthonormalised); point i is active on the half circle
 * centred at atan2(<x_i, f>, <x_i, e>). Sorting the 2n ends gives at most 2n arcs, each inside one cone: its length over
 * 2 pi is that circle's share of the cone, an unbiased estimate of P(C) in [0, 1]. Walking flips one bit per end.
 *
 * Shares are added as whole multiples of 2^-40, so that sums do not depend on the order of circles: same bits for
 * every number of threads. Rounding adds at most 2^-41 per arc. Cost per circle: 2 n d flops, a sort, 2n lookups.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "measure_internal.h"
#include "memory.h"
#include "random.h"

#define PI 3.14159265358979323846

/* Where point i starts or ceases to be active, in [0, 2 pi). */
typedef struct event {
    double angle;
    int64_t point;
} event;

static int by_angle(const void *left, const void *right)
{
    const event *a = left, *b = right;
    if (a->angle != b->angle)
        return a->angle < b->angle ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

/* The gates and the points, with one thread's workspace. */
typedef struct walker {
    const fathom_data_view *data;
    const fathom_gates_view *gates;
    const fathom_pattern_index *index;
    uint64_t seed;
    double *frame;     /* 2 x d: e and f */
    event *events;     /* 2 n */
    uint64_t *pattern; /* words */
    uint64_t *share;   /* m, in units of 2^-40 */
} walker;

static double row_dot(const fathom_data_view *data, int64_t i, const double *v)
{
    if (data->x)
        return fathom_blas_dot(data->x + i * data->ld, v, data->d);
    double sum = 0;
    for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
        sum += data->value[k] * v[data->column[k]];
    return sum;
}

/* Two orthonormal vectors, number `circle` of the stream. */
static void draw_frame(walker *w, int64_t circle)
{
    const int64_t d = w->data->d;
    double *e = w->frame, *f = w->frame + d;
    fathom_random_normals(e, 2 * d, w->seed, FATHOM_STREAM_SAMPLE, 4, (uint64_t)(2 * d * circle));
    fathom_blas_scale(e, 1 / fathom_blas_norm(e, d), d);
    for (int pass = 0; pass < 2; pass++)
        fathom_blas_axpy(f, -fathom_blas_dot(e, f, d), e, d);
    fathom_blas_scale(f, 1 / fathom_blas_norm(f, d), d);
}

/* Events of all points, and the pattern at angle 0. */
static int64_t find_events(walker *w)
{
    int64_t count = 0;
    memset(w->pattern, 0, (size_t)w->gates->words * sizeof *w->pattern);
    for (int64_t i = 0; i < w->data->n; i++) {
        const double x = row_dot(w->data, i, w->frame), y = row_dot(w->data, i, w->frame + w->data->d);
        if (x == 0 && y == 0)
            continue;
        /* active while cos(angle - centre) > 0 */
        const double centre = atan2(y, x);
        double start = centre - PI / 2, end = centre + PI / 2;
        start += start < 0 ? 2 * PI : 0;
        end += end < 0 ? 2 * PI : 0;
        w->events[count++] = (event){start, i};
        w->events[count++] = (event){end, i};
        if (start > end)
            w->pattern[i / 64] |= (uint64_t)1 << (i % 64);
    }
    qsort(w->events, (size_t)count, sizeof *w->events, by_angle);
    return count;
}

/* Adds the arc from `from` to `to` to the gate with the current pattern. */
static void add_arc(walker *w, double from, double to)
{
    if (!(to > from))
        return;
    const int64_t gate = fathom_pattern_index_find(w->index, w->gates->bits, w->pattern);
    if (gate >= 0)
        w->share[gate] += (uint64_t)llround((to - from) / (2 * PI) * 0x1p40);
}

static void walk_circle(walker *w, int64_t circle)
{
    draw_frame(w, circle);
    const int64_t count = find_events(w);
    double at = 0;
    for (int64_t k = 0; k < count; k++) {
        add_arc(w, at, w->events[k].angle);
        at = w->events[k].angle;
        w->pattern[w->events[k].point / 64] ^= (uint64_t)1 << (w->events[k].point % 64);
    }
    add_arc(w, at, 2 * PI);
}

static fathom_status walker_init(walker *w, fathom_context *context)
{
    w->frame = fathom_memory_alloc(context, 2 * w->data->d, sizeof *w->frame);
    w->events = fathom_memory_alloc(context, 2 * w->data->n, sizeof *w->events);
    w->pattern = fathom_memory_alloc(context, w->gates->words, sizeof *w->pattern);
    w->share = fathom_memory_zero(context, w->gates->m, sizeof *w->share);
    return w->frame && w->events && w->pattern && w->share ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void walker_free(walker *w, fathom_context *context)
{
    FATHOM_FREE(context, w->frame, w->events, w->pattern, w->share);
}

/* All circles, with one walker per thread. */
static void walk_all(walker *walkers, int threads, int64_t circles, const fathom_context *context)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (int64_t c = 0; c < circles; c++)
        if (fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
            walk_circle(walkers + omp_get_thread_num(), c);
}

/* share[j] = mean over circles, from whole numbers. */
static void gather(double *share, const walker *walkers, int threads, int64_t m, int64_t circles)
{
    for (int64_t j = 0; j < m; j++) {
        uint64_t sum = 0;
        for (int t = 0; t < threads; t++)
            sum += walkers[t].share[j];
        share[j] = (double)sum * 0x1p-40 / (double)circles;
    }
}

/* The index of the gates' patterns over points. */
static fathom_status index_gates(fathom_pattern_index *index, const fathom_gates_view *gates,
                                 fathom_context *context)
{
    FATHOM_TRY(fathom_pattern_index_init(index, context, gates->words));
    for (int64_t j = 0; j < gates->m; j++)
        FATHOM_TRY(fathom_pattern_index_add(index, gates->bits));
    return FATHOM_OK;
}

fathom_status fathom_measure_circles(double *share, const fathom_data *data, const fathom_gates *gates,
                                     int64_t circles, fathom_context *context)
{
    const fathom_data_view view = fathom_data_look(data);
    const fathom_gates_view gates_view = fathom_gates_look(gates);
    const int threads = fathom_context_threads(context);
    fathom_pattern_index index = {0};
    walker *walkers = fathom_memory_zero(context, threads, sizeof *walkers);
    fathom_status status = walkers ? index_gates(&index, &gates_view, context) : FATHOM_ERROR_MEMORY;
    for (int t = 0; t < threads && status == FATHOM_OK; t++) {
        walkers[t] = (walker){
            .data = &view, .gates = &gates_view, .index = &index, .seed = fathom_context_seed(context)};
        status = walker_init(walkers + t, context);
    }
    if (status == FATHOM_OK) {
        walk_all(walkers, threads, circles, context);
        gather(share, walkers, threads, gates_view.m, circles);
        if (fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            status = fathom_error_set(context, FATHOM_ERROR_STOPPED, "stopped while measuring cones");
    }
    for (int t = 0; t < threads && walkers; t++)
        walker_free(walkers + t, context);
    fathom_memory_free(context, walkers);
    fathom_pattern_index_free(&index);
    return status;
}
