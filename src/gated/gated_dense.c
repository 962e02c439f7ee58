/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense form of the Newton systems, for a moderate number of points.
 *
 *     T_il = [i = l] + r_i r_l <x_i, x_l> sum_j (eta_j / beta) D_ij D_lj
 *
 * The sum over gates of X' D_j X-type blocks is a Hadamard product of two Gram matrices, so that T costs n^2 (k + d)
 * operations for k gates, not n^2 k d. Points with r_i = 0 (flat pieces of the loss) drop out. T = L L' by tiles.
 * The reduced Hessian of phi is H = (B R L^{-T}) (B R L^{-T})', B = [b_j] row by row; with a free constant the rows
 * are first projected against L^{-1} r. Cost per step: n^3 / 3 + n^2 (3 k + d) + n k^2.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { SIDE = 192, STRIP = 32 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static bool gate_open(const uint64_t *pattern, int64_t i) { return (pattern[i / 64] >> (i % 64)) & 1; }

/* open (k x rows): sqrt(eta_j / beta) D_ij on the rows kept; points (rows x d): r_i x_i. */
static void expand(double *open, double *points, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (int64_t j = 0; j < engine->support.count; j++) {
        const uint64_t *pattern = p->bits + engine->support.gate[j] * p->words;
        const double size = sqrt(engine->support.eta[j] / p->beta);
        for (int64_t a = 0; a < engine->rows; a++)
            open[j * engine->rows + a] = gate_open(pattern, engine->row[a]) ? size : 0;
    }
    for (int64_t a = 0; a < engine->rows; a++)
        for (int64_t k = 0; k < p->d; k++)
            points[a * p->d + k] = engine->root[engine->row[a]] * p->x[engine->row[a] * p->d + k];
}

/* Tile (top, left) of T. `tile` holds SIDE x SIDE numbers. */
static void assemble_tile(fathom_gated_engine *engine, const double *open, const double *points, int64_t top,
                          int64_t left, double *tile)
{
    const int64_t rows = engine->rows, d = engine->problem->d;
    const int64_t high = min64(SIDE, rows - top), wide = min64(SIDE, rows - left);
    double *t = engine->factor + top * rows + left;
    fathom_blas_gemm(tile, SIDE, high, wide, engine->support.count, 1, fathom_transposed(open + top, rows),
                     fathom_plain(open + left, rows), 0);
    fathom_blas_gemm(t, rows, high, wide, d, 1, fathom_plain(points + top * d, d),
                     fathom_transposed(points + left * d, d), 0);
    for (int64_t a = 0; a < high; a++)
        for (int64_t b = 0; b < wide; b++)
            t[a * rows + b] = t[a * rows + b] * tile[a * SIDE + b] + (top + a == left + b);
}

static void assemble(fathom_gated_engine *engine, const double *open, const double *points, double *tiles)
{
    const int64_t count = (engine->rows + SIDE - 1) / SIDE;
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t pair = 0; pair < count * count; pair++)
        if (pair / count >= pair % count &&
            fathom_context_stop_reason(engine->problem->context) == FATHOM_STOP_NONE)
            assemble_tile(engine, open, points, pair / count * SIDE, pair % count * SIDE,
                          tiles + omp_get_thread_num() * SIDE * SIDE);
}

/* The points whose curvature is positive. */
static void keep_rows(fathom_gated_engine *engine)
{
    engine->rows = 0;
    for (int64_t i = 0; i < engine->problem->n; i++)
        if (engine->root[i] > 0)
            engine->row[engine->rows++] = i;
}

/* border = L^{-1} r / |L^{-1} r|. */
static void make_border(fathom_gated_engine *engine)
{
    const int64_t rows = engine->rows;
    for (int64_t a = 0; a < rows; a++)
        engine->border[a] = engine->root[engine->row[a]];
    fathom_blas_triangular_solve(engine->border, 1, fathom_plain(engine->factor, rows), true, rows, 1);
    const double size = fathom_blas_norm(engine->border, rows);
    if (size > 0)
        fathom_blas_scale(engine->border, 1 / size, rows);
}

double fathom_gated_prepare_bytes(const fathom_objective *p, double k)
{
    const double n = (double)p->n, tiles = (double)fathom_context_threads(p->context) * SIDE * SIDE,
                 factorise = (double)fathom_cholesky_workspace(p->context);
    if (!fathom_objective_scalar_root(p)) /* gated_softmax.c */
        return 8 * (k * n + 3 * n * n + factorise);
    return 8 * fmax(k * n + n * (double)p->d + tiles, factorise);
}

/* T of dense points. */
static fathom_status assemble_dense(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const int64_t rows = engine->rows;
    double *open = fathom_memory_alloc(p->context, engine->support.count * rows, sizeof *open);
    double *points = fathom_memory_alloc(p->context, rows * p->d, sizeof *points);
    double *tiles = fathom_memory_alloc(p->context, (int64_t)engine->threads * SIDE * SIDE, sizeof *tiles);
    const bool complete = open && points && tiles;
    if (complete) {
        expand(open, points, engine);
        assemble(engine, open, points, tiles);
    }
    FATHOM_FREE(p->context, open, points, tiles);
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* T of sparse points, whose K is there: r_i r_l K_il. */
static void assemble_sparse(fathom_gated_engine *engine)
{
    const int64_t rows = engine->rows, *row = engine->row;
#pragma omp parallel for schedule(dynamic, 16) num_threads(engine->threads)
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b <= a; b++)
            engine->factor[a * rows + b] = engine->root[row[a]] * engine->root[row[b]] *
                                               fathom_gated_kernel_at(&engine->kernel, row[a], row[b]) +
                                           (a == b);
}

fathom_status fathom_gated_dense_prepare(fathom_gated_engine *engine)
{
    fathom_context *context = engine->problem->context;
    fathom_status status = FATHOM_OK;
    keep_rows(engine);
    if (engine->problem->sparse)
        assemble_sparse(engine);
    else
        status = assemble_dense(engine);
    int64_t minor = 0;
    const int64_t rows = engine->rows;
    FATHOM_THEN(status,
                fathom_cholesky_factor_until(&minor, &engine->cut, engine->factor, rows, rows, context));
    if (status == FATHOM_OK && !engine->cut && minor != 0)
        status = fathom_error_set(context, FATHOM_ERROR_RUNTIME,
                                  "numerical breakdown: the Newton matrix is not positive definite");
    else if (status == FATHOM_OK && !engine->cut && engine->problem->constant)
        make_border(engine);
    return status;
}

/* One output: T t + r c = t, and r' t = total where the constant is free. Points outside the rows keep t. */
static void solve_output(double *t, double *c, const fathom_gated_engine *engine, double total, double *work)
{
    const int64_t rows = engine->rows;
    double *r = work + rows;
    for (int64_t a = 0; a < rows; a++)
        work[a] = t[engine->row[a]];
    fathom_cholesky_apply(work, 1, 1, engine->factor, rows, rows, engine->problem->context);
    if (engine->problem->constant) {
        for (int64_t a = 0; a < rows; a++)
            r[a] = engine->root[engine->row[a]];
        const double had = fathom_blas_dot(r, work, rows);
        double *solved = r + rows;
        memcpy(solved, r, (size_t)rows * sizeof *r);
        fathom_cholesky_apply(solved, 1, 1, engine->factor, rows, rows, engine->problem->context);
        const double curvature = fathom_blas_dot(r, solved, rows);
        *c = curvature > 0 ? (had - total) / curvature : 0;
        fathom_blas_axpy(work, -*c, solved, rows);
    }
    for (int64_t a = 0; a < rows; a++)
        t[engine->row[a]] = work[a];
}

fathom_status fathom_gated_dense_solve(double *t, double *c, fathom_gated_engine *engine, const double *total)
{
    const fathom_objective *p = engine->problem;
    double *work = fathom_memory_alloc(p->context, 3 * engine->rows, sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < p->outputs; k++)
        solve_output(t + k * p->n, c + k, engine, total[k], work);
    fathom_memory_free(p->context, work);
    return FATHOM_OK;
}

/* h += Y Y', Y = B R L^{-T} for one output; lines (count x rows) is overwritten. Left undone where the context asks to stop. */
static void add_output(double *h, double *lines, const fathom_gated_engine *engine, int64_t count)
{
    const int64_t rows = engine->rows;
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t top = 0; top < count; top += STRIP) {
        const int64_t high = min64(STRIP, count - top);
        if (fathom_context_stop_reason(engine->problem->context) != FATHOM_STOP_NONE)
            continue;
        fathom_blas_triangular_solve_right(lines + top * rows, rows, fathom_transposed(engine->factor, rows),
                                           true, rows, high);
        for (int64_t j = top; engine->problem->constant && j < top + high; j++)
            fathom_blas_axpy(lines + j * rows, -fathom_blas_dot(lines + j * rows, engine->border, rows),
                             engine->border, rows);
    }
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t top = 0; top < count; top += STRIP)
        fathom_blas_gemm(h + top * count, count, min64(STRIP, count - top), count, rows, 1,
                         fathom_plain(lines + top * rows, rows), fathom_transposed(lines, rows), 1);
}

/* lines (count x rows) = r_i D_ij <x_i, g_j> / beta for one output of `terms` (count x outputs x n). */
static void gather_output(double *lines, const fathom_gated_engine *engine, const double *terms,
                          int64_t count, int64_t output)
{
    const fathom_objective *p = engine->problem;
    for (int64_t j = 0; j < count; j++)
        for (int64_t a = 0; a < engine->rows; a++)
            lines[j * engine->rows + a] = terms[(j * p->outputs + output) * p->n + engine->row[a]] / p->beta;
}

fathom_status fathom_gated_dense_model(fathom_gated_model *model, const double *adjoint)
{
    fathom_gated_engine *engine = model->engine;
    const fathom_objective *p = engine->problem;
    const int64_t count = model->candidates->count;
    const fathom_gated_list list = {count, 0, model->candidates->gate};
    double *terms = fathom_memory_alloc(p->context, count * p->outputs * p->n, sizeof *terms);
    double *lines = fathom_memory_alloc(p->context, count * engine->rows, sizeof *lines);
    if (terms && lines) {
        memset(model->hessian, 0, (size_t)(count * count) * sizeof *model->hessian);
        fathom_gated_terms(terms, p, list, adjoint, engine->root, (fathom_row_range){0, p->n},
                           engine->threads, engine->workspace);
        for (int64_t k = 0; k < p->outputs; k++) {
            gather_output(lines, engine, terms, count, k);
            add_output(model->hessian, lines, engine, count);
        }
    }
    const fathom_status status = terms && lines ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_FREE(p->context, terms, lines);
    return status;
}
