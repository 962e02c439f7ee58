/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of the infinite-width margin from the closed-form kernel, in any dimension, without cones or sampling.
 *
 * H_ik = E <x_i, x_k> 1[<x_i,z> > 0] 1[<x_k,z> > 0], K = H o yy'. For every q in the simplex, S_q as in margin_zero.c,
 *     gamma <= E |S_q| <= sqrt(E |S_q|^2) = sqrt(q'K q)                                 (Jensen)
 *     gamma >= min_i (K q)_i / M,   M = sum_i q_i |x_i| >= |S_q(z)|                     (the map S_q / M is admissible)
 * Both are best at kappa^2 = min q'K q, where (K q)_i >= kappa^2: kappa^2 / M <= gamma <= kappa. An approximate minimiser
 * gives valid bounds, so a first-order method will do: accelerated projected gradient with restarts [Beck, Teboulle 2009;
 * O'Donoghue, Candes 2015], n^2 per step, stopped at a relative duality gap of 1e-9 or when the budget is spent.
 * Both layers [003]: the vectors are (<v,S>, a S) with |w| = |(a, v)| < 2, K their truncated kernel and 2 M in place of M.
 * Rounding: kernel entries are within (d + 10) 2^-52 |x_i||x_k| (fathom/kernel.h), sums of n terms within n u.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/kernel.h"
#include "margin_points.h"
#include "memory.h"

static int descending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* The threshold t with sum max(v_i - t, 0) = 1 [Held, Wolfe, Crowder 1974]. */
void fathom_margin_project(double *v, int64_t n, double *order)
{
    memcpy(order, v, (size_t)n * sizeof *v);
    qsort(order, (size_t)n, sizeof *order, descending);
    double sum = 0, threshold = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += order[k];
        const double t = (sum - 1) / (double)(k + 1);
        if (k > 0 && order[k] <= t)
            break;
        threshold = t;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = fmax(0, v[i] - threshold);
}

/* The quadratic program min q'K q / 2 + c'q over the simplex. */
typedef struct quadratic {
    int64_t n;
    const double *k, *c;                        /* n x n; n, or NULL for 0 */
    double *q, *extrapolated, *next, *gradient; /* n */
    double *order;                              /* n */
} quadratic;

/* out = K v + c */
static void apply(double *out, const quadratic *p, const double *v)
{
    if (p->c)
        memcpy(out, p->c, (size_t)p->n * sizeof *out);
    fathom_blas_gemv(out, p->n, p->n, 1, fathom_plain(p->k, p->n), v, p->c ? 1 : 0);
}

/* A bound on the largest eigenvalue: the largest row sum of |K|. */
static double row_bound(const quadratic *p)
{
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++)
        largest = fmax(largest, fathom_blas_sum_abs(p->k + i * p->n, p->n));
    return largest;
}

/* True where <gradient, q> - min_i gradient_i, a bound on the distance from the optimum, is 1e-9 of its parts. */
static bool is_optimal(const quadratic *p)
{
    apply(p->gradient, p, p->q);
    double least = INFINITY;
    for (int64_t i = 0; i < p->n; i++)
        least = fmin(least, p->gradient[i]);
    const double value = fathom_blas_dot(p->q, p->gradient, p->n);
    return value - least <= 1e-9 * fmax(fabs(value), fabs(least));
}

/* One step from the extrapolated point; restarts the momentum where it points uphill. */
static void step(quadratic *p, double length, double *momentum)
{
    apply(p->gradient, p, p->extrapolated);
    for (int64_t i = 0; i < p->n; i++)
        p->next[i] = p->extrapolated[i] - length * p->gradient[i];
    fathom_margin_project(p->next, p->n, p->order);
    double uphill = 0;
    for (int64_t i = 0; i < p->n; i++)
        uphill += (p->extrapolated[i] - p->next[i]) * (p->next[i] - p->q[i]);
    const double t = uphill > 0 ? 1 : *momentum, after = (1 + sqrt(1 + 4 * t * t)) / 2;
    for (int64_t i = 0; i < p->n; i++) {
        p->extrapolated[i] = p->next[i] + (uphill > 0 ? 0 : (t - 1) / after) * (p->next[i] - p->q[i]);
        p->q[i] = p->next[i];
    }
    *momentum = after;
}

static void minimise(quadratic *p, fathom_context *context)
{
    const double budget = 2e9; /* multiplications: about a second */
    const int64_t most = (int64_t)fmin(20000, fmax(50, budget / ((double)p->n * (double)p->n)));
    const double length = 1 / row_bound(p);
    double momentum = 1;
    memcpy(p->extrapolated, p->q, (size_t)p->n * sizeof *p->q);
    for (int64_t k = 0; k < most; k++) {
        if (k % 10 == 0 && (is_optimal(p) || fathom_context_stop_reason(context) != FATHOM_STOP_NONE))
            return;
        step(p, length, &momentum);
    }
}

fathom_status fathom_margin_quadratic(double *q, fathom_context *context, int64_t n, const double *k,
                                      const double *c)
{
    double *block = fathom_memory_alloc(context, 4 * n, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    quadratic p = {n, k, c, q, block, block + n, block + 2 * n, block + 3 * n};
    minimise(&p, context);
    fathom_memory_free(context, block);
    return FATHOM_OK;
}

double fathom_margin_mass(const fathom_margin_points *points, const double *q)
{
    double mass = 0;
    for (int64_t i = 0; i < points->n; i++)
        mass += q[i] * fathom_blas_norm(points->x + i * points->d, points->d);
    return mass * (1 + (double)(points->n + points->d + 8) * DBL_EPSILON);
}

/* The two bounds at q from kq = K q, rounding included. */
static void evaluate(double *lower, double *upper, const double *q, const double *kq,
                     const fathom_margin_points *points, const fathom_margin_kernel *kernel)
{
    const int64_t n = points->n;
    const double error = kernel->error, mass = fathom_margin_mass(points, q);
    double sum = 0, least = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        sum += q[i];
        least = fmin(least, kq[i] - error * points->radius * mass);
    }
    const double value = fathom_blas_dot(q, kq, n);
    const double total = sum * (1 - (double)(n + 4) * DBL_EPSILON);
    *upper = sqrt(fmax(0, value) + error * mass * mass) / total * (1 + 8 * DBL_EPSILON);
    *lower = fmax(0, least / (kernel->stretch * mass) * (1 - 8 * DBL_EPSILON));
}

/* matrix (n x n) = the closed form of the first layer, or of both. */
static fathom_status fill(double *matrix, fathom_context *context, const fathom_data *data, bool both,
                          int64_t n)
{
    fathom_kernel *kernel = NULL;
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.layers = both;
    fathom_status status = fathom_kernel_create(&kernel, context, data, &options);
    FATHOM_THEN(status, fathom_kernel_fill(matrix, n, kernel));
    fathom_kernel_free(kernel);
    return status;
}

fathom_status fathom_margin_kernel_create(fathom_margin_kernel *kernel, fathom_context *context,
                                          const fathom_margin_points *points, const fathom_data *data,
                                          double first, double second, double doubt)
{
    const int64_t n = points->n;
    const bool both = second > 0;
    const double rounding = (double)(points->columns + 2 * n + 16) * DBL_EPSILON;
    *kernel =
        (fathom_margin_kernel){NULL, both ? 4 * (first + second) * rounding + doubt : rounding, both ? 2 : 1};
    FATHOM_TRY(fathom_context_require(context, (both ? 16.0 : 8.0) * (double)n * (double)n,
                                      "the kernel matrix of this margin"));
    kernel->k = fathom_memory_alloc(context, n * n, sizeof *kernel->k);
    double *other = both ? fathom_memory_alloc(context, n * n, sizeof *other) : NULL;
    fathom_status status =
        kernel->k && (other || !both) ? fill(kernel->k, context, data, false, n) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && both)
        status = fill(other, context, data, true, n);
    for (int64_t at = 0; at < n * n && status == FATHOM_OK; at++) {
        if (both)
            kernel->k[at] = first * kernel->k[at] + second * (other[at] - kernel->k[at]);
        kernel->k[at] *= points->y[at / n] * points->y[at % n];
    }
    fathom_memory_free(context, other);
    return status;
}

fathom_status fathom_margin_kernel_bounds(double *lower, double *upper, double *q, fathom_context *context,
                                          const fathom_margin_points *points,
                                          const fathom_margin_kernel *kernel)
{
    const int64_t n = points->n;
    double *kq = fathom_memory_alloc(context, n, sizeof *kq);
    fathom_status status = kq ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        q[i] = 1 / (double)n;
    FATHOM_THEN(status, fathom_margin_quadratic(q, context, n, kernel->k, NULL));
    if (status == FATHOM_OK) {
        fathom_blas_gemv(kq, n, n, 1, fathom_plain(kernel->k, n), q, 0);
        evaluate(lower, upper, q, kq, points, kernel);
    }
    fathom_memory_free(context, kq);
    return status;
}
