/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense linear algebra, row-major: products, norms, triangular systems and Cholesky factors on kernels of
 * this tree (product.c, vector.c, triangular.c), eigenvalues, QR and SVD over LAPACKE (lapack.c, the one
 * adapter).
 *
 * Everything runs on the calling thread, and its bits depend on the numbers alone: not on how arrays are
 * aligned, which thread calls, or which BLAS is installed, except for what LAPACK does. The thread pool of
 * the BLAS under LAPACK is switched off during a call, and on again after it (blas_library.h): the setting
 * belongs to the process.
 *
 * Sizes are int64_t; factorisations by LAPACK return ERROR_MEMORY where one does not fit its int. All
 * routines may be called from several threads at once on different outputs. Outputs must not overlap inputs
 * unless said so.
 */
#ifndef FATHOM_BLAS_H
#define FATHOM_BLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "fathom/context.h"

/* A matrix operand: row-major with leading dimension ld >= columns as stored, read as it is or transposed. */
typedef struct fathom_operand {
    const double *a;
    int64_t ld;
    bool transposed;
} fathom_operand;

static inline fathom_operand fathom_plain(const double *a, int64_t ld)
{
    return (fathom_operand){a, ld, false};
}

static inline fathom_operand fathom_transposed(const double *a, int64_t ld)
{
    return (fathom_operand){a, ld, true};
}

/* C (rows x columns) = alpha op(A) op(B) + beta C, op(A) rows x inner, op(B) inner x columns; C is not read where
 * beta = 0. Single-threaded; fathom_gemm (gemm.h) is the parallel form. */
void fathom_blas_gemm(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                      fathom_operand a, fathom_operand b, double beta);

/* y (rows) = alpha op(A) x + beta y, op(A) rows x columns. */
void fathom_blas_gemv(double *y, int64_t rows, int64_t columns, double alpha, fathom_operand a,
                      const double *x, double beta);

/* C (n x n) = alpha op(A) op(A)' + beta C, op(A) n x inner; C symmetric before (where beta != 0) and after. */
void fathom_blas_syrk(double *c, int64_t ldc, int64_t n, int64_t inner, double alpha, fathom_operand a,
                      double beta);

/* A (rows x columns) += alpha x y'. */
void fathom_blas_ger(double *a, int64_t lda, int64_t rows, int64_t columns, double alpha, const double *x,
                     const double *y);

/* sum x_i y_i; sqrt(sum x_i^2) without overflow; y += alpha x; x *= alpha; sum |x_i|. */
double fathom_blas_dot(const double *x, const double *y, int64_t count);
double fathom_blas_norm(const double *x, int64_t count);

/* The norm rounded up: its own `count` roundings, and `spare` more for those of the numbers. */
double fathom_blas_norm_up(const double *x, int64_t count, int64_t spare);

void fathom_blas_axpy(double *y, double alpha, const double *x, int64_t count);
void fathom_blas_scale(double *x, double alpha, int64_t count);
double fathom_blas_sum_abs(const double *x, int64_t count);

/* A = L L' in place: the lower triangle of A (n x n) becomes L, the strict upper one is left as it was. Returns 0, or
 * the order of the first leading minor that is not positive (L is then undefined). */
int64_t fathom_blas_cholesky(double *a, int64_t ld, int64_t n);

/* X (n x columns) = (L L')^{-1} X with the factor of fathom_blas_cholesky. */
void fathom_blas_cholesky_solve(double *x, int64_t ldx, const double *l, int64_t ld, int64_t n,
                                int64_t columns);

/* X = op(T)^{-1} X for a triangular T (n x n), lower or upper, X n x columns. */
void fathom_blas_triangular_solve(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                  int64_t columns);

/* X (rows x n) = X op(T)^{-1} for a triangular T (n x n), lower or upper. */
void fathom_blas_triangular_solve_right(double *x, int64_t ldx, fathom_operand t, bool lower, int64_t n,
                                        int64_t rows);

/* Symmetric eigenproblem A = sum_k value_k q_k q_k', values ascending. On entry `a` (n x n) holds A (lower triangle
 * read); on exit its row k is q_k, or is destroyed where `vectors` is false. */
fathom_status fathom_blas_eigen(double *value, double *a, int64_t ld, int64_t n, bool vectors,
                                fathom_context *context);

/* The same with vectors and without allocation: `work` holds fathom_blas_eigen_work(n) doubles; false where the iteration
 * does not converge. */
bool fathom_blas_eigen_run(double *value, double *a, int64_t ld, int64_t n, double *work);
int64_t fathom_blas_eigen_work(int64_t n);

/* Thin QR, rows >= columns: on entry `a` is A (rows x columns), on exit Q with orthonormal columns; r (columns x
 * columns, leading dimension columns) is upper triangular, and may be NULL. */
fathom_status fathom_blas_qr(double *a, int64_t ld, double *r, int64_t rows, int64_t columns,
                             fathom_context *context);

/* Thin SVD A = U diag(s) V', k = min(rows, columns), s descending: u rows x k, vt k x columns, packed (leading
 * dimensions k and columns). `a` (rows x columns) is destroyed. u and vt may both be NULL: values only. */
fathom_status fathom_blas_svd(double *s, double *u, double *vt, double *a, int64_t ld, int64_t rows,
                              int64_t columns, fathom_context *context);

#endif
