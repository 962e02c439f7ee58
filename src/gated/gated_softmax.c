/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense form of the Newton systems for softmax, for a moderate number N = o n of outputs times points.
 *
 * l'' = R_i R_i' couples the outputs of a point, K acts on each output alike, so that with s = sqrt(p), c the sample weights
 *
 *     T_(k,i),(l,j) = [k = l, i = j] + K_ij (R_i' R_j)_kl,
 *     (R_i' R_j)_kl = sqrt(c_i c_j) s_ik s_jl ([k = l] - p_jk - p_il + <p_i, p_j>),   R_i = sqrt(c_i) (I - p_i 1') diag(s_i)
 *
 * K = (X X') o (D diag(eta / beta) D') costs n^2 (k + d) operations for k gates and T N^2; T = L L' costs N^3 / 3. The reduced
 * Hessian of phi is the Gram matrix of the rows R' b_j L^{-T}, projected against the rows L^{-1} R' 1_k of free constants, of
 * which one depends on the others.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { STRIP = 32 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* out (n x n) = A' A for A count x n, or A A' for A n x count; strips in parallel. */
static void gram(double *out, int64_t n, int64_t count, const double *a, int64_t ld, bool columns,
                 int threads)
{
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t top = 0; top < n; top += STRIP)
        fathom_blas_gemm(out + top * n, n, min64(STRIP, n - top), n, count, 1,
                         columns ? fathom_transposed(a + top, ld) : fathom_plain(a + top * ld, ld),
                         columns ? fathom_plain(a, ld) : fathom_transposed(a, ld), 0);
}

/* open (support x n): sqrt(eta_j / beta) D_ij. */
static void expand(double *open, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    for (int64_t j = 0; j < engine->support.count; j++) {
        const uint64_t *pattern = p->bits + engine->support.gate[j] * p->words;
        const double size = sqrt(engine->support.eta[j] / p->beta);
        for (int64_t i = 0; i < p->n; i++)
            open[j * p->n + i] = (pattern[i / 64] >> (i % 64)) & 1 ? size : 0;
    }
}

/* Row (k, i) of the lower triangle of T from K, the product of `gates` and `points` or that of sparse
 * points, and the products <p_i, p_j>. */
static void fill_row(double *row, const fathom_gated_engine *engine, int64_t k, int64_t i,
                     const double *gates, const double *points, const double *likeness)
{
    const fathom_objective *p = engine->problem;
    const int64_t n = p->n;
    const double *root = engine->root, own = root[k * n + i];
    const double scale = sqrt(fathom_objective_weight(p, i) * own);
    for (int64_t l = 0; l <= k; l++)
        for (int64_t j = 0; j < (l < k ? n : i + 1); j++) {
            const double mixed = (k == l) - root[k * n + j] - root[l * n + i] + likeness[i * n + j];
            const double product = p->sparse ? fathom_gated_kernel_at(&engine->kernel, i, j)
                                             : gates[i * n + j] * points[i * n + j];
            row[l * n + j] = product * scale * sqrt(fathom_objective_weight(p, j) * root[l * n + j]) * mixed;
        }
    row[k * n + i] += 1;
}

/* rows (outputs x N): R' 1_k. */
static void constant_rows(double *rows, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const int64_t size = p->outputs * p->n;
    memset(rows, 0, (size_t)(p->outputs * size) * sizeof *rows);
    for (int64_t k = 0; k < p->outputs; k++) {
        for (int64_t i = 0; i < p->n; i++)
            rows[k * size + k * p->n + i] = 1;
        fathom_objective_root_transposed(rows + k * size, p, engine->root);
    }
}

/* border = an orthonormal basis of the span of L^{-1} R' 1_k; rows that depend on the others become 0. */
static void make_border(fathom_gated_engine *engine)
{
    const int64_t outputs = engine->problem->outputs, size = outputs * engine->problem->n;
    constant_rows(engine->border, engine);
    fathom_blas_triangular_solve_right(engine->border, size, fathom_transposed(engine->factor, size), true,
                                       size, outputs);
    for (int64_t k = 0; k < outputs; k++) {
        double *row = engine->border + k * size;
        const double before = fathom_blas_norm(row, size);
        for (int64_t l = 0; l < 2 * k; l++) /* twice */
            fathom_blas_axpy(row, -fathom_blas_dot(row, engine->border + l % k * size, size),
                             engine->border + l % k * size, size);
        const double left = fathom_blas_norm(row, size);
        fathom_blas_scale(row, left > 1e-10 * before ? 1 / left : 0, size);
    }
}

fathom_status fathom_gated_softmax_prepare(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    fathom_context *context = p->context;
    const int64_t n = p->n, size = p->outputs * n, square = n * n;
    const int64_t count = p->sparse ? 0 : engine->support.count;
    double *open = fathom_memory_alloc(context, count * n + (p->sparse ? 1 : 3) * square, sizeof *open);
    if (!open)
        return FATHOM_ERROR_MEMORY;
    double *likeness = open + count * n;
    double *gates = p->sparse ? NULL : likeness + square, *points = p->sparse ? NULL : gates + square;
    if (!p->sparse) {
        expand(open, engine);
        gram(gates, n, count, open, n, true, engine->threads);
        gram(points, n, p->d, p->x, p->d, false, engine->threads);
    }
    gram(likeness, n, p->outputs, engine->root, n, true, engine->threads);
#pragma omp parallel for schedule(dynamic, 16) num_threads(engine->threads)
    for (int64_t row = 0; row < size; row++)
        fill_row(engine->factor + row * size, engine, row / n, row % n, gates, points, likeness);
    int64_t minor = 0;
    fathom_status status =
        fathom_cholesky_factor_until(&minor, &engine->cut, engine->factor, size, size, context);
    if (status == FATHOM_OK && !engine->cut && minor != 0)
        status = fathom_error_set(context, FATHOM_ERROR_RUNTIME,
                                  "numerical breakdown: the Newton matrix is not positive definite");
    else if (status == FATHOM_OK && !engine->cut && p->constant)
        make_border(engine);
    fathom_memory_free(context, open);
    return status;
}

/* c from (A' T^{-1} A) c = A' t - total, A = R' 1 with A 1 = 0, hence c up to a constant: sum c = 0. `solved` = T^{-1} A. */
static fathom_status find_constants(double *c, const fathom_objective *p, const double *a,
                                    const double *solved, const double *t, const double *total)
{
    const int64_t o = p->outputs, size = o * p->n;
    double *matrix = fathom_memory_alloc(p->context, o * o, sizeof *matrix), trace = 0;
    if (!matrix)
        return FATHOM_ERROR_MEMORY;
    fathom_blas_gemm(matrix, o, o, o, size, 1, fathom_plain(a, size), fathom_transposed(solved, size), 0);
    for (int64_t k = 0; k < o; k++) {
        trace += matrix[k * o + k];
        c[k] = fathom_blas_dot(a + k * size, t, size) - total[k];
    }
    for (int64_t k = 0; k < o * o; k++)
        matrix[k] += trace;
    for (int64_t k = 0; k < o; k++)
        matrix[k * o + k] += 64 * DBL_EPSILON * trace + DBL_MIN;
    if (fathom_blas_cholesky(matrix, o, o) == 0)
        fathom_blas_cholesky_solve(c, 1, matrix, o, o, 1);
    else
        memset(c, 0, (size_t)o * sizeof *c);
    fathom_memory_free(p->context, matrix);
    return FATHOM_OK;
}

fathom_status fathom_gated_softmax_solve(double *t, double *c, fathom_gated_engine *engine,
                                         const double *total)
{
    const fathom_objective *p = engine->problem;
    const int64_t o = p->outputs, size = o * p->n;
    fathom_cholesky_apply(t, 1, 1, engine->factor, size, size, p->context);
    if (!p->constant)
        return FATHOM_OK;
    double *a = fathom_memory_alloc(p->context, 2 * o * size, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    double *solved = a + o * size;
    constant_rows(a, engine);
    memcpy(solved, a, (size_t)(o * size) * sizeof *a);
    for (int64_t k = 0; k < o; k++)
        fathom_cholesky_apply(solved + k * size, 1, 1, engine->factor, size, size, p->context);
    const fathom_status status = find_constants(c, p, a, solved, t, total);
    for (int64_t k = 0; k < o && status == FATHOM_OK; k++)
        fathom_blas_axpy(t, -c[k], solved + k * size, size);
    fathom_memory_free(p->context, a);
    return status;
}

fathom_status fathom_gated_softmax_model(fathom_gated_model *model, const double *adjoint)
{
    fathom_gated_engine *engine = model->engine;
    const fathom_objective *p = engine->problem;
    const int64_t count = model->candidates->count, size = p->outputs * p->n;
    const fathom_gated_list list = {count, 0, model->candidates->gate};
    double *lines = fathom_memory_alloc(p->context, count * size, sizeof *lines);
    if (!lines)
        return FATHOM_ERROR_MEMORY;
    fathom_gated_terms(lines, p, list, adjoint, NULL, (fathom_row_range){0, p->n}, engine->threads,
                       engine->workspace);
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t top = 0; top < count; top += STRIP) {
        const int64_t high = min64(STRIP, count - top);
        if (fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
            continue; /* the step is then not taken */
        for (int64_t j = top; j < top + high; j++) {
            fathom_objective_root_transposed(lines + j * size, p, engine->root);
            fathom_blas_scale(lines + j * size, 1 / p->beta, size);
        }
        fathom_blas_triangular_solve_right(lines + top * size, size, fathom_transposed(engine->factor, size),
                                           true, size, high);
        for (int64_t j = top; p->constant && j < top + high; j++)
            for (int64_t k = 0; k < p->outputs; k++) {
                const double *border = engine->border + k * size;
                fathom_blas_axpy(lines + j * size, -fathom_blas_dot(lines + j * size, border, size), border,
                                 size);
            }
    }
    gram(model->hessian, count, size, lines, size, false, engine->threads);
    fathom_memory_free(p->context, lines);
    return FATHOM_OK;
}
