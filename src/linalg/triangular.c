/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triangular systems and Cholesky factors by blocks: whatever is not on the diagonal is a matrix product.
 *
 *     op(T) X = B:  X_b = T_bb^{-1} (B_b - sum_{c before b} T_bc X_c),    blocks b of BLOCK rows in the order of substitution
 *     A = L L':     L_bb = chol(A_bb - L_b. L_b.'),  L_cb = (A_cb - L_c. L_b.') L_bb^{-T} below it
 *
 * Bits depend on the matrices alone (product.c, vector.c).
 */
#include "blas.h"

#include <math.h>

enum { BLOCK = 32, STRIP = 64 };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* op(T) from row i and column j on. */
static fathom_operand from(fathom_operand t, int64_t i, int64_t j)
{
    t.a += t.transposed ? j * t.ld + i : i * t.ld + j;
    return t;
}

static double entry(fathom_operand t, int64_t i, int64_t j)
{
    return t.transposed ? t.a[j * t.ld + i] : t.a[i * t.ld + j];
}

/* One block: rows of X by substitution. */
static void solve_block(double *x, int64_t ldx, fathom_operand t, bool forward, int64_t n, int64_t columns)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = forward ? step : n - 1 - step;
        for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); k++)
            fathom_blas_axpy(x + i * ldx, -entry(t, i, k), x + k * ldx, columns);
        const double pivot = entry(t, i, i);
        for (int64_t j = 0; j < columns; j++)
            x[i * ldx + j] /= pivot;
    }
}

/* One column, next numbers ldx apart: by rows of T as they are stored. */
static void solve_column(double *x, int64_t ldx, fathom_operand t, bool forward, int64_t n)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = forward ? step : n - 1 - step, first = forward ? 0 : i + 1;
        const int64_t count = forward ? i : n - 1 - i;
        if (!t.transposed && ldx == 1)
            x[i] -= fathom_blas_dot(t.a + i * t.ld + first, x + first, count);
        else if (!t.transposed)
            for (int64_t k = first; k < first + count; k++)
                x[i * ldx] -= t.a[i * t.ld + k] * x[k * ldx];
        x[i * ldx] /= t.a[i * t.ld + i];
        if (!t.transposed)
            continue;
        /* row i of T as stored is column i of op(T): what x_i contributes to those that follow */
        const int64_t next = forward ? i + 1 : 0, left = forward ? n - 1 - i : i;
        if (ldx == 1)
            fathom_blas_axpy(x + next, -x[i], t.a + i * t.ld + next, left);
        else
            for (int64_t k = next; k < next + left; k++)
                x[k * ldx] -= t.a[i * t.ld + k] * x[i * ldx];
    }
}

void fathom_blas_triangular_solve(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                  int64_t columns)
{
    const bool forward = lower != t.transposed;
    if (columns == 1) {
        solve_column(x, ldx, t, forward, n);
        return;
    }
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    for (int64_t step = 0; step < blocks && columns > 0; step++) {
        const int64_t at = (forward ? step : blocks - 1 - step) * BLOCK, size = smaller(BLOCK, n - at);
        const int64_t first = forward ? 0 : at + size, count = forward ? at : n - first;
        if (count > 0)
            fathom_blas_gemm(x + at * ldx, ldx, size, columns, count, -1, from(t, at, first),
                             fathom_plain(x + first * ldx, ldx), 1);
        solve_block(x + at * ldx, ldx, from(t, at, at), forward, size, columns);
    }
}

/* One block of columns of X op(T) = B, through its transpose in strips of rows. */
static void solve_block_right(double *x, int64_t ldx, fathom_operand t, bool forward, int64_t n, int64_t rows)
{
    double strip[BLOCK * STRIP];
    t.transposed = !t.transposed;
    for (int64_t top = 0; top < rows; top += STRIP) {
        const int64_t count = smaller(STRIP, rows - top);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < count; i++)
                strip[j * STRIP + i] = x[(top + i) * ldx + j];
        solve_block(strip, STRIP, t, forward, n, count);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < n; j++)
                x[(top + i) * ldx + j] = strip[j * STRIP + i];
    }
}

void fathom_blas_triangular_solve_right(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                        int64_t rows)
{
    const bool forward = lower == t.transposed; /* op(T)' x' = r' for every row */
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    for (int64_t step = 0; step < blocks && rows > 0; step++) {
        const int64_t at = (forward ? step : blocks - 1 - step) * BLOCK, size = smaller(BLOCK, n - at);
        const int64_t first = forward ? 0 : at + size, count = forward ? at : n - first;
        if (count > 0)
            fathom_blas_gemm(x + at, ldx, rows, size, count, -1, fathom_plain(x + first, ldx),
                             from(t, first, at), 1);
        solve_block_right(x + at, ldx, from(t, at, at), forward, size, rows);
    }
}

/* The lower triangle of one block; the order of the first minor that is not positive, or 0. */
static int64_t factor_block(double *a, int64_t ld, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const double left = a[j * ld + j] - fathom_blas_dot(a + j * ld, a + j * ld, j);
        if (!(left > 0))
            return j + 1;
        a[j * ld + j] = sqrt(left);
        for (int64_t i = j + 1; i < n; i++)
            a[i * ld + j] = (a[i * ld + j] - fathom_blas_dot(a + i * ld, a + j * ld, j)) / a[j * ld + j];
    }
    return 0;
}

int64_t fathom_blas_cholesky(double *a, int64_t ld, int64_t n)
{
    double block[BLOCK * BLOCK];
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t size = smaller(BLOCK, n - at), below = n - at - size;
        double *rows = a + at * ld, *rest = a + (at + size) * ld;
        /* the strict upper triangle stays as it was: the product goes beside */
        fathom_blas_gemm(block, BLOCK, size, size, at, 1, fathom_plain(rows, ld), fathom_transposed(rows, ld),
                         0);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j <= i; j++)
                rows[i * ld + at + j] -= block[i * BLOCK + j];
        const int64_t minor = factor_block(rows + at, ld, size);
        if (minor > 0)
            return at + minor;
        if (at > 0 && below > 0)
            fathom_blas_gemm(rest + at, ld, below, size, at, -1, fathom_plain(rest, ld),
                             fathom_transposed(rows, ld), 1);
        fathom_blas_triangular_solve_right(rest + at, ld, fathom_transposed(rows + at, ld), true, size,
                                           below);
    }
    return 0;
}

void fathom_blas_cholesky_solve(double *x, int64_t ldx, const double *l, int64_t ld, int64_t n,
                                int64_t columns)
{
    fathom_blas_triangular_solve(x, ldx, fathom_plain(l, ld), true, n, columns);
    fathom_blas_triangular_solve(x, ldx, fathom_transposed(l, ld), true, n, columns);
}
