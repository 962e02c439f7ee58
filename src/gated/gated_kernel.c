/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K of sparse points as a matrix: where columns are many and points few, everything happens over the points.
 *
 *     K_il = <x_i, x_l> sum_j size_j D_ij D_lj,   X X' once, the sum over gates by a product of n x k
 * matrices
 *
 * A product K v costs n^2 multiply-adds per output at the rate of matrix products, whatever the number of
 * gates k and of columns d; gate by gate over the rows it costs 2 k N, N entries of X, at a fifth of that
 * rate. X X' costs n N / 2 and is kept: both matrices are symmetric and share one array of n^2 numbers,
 * tile against tile. Filling K costs n^2 k / 2.
 */
#include "gated_kernel.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

/* Points beyond which the array, 8 n^2 bytes, is too large: 2.1 GB; and times the entries of a row: beyond
 * which it does not pay. */
enum { LARGEST = 16384, PAYS = 128, BLOCK = 8, SIDE = FATHOM_KERNEL_SIDE };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

bool fathom_gated_kernel_pays(const fathom_objective *p)
{
    return p->sparse && p->n <= LARGEST &&
           (double)p->n * (double)p->n <= PAYS * (double)p->sparse->row.row_start[p->n];
}

double fathom_gated_kernel_bytes(const fathom_objective *p)
{
    return 8 * (double)p->n * (double)(p->n + SIDE);
}

void fathom_gated_kernel_clear(fathom_gated_kernel *kernel, fathom_context *context)
{
    FATHOM_FREE(context, kernel->matrix, kernel->diagonal);
    *kernel = (fathom_gated_kernel){0};
}

/* <x_i, x_l> for l < i in the same tile, from its other half. */
static void mirror_diagonal(fathom_gated_kernel *kernel)
{
    const int64_t n = kernel->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = i / SIDE * SIDE; l < i; l++)
            kernel->matrix[i * n + l] = kernel->matrix[l * n + i];
}

fathom_status fathom_gated_kernel_create(fathom_gated_kernel *kernel, const fathom_objective *p, int threads)
{
    const int64_t n = p->n, d = p->d;
    *kernel = (fathom_gated_kernel){.n = n};
    kernel->matrix = fathom_memory_alloc(p->context, n * n, sizeof(double));
    kernel->diagonal = fathom_memory_alloc(p->context, n * SIDE, sizeof(double));
    double *table = fathom_memory_zero(p->context, threads * BLOCK * d, sizeof *table);
    if (!kernel->matrix || !kernel->diagonal || !table) {
        fathom_memory_free(p->context, table);
        fathom_gated_kernel_clear(kernel, p->context);
        return FATHOM_ERROR_MEMORY;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t first = 0; first < n; first += BLOCK)
        if (!fathom_context_overdue(p->context))
            fathom_sparse_gram_rows(kernel->matrix, n, p->sparse->row, first, min64(first + BLOCK, n),
                                    table + omp_get_thread_num() * BLOCK * d);
    fathom_memory_free(p->context, table);
    mirror_diagonal(kernel);
    if (!fathom_context_overdue(p->context))
        return FATHOM_OK;
    fathom_gated_kernel_clear(kernel, p->context);
    return fathom_context_late(p->context, "products of the rows");
}

/* Tile (top, left), left <= top, of K from `open` (count x n: sqrt(size_j) D_ij); `tile` holds SIDE x SIDE
 * numbers. */
static void fill_tile(fathom_gated_kernel *kernel, int64_t count, const double *open, int64_t top,
                      int64_t left, double *tile)
{
    const int64_t n = kernel->n, high = min64(SIDE, n - top), wide = min64(SIDE, n - left);
    fathom_blas_gemm(tile, SIDE, high, wide, count, 1, fathom_transposed(open + top, n),
                     fathom_plain(open + left, n), 0);
    for (int64_t a = 0; a < high; a++)
        for (int64_t b = 0; b < wide; b++) {
            const double value = tile[a * SIDE + b] * kernel->matrix[(left + b) * n + top + a];
            if (top == left)
                kernel->diagonal[(top + a) * SIDE + b] = value;
            else
                kernel->matrix[(top + a) * n + left + b] = value;
        }
}

fathom_status fathom_gated_kernel_fill(fathom_gated_kernel *kernel, const fathom_objective *p, int64_t count,
                                       const int64_t *gate, const double *size, int threads)
{
    const int64_t n = p->n, tiles = (n + SIDE - 1) / SIDE;
    double *open = fathom_memory_alloc(p->context, count * n, sizeof *open);
    double *work = fathom_memory_alloc(p->context, (int64_t)threads * SIDE * SIDE, sizeof *work);
    if (open && work) {
        for (int64_t j = 0; j < count; j++) {
            const uint64_t *pattern = p->bits + gate[j] * p->words;
            const double root = sqrt(size[j]);
            for (int64_t i = 0; i < n; i++)
                open[j * n + i] = (pattern[i / 64] >> (i % 64)) & 1 ? root : 0;
        }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t pair = 0; pair < tiles * tiles; pair++)
            if (pair / tiles >= pair % tiles)
                fill_tile(kernel, count, open, pair / tiles * SIDE, pair % tiles * SIDE,
                          work + omp_get_thread_num() * SIDE * SIDE);
    }
    const fathom_status status = open && work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_FREE(p->context, open, work);
    return status;
}

/* The tile of K at rows `top` and columns `left`, transposed. */
static fathom_operand tile_of(const fathom_gated_kernel *kernel, int64_t top, int64_t left)
{
    const int64_t n = kernel->n;
    if (top == left)
        return fathom_transposed(kernel->diagonal + top * SIDE, SIDE);
    return top > left ? fathom_transposed(kernel->matrix + top * n + left, n)
                      : fathom_plain(kernel->matrix + left * n + top, n);
}

void fathom_gated_kernel_times(double *out, const fathom_gated_kernel *kernel, const double *v,
                               int64_t outputs, int threads)
{
    const int64_t n = kernel->n;
    const int useful = fathom_threads_worth((double)(n * n) * (double)outputs, threads);
#pragma omp parallel for schedule(dynamic) num_threads(useful)
    for (int64_t top = 0; top < n; top += SIDE)
        for (int64_t left = 0; left < n; left += SIDE) {
            const int64_t high = min64(SIDE, n - top), wide = min64(SIDE, n - left);
            fathom_operand k = tile_of(kernel, top, left);
            if (outputs == 1) {
                k.transposed = !k.transposed;
                fathom_blas_gemv(out + top, high, wide, 1, k, v + left, left > 0);
            } else {
                fathom_blas_gemm(out + top, n, outputs, high, wide, 1, fathom_plain(v + left, n), k,
                                 left > 0);
            }
        }
}
