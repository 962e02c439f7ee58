/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vertices of the convex hull of n points in d dimensions: see hull.h.
 *
 * b_i = x_i - mean, equal points merged. A point is a vertex when some direction has it as its only maximum.
 *  1. Directions b_i themselves: one matrix product over tiles settles most points in high dimension.
 *  2. Clarkson's algorithm [Clarkson 1994]: a set V of candidates grows. A point within conv V is no vertex; for one
 *     outside, the hyperplane that separates it from V has its extreme point among all points outside V, which joins V.
 *     Points go in batches of fixed size, so that the result does not depend on threads. V ends with conv V = hull.
 *  3. Members of V that no direction has proven are held against the others of V.
 * Cost O(m^2 d) for step 1 (skipped where that is too much) and one minimum-norm point on V per remaining point.
 */
#include "hull.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "min_norm.h"
#include "platform.h"

enum { BATCH = 256, TILE = 64 };
enum { SETTLED = -1, WITHIN = -2 };

/* Largest m^2 d of step 1. */
#define SCREEN_LARGEST 4e11

typedef enum verdict { OPEN, INSIDE, CANDIDATE, PROVEN, UNCLEAR } verdict;

typedef struct hull {
    fathom_context *context;
    int64_t m, d;      /* distinct points */
    double *b;         /* m x d, centred */
    int64_t *row;      /* m: which row of x */
    verdict *state;    /* m */
    double reach;      /* at least every |b_i| */
    int64_t size;      /* |V| */
    double *v;         /* m x d: the members of V */
    int64_t *member;   /* m: their numbers */
    int64_t *find;     /* BATCH: what a point of the batch brings to V, or one of the two below 0 */
    int threads, open; /* workspaces wanted and made */
    fathom_min_norm *work;
} hull;

typedef struct row_order {
    const double *x;
    int64_t d, ld;
} row_order;

static int compare_rows(const void *left, const void *right, void *order)
{
    const row_order *o = order;
    const int64_t i = *(const int64_t *)left, j = *(const int64_t *)right;
    for (int64_t k = 0; k < o->d; k++) {
        const double a = o->x[i * o->ld + k], b = o->x[j * o->ld + k];
        if (a != b)
            return a < b ? -1 : 1;
    }
    return (i > j) - (i < j);
}

/* Distinct rows, centred, in the order of coordinates. Each entry is within 2^-53 of itself of exact. */
static fathom_status gather(hull *h, const double *x, int64_t n, int64_t ld)
{
    row_order order = {x, h->d, ld};
    double *mean = fathom_memory_zero(h->context, h->d, sizeof *mean);
    if (!mean)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        h->row[i] = i;
        fathom_blas_axpy(mean, 1 / (double)n, x + i * ld, h->d);
    }
    fathom_platform_sort(h->row, (size_t)n, sizeof *h->row, compare_rows, &order);
    for (int64_t i = 0; i < n; i++) {
        const double *p = x + h->row[i] * ld;
        bool same = h->m > 0;
        for (int64_t k = 0; same && k < h->d; k++)
            same = p[k] == x[h->row[h->m - 1] * ld + k];
        if (same)
            continue;
        h->row[h->m] = h->row[i];
        for (int64_t k = 0; k < h->d; k++)
            h->b[h->m * h->d + k] = p[k] - mean[k];
        h->reach = fmax(h->reach, fathom_blas_norm(h->b + h->m * h->d, h->d) * (1 + 0x1p-40));
        h->m++;
    }
    fathom_memory_free(h->context, mean);
    return FATHOM_OK;
}

static void join(hull *h, int64_t i, verdict state)
{
    h->state[i] = state;
    h->member[h->size] = i;
    memcpy(h->v + h->size * h->d, h->b + i * h->d, (size_t)h->d * sizeof *h->v);
    h->size++;
}

/* Points first .. last whose own direction proves them; room is (last - first) x m. */
static void screen_tile(hull *h, int64_t first, int64_t last, double *room)
{
    const double rounding = 2 * (double)(h->d + 8) * 0x1p-53 * h->reach;
    fathom_blas_gemm(room, h->m, last - first, h->m, h->d, 1, fathom_plain(h->b + first * h->d, h->d),
                     fathom_transposed(h->b, h->d), 0);
    for (int64_t i = first; i < last; i++) {
        const double *product = room + (i - first) * h->m;
        double next = -INFINITY;
        for (int64_t j = 0; j < h->m; j++)
            next = j != i && product[j] > next ? product[j] : next;
        if (product[i] - next > 2 * rounding * sqrt(product[i]))
            h->state[i] = PROVEN;
    }
}

/* Step 1. */
static fathom_status screen(hull *h)
{
    if ((double)h->m * (double)h->m * (double)h->d > SCREEN_LARGEST)
        return FATHOM_OK;
    double *room = fathom_memory_alloc(h->context, h->threads * TILE * h->m, sizeof *room);
    if (!room)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads(h->threads)
    for (int64_t tile = 0; tile < (h->m + TILE - 1) / TILE; tile++) {
        const int64_t first = tile * TILE, last = first + TILE < h->m ? first + TILE : h->m;
        if (fathom_context_stop_reason(h->context) == FATHOM_STOP_NONE)
            screen_tile(h, first, last, room + omp_get_thread_num() * TILE * h->m);
    }
    fathom_memory_free(h->context, room);
    for (int64_t i = 0; i < h->m; i++)
        if (h->state[i] == PROVEN)
            join(h, i, PROVEN);
    return FATHOM_OK;
}

/* Holds point i against conv V; gives the point that must join V, or WITHIN. */
static int64_t hold(const hull *h, int64_t i, fathom_min_norm *w)
{
    const double *q = h->b + i * h->d;
    fathom_min_norm_solve(w, h->v, h->size, q, -1, h->reach);
    if (w->upper <= fathom_min_norm_zero(h->d, h->reach))
        return WITHIN;
    if (!(w->lower > 0)) /* too near to tell: i itself joins, and is held against the others in step 3 */
        return i;
    int64_t best = i;
    double value = fathom_blas_dot(q, w->x, h->d);
    for (int64_t j = 0; j < h->m; j++) {
        const double product = h->state[j] == OPEN ? fathom_blas_dot(h->b + j * h->d, w->x, h->d) : INFINITY;
        if (product < value) {
            value = product;
            best = j;
        }
    }
    return best;
}

/* Step 2 for the points first .. last: until each is inside or in V. */
static fathom_status absorb(hull *h, int64_t first, int64_t last)
{
    for (bool more = true; more;) {
#pragma omp parallel for schedule(dynamic) num_threads(h->threads)
        for (int64_t i = first; i < last; i++)
            h->find[i - first] = h->state[i] == OPEN ? hold(h, i, &h->work[omp_get_thread_num()]) : SETTLED;
        more = false;
        for (int64_t i = first; i < last; i++) {
            const int64_t found = h->find[i - first];
            if (found == WITHIN)
                h->state[i] = INSIDE;
            else if (found != SETTLED && h->state[found] == OPEN)
                join(h, found, CANDIDATE);
            more = more || h->state[i] == OPEN;
        }
        if (fathom_context_poll(h->context, "hull", last, (double)h->size, NAN) != FATHOM_STOP_NONE)
            return FATHOM_OK;
    }
    return FATHOM_OK;
}

/* Step 3 for member k of V. */
static void confirm(hull *h, int64_t k, fathom_min_norm *w)
{
    verdict *state = &h->state[h->member[k]];
    if (*state != CANDIDATE)
        return;
    if (h->size == 1) {
        *state = PROVEN;
        return;
    }
    fathom_min_norm_solve(w, h->v, h->size, h->v + k * h->d, k, h->reach);
    *state = w->upper <= fathom_min_norm_zero(h->d, h->reach) ? INSIDE : w->lower > 0 ? PROVEN : UNCLEAR;
}

static fathom_status test_points(hull *h)
{
    fathom_status status = screen(h);
    if (status == FATHOM_OK && h->size == 0)
        join(h, 0, CANDIDATE); /* the least point in the order of coordinates is a vertex */
    for (int64_t first = 0; first < h->m && status == FATHOM_OK; first += BATCH) {
        status = absorb(h, first, first + BATCH < h->m ? first + BATCH : h->m);
        if (fathom_context_stop_reason(h->context) != FATHOM_STOP_NONE)
            return status;
    }
    for (int64_t first = 0; first < h->size && status == FATHOM_OK; first += BATCH) {
        const int64_t last = first + BATCH < h->size ? first + BATCH : h->size;
#pragma omp parallel for schedule(dynamic) num_threads(h->threads)
        for (int64_t k = first; k < last; k++)
            confirm(h, k, &h->work[omp_get_thread_num()]);
        if (fathom_context_poll(h->context, "hull", last, (double)h->size, NAN) != FATHOM_STOP_NONE)
            return status;
    }
    return status;
}

static fathom_status open_hull(hull *h, fathom_context *context, int64_t n, int64_t d)
{
    *h = (hull){.context = context, .d = d, .threads = fathom_context_threads(context)};
    FATHOM_TRY(fathom_context_require(context, 16.0 * (double)n * (double)(d + 2), "the hull of the points"));
    fathom_status status = FATHOM_OK;
    h->b = fathom_memory_alloc(context, n * d, sizeof *h->b);
    h->v = fathom_memory_alloc(context, n * d, sizeof *h->v);
    h->row = fathom_memory_alloc(context, n, sizeof *h->row);
    h->member = fathom_memory_alloc(context, n, sizeof *h->member);
    h->state = fathom_memory_zero(context, n, sizeof *h->state);
    h->find = fathom_memory_alloc(context, BATCH, sizeof *h->find);
    h->work = fathom_memory_zero(context, h->threads, sizeof *h->work);
    if (!h->b || !h->v || !h->row || !h->member || !h->state || !h->find || !h->work)
        return FATHOM_ERROR_MEMORY;
    for (; h->open < h->threads && status == FATHOM_OK; h->open++)
        status = fathom_min_norm_open(&h->work[h->open], context, n, d);
    return status;
}

static void close_hull(hull *h)
{
    for (int t = 0; t < h->open; t++)
        fathom_min_norm_close(&h->work[t]);
    void *const block[] = {h->b, h->v, h->row, h->member, h->state, h->find, h->work};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(h->context, block[k]);
}

fathom_status fathom_hull_vertices(fathom_hull_count *count, signed char *vertex, const double *x, int64_t n,
                                   int64_t d, int64_t ld, fathom_context *context)
{
    hull h;
    *count = (fathom_hull_count){0, 0};
    fathom_status status = open_hull(&h, context, n, d);
    FATHOM_THEN(status, gather(&h, x, n, ld));
    FATHOM_THEN(status, test_points(&h));
    memset(vertex, 0, (size_t)n);
    for (int64_t i = 0; i < h.m && status == FATHOM_OK; i++) {
        const bool proven = h.state[i] == PROVEN, inside = h.state[i] == INSIDE;
        vertex[h.row[i]] = (signed char)(proven ? 1 : inside ? 0 : -1);
        count->vertices += proven;
        count->undecided += !proven && !inside;
    }
    close_hull(&h);
    return status;
}
