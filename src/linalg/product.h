/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on one thread, by the kernels of product_kernels.h: blas.h declares what others call. */
#ifndef FATHOM_PRODUCT_H
#define FATHOM_PRODUCT_H

#include "blas.h"
#include "product_kernels.h"

/* As fathom_blas_gemm, with a kernel of one's choice. */
void fathom_product(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                    fathom_operand a, fathom_operand b, double beta, const fathom_product_kernel *kernel);

#endif
