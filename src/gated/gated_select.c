/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several optimal networks.
 *
 * At an optimum w_j = eta_j d_j with d_j = w_j / eta_j fixed by the dual point, so that the optimal networks on the gates
 * in use are the x >= 0 with
 *
 *     sum_j x_j b_j = sum_j eta_j b_j,     b_j = A_j d_j  (outputs x n),
 *
 * a polytope: same outputs on the data, and the same objective. `sparse` walks to a vertex: along null vectors of B = [b_j]
 * in the direction in which sum x_j |d_j| does not grow, until a gate drops out; at a vertex the b_j are linearly
 * independent. `min-norm` minimises sum (x_j |d_j|)^2 over the polytope, a small quadratic program with the equations
 * as a stiff penalty. Both work to rounding, so the objective is evaluated again, and the new point is taken only where
 * the gap asked for still holds. Cost: k^2 n outputs for the Gram matrix of B, k^3.
 */
#include "gated_select.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

/* Singular values of B below this share of the largest count as zero. */
static const double NULL_SHARE = 1e-7;

/* gram (k x k) = B B', row j being b_j; size (k) = |d_j|. */
static fathom_status gram_of(double *gram, double *size, fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    const int64_t k = run->best.count, block = p->outputs * p->d, wide = p->outputs * p->n;
    const fathom_gated_list list = {k, 0, run->best.gate};
    double *d = fathom_memory_alloc(p->context, p->sparse ? wide : k * block, sizeof *d);
    double *b = fathom_memory_alloc(p->context, k * wide, sizeof *b);
    if (d && b) {
        for (int64_t j = 0; j < k; j++) {
            for (int64_t i = 0; i < block && !p->sparse; i++)
                d[j * block + i] = run->best_w[j * block + i] / run->best.eta[j];
            size[j] =
                p->sparse ? run->best_size[j] / run->best.eta[j] : fathom_blas_norm(d + j * block, block);
        }
        for (int64_t i = 0; i < wide && p->sparse; i++) /* d_j = A_j' v / beta */
            d[i] = run->best_v[i] / p->beta;
        fathom_gated_terms(b, p, list, d, NULL, (fathom_row_range){0, p->n}, run->engine.threads,
                           run->engine.workspace);
        fathom_blas_syrk(gram, k, k, wide, 1, fathom_plain(b, wide), 0);
    }
    FATHOM_FREE(p->context, d, b);
    return d && b ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Moves x along z (or -z) as far as x >= 0 allows, in the direction in which size' x does not grow; the variable that
 * becomes 0, or -1 where z = 0. */
static int64_t walk(double *x, const double *z, const double *size, int64_t k)
{
    const double sign = fathom_blas_dot(z, size, k) > 0 ? -1 : 1;
    double step = INFINITY;
    int64_t first = -1;
    for (int64_t j = 0; j < k; j++)
        if (x[j] > 0 && sign * z[j] < 0 && x[j] / -(sign * z[j]) < step) {
            step = x[j] / -(sign * z[j]);
            first = j;
        }
    for (int64_t j = 0; first >= 0 && j < k; j++)
        x[j] = j == first ? 0 : fmax(0, x[j] + step * sign * z[j]);
    return first;
}

/* x = a vertex of the polytope: null vectors (rows of `vector` with small `value`) are used up one by one, each time
 * removing the variable that became 0 from the others. */
static void walk_to_vertex(double *x, double *vector, const double *value, const double *size, int64_t k)
{
    const double limit = NULL_SHARE * NULL_SHARE * value[k - 1];
    for (int64_t r = 0; r < k && value[r] <= limit; r++) {
        const double *z = vector + r * k;
        const int64_t out = walk(x, z, size, k);
        for (int64_t other = r + 1; out >= 0 && other < k && value[other] <= limit; other++) {
            double *y = vector + other * k;
            fathom_blas_axpy(y, -y[out] / z[out], z, k);
            y[out] = 0;
        }
    }
}

static fathom_status choose_sparse(double *x, double *gram, const double *size, const fathom_gated_run *run)
{
    fathom_context *context = run->problem->context;
    const int64_t k = run->best.count;
    double *value = fathom_memory_alloc(context, k, sizeof *value);
    fathom_status status = value ? fathom_blas_eigen(value, gram, k, k, true, context) : FATHOM_ERROR_MEMORY;
    memcpy(x, run->best.eta, (size_t)k * sizeof *x);
    if (status == FATHOM_OK)
        walk_to_vertex(x, gram, value, size, k);
    fathom_memory_free(context, value);
    return status;
}

static fathom_status choose_min_norm(double *x, double *gram, const double *size, const fathom_gated_run *run)
{
    fathom_context *context = run->problem->context;
    const int64_t k = run->best.count;
    double *slope = fathom_memory_alloc(context, k, sizeof *slope), largest = 0;
    if (!slope)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < k; j++)
        largest = fmax(largest, gram[j * k + j]);
    fathom_blas_scale(gram, largest > 0 ? 1e10 / largest : 1, k * k);
    for (int64_t j = 0; j < k; j++) {
        gram[j * k + j] += size[j] * size[j];
        slope[j] = size[j] * size[j] * run->best.eta[j];
    }
    const fathom_status status = fathom_gated_box(x, context, k, gram, slope, run->best.eta);
    fathom_memory_free(context, slope);
    return status;
}

/* Weights scaled by x_j / eta_j, with their norms; sparse points: the sizes alone, which go with the same
 * v. */
static void rescale(fathom_gated_run *run, const double *x)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d;
    for (int64_t j = 0; j < run->best.count; j++) {
        const double share = x[j] / run->best.eta[j];
        for (int64_t i = 0; i < block && !p->sparse; i++)
            run->best_w[j * block + i] *= share;
        run->best_size[j] =
            p->sparse ? run->best_size[j] * share : fathom_blas_norm(run->best_w + j * block, block);
        if (p->sparse)
            run->best.eta[j] = x[j];
    }
}

/* Objective of the best network; `f` is workspace. */
static double objective_of(fathom_gated_run *run, double *f)
{
    const fathom_objective *p = run->problem;
    double norm = 0;
    for (int64_t j = 0; j < run->best.count; j++)
        norm += run->best_size[j];
    fathom_gated_run_outputs(f, run, p, run->engine.workspace);
    for (int64_t c = 0; c < p->outputs; c++)
        for (int64_t i = 0; i < p->n; i++)
            f[c * p->n + i] += run->best_c[c];
    return fathom_objective_loss(p, f, 0) + p->beta * norm;
}

/* Takes x over where the gap still holds: `w` (dense points) and `kept` (2 k) are room for weights, sizes
 * and eta as they were. */
static void try_sizes(fathom_gated_run *run, const double *x, double gap, double *w, double *kept, double *f)
{
    const fathom_objective *p = run->problem;
    const int64_t k = run->best.count;
    const size_t weights = (size_t)(p->sparse ? 0 : k * p->outputs * p->d) * sizeof *w,
                 sizes = (size_t)k * sizeof *kept;
    if (weights > 0)
        memcpy(w, run->best_w, weights);
    memcpy(kept, run->best_size, sizes);
    memcpy(kept + k, run->best.eta, sizes);
    rescale(run, x);
    const double objective = objective_of(run, f);
    if (objective - run->bound <= gap * objective) {
        run->objective = objective;
        return;
    }
    if (weights > 0)
        memcpy(run->best_w, w, weights);
    memcpy(run->best_size, kept, sizes);
    memcpy(run->best.eta, kept + k, sizes);
}

static fathom_status take_over(fathom_gated_run *run, const double *x, double gap)
{
    const fathom_objective *p = run->problem;
    const int64_t k = run->best.count;
    double *w = fathom_memory_alloc(p->context, p->sparse ? 1 : k * p->outputs * p->d + 1, sizeof *w);
    double *kept = fathom_memory_alloc(p->context, 2 * k, sizeof *kept);
    double *f = fathom_memory_alloc(p->context, p->outputs * p->n, sizeof *f);
    if (w && kept && f)
        try_sizes(run, x, gap, w, kept, f);
    const fathom_status status = w && kept && f ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_FREE(p->context, w, kept, f);
    return status;
}

fathom_status fathom_gated_select(fathom_gated_run *run, fathom_train_select select, double gap)
{
    fathom_context *context = run->problem->context;
    const int64_t k = run->best.count;
    if (select == FATHOM_SELECT_ANY || k == 0 || run->end != FATHOM_END_REACHED)
        return FATHOM_OK;
    double *gram = fathom_memory_alloc(context, k * k, sizeof *gram);
    double *size = fathom_memory_alloc(context, 2 * k, sizeof *size), *x = size ? size + k : NULL;
    fathom_status status = gram && size ? gram_of(gram, size, run) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, select == FATHOM_SELECT_SPARSE ? choose_sparse(x, gram, size, run)
                                                       : choose_min_norm(x, gram, size, run));
    FATHOM_THEN(status, take_over(run, x, gap));
    FATHOM_FREE(context, gram, size);
    return status;
}
