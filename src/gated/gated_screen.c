/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Screening of gates by what is already known of them.
 *
 * F*(g)_j = A_j' g with A_j = D_j X, so that |F*(g)_j| <= |F*(h)_j| + |X|_2 |g - h| for every other dual point h: the sphere of
 * gap-safe rules [Ndiaye, Fercoq, Gramfort, Salmon 2017], around the last point instead of the optimum. Each gate carries a
 * bound that grows by |X|_2 |g - h| from pricing to pricing; as long as it is at most beta the gate satisfies its dual
 * constraint at g and need not be evaluated: neither the bound nor the candidates of a step change. As the method
 * converges the points move less and less, and only gates near the boundary are left.
 *
 * Bounds are proven for the numbers in memory: a computed norm is off by at most q (norm + 2 sum_i |g_i||x_i|), q = N u / (1 - N u)
 * as in objective_bound.c, and |X|_2^2 by the rounding of X'X and of its eigenvalues, (n + 64 d) u |X|_F^2.
 */
#include "gated_screen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gemm.h"
#include "memory.h"

enum { LARGEST = 1024 };

/* gram (d x d) = X'X of sparse rows: every pair of entries of a row once. */
static void sparse_gram(double *gram, const fathom_csr *rows)
{
    const int64_t d = rows->d;
    memset(gram, 0, (size_t)(d * d) * sizeof *gram);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t a = rows->row_start[i]; a < rows->row_start[i + 1]; a++)
            for (int64_t b = rows->row_start[i]; b < rows->row_start[i + 1]; b++)
                gram[rows->column[a] * d + rows->column[b]] += rows->value[a] * rows->value[b];
}

/* Largest singular value of X, rounded up. */
static fathom_status spectral_norm(double *norm, const fathom_objective *p)
{
    const int64_t d = p->d;
    double *gram = fathom_memory_alloc(p->context, d * d + d, sizeof *gram), square = 0;
    if (!gram)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    if (p->sparse)
        sparse_gram(gram, &p->sparse->row);
    else
        status = fathom_gemm(gram, d, d, d, p->n, 1, fathom_transposed(p->x, d), fathom_plain(p->x, d), 0,
                             p->context);
    FATHOM_THEN(status, fathom_blas_eigen(gram + d * d, gram, d, d, false, p->context));
    for (int64_t i = 0; i < p->n; i++)
        square += p->reach[i] * p->reach[i];
    const double rounding = ((double)p->n + 64 * (double)d) * DBL_EPSILON * square;
    if (status == FATHOM_OK)
        *norm = sqrt(fmax(gram[d * d + d - 1], 0) + rounding) * (1 + 4 * DBL_EPSILON);
    fathom_memory_free(p->context, gram);
    return status;
}

void fathom_gated_screen_clear(fathom_gated_screen *screen, fathom_context *context)
{
    FATHOM_FREE(context, screen->last, screen->upper, screen->index);
    *screen = (fathom_gated_screen){0};
}

fathom_status fathom_gated_screen_create(fathom_gated_screen *screen, const fathom_objective *problem)
{
    fathom_context *context = problem->context;
    *screen = (fathom_gated_screen){0};
    /* X'X costs n d^2, an adjoint n m d outputs; along a tree the adjoint is cheap */
    if (problem->tree || problem->d > LARGEST || 4 * problem->d > problem->m * problem->outputs)
        return FATHOM_OK;
    screen->last = fathom_memory_zero(context, problem->n * problem->outputs, sizeof *screen->last);
    screen->upper = fathom_memory_alloc(context, problem->m, sizeof *screen->upper);
    screen->index = fathom_memory_alloc(context, problem->m, sizeof *screen->index);
    fathom_status status = screen->last && screen->upper && screen->index ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, spectral_norm(&screen->reach, problem));
    for (int64_t j = 0; j < problem->m && status == FATHOM_OK; j++)
        screen->upper[j] = INFINITY; /* nothing is known */
    if (status != FATHOM_OK)
        fathom_gated_screen_clear(screen, context);
    return status;
}

int64_t fathom_gated_screen_list(fathom_gated_screen *screen, const fathom_objective *problem,
                                 const double *g, const bool *used)
{
    const int64_t size = problem->n * problem->outputs;
    double square = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < size; i++)
        square += (g[i] - screen->last[i]) * (g[i] - screen->last[i]);
    const double moved = screen->reach * sqrt(square) * (1 + (double)(size + 16) * DBL_EPSILON);
    for (int64_t j = 0; j < problem->m; j++) {
        screen->upper[j] += moved;
        if (used[j] || !(screen->upper[j] <= problem->beta))
            screen->index[count++] = j;
    }
    return count;
}

void fathom_gated_screen_take(fathom_gated_screen *screen, const fathom_objective *problem, const double *g,
                              const double *norm, int64_t count, bool all)
{
    const double length = 2 * (double)problem->n + (double)(problem->d + problem->outputs) + 32;
    const double q = length * DBL_EPSILON; /* twice N u: more than N u / (1 - N u) */
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double square = 0;
        for (int64_t k = 0; k < problem->outputs; k++)
            square += g[k * problem->n + i] * g[k * problem->n + i];
        sum += sqrt(square) * problem->reach[i];
    }
    for (int64_t k = 0; k < count; k++) {
        const int64_t j = all ? k : screen->index[k];
        screen->upper[j] = norm[j] * (1 + q) + 2 * q * sum;
    }
    memcpy(screen->last, g, (size_t)(problem->n * problem->outputs) * sizeof *g);
}
