/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the calling thread; product.c does the work. */
#include "blas.h"

#include "product.h"

void fathom_blas_gemm(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                      fathom_operand a, fathom_operand b, double beta)
{
    if (rows > 0 && columns > 0)
        fathom_product(c, ldc, rows, columns, inner, alpha, a, b, beta, fathom_product_kernel_chosen());
}

void fathom_blas_syrk(double *c, int64_t ldc, int64_t n, int64_t inner, double alpha, fathom_operand a,
                      double beta)
{
    enum { STRIP = 96 };
    const fathom_operand turned = {a.a, a.ld, !a.transposed};
    for (int64_t top = 0; top < n; top += STRIP) { /* rows up to and with the diagonal */
        const int64_t rows = n - top < STRIP ? n - top : STRIP;
        fathom_operand strip = a;
        strip.a += a.transposed ? top : top * a.ld;
        fathom_blas_gemm(c + top * ldc, ldc, rows, top + rows, inner, alpha, strip, turned, beta);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            c[j * ldc + i] = c[i * ldc + j];
}
