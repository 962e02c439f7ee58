/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One great circle after another, walked exactly.
 *
 * With an orthonormal pair (e, f) the circle is z(phi) = cos(phi) e + sin(phi) f and x_i turns positive at the angle of
 * (<x_i,e>, <x_i,f>) minus a quarter turn. As in margin_arcs.c the n lines are turned into a half circle and sorted; the
 * k-th crossing changes S by +-q_i z_i, and the opposite arc holds the complement, S' = T - S with T = sum_i q_i z_i.
 * Point i is open on the arcs after its crossing and on the opposite ones before it (or the reverse), so its averages
 * are differences of running sums: O(n d + n log n) per circle for all n points together.
 */
#include "margin_circle.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "tasks.h"
#include "random.h"

enum {
    CHUNK = 64,    /* circles added up in one go */
    ROUND = 32,    /* chunks between two looks at the clock */
    PER_POINT = 7, /* sums per point */
    PER_CIRCLE = 7 /* sums per circle */
};

static const uint32_t JITTER = (uint32_t)1
                               << 31; /* sub-streams of the jitter, apart from those of the frames */

typedef struct crossing {
    double angle; /* in [0, pi) */
    int32_t point;
    int32_t turned;
} crossing;

/* Workspace of one thread. */
typedef struct walker {
    double *frame;      /* 2 x d: e, f */
    double *shadow;     /* 2 x n: <x_i, e>, <x_i, f> */
    crossing *crossing; /* n + 1 */
    double *total;      /* d: T */
    double *s, *u;      /* 2 x d: S forth and back; d: a direction */
    double *
        run; /* 4 x (n + 1) x d: running sums of length v, length v', length S, length S'; pairs: 8 x d, 4 x n */
} walker;

static int by_angle(const void *left, const void *right)
{
    const crossing *a = left, *b = right;
    return a->angle < b->angle ? -1 : a->angle > b->angle ? 1 : (a->point > b->point) - (a->point < b->point);
}

static double norm2(const double *a, int64_t d)
{
    double total = 0;
    for (int64_t k = 0; k < d; k++)
        total += a[k] * a[k];
    return total;
}

/* An orthonormal pair from 2d normals. */
static void draw_frame(walker *w, int64_t d, uint64_t seed, uint32_t phase, int64_t number)
{
    double *e = w->frame, *f = e + d;
    fathom_random_normals(e, 2 * d, seed, FATHOM_STREAM_SAMPLE, phase, (uint64_t)number * (uint64_t)(2 * d));
    const double length = sqrt(norm2(e, d));
    double inner = 0;
    for (int64_t k = 0; k < d; k++) {
        e[k] /= length;
        inner += e[k] * f[k];
    }
    for (int64_t k = 0; k < d; k++)
        f[k] -= inner * e[k];
    const double height = sqrt(norm2(f, d));
    for (int64_t k = 0; k < d; k++)
        f[k] /= height;
}

/* The n crossings in order, a copy of the first half a turn later at the end. */
static void find_crossings(walker *w, int64_t n)
{
    const double half = acos(-1);
    for (int64_t i = 0; i < n; i++) {
        const double a = w->shadow[i], b = w->shadow[n + i];
        const bool turned = b < 0 || (b == 0 && a < 0);
        w->crossing[i] = (crossing){turned ? atan2(-b, -a) : atan2(b, a), (int32_t)i, turned};
    }
    qsort(w->crossing, (size_t)n, sizeof *w->crossing, by_angle);
    w->crossing[n] = w->crossing[0];
    w->crossing[n].angle += half;
}

/* Adds length times v(S) and length times S to the running sums, and to `mean` the averages of |S| and |S|^2. */
static void add_arc(double *map, double *linear, double mean[2], const double *s, double length, double mu,
                    int64_t d)
{
    const double square = norm2(s, d), scale = length / sqrt(square + mu * mu);
    for (int64_t k = 0; k < d; k++) {
        map[d + k] = map[k] + scale * s[k];
        linear[d + k] = linear[k] + length * s[k];
    }
    mean[0] += length * sqrt(square);
    mean[1] += length * square;
}

/* Both layers, at the direction u of the arc: adds length times (A <u,S> u + B S) / sqrt(|S|^2 + mu^2) and length times
 * rr <u,S> u + aa S, and to `mean` |S| g(c) and rr <u,S>^2 + aa |S|^2; symbols in margin_full.c. */
static void add_full_arc(double *map, double *linear, double mean[2], const double *s, const double *u,
                         double length, const fathom_circle_plan *plan)
{
    const int64_t d = plan->points->d;
    const fathom_full_table *table = plan->table;
    const double square = norm2(s, d), norm = sqrt(square);
    double inner = 0, a = 0, b = 0;
    for (int64_t k = 0; k < d; k++)
        inner += u[k] * s[k];
    const double c = norm > 0 ? fmin(1, fabs(inner) / norm) : 0;
    fathom_full_look_up(&a, &b, table, c);
    const double scale = length / sqrt(square + plan->mu * plan->mu);
    for (int64_t k = 0; k < d; k++) {
        map[d + k] = map[k] + scale * (a * inner * u[k] + b * s[k]);
        linear[d + k] = linear[k] + length * (table->rr * inner * u[k] + table->aa * s[k]);
    }
    mean[0] += length * norm * (c * c * a + b);
    mean[1] += length * (table->rr * inner * inner + table->aa * square);
}

/* u (d) = the direction a quarter turn before the angle psi of the frame, or its opposite. */
static void direction(double *u, const double *frame, double psi, double sign, int64_t d)
{
    const double e = sign * sin(psi), f = -sign * cos(psi);
    for (int64_t k = 0; k < d; k++)
        u[k] = e * frame[k] + f * frame[d + k];
}

/* Walks the circle: running sums of all arcs; mean[0..1] = averages of |S| and |S|^2. With both layers the integrands
 * vary along an arc and are taken at one point of it, a share `jitter` from its start (opposite arcs: from the end):
 * with jitter uniform on [0, 1] expectations stay exact. */
static void walk(walker *w, double mean[2], const fathom_circle_plan *plan, double jitter)
{
    const int64_t n = plan->points->n, d = plan->points->d, stride = (n + 1) * d;
    const double *z = plan->points->z, turn = 2 * acos(-1);
    double *map = w->run, *map_back = map + stride, *linear = map_back + stride,
           *linear_back = linear + stride;
    double *s = w->s, *back = w->s + d;
    mean[0] = mean[1] = 0;
    memset(s, 0, (size_t)d * sizeof *s);
    for (int64_t i = 0; i < n; i++) /* before the first crossing the turned points are open */
        if (w->crossing[i].turned)
            for (int64_t k = 0, at = w->crossing[i].point; k < d; k++)
                s[k] += plan->q[at] * z[at * d + k];
    for (int64_t k = 0; k < 4; k++)
        memset(w->run + k * stride, 0, (size_t)d * sizeof *s);
    for (int64_t c = 0; c < n; c++) {
        const int64_t at = w->crossing[c].point;
        const double weight = w->crossing[c].turned ? -plan->q[at] : plan->q[at];
        const double length = (w->crossing[c + 1].angle - w->crossing[c].angle) / turn;
        for (int64_t k = 0; k < d; k++) {
            s[k] += weight * z[at * d + k];
            back[k] = w->total[k] - s[k];
        }
        if (plan->table) {
            direction(w->u, w->frame, w->crossing[c].angle + jitter * turn * length, 1, d);
            add_full_arc(map + c * d, linear + c * d, mean, s, w->u, length, plan);
            direction(w->u, w->frame, w->crossing[c].angle + (1 - jitter) * turn * length, -1, d);
            add_full_arc(map_back + c * d, linear_back + c * d, mean, back, w->u, length, plan);
        } else {
            add_arc(map + c * d, linear + c * d, mean, s, length, plan->mu, d);
            add_arc(map_back + c * d, linear_back + c * d, mean, back, length, plan->mu, d);
        }
    }
}

/* <z_i, sums over the arcs where the point of crossing c is open>, from running sums forth and back. */
static double open_sum(const double *forth, const double *back, int64_t c, const crossing *x, const double *z,
                       int64_t n, int64_t d)
{
    double total = 0;
    for (int64_t k = 0; k < d; k++) {
        const double open = x->turned ? forth[c * d + k] + (back[n * d + k] - back[c * d + k])
                                      : (forth[n * d + k] - forth[c * d + k]) + back[c * d + k];
        total += z[k] * open;
    }
    return total;
}

/* Adds the averages of one circle or pair: mean[2], and map and linear (n), Z_i and Y_i, to the sums of a chunk:
 * PER_CIRCLE numbers, then PER_POINT rows of n. */
static void add_averages(double *sums, const double mean[2], const double *map, const double *linear,
                         const fathom_circle_plan *plan)
{
    const int64_t n = plan->points->n;
    const double value = mean[0] - plan->value_slope * mean[1];
    const double whole[PER_CIRCLE] = {
        value, value * value, mean[0], mean[1], mean[0] * mean[0], mean[0] * mean[1], mean[1] * mean[1]};
    for (int k = 0; k < PER_CIRCLE; k++)
        sums[k] += whole[k];
    double *row = sums + PER_CIRCLE;
    for (int64_t i = 0; i < n; i++) {
        const double z = map[i], y = linear[i], centred = z - plan->slope[i] * y;
        row[i] += centred;
        row[n + i] += centred * centred;
        row[2 * n + i] += z;
        row[3 * n + i] += y;
        row[4 * n + i] += z * z;
        row[5 * n + i] += z * y;
        row[6 * n + i] += y * y;
    }
}

/* Adds the antipodal pair of directions +-e, each standing for half of the sphere of directions. */
static void add_pair(double *sums, walker *w, const fathom_circle_plan *plan, uint64_t seed, int64_t number)
{
    const int64_t n = plan->points->n, d = plan->points->d;
    double *e = w->frame, *s = w->s, *back = s + d, *product = w->run + 8 * d, mean[2] = {0, 0};
    fathom_random_normals(e, d, seed, FATHOM_STREAM_SAMPLE, plan->phase, (uint64_t)number * (uint64_t)d);
    const double length = sqrt(norm2(e, d));
    for (int64_t k = 0; k < d; k++)
        e[k] /= length;
    fathom_blas_gemv(w->shadow, n, d, 1, fathom_plain(plan->points->x, d), e, 0);
    for (int64_t i = 0; i < n; i++) /* the weights of the open points */
        w->shadow[n + i] = w->shadow[i] > 0 ? plan->q[i] : 0;
    fathom_blas_gemv(s, d, n, 1, fathom_transposed(plan->points->z, d), w->shadow + n, 0);
    for (int64_t k = 0; k < d; k++)
        back[k] = w->total[k] - s[k];
    memset(w->run, 0, (size_t)(8 * d) * sizeof *w->run);
    for (int side = 0; side < 2; side++) { /* rows 1, 3 of run: v, S of e; 5, 7: of -e */
        double *run = w->run + 4 * d * side;
        if (plan->table)
            add_full_arc(run, run + 2 * d, mean, side ? back : s, e, 0.5, plan);
        else
            add_arc(run, run + 2 * d, mean, side ? back : s, 0.5, plan->mu, d);
    }
    fathom_blas_gemm(product, n, 4, n, d, 1, fathom_plain(w->run + d, 2 * d),
                     fathom_transposed(plan->points->z, d), 0);
    for (int64_t i = 0; i < n; i++)
        if (!(w->shadow[i] > 0)) {
            product[i] = product[2 * n + i];
            product[n + i] = product[3 * n + i];
        }
    add_averages(sums, mean, product, product + n, plan);
}

/* Adds one circle. */
static void add_circle(double *sums, walker *w, const fathom_circle_plan *plan, uint64_t seed, int64_t number)
{
    const int64_t n = plan->points->n, d = plan->points->d, stride = (n + 1) * d;
    double mean[2];
    draw_frame(w, d, seed, plan->phase, number);
    fathom_blas_gemm(w->shadow, n, 2, n, d, 1, fathom_plain(w->frame, d),
                     fathom_transposed(plan->points->x, d), 0);
    find_crossings(w, n);
    const double jitter = plan->table ? fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE,
                                                              JITTER | plan->phase, (uint64_t)number)
                                      : 0;
    walk(w, mean, plan, jitter);
    for (int64_t c = 0; c < n; c++) {
        const int64_t i = w->crossing[c].point;
        const double *z = plan->points->z + i * d;
        w->shadow[i] = open_sum(w->run, w->run + stride, c, w->crossing + c, z, n, d);
        w->shadow[n + i] = open_sum(w->run + 2 * stride, w->run + 3 * stride, c, w->crossing + c, z, n, d);
    }
    add_averages(sums, mean, w->shadow, w->shadow + n, plan);
}

static void walker_free(walker *w, fathom_context *context)
{
    FATHOM_FREE(context, w->frame, w->shadow, w->crossing, w->total, w->s, w->run);
}

static bool walker_create(walker *w, fathom_context *context, const fathom_circle_plan *plan)
{
    const int64_t n = plan->points->n, d = plan->points->d;
    w->frame = fathom_memory_alloc(context, 2 * d, sizeof(double));
    w->shadow = fathom_memory_alloc(context, 2 * n, sizeof(double));
    w->crossing = fathom_memory_alloc(context, n + 1, sizeof *w->crossing);
    w->total = fathom_memory_zero(context, d, sizeof(double));
    w->s = fathom_memory_alloc(context, 3 * d, sizeof(double));
    w->run = fathom_memory_alloc(context, 4 * (n + 1) * d + 4 * (n + d), sizeof(double));
    if (!w->frame || !w->shadow || !w->crossing || !w->total || !w->s || !w->run)
        return false;
    w->u = w->s + 2 * d;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            w->total[k] += plan->q[i] * plan->points->z[i * d + k];
    return true;
}

fathom_status fathom_circle_sums_create(fathom_circle_sums *sums, fathom_context *context, int64_t n)
{
    *sums = (fathom_circle_sums){0};
    sums->z = fathom_memory_zero(context, PER_POINT * n, sizeof(double));
    if (!sums->z)
        return FATHOM_ERROR_MEMORY;
    sums->z_square = sums->z + n;
    sums->plain = sums->z + 2 * n;
    sums->y = sums->z + 3 * n;
    sums->zz = sums->z + 4 * n;
    sums->zy = sums->z + 5 * n;
    sums->yy = sums->z + 6 * n;
    return FATHOM_OK;
}

void fathom_circle_sums_clear(fathom_circle_sums *sums, int64_t n)
{
    memset(sums->z, 0, (size_t)(PER_POINT * n) * sizeof *sums->z);
    sums->count = 0;
    sums->value = sums->value_square = 0;
    sums->s = sums->ss = sums->s_s = sums->s_ss = sums->ss_ss = 0;
}

void fathom_circle_sums_free(fathom_circle_sums *sums, fathom_context *context)
{
    fathom_memory_free(context, sums->z);
    *sums = (fathom_circle_sums){0};
}

/* Adds the chunks of one round in order. */
static void combine(fathom_circle_sums *sums, const double *chunk, int64_t chunks, int64_t n)
{
    for (int64_t c = 0; c < chunks; c++, chunk += PER_CIRCLE + PER_POINT * n) {
        sums->value += chunk[0];
        sums->value_square += chunk[1];
        sums->s += chunk[2];
        sums->ss += chunk[3];
        sums->s_s += chunk[4];
        sums->s_ss += chunk[5];
        sums->ss_ss += chunk[6];
        for (int64_t k = 0; k < PER_POINT * n; k++)
            sums->z[k] += chunk[PER_CIRCLE + k];
    }
}

/* Circles from .. to - 1 into one chunk. */
static void sum_chunk(double *chunk, walker *w, const fathom_circle_plan *plan, uint64_t seed, int64_t from,
                      int64_t to)
{
    memset(chunk, 0, (size_t)(PER_CIRCLE + PER_POINT * plan->points->n) * sizeof *chunk);
    for (int64_t k = from; k < to; k++)
        (plan->pairs ? add_pair : add_circle)(chunk, w, plan, seed, k);
}

fathom_status fathom_circle_sample(fathom_circle_sums *sums, fathom_context *context,
                                   const fathom_circle_plan *plan, int64_t first, int64_t count)
{
    const int threads = fathom_context_threads(context);
    const int64_t n = plan->points->n, size = PER_CIRCLE + PER_POINT * n, end = first + count;
    const uint64_t seed = fathom_context_seed(context);
    fathom_status status = FATHOM_OK;
    double *chunk = fathom_memory_alloc(context, ROUND * size, sizeof *chunk);
    walker *walkers = fathom_memory_zero(context, threads, sizeof *walkers);
    for (int k = 0; walkers && k < threads && status == FATHOM_OK; k++)
        status = walker_create(walkers + k, context, plan) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (!chunk || !walkers)
        status = FATHOM_ERROR_MEMORY;
    while (status == FATHOM_OK && first < end && fathom_context_stop_reason(context) == FATHOM_STOP_NONE) {
        const int64_t wanted = (end - first + CHUNK - 1) / CHUNK, chunks = wanted < ROUND ? wanted : ROUND;
        fathom_tasks tasks = fathom_tasks_deal(context, chunks);
        while (fathom_tasks_next(&tasks)) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
            for (int64_t c = 0; c < chunks; c++)
                if (fathom_tasks_mine(&tasks, c)) {
                    const int64_t from = first + c * CHUNK, to = from + CHUNK < end ? from + CHUNK : end;
                    sum_chunk(chunk + c * size, walkers + omp_get_thread_num(), plan, seed, from, to);
                }
            status = fathom_tasks_share_array(&tasks, status, chunk, (size_t)size * sizeof *chunk);
        }
        if (status != FATHOM_OK)
            break;
        combine(sums, chunk, chunks, n);
        const int64_t done = first + chunks * CHUNK < end ? chunks * CHUNK : end - first;
        sums->count += done;
        first += done;
    }
    for (int k = 0; walkers && k < threads; k++)
        walker_free(walkers + k, context);
    FATHOM_FREE(context, walkers, chunk);
    return status;
}
