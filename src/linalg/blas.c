/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense kernels over CBLAS: products, norms, triangular solves. The factorisations are in lapack.c.
 *
 * Every entry narrows its sizes to int through `narrow`, the only place that does so; where one does not fit, the
 * same sum runs in plain loops, so that no size is ever cut silently.
 */
#include "blas.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <cblas.h>

#include "blas_internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The build says whether the BLAS at hand has threads and how it is told. */
#ifdef FATHOM_BLAS_SET_THREADS
void FATHOM_BLAS_SET_THREADS(FATHOM_BLAS_THREADS_TYPE count);
static void use_one_thread(void) { FATHOM_BLAS_SET_THREADS(1); }
#else
static void use_one_thread(void) {}
#endif

void fathom_blas_start(void) { pthread_once(&once, use_one_thread); }

bool fathom_blas_narrow(int *narrowed, const int64_t *size, int count)
{
    for (int k = 0; k < count; k++) {
        if (size[k] < 0 || size[k] > INT_MAX)
            return false;
        narrowed[k] = (int)size[k];
    }
    return true;
}

/* BLAS insists on ld >= 1 even where there is nothing to read. */
static int64_t at_least_one(int64_t ld) { return ld < 1 ? 1 : ld; }

static CBLAS_TRANSPOSE flag(fathom_operand a) { return a.transposed ? CblasTrans : CblasNoTrans; }

static double entry(fathom_operand a, int64_t i, int64_t j)
{
    return a.transposed ? a.a[j * a.ld + i] : a.a[i * a.ld + j];
}

/* The same product without BLAS, for sizes beyond int. */
static void gemm_plain(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                       fathom_operand a, fathom_operand b, double beta)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < inner; k++)
                sum += entry(a, i, k) * entry(b, k, j);
            double *at = &c[i * ldc + j];
            *at = alpha * sum + (beta == 0 ? 0 : beta * *at);
        }
}

void fathom_blas_gemm(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                      fathom_operand a, fathom_operand b, double beta)
{
    if (rows <= 0 || columns <= 0)
        return;
    fathom_blas_start();
    const int64_t size[] = {rows, columns, inner, at_least_one(a.ld), at_least_one(b.ld), ldc};
    int s[6];
    if (!fathom_blas_narrow(s, size, 6))
        gemm_plain(c, ldc, rows, columns, inner, alpha, a, b, beta);
    else
        cblas_dgemm(CblasRowMajor, flag(a), flag(b), s[0], s[1], s[2], alpha, a.a, s[3], b.a, s[4], beta, c,
                    s[5]);
}

void fathom_blas_gemv(double *y, int64_t rows, int64_t columns, double alpha, fathom_operand a,
                      const double *x, double beta)
{
    if (rows <= 0)
        return;
    fathom_blas_start();
    const int64_t size[] = {a.transposed ? columns : rows, a.transposed ? rows : columns, at_least_one(a.ld)};
    int s[3];
    if (columns == 0 || !fathom_blas_narrow(s, size, 3)) /* BLAS leaves y alone where a size is zero */
        gemm_plain(y, 1, rows, 1, columns, alpha, a, fathom_plain(x, 1), beta);
    else
        cblas_dgemv(CblasRowMajor, flag(a), s[0], s[1], alpha, a.a, s[2], x, 1, beta, y, 1);
}

void fathom_blas_syrk(double *c, int64_t ldc, int64_t n, int64_t inner, double alpha, fathom_operand a,
                      double beta)
{
    if (n <= 0)
        return;
    fathom_blas_start();
    const int64_t size[] = {n, inner, at_least_one(a.ld), ldc};
    int s[4];
    if (!fathom_blas_narrow(s, size, 4))
        gemm_plain(c, ldc, n, n, inner, alpha, a, (fathom_operand){a.a, a.ld, !a.transposed}, beta);
    else
        cblas_dsyrk(CblasRowMajor, CblasLower, flag(a), s[0], s[1], alpha, a.a, s[2], beta, c, s[3]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            c[j * ldc + i] = c[i * ldc + j];
}

void fathom_blas_ger(double *a, int64_t lda, int64_t rows, int64_t columns, double alpha, const double *x,
                     const double *y)
{
    for (int64_t i = 0; i < rows; i++)
        fathom_blas_axpy(a + i * lda, alpha * x[i], y, columns);
}

/* Vectors longer than an int are cut into pieces of this length. */
#define PIECE ((int64_t)1 << 30)

static int piece(int64_t left) { return (int)(left < PIECE ? left : PIECE); }

double fathom_blas_dot(const double *x, const double *y, int64_t count)
{
    fathom_blas_start();
    double sum = 0;
    for (int64_t k = 0; k < count; k += PIECE)
        sum += cblas_ddot(piece(count - k), x + k, 1, y + k, 1);
    return sum;
}

double fathom_blas_norm(const double *x, int64_t count)
{
    fathom_blas_start();
    double norm = 0;
    for (int64_t k = 0; k < count; k += PIECE)
        norm = hypot(norm, cblas_dnrm2(piece(count - k), x + k, 1));
    return norm;
}

void fathom_blas_axpy(double *y, double alpha, const double *x, int64_t count)
{
    fathom_blas_start();
    for (int64_t k = 0; k < count; k += PIECE)
        cblas_daxpy(piece(count - k), alpha, x + k, 1, y + k, 1);
}

void fathom_blas_scale(double *x, double alpha, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        x[k] *= alpha;
}

double fathom_blas_sum_abs(const double *x, int64_t count)
{
    fathom_blas_start();
    double sum = 0;
    for (int64_t k = 0; k < count; k += PIECE)
        sum += cblas_dasum(piece(count - k), x + k, 1);
    return sum;
}

/* Row i of the solution by substitution, for sizes beyond int. */
static void triangular_plain(double *x, int64_t ldx, fathom_operand t, bool forward, int64_t n,
                             int64_t columns)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = forward ? step : n - 1 - step;
        for (int64_t j = 0; j < columns; j++) {
            double sum = x[i * ldx + j];
            for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); k++)
                sum -= entry(t, i, k) * x[k * ldx + j];
            x[i * ldx + j] = sum / entry(t, i, i);
        }
    }
}

void fathom_blas_triangular_solve(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                  int64_t columns)
{
    if (n <= 0 || columns <= 0)
        return;
    fathom_blas_start();
    const int64_t size[] = {n, columns, t.ld, ldx};
    int s[4];
    if (!fathom_blas_narrow(s, size, 4))
        triangular_plain(x, ldx, t, lower != t.transposed, n, columns);
    else if (columns == 1) /* nothing to pack for one column */
        cblas_dtrsv(CblasRowMajor, lower ? CblasLower : CblasUpper, flag(t), CblasNonUnit, s[0], t.a, s[2], x,
                    s[3]);
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, lower ? CblasLower : CblasUpper, flag(t), CblasNonUnit, s[0],
                    s[1], 1, t.a, s[2], x, s[3]);
}

void fathom_blas_triangular_solve_right(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                        int64_t rows)
{
    if (n <= 0 || rows <= 0)
        return;
    fathom_blas_start();
    const int64_t size[] = {rows, n, t.ld, ldx};
    int s[4];
    if (fathom_blas_narrow(s, size, 4)) {
        cblas_dtrsm(CblasRowMajor, CblasRight, lower ? CblasLower : CblasUpper, flag(t), CblasNonUnit, s[0],
                    s[1], 1, t.a, s[2], x, s[3]);
        return;
    }
    /* Row by row: x op(T) = r is op(T)' x' = r'. */
    t.transposed = !t.transposed;
    for (int64_t i = 0; i < rows; i++)
        triangular_plain(x + i * ldx, 1, t, lower != t.transposed, n, 1);
}
