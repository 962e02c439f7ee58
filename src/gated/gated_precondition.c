/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preconditioner of the iterative Newton systems.
 *
 * With e = eta / beta, D diag(e) D' = u u' + (a positive semidefinite rest), u = D e / sqrt(sum e): the
 * common part of the gates. Hence
 *
 *     T = I + R' K R  ~  diag + Y Y',   Y_i = r_i u_i x_i (n x d),   diag_i = 1 + r_i^2 |x_i|^2 ((D e)_i - u_i^2),
 *
 * exact on the part of K that is linear in x, which holds its large eigenvalues; the rest is nearly diagonal for
 * spread-out gates. For softmax r_i^2 is the mean diagonal of R R'. Where few gates are in use (k d <= EXACT, n k d <= ENTRIES)
 * nothing is left out: diag = 1, Y_i = r_i (sqrt(e_j) D_ij x_i)_j (n x k d).
 *
 * Everything is scaled by diag^{-1/2} from both sides: T^ = diag^{-1/2} T diag^{-1/2}, P^ = I + Y^ Y^' with Y^_i = low_i y_i. P^^{-1} costs
 * 4 n times the width of y per output, once I + Y^' Y^ is factorised.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { STRIP = 32, TILE = 512, EXACT = 1024, ENTRIES = 50000000 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* r_i^2, or for softmax the mean diagonal of R R'. */
static double root_square(const fathom_gated_engine *engine, int64_t i)
{
    const fathom_gated_problem *p = engine->problem;
    if (fathom_gated_scalar_root(p))
        return engine->root[i] * engine->root[i];
    double sum = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        sum += engine->root[k * p->n + i] * (1 - engine->root[k * p->n + i]);
    return fathom_gated_weight(p, i) * sum / (double)p->outputs;
}

/* inner = Cholesky factor of I + Y^' Y^, Y^_i = low_i y_i; tiles of points are scaled into `tile`. */
static fathom_status factor_inner(fathom_gated_engine *engine, double *tile)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t n = p->n, d = engine->width;
    double *inner = engine->inner;
    for (int64_t point = 0; point < n; point += TILE) {
        const int64_t points = min64(TILE, n - point);
        for (int64_t i = 0; i < points; i++)
            for (int64_t j = 0; j < d; j++)
                tile[i * d + j] = engine->low[point + i] * engine->y[(point + i) * d + j];
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
        for (int64_t top = 0; top < d; top += STRIP)
            fathom_blas_gemm(inner + top * d, d, min64(STRIP, d - top), d, points, 1,
                             fathom_transposed(tile + top, d), fathom_plain(tile, d), point > 0);
    }
    int64_t minor = 0;
    for (int64_t j = 0; j < d; j++)
        inner[j * d + j] += 1;
    const fathom_status status = fathom_cholesky_factor(&minor, inner, d, d, p->context);
    if (status != FATHOM_OK || minor == 0)
        return status;
    return fathom_error_set(p->context, FATHOM_ERROR_RUNTIME,
                            "numerical breakdown: the preconditioner is not positive definite");
}

/* total_i = (D e)_i; returns the sum of e. */
static double open_weight(double *total, const fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    double sum = 0;
    memset(total, 0, (size_t)p->n * sizeof *total);
    for (int64_t j = 0; j < engine->support.count; j++) {
        const uint64_t *pattern = p->bits + engine->support.gate[j] * p->words;
        const double e = engine->support.eta[j] / p->beta;
        sum += e;
        for (int64_t i = 0; i < p->n; i++)
            total[i] += (pattern[i / 64] >> (i % 64)) & 1 ? e : 0;
    }
    return sum;
}

/* scale, low and y of the part of K that is linear in x. */
static fathom_status take_common(fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    double *total = fathom_memory_alloc(p->context, p->n, sizeof *total);
    if (!total)
        return FATHOM_ERROR_MEMORY;
    const double sum = open_weight(total, engine);
    engine->width = p->d;
    engine->y = p->x;
    for (int64_t i = 0; i < p->n; i++) {
        const double common = sum > 0 ? total[i] * total[i] / sum : 0, square = root_square(engine, i);
        const double rest = fmax(0, total[i] - common) * square * p->reach[i] * p->reach[i];
        engine->scale[i] = 1 / sqrt(1 + rest);
        engine->low[i] = engine->scale[i] * sqrt(square * common);
    }
    fathom_memory_free(p->context, total);
    return FATHOM_OK;
}

/* The same of all of K, few gates being in use. */
static fathom_status take_all(fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t width = engine->support.count * p->d;
    const fathom_status status =
        fathom_memory_resize(p->context, (void **)&engine->own, p->n * width, sizeof(double));
    if (status != FATHOM_OK)
        return status;
    for (int64_t j = 0; j < engine->support.count; j++) {
        const uint64_t *pattern = p->bits + engine->support.gate[j] * p->words;
        const double size = sqrt(engine->support.eta[j] / p->beta);
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t k = 0; k < p->d; k++)
                engine->own[i * width + j * p->d + k] =
                    (pattern[i / 64] >> (i % 64)) & 1 ? size * p->x[i * p->d + k] : 0;
    }
    for (int64_t i = 0; i < p->n; i++) {
        engine->scale[i] = 1;
        engine->low[i] = engine->root[i];
    }
    engine->width = width;
    engine->y = engine->own;
    return FATHOM_OK;
}

fathom_status fathom_gated_iterative_prepare(fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t all = engine->support.count * p->d;
    const bool exact = fathom_gated_scalar_root(p) && all > 0 && all <= EXACT && all <= ENTRIES / p->n;
    fathom_status status = exact ? take_all(engine) : take_common(engine);
    if (status != FATHOM_OK)
        return status;
    double *tile = fathom_memory_alloc(p->context, TILE * engine->width, sizeof *tile);
    status = tile ? fathom_memory_resize(p->context, (void **)&engine->inner, engine->width * engine->width,
                                         sizeof(double))
                  : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        status = factor_inner(engine, tile);
    fathom_memory_free(p->context, tile);
    return status;
}

void fathom_gated_precondition(double *x, const fathom_gated_engine *engine, double *work)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t n = p->n, d = engine->width;
    double *narrow = work + n;
    for (int64_t k = 0; k < p->outputs; k++) {
        for (int64_t i = 0; i < n; i++)
            work[i] = engine->low[i] * x[k * n + i];
        fathom_blas_gemv(narrow, d, n, 1, fathom_transposed(engine->y, d), work, 0);
        fathom_cholesky_apply(narrow, 1, 1, engine->inner, d, d, p->context);
        fathom_blas_gemv(work, n, d, 1, fathom_plain(engine->y, d), narrow, 0);
        for (int64_t i = 0; i < n; i++)
            x[k * n + i] -= engine->low[i] * work[i];
    }
}

void fathom_gated_scale_lines(double *x, const fathom_gated_engine *engine)
{
    for (int64_t k = 0; k < engine->problem->outputs; k++)
        for (int64_t i = 0; i < engine->problem->n; i++)
            x[k * engine->problem->n + i] *= engine->scale[i];
}
