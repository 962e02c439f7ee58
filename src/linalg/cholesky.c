/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel Cholesky factorisation by tiles; see cholesky.h. */
#include "cholesky.h"

#include <math.h>
#include <omp.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

enum { TILE = 256, TILE_AREA = TILE * TILE, LONG = 1000 /* rows that are worth a look at the clock */ };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Rows of block number b. */
static int64_t block_size(int64_t b, int64_t n) { return smaller(TILE, n - b * TILE); }

/* B = B L^{-T} for a panel tile B (rows x k) and the diagonal tile L (k x k), through the transpose in `buffer`. */
static void solve_panel(double *b, const double *l, int64_t ld, int64_t rows, int64_t k, double *buffer)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            buffer[j * TILE + i] = b[i * ld + j];
    fathom_blas_triangular_solve(buffer, TILE, fathom_plain(l, ld), true, k, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            b[i * ld + j] = buffer[j * TILE + i];
}

/* C -= A B' for tiles; on the diagonal only the lower triangle is touched. */
static void update_tile(double *c, const double *a, const double *b, int64_t ld, int64_t rows,
                        int64_t columns, int64_t k, bool diagonal, double *buffer)
{
    if (!diagonal) {
        fathom_blas_gemm(c, ld, rows, columns, k, -1, fathom_plain(a, ld), fathom_transposed(b, ld), 1);
        return;
    }
    fathom_blas_gemm(buffer, TILE, rows, columns, k, 1, fathom_plain(a, ld), fathom_transposed(b, ld), 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j <= i; j++)
            c[i * ld + j] -= buffer[i * TILE + j];
}

/* Everything that follows the factorisation of diagonal tile k. */
static void eliminate(double *a, int64_t ld, int64_t n, int64_t k, int threads, double *workspace)
{
    const int64_t blocks = (n + TILE - 1) / TILE, size = block_size(k, n), left = blocks - k - 1;
    double *const column = a + k * TILE;
    if (left == 0)
        return;
#pragma omp parallel num_threads(left == 1 ? 1 : threads)
    {
        double *buffer = workspace + (int64_t)omp_get_thread_num() * TILE_AREA;
#pragma omp for schedule(dynamic)
        for (int64_t i = k + 1; i < blocks; i++)
            solve_panel(column + i * TILE * ld, column + k * TILE * ld, ld, block_size(i, n), size, buffer);
#pragma omp for schedule(dynamic)
        for (int64_t task = 0; task < left * left; task++) {
            const int64_t i = k + 1 + task / left, j = k + 1 + task % left;
            if (j <= i)
                update_tile(a + i * TILE * ld + j * TILE, column + i * TILE * ld, column + j * TILE * ld, ld,
                            block_size(i, n), block_size(j, n), size, i == j, buffer);
        }
    }
}

int64_t fathom_cholesky_workspace(const fathom_context *context)
{
    return (int64_t)fathom_context_threads(context) * TILE_AREA;
}

/* `cut` may be NULL: nothing stops it. */
static fathom_status factor(int64_t *minor, bool *cut, double *a, int64_t ld, int64_t n,
                            fathom_context *context)
{
    const int threads = fathom_context_threads(context);
    double *workspace = fathom_memory_alloc(context, fathom_cholesky_workspace(context), sizeof *workspace);
    if (!workspace)
        return FATHOM_ERROR_MEMORY;
    *minor = 0;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k * TILE < n && *minor == 0 && status == FATHOM_OK; k++) {
        if (cut && fathom_context_stop_reason(context) != FATHOM_STOP_NONE) {
            *cut = true;
            break;
        }
        const int64_t failed = fathom_blas_cholesky(a + k * TILE * (ld + 1), ld, block_size(k, n));
        if (failed != 0)
            *minor = k * TILE + failed;
        else
            eliminate(a, ld, n, k, threads, workspace);
        if (n > LONG && fathom_context_overdue(context))
            status = fathom_context_late(context, "a factorisation");
    }
    fathom_memory_free(context, workspace);
    return status;
}

fathom_status fathom_cholesky_factor(int64_t *minor, double *a, int64_t ld, int64_t n,
                                     fathom_context *context)
{
    return factor(minor, NULL, a, ld, n, context);
}

fathom_status fathom_cholesky_factor_until(int64_t *minor, bool *cut, double *a, int64_t ld, int64_t n,
                                           fathom_context *context)
{
    *cut = false;
    return factor(minor, cut, a, ld, n, context);
}

/* y_i -= L_ik x_k (or L_ki' x_k where backward) for every other block i still to be solved. */
static void spread(double *x, int64_t ldx, int64_t columns, const double *l, int64_t ld, int64_t n, int64_t k,
                   bool backward, int threads)
{
    const int64_t first = backward ? 0 : k + 1, last = backward ? k : (n + TILE - 1) / TILE;
    const int64_t size = block_size(k, n);
    const double work = (double)((last - first) * TILE) * (double)(size * columns);
#pragma omp parallel for schedule(dynamic) num_threads(fathom_threads_worth(work, threads))
    for (int64_t i = first; i < last; i++) {
        const fathom_operand block = backward ? fathom_transposed(l + k * TILE * ld + i * TILE, ld)
                                              : fathom_plain(l + i * TILE * ld + k * TILE, ld);
        double *out = x + i * TILE * ldx;
        const double *in = x + k * TILE * ldx;
        if (columns == 1 && ldx == 1)
            fathom_blas_gemv(out, block_size(i, n), size, -1, block, in, 1);
        else
            fathom_blas_gemm(out, ldx, block_size(i, n), columns, size, -1, block, fathom_plain(in, ldx), 1);
    }
}

void fathom_cholesky_apply(double *x, int64_t ldx, int64_t columns, const double *l, int64_t ld, int64_t n,
                           const fathom_context *context)
{
    const int threads = fathom_context_threads(context);
    const int64_t blocks = (n + TILE - 1) / TILE;
    for (int64_t step = 0; step < 2 * blocks; step++) {
        const bool backward = step >= blocks;
        const int64_t k = backward ? 2 * blocks - 1 - step : step;
        const double *diagonal = l + k * TILE * (ld + 1);
        fathom_blas_triangular_solve(x + k * TILE * ldx, ldx,
                                     backward ? fathom_transposed(diagonal, ld) : fathom_plain(diagonal, ld),
                                     true, block_size(k, n), columns);
        spread(x, ldx, columns, l, ld, n, k, backward, threads);
    }
}

double fathom_cholesky_slack(int64_t n, double trace)
{
    const double nu = (double)(n + 4) * 0x1p-53;
    if (!(nu < 0.25))
        return INFINITY;
    const double g = nu / (1 - nu);
    return 1.0000000001 * (g / (1 - g) * fabs(trace)) + 0x1p-1000;
}
