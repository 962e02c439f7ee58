/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product over fixed tiles, one thread per tile: the same bits for every number of threads. */
#ifndef FATHOM_GEMM_H
#define FATHOM_GEMM_H

#include "blas.h"

/* C (rows x columns) = alpha op(A) op(B) + beta C as fathom_blas_gemm, on the context's threads. Fails only where there
 * is no memory for partial sums. */
fathom_status fathom_gemm(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                          fathom_operand a, fathom_operand b, double beta, fathom_context *context);

/* out (columns x rows, leading dimension ldo) = transpose of a (rows x columns, leading dimension lda). */
void fathom_transpose(double *out, int64_t ldo, const double *a, int64_t lda, int64_t rows, int64_t columns);

#endif
