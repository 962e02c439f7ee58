/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C (rows x columns) = alpha op(A) op(B) + beta C in parallel.
 *
 * Method: C is cut into tiles whose size depends on the shape alone; each tile is one call of the single-threaded
 * product. Where C has too few tiles but the inner dimension is long (a gradient: few weights, many examples), the
 * inner dimension is cut into at most SPLITS pieces as well; their partial products are added in ascending order.
 * Guarantee: the bits of C do not depend on the number of threads. Cost: 2 rows columns inner flops, and
 * SPLITS rows columns doubles where the inner dimension is cut.
 */
#include "gemm.h"

#include "context_internal.h"
#include "memory.h"

/* A side of 256 lets the product re-use what it packs often enough to run at full speed. */
enum { SIDE = 256, SMALL_SIDE = 128, ENOUGH_TILES = 8, SPLITS = 8, INNER_PIECE = 2048, TRANSPOSE_SIDE = 32 };
static const double LONG = 0x1p27; /* multiply-adds that are worth a look at the clock */

static int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* op(A) without its first rows and columns. */
static fathom_operand shifted(fathom_operand a, int64_t row, int64_t column)
{
    a.a += a.transposed ? column * a.ld + row : row * a.ld + column;
    return a;
}

typedef struct product {
    double *c;
    int64_t ldc, rows, columns, inner;
    double alpha, beta;
    fathom_operand a, b;
} product;

/* Whether the rest is given up. */
static bool late(const product *p, const fathom_context *context)
{
    return (double)p->rows * (double)p->columns * (double)p->inner > LONG && fathom_context_overdue(context);
}

/* Tiles are left out once the call is overdue, which the caller asks for at the end. */
static void by_tiles(const product *p, const fathom_context *context)
{
    const int64_t big = pieces(p->rows, SIDE) * pieces(p->columns, SIDE);
    const int64_t side = big < ENOUGH_TILES ? SMALL_SIDE : SIDE;
    const int64_t across = pieces(p->columns, side), tiles = pieces(p->rows, side) * across;
    const int threads = fathom_threads_worth((double)p->rows * (double)p->columns * (double)p->inner,
                                             fathom_context_threads(context));
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        if (late(p, context))
            continue;
        const int64_t i = t / across * side, j = t % across * side;
        fathom_blas_gemm(p->c + i * p->ldc + j, p->ldc, smaller(side, p->rows - i),
                         smaller(side, p->columns - j), p->inner, p->alpha, shifted(p->a, i, 0),
                         shifted(p->b, 0, j), p->beta);
        fathom_context_passed(context);
    }
}

/* C = beta C + partial_0 + partial_1 + ..., each partial rows x columns, packed. */
static void combine(const product *p, const double *partial, int64_t count)
{
    const int64_t size = p->rows * p->columns;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++) {
            double sum = p->beta == 0 ? 0 : p->beta * p->c[i * p->ldc + j];
            for (int64_t s = 0; s < count; s++)
                sum += partial[s * size + i * p->columns + j];
            p->c[i * p->ldc + j] = sum;
        }
}

static fathom_status by_inner_pieces(const product *p, int64_t length, int threads, fathom_context *context)
{
    const int64_t count = pieces(p->inner, length), size = p->rows * p->columns;
    double *partial = fathom_memory_alloc(context, count * size, sizeof(double));
    if (!partial)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t s = 0; s < count; s++) {
        const int64_t k = s * length;
        if (late(p, context))
            continue;
        fathom_blas_gemm(partial + s * size, p->columns, p->rows, p->columns, smaller(length, p->inner - k),
                         p->alpha, shifted(p->a, 0, k), shifted(p->b, k, 0), 0);
        fathom_context_passed(context);
    }
    combine(p, partial, count);
    fathom_memory_free(context, partial);
    return late(p, context) ? fathom_context_late(context, "a product of matrices") : FATHOM_OK;
}

fathom_status fathom_gemm(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                          fathom_operand a, fathom_operand b, double beta, fathom_context *context)
{
    if (rows <= 0 || columns <= 0)
        return FATHOM_OK;
    const product p = {c, ldc, rows, columns, inner, alpha, beta, a, b};
    const int threads = fathom_context_threads(context);
    const int64_t tiles = pieces(rows, SMALL_SIDE) * pieces(columns, SMALL_SIDE);
    if (tiles < ENOUGH_TILES && inner >= 2 * INNER_PIECE) {
        const int64_t even = pieces(inner, SPLITS);
        return by_inner_pieces(&p, even > INNER_PIECE ? even : INNER_PIECE, threads, context);
    }
    by_tiles(&p, context);
    return late(&p, context) ? fathom_context_late(context, "a product of matrices") : FATHOM_OK;
}

void fathom_transpose(double *out, int64_t ldo, const double *a, int64_t lda, int64_t rows, int64_t columns)
{
    for (int64_t i0 = 0; i0 < rows; i0 += TRANSPOSE_SIDE)
        for (int64_t j0 = 0; j0 < columns; j0 += TRANSPOSE_SIDE) {
            const int64_t i1 = smaller(i0 + TRANSPOSE_SIDE, rows), j1 = smaller(j0 + TRANSPOSE_SIDE, columns);
            for (int64_t i = i0; i < i1; i++)
                for (int64_t j = j0; j < j1; j++)
                    out[j * ldo + i] = a[i * lda + j];
        }
}
