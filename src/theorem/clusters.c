/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four clusters of two classes [002, Sec. 2.4], fitted to data where they are not given.
 *
 * Per class: spherical 2-means (maximise sum_i <x_i, c_{k(i)}>, |c_k| = 1) from STARTS random pairs of examples, the best kept. Then,
 * exactly, the smallest cap around each cluster: mu = z / |z|, z the point of the hull of its examples (scaled to norm 1) nearest to
 * 0, radius sqrt(2 - 2 |z|). The fit is a local optimum of the first part: another partition may have smaller radii.
 *
 * What holds for every partition whose radii are below a limit r: examples of one class that are 2 r sqrt(1 - r^2/4) or farther apart
 * (twice the angle of such a cap) are in different clusters. Where these relations have a cycle of odd length there is no such partition; where they connect a class its
 * partition is known, and every center c of norm 1 with |x - c| < r in a cluster is within the angle acos((1 - r^2/2)/|z|) of
 * mu, since min_i <c, x_i> <= <c, z>. So <mu_k, mu_l> falls by what these angles allow, at most.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"
#include "min_norm.h"
#include "random.h"
#include "theorem_internal.h"

enum { STARTS = 20, ROUNDS = 100 };

static void normalise(double *v, int64_t d)
{
    const double norm = fathom_blas_norm(v, d);
    if (norm > 0)
        fathom_blas_scale(v, 1 / norm, d);
}

/* Assigns the examples of one class to the nearer of two centers; returns the sum of the products. */
static double assign(int *cluster, const theorem_run *run, double label, const double *center, int first)
{
    const int64_t d = run->d;
    double sum = 0;
    for (int64_t i = 0; i < run->n; i++) {
        if (run->y[i] != label)
            continue;
        const double one = fathom_blas_dot(run->x + i * d, center, d);
        const double two = fathom_blas_dot(run->x + i * d, center + d, d);
        cluster[i] = first + (two > one);
        sum += fmax(one, two);
    }
    return sum;
}

/* 2-means from one start; `center` 2 x d. */
static double refine(int *cluster, const theorem_run *run, double label, double *center, int first)
{
    const int64_t d = run->d;
    double value = assign(cluster, run, label, center, first), last = -INFINITY;
    for (int round = 0; round < ROUNDS && value > last; round++) {
        last = value;
        memset(center, 0, (size_t)(2 * d) * sizeof *center);
        for (int64_t i = 0; i < run->n; i++)
            if (run->y[i] == label)
                fathom_blas_axpy(center + (cluster[i] - first) * d, 1, run->x + i * d, d);
        normalise(center, d);
        normalise(center + d, d);
        value = assign(cluster, run, label, center, first);
    }
    return value;
}

/* The best of several starts for one class. */
static fathom_status split(int *cluster, const theorem_run *run, double label, int first)
{
    const int64_t n = run->n, d = run->d;
    double *center = fathom_memory_zero(run->context, 2 * d, sizeof *center);
    int *trial = fathom_memory_zero(run->context, n, sizeof *trial);
    double best = -INFINITY;
    for (uint32_t start = 0; start < STARTS && center && trial; start++) {
        for (uint64_t k = 0; k < 2; k++) {
            int64_t i =
                (int64_t)(fathom_random_uniform(fathom_context_seed(run->context), FATHOM_STREAM_START, start,
                                                k + (uint64_t)(2 * first)) *
                          (double)n);
            while (run->y[i] != label)
                i = (i + 1) % n;
            memcpy(center + (int64_t)k * d, run->x + i * d, (size_t)d * sizeof *center);
            normalise(center + (int64_t)k * d, d);
        }
        const double value = refine(trial, run, label, center, first);
        if (value > best) {
            best = value;
            for (int64_t i = 0; i < n; i++)
                cluster[i] = run->y[i] == label ? trial[i] : cluster[i];
        }
    }
    const bool ok = center && trial;
    FATHOM_FREE(run->context, center, trial);
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The smallest cap around cluster k. */
static fathom_status cap(theorem_clusters *c, theorem_run *run, int k)
{
    const int64_t n = run->n, d = run->d;
    double *row = fathom_memory_zero(run->context, n * d + d, sizeof *row), *origin = row + n * d;
    fathom_min_norm w;
    int64_t count = 0;
    if (!row)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_min_norm_open(&w, run->context, n, d);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        if (c->cluster[i] == k) {
            memcpy(row + count * d, run->x + i * d, (size_t)d * sizeof *row);
            normalise(row + count++ * d, d);
        }
    c->size[k] = count;
    if (status == FATHOM_OK && count > 0) {
        fathom_min_norm_solve(&w, row, count, origin, -1, 1);
        memcpy(c->center + k * d, w.x, (size_t)d * sizeof *row);
        normalise(c->center + k * d, d);
        c->near[k] = w.upper;
        c->radius = fmax(c->radius, sqrt(fmax(0, 2 - 2 * w.upper)));
    } else
        c->radius = INFINITY;
    fathom_min_norm_close(&w);
    fathom_memory_free(run->context, row);
    return status;
}

fathom_status theorem_clusters_fit(theorem_clusters *c, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    int64_t positive = 0;
    *c = (theorem_clusters){.overlap = -1};
    c->cluster = fathom_memory_zero(run->context, n, sizeof *c->cluster);
    c->center = fathom_memory_zero(run->context, 4 * d, sizeof *c->center);
    if (!c->cluster || !c->center)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        positive += run->y[i] > 0;
        c->norm = fmax(c->norm, fabs(fathom_blas_norm(run->x + i * d, d) - 1));
    }
    fathom_status status = positive > 0 ? split(c->cluster, run, 1, 0) : FATHOM_OK;
    if (status == FATHOM_OK && positive < n)
        status = split(c->cluster, run, -1, 2);
    for (int k = 0; k < 4 && status == FATHOM_OK; k++) {
        status = cap(c, run, k);
        c->balance = fmax(c->balance, fabs((double)c->size[k] / (double)n - 0.25));
    }
    for (int k = 0; k < 4; k++)
        c->overlap = fmax(c->overlap, fathom_blas_dot(c->center + k / 2 * d, c->center + (2 + k % 2) * d, d));
    return status;
}

/* Whether examples i and q, scaled to norm 1, are `reach` or farther apart. */
static bool apart(const theorem_run *run, int64_t i, int64_t q, double reach)
{
    const int64_t d = run->d;
    const double *x = run->x + i * d, *z = run->x + q * d;
    const double product = fathom_blas_dot(x, z, d) / (fathom_blas_norm(x, d) * fathom_blas_norm(z, d));
    return 2 - 2 * product >= reach * reach * (1 + 1e-12);
}

/* Whether the fitted clusters of a class are those with side 1 and -1. */
static bool is_fit(const theorem_clusters *c, const int *side, const theorem_run *run, double label)
{
    int of[2] = {0, 0}; /* sides of the first and of the second cluster */
    for (int64_t i = 0; i < run->n; i++) {
        int *one = of + c->cluster[i] % 2;
        if (run->y[i] != label)
            continue;
        if (*one != 0 && *one != side[i])
            return false;
        *one = side[i];
    }
    return of[0] == -of[1];
}

/* The partition of a class by the relation above: 1 where it is known and is the one that was fitted, -1
 * where there is none, else 0. side (n), queue (n). */
static int known_partition(int *side, int64_t *queue, const theorem_clusters *c, const theorem_run *run,
                           double label, double reach)
{
    int64_t members = 0, head = 0, tail = 0;
    for (int64_t i = 0; i < run->n; i++) {
        side[i] = 0;
        members += run->y[i] == label;
        if (run->y[i] == label && tail == 0)
            side[i] = 1, queue[tail++] = i;
    }
    for (; head < tail; head++)
        for (int64_t q = 0; q < run->n; q++) {
            const int64_t i = queue[head];
            if (run->y[q] != label || q == i || !apart(run, i, q, reach))
                continue;
            if (side[q] == side[i])
                return -1;
            if (side[q] == 0)
                side[q] = -side[i], queue[tail++] = q;
        }
    return tail == members && members > 1 && is_fit(c, side, run, label);
}

/* How far a center may be from the one that was fitted. */
static double freedom(const theorem_clusters *c, int k, double limit)
{
    const double cosine = (1 - limit * limit / 2) / c->near[k];
    return cosine >= 1 ? 0 : acos(fmax(-1, cosine));
}

static double least_overlap(const theorem_clusters *c, const theorem_run *run, double limit)
{
    const double pi = 3.14159265358979323846;
    double least = -1;
    for (int k = 0; k < 4; k++) {
        const int one = k / 2, other = 2 + k % 2;
        const double product = fathom_blas_dot(c->center + one * run->d, c->center + other * run->d, run->d);
        const double angle =
            acos(fmin(1, fmax(-1, product))) + freedom(c, one, limit) + freedom(c, other, limit);
        least = fmax(least, cos(fmin(pi, angle)) - 1e-12);
    }
    return fmin(least, c->overlap);
}

/* Halves of the two classes are as even as clusters can be. */
static double least_balance(const theorem_run *run)
{
    const double n = (double)run->n;
    double size[2] = {0, 0}, least = 0;
    for (int64_t i = 0; i < run->n; i++)
        size[run->y[i] > 0]++;
    for (int k = 0; k < 2; k++)
        least = fmax(least, fmax(fabs(ceil(size[k] / 2) / n - 0.25), fabs(floor(size[k] / 2) / n - 0.25)));
    return least;
}

fathom_status theorem_clusters_bound(theorem_clusters_least *least, const theorem_clusters *c,
                                     theorem_run *run, double limit)
{
    const int64_t n = run->n;
    const double reach = limit < sqrt(2) ? 2 * limit * sqrt(1 - limit * limit / 4) : INFINITY;
    int *side = fathom_memory_alloc(run->context, n, sizeof *side), known[2] = {0, 0};
    int64_t *queue = fathom_memory_alloc(run->context, n, sizeof *queue);
    *least = (theorem_clusters_least){0, -1, least_balance(run)};
    for (int k = 0; k < 2 && side && queue; k++)
        known[k] = known_partition(side, queue, c, run, k ? -1 : 1, reach);
    const bool ok = side && queue;
    FATHOM_FREE(run->context, side, queue);
    if (known[0] < 0 || known[1] < 0)
        least->radius = fmin(limit, c->radius);
    if (known[0] == 1 && known[1] == 1)
        *least = (theorem_clusters_least){c->radius, least_overlap(c, run, limit), c->balance};
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void theorem_clusters_free(theorem_clusters *clusters, fathom_context *context)
{
    FATHOM_FREE(context, clusters->cluster, clusters->center);
}
