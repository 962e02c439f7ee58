/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four clusters of two classes [002, Sec. 2.4], fitted to data where they are not given.
 *
 * Per class: spherical 2-means (maximise sum_i <x_i, c_{k(i)}>, |c_k| = 1) from STARTS random pairs of examples, the best kept. Then,
 * exactly, the smallest cap around each cluster: mu = z / |z|, z the point of the hull of its examples (scaled to norm 1) nearest to
 * 0, radius sqrt(2 - 2 |z|). The fit is a local optimum of the first part: another partition may have smaller radii.
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

void theorem_clusters_free(theorem_clusters *clusters, fathom_context *context)
{
    FATHOM_FREE(context, clusters->cluster, clusters->center);
}
