/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel matrices by tiles.
 *
 * K_ij = factor |x_i||x_j| k(c_ij), c_ij = <u_i, u_j> of the unit vectors, by GEMM on tiles of 256 x 256; k by arc.h on
 * the tile while it is in cache; pairs with |c| > 0.98 again from |u_i -+ u_j|. Tiles on and above the diagonal are
 * computed, the others are their mirror images, so that the matrix is symmetric bit for bit. Tiles do not depend on
 * the number of threads, nor does anything cross between them: same bits for every number.
 *
 * Cost: n^2 d flops at GEMM rate, about 0.5 ns n^2 for k, d flops for each near pair. Memory: the points and two tiles
 * per thread beside the result.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "arc.h"
#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "inner/kernel.h"
#include "kernel_internal.h"
#include "memory.h"
#include "data_scale.h"
#include "tasks.h"

#define OWNER fathom_kernel_options
static const fathom_option rows_of_options[] = {FATHOM_KERNEL_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_kernel_option_table =
    FATHOM_OPTION_TABLE("Kernel", rows_of_options, fathom_kernel_options);

fathom_status fathom_kernel_points_view(kernel_points *points, fathom_context *context,
                                        const fathom_data_view *view)
{
    *points = (kernel_points){.n = view->n, .d = view->d};
    FATHOM_TRY(
        fathom_context_require(context, 8 * (double)view->n * (double)view->d, "the points of a kernel"));
    points->unit = fathom_memory_alloc(context, view->n * view->d, sizeof *points->unit);
    points->norm = fathom_memory_zero(context, view->n, sizeof *points->norm);
    if (!points->unit || !points->norm)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < view->n && view->d > 0; i++) {
        double *u = points->unit + i * view->d;
        fathom_dense_row(u, view, i);
        points->norm[i] = fathom_blas_norm(u, view->d);
        for (int64_t k = 0; k < view->d && points->norm[i] > 0; k++)
            u[k] /= points->norm[i];
    }
    return FATHOM_OK;
}

static fathom_status read_points(kernel_points *points, fathom_context *context, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    *points = (kernel_points){0};
    if (view.bias == FATHOM_BIAS_FREE)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a kernel has no free biases: use --bias augment for networks with biases");
    FATHOM_TRY(fathom_data_check_range(data));
    return fathom_kernel_points_view(points, context, &view);
}

void fathom_kernel_points_free(kernel_points *points, fathom_context *context)
{
    FATHOM_FREE(context, points->unit, points->norm);
}

/* A kernel with its points and no gates. */
static fathom_status create_plain(fathom_kernel **kernel, fathom_context *context, const fathom_data *data)
{
    fathom_kernel *k = fathom_memory_zero(context, 1, sizeof *k);
    *kernel = k;
    if (!k)
        return FATHOM_ERROR_MEMORY;
    k->context = context;
    fathom_options_init(&k->options, &fathom_kernel_option_table);
    return read_points(&k->points, context, data);
}

/* Hands out `*kernel` where all is well, frees it otherwise. */
static fathom_status conclude(fathom_kernel **kernel, fathom_status status)
{
    if (status != FATHOM_OK) {
        fathom_kernel_free(*kernel);
        *kernel = NULL;
    }
    return status;
}

fathom_status fathom_kernel_create(fathom_kernel **kernel, fathom_context *context, const fathom_data *data,
                                   const fathom_kernel_options *options)
{
    fathom_status status = FATHOM_OK;
    *kernel = NULL;
    if (options)
        status = fathom_options_check(context, options, &fathom_kernel_option_table);
    if (status != FATHOM_OK)
        return status;
    status = create_plain(kernel, context, data);
    if (status == FATHOM_OK && options)
        (*kernel)->options = *options;
    if (status == FATHOM_OK && (*kernel)->options.width > 0)
        status = fathom_kernel_sample_gates(*kernel, data);
    return conclude(kernel, status);
}

fathom_status fathom_kernel_create_gates(fathom_kernel **kernel, fathom_context *context,
                                         const fathom_data *data, const fathom_gates *gates, double factor)
{
    *kernel = NULL;
    if (!(factor > 0 && isfinite(factor)))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "the factor of a kernel must be positive");
    fathom_status status = create_plain(kernel, context, data);
    if (status == FATHOM_OK) {
        (*kernel)->options.factor = factor;
        status = fathom_kernel_take_gates(*kernel, gates, 0);
    }
    return conclude(kernel, status);
}

void fathom_kernel_free(fathom_kernel *kernel)
{
    if (!kernel)
        return;
    fathom_kernel_points_free(&kernel->points, kernel->context);
    FATHOM_FREE(kernel->context, kernel->bits, kernel->open, kernel->feature, kernel);
}

int64_t fathom_kernel_size(const fathom_kernel *kernel) { return kernel->points.n; }

static fathom_status require_matrix(const fathom_kernel *kernel)
{
    const double n = (double)kernel->points.n;
    return fathom_context_require(kernel->context, 8 * n * n, "the kernel matrix");
}

bool fathom_kernel_fits(const fathom_kernel *kernel) { return require_matrix(kernel) == FATHOM_OK; }

fathom_status fathom_kernel_allocate(double **matrix, const fathom_kernel *kernel)
{
    const int64_t n = kernel->points.n;
    *matrix = NULL;
    FATHOM_TRY(require_matrix(kernel));
    *matrix = fathom_memory_alloc(kernel->context, n * n, sizeof **matrix);
    return *matrix ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_kernel_release(double *matrix, const fathom_kernel *kernel)
{
    if (kernel)
        fathom_memory_free(kernel->context, matrix);
}

/* A tile's place in the matrix: rows i0 .. i0 + rows, columns j0 .. j0 + columns. */
typedef struct place {
    int64_t i0, rows, j0, columns;
} place;

static int64_t tile_count(int64_t n) { return (n + KERNEL_TILE - 1) / KERNEL_TILE; }

static place place_of(int64_t bi, int64_t bj, int64_t rows, int64_t columns)
{
    const int64_t i0 = bi * KERNEL_TILE, j0 = bj * KERNEL_TILE;
    return (place){i0, rows - i0 < KERNEL_TILE ? rows - i0 : KERNEL_TILE, j0,
                   columns - j0 < KERNEL_TILE ? columns - j0 : KERNEL_TILE};
}

/* Copies a tile to `out` (leading dimension ld), or its mirror image. */
static void put(double *out, int64_t ld, const double *tile, place at)
{
    for (int64_t i = 0; i < at.rows; i++)
        memcpy(out + i * ld, tile + i * KERNEL_TILE, (size_t)at.columns * sizeof *out);
}

static void put_mirrored(double *out, int64_t ld, const double *tile, place at)
{
    /* by squares of 16 x 16, which stay in the nearest cache although rows of a tile are 2 KB apart */
    enum { SQUARE = 16 };
    for (int64_t j0 = 0; j0 < at.columns; j0 += SQUARE)
        for (int64_t i0 = 0; i0 < at.rows; i0 += SQUARE)
            for (int64_t j = j0; j < at.columns && j < j0 + SQUARE; j++)
                for (int64_t i = i0; i < at.rows && i < i0 + SQUARE; i++)
                    out[j * ld + i] = tile[i * KERNEL_TILE + j];
}

/* Tile (bi, bj), bi <= bj, of the symmetric matrix; on the diagonal its upper half decides. */
static void symmetric_tile(double *tile, double *cosine, const fathom_kernel *kernel, place at)
{
    fathom_kernel_tile(tile, cosine, kernel, &kernel->points, at.i0, at.rows, at.j0, at.columns);
    for (int64_t i = 0; at.i0 == at.j0 && i < at.rows; i++)
        for (int64_t j = 0; j < i; j++)
            tile[i * KERNEL_TILE + j] = tile[j * KERNEL_TILE + i];
}

/* Gives two tiles of workspace per thread. */
static double *tile_workspace(fathom_context *context, int threads)
{
    return fathom_memory_alloc(context, (int64_t)threads * 2 * KERNEL_TILE * KERNEL_TILE, sizeof(double));
}

static double *thread_tile(double *workspace)
{
    return workspace + (int64_t)omp_get_thread_num() * 2 * KERNEL_TILE * KERNEL_TILE;
}

static fathom_status report_stop(fathom_context *context)
{
    if (fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_STOPPED, "stopped before the kernel matrix was complete");
}

/* The tiles of a symmetric matrix as numbered tasks, row by row; those below the diagonal are empty. */
typedef struct dealt_tiles {
    double *matrix;
    int64_t ld, n;
} dealt_tiles;

static int64_t tile_size(void *user, int64_t task)
{
    const dealt_tiles *d = user;
    const int64_t tiles = tile_count(d->n);
    return task / tiles > task % tiles ? 0 : KERNEL_TILE * KERNEL_TILE * (int64_t)sizeof(double);
}

static void tile_put(void *bytes, void *user, int64_t task)
{
    const dealt_tiles *d = user;
    const int64_t tiles = tile_count(d->n);
    if (task / tiles > task % tiles)
        return;
    const place at = place_of(task / tiles, task % tiles, d->n, d->n);
    memset(bytes, 0, KERNEL_TILE * KERNEL_TILE * sizeof(double));
    for (int64_t i = 0; i < at.rows; i++)
        memcpy((double *)bytes + i * KERNEL_TILE, d->matrix + (at.i0 + i) * d->ld + at.j0,
               (size_t)at.columns * sizeof(double));
}

static fathom_status tile_take(void *user, int64_t task, const void *bytes, int64_t size)
{
    const dealt_tiles *d = user;
    const int64_t tiles = tile_count(d->n);
    const place at = place_of(task / tiles, task % tiles, d->n, d->n);
    if (size == 0)
        return FATHOM_OK;
    put(d->matrix + at.i0 * d->ld + at.j0, d->ld, bytes, at);
    if (at.i0 < at.j0)
        put_mirrored(d->matrix + at.j0 * d->ld + at.i0, d->ld, bytes, at);
    return FATHOM_OK;
}

fathom_status fathom_kernel_fill(double *matrix, int64_t ld, const fathom_kernel *kernel)
{
    fathom_context *context = kernel->context;
    const int64_t n = kernel->points.n, tiles = tile_count(n);
    const int threads = fathom_context_threads(context);
    double *workspace = tile_workspace(context, threads);
    if (!workspace)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    dealt_tiles dealt = {matrix, ld, n};
    const fathom_task_results results = {tile_size, tile_put, tile_take, &dealt};
    fathom_tasks tasks = fathom_tasks_deal(context, tiles * tiles);
    while (fathom_tasks_next(&tasks)) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t task = 0; task < tasks.count; task++) {
            if (task / tiles > task % tiles || !fathom_tasks_mine(&tasks, task) ||
                fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
                continue;
            const place at = place_of(task / tiles, task % tiles, n, n);
            double *tile = thread_tile(workspace);
            symmetric_tile(tile, tile + KERNEL_TILE * KERNEL_TILE, kernel, at);
            put(matrix + at.i0 * ld + at.j0, ld, tile, at);
            if (at.i0 < at.j0)
                put_mirrored(matrix + at.j0 * ld + at.i0, ld, tile, at);
        }
        status = fathom_tasks_share(&tasks, status, &results);
    }
    fathom_memory_free(context, workspace);
    return status == FATHOM_OK ? report_stop(context) : status;
}

fathom_status fathom_kernel_summarize(fathom_kernel_summary *summary, const fathom_kernel *kernel)
{
    const int64_t n = kernel->points.n;
    const double off = ((double)n + 8 * (double)(kernel->points.d + 10)) * 0x1p-52; /* of entries and sums */
    double *tile = tile_workspace(kernel->context, 1), trace = 0;
    if (!tile)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        fathom_kernel_tile(tile, tile + KERNEL_TILE * KERNEL_TILE, kernel, &kernel->points, i, 1, i, 1);
        trace += tile[0];
    }
    fathom_memory_free(kernel->context, tile);
    *summary = (fathom_kernel_summary){.trace = trace,
                                       .lambda_min_upper = trace / (double)n * (1 + off),
                                       .lambda_max_lower = trace / (double)n * (1 - off),
                                       .lambda_max_upper = trace * (1 + off)};
    return FATHOM_OK;
}

/* The part of block row bi that lies in rows [first, first + count), columns of tile bj, into `rows`. */
static void fill_band(double *rows, int64_t ld, double *workspace, const fathom_kernel *kernel, int64_t bi,
                      int64_t bj, int64_t first, int64_t count)
{
    const int64_t n = kernel->points.n;
    const place at = bi <= bj ? place_of(bi, bj, n, n) : place_of(bj, bi, n, n);
    double *tile = thread_tile(workspace);
    symmetric_tile(tile, tile + KERNEL_TILE * KERNEL_TILE, kernel, at);
    const place want = place_of(bi, bj, n, n);
    for (int64_t i = want.i0; i < want.i0 + want.rows; i++) {
        if (i < first || i >= first + count)
            continue;
        double *out = rows + (i - first) * ld + want.j0;
        for (int64_t j = 0; j < want.columns; j++)
            out[j] = bi <= bj ? tile[(i - want.i0) * KERNEL_TILE + j] : tile[j * KERNEL_TILE + (i - want.i0)];
    }
}

fathom_status fathom_kernel_fill_rows(double *rows, int64_t ld, const fathom_kernel *kernel, int64_t first,
                                      int64_t count)
{
    fathom_context *context = kernel->context;
    const int64_t n = kernel->points.n, tiles = tile_count(n);
    if (first < 0 || count < 0 || first + count > n)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "rows %lld to %lld of a kernel of %lld points",
                                (long long)first, (long long)(first + count), (long long)n);
    if (count == 0)
        return FATHOM_OK;
    const int threads = fathom_context_threads(context);
    double *workspace = tile_workspace(context, threads);
    if (!workspace)
        return FATHOM_ERROR_MEMORY;
    const int64_t top = first / KERNEL_TILE, bands = (first + count - 1) / KERNEL_TILE - top + 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t task = 0; task < bands * tiles; task++)
        if (fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
            fill_band(rows, ld, workspace, kernel, top + task / tiles, task % tiles, first, count);
    fathom_memory_free(context, workspace);
    return report_stop(context);
}

/* The same for other points; both sets are ready. */
static fathom_status cross_tiles(double *out, int64_t ld, const fathom_kernel *kernel,
                                 const kernel_points *points)
{
    fathom_context *context = kernel->context;
    const int64_t n = kernel->points.n, tiles = tile_count(n), bands = tile_count(points->n);
    const int threads = fathom_context_threads(context);
    double *workspace = tile_workspace(context, threads);
    if (!workspace)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t task = 0; task < bands * tiles; task++) {
        const place at = place_of(task / tiles, task % tiles, points->n, n);
        double *tile = thread_tile(workspace);
        fathom_kernel_tile(tile, tile + KERNEL_TILE * KERNEL_TILE, kernel, points, at.i0, at.rows, at.j0,
                           at.columns);
        put(out + at.i0 * ld + at.j0, ld, tile, at);
    }
    fathom_memory_free(context, workspace);
    return FATHOM_OK;
}

fathom_status fathom_kernel_cross(double *out, int64_t ld, const fathom_kernel *kernel,
                                  const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    if (kernel->gates > 0)
        return fathom_error_set(kernel->context, FATHOM_ERROR_USAGE,
                                "a kernel of finite width is known on its own points only");
    if (view.d != kernel->points.d)
        return fathom_error_set(kernel->context, FATHOM_ERROR_INPUT,
                                "the points have %lld columns where the kernel has %lld", (long long)view.d,
                                (long long)kernel->points.d);
    kernel_points points;
    fathom_status status = read_points(&points, kernel->context, data);
    FATHOM_THEN(status, cross_tiles(out, ld, kernel, &points));
    fathom_kernel_points_free(&points, kernel->context);
    return status;
}
