/* SPDX-License-Identifier: Apache-2.0 */
/* Products of compressed sparse rows (CSR) with dense matrices. */
#ifndef FATHOM_SPARSE_H
#define FATHOM_SPARSE_H

#include <stdint.h>

/* n x d; the entries of row i are row_start[i] .. row_start[i+1], columns ascending. Borrowed. */
typedef struct fathom_csr {
    int64_t n, d;
    const int64_t *row_start;
    const int32_t *column;
    const double *value;
} fathom_csr;

/* C (last - first x columns, leading dimension ldc) = A[first:last] B, B d x columns with leading dimension ldb. */
void fathom_csr_times(double *c, int64_t ldc, fathom_csr a, int64_t first, int64_t last, const double *b,
                      int64_t ldb, int64_t columns);

/* C (d x columns) += A[first:last]' B, B (last - first) x columns. */
void fathom_csr_transposed_times(double *c, int64_t ldc, fathom_csr a, int64_t first, int64_t last,
                                 const double *b, int64_t ldb, int64_t columns);

/* The same matrix by columns: start (d + 1), row and value (as many as A has entries), rows ascending; A.n
 * < 2^31. */
void fathom_csr_transpose(int64_t *start, int32_t *row, double *value, fathom_csr a);

#endif
