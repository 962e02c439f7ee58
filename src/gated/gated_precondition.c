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
 * spread-out gates. For softmax r_i^2 is the mean diagonal of R R'. Where few gates are in use, or systems are hard, nothing
 * is left out: diag = 1, Y_i = r_i (sqrt(e_j) D_ij x_i)_j (n x k d), whose rows are made when needed, n (k d)^2 + (k d)^3 / 3
 * operations for the factorisation and (k d)^2 numbers for its factor.
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

enum { STRIP = 64, TILE = 512 };

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

void fathom_gated_factor_rows(double *tile, const fathom_gated_engine *engine, int64_t first, int64_t points)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t d = p->d, width = engine->width;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (int64_t i = 0; i < points; i++) {
        const double *x = p->x + (first + i) * d, low = engine->low[first + i];
        double *row = tile + i * width;
        for (int64_t j = 0; j < (engine->wide ? engine->support.count : 1); j++) {
            double size = low;
            if (engine->wide) {
                const uint64_t word =
                    p->bits[engine->support.gate[j] * p->words + (first + i) / 64] >> ((first + i) % 64);
                size = word & 1 ? low * sqrt(engine->support.eta[j] / p->beta) : 0;
            }
            for (int64_t k = 0; k < d; k++)
                row[j * d + k] = size * x[k];
        }
    }
}

/* inner = Cholesky factor of I + Y^' Y^, Y^_i = low_i y_i, whose rows pass through `tile`. */
static fathom_status factor_inner(fathom_gated_engine *engine, double *tile)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t n = p->n, d = engine->width;
    double *inner = engine->inner;
    for (int64_t point = 0; point < n && !engine->cut; point += TILE) {
        const int64_t points = min64(TILE, n - point);
        fathom_gated_factor_rows(tile, engine, point, points);
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
        for (int64_t top = 0; top < d; top += STRIP)
            fathom_blas_gemm(inner + top * d, d, min64(STRIP, d - top), min64(top + STRIP, d), points, 1,
                             fathom_transposed(tile + top, d), fathom_plain(tile, d), point > 0);
        engine->cut = engine->wide && fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    }
    int64_t minor = 0;
    for (int64_t j = 0; j < d; j++)
        inner[j * d + j] += 1;
    const fathom_status status =
        engine->cut ? FATHOM_OK : fathom_cholesky_factor_until(&minor, &engine->cut, inner, d, d, p->context);
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
    engine->wide = false;
    for (int64_t i = 0; i < p->n; i++) {
        const double common = sum > 0 ? total[i] * total[i] / sum : 0, square = root_square(engine, i);
        const double rest = fmax(0, total[i] - common) * square * p->reach[i] * p->reach[i];
        engine->scale[i] = 1 / sqrt(1 + rest);
        engine->low[i] = engine->scale[i] * sqrt(square * common);
    }
    fathom_memory_free(p->context, total);
    return FATHOM_OK;
}

/* The same of all of K. */
static void take_all(fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    engine->width = engine->support.count * p->d;
    engine->wide = true;
    for (int64_t i = 0; i < p->n; i++) {
        engine->scale[i] = 1;
        engine->low[i] = engine->root[i];
    }
}

fathom_status fathom_gated_iterative_prepare(fathom_gated_engine *engine, bool wide)
{
    const fathom_gated_problem *p = engine->problem;
    fathom_status status = FATHOM_OK;
    if (wide)
        take_all(engine);
    else
        status = take_common(engine);
    if (status != FATHOM_OK)
        return status;
    double *tile = fathom_memory_alloc(p->context, TILE * engine->width, sizeof *tile);
    status = tile ? fathom_memory_resize(p->context, (void **)&engine->inner, engine->width * engine->width,
                                         sizeof(double))
                  : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, factor_inner(engine, tile));
    fathom_memory_free(p->context, tile);
    return status;
}

/* Block j of narrow times sqrt(eta_j / beta). */
static void scale_blocks(double *narrow, const fathom_gated_engine *engine)
{
    const fathom_gated_problem *p = engine->problem;
    for (int64_t j = 0; j < engine->support.count; j++)
        fathom_blas_scale(narrow + j * p->d, sqrt(engine->support.eta[j] / p->beta), p->d);
}

/* narrow (width) = y' work and work (n) = y narrow. */
static void narrow_of(double *narrow, const fathom_gated_engine *engine, const double *work)
{
    const fathom_gated_problem *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    if (!engine->wide) {
        fathom_blas_gemv(narrow, p->d, p->n, 1, fathom_transposed(p->x, p->d), work, 0);
        return;
    }
    const fathom_gate_set set = {p->n, p->d, p->x, p->d, s->count, p->words, p->bits, s->gate};
    fathom_gate_adjoint(narrow, &set, work, 1, engine->threads, engine->workspace);
    scale_blocks(narrow, engine);
}

static void work_of(double *work, const fathom_gated_engine *engine, double *narrow)
{
    const fathom_gated_problem *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    if (!engine->wide) {
        fathom_blas_gemv(work, p->n, p->d, 1, fathom_plain(p->x, p->d), narrow, 0);
        return;
    }
    const fathom_gate_set set = {p->n, p->d, p->x, p->d, s->count, p->words, p->bits, s->gate};
    scale_blocks(narrow, engine);
    fathom_gate_forward(work, &set, narrow, 1, engine->threads, engine->workspace);
}

void fathom_gated_precondition(double *x, const fathom_gated_engine *engine, double *work)
{
    const fathom_gated_problem *p = engine->problem;
    const int64_t n = p->n, d = engine->width;
    double *narrow = work + n;
    for (int64_t k = 0; k < p->outputs; k++) {
        for (int64_t i = 0; i < n; i++)
            work[i] = engine->low[i] * x[k * n + i];
        narrow_of(narrow, engine, work);
        fathom_cholesky_apply(narrow, 1, 1, engine->inner, d, d, p->context);
        work_of(work, engine, narrow);
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
