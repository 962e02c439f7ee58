/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse rows times dense matrices: one pass over the entries, each meeting a whole row of the dense operand.
 *
 * Cost: 2 columns flops per entry. Sums run over the entries of a row (or the rows) in ascending order, so the bits
 * depend on nothing but the operands. Callers cut `columns` into blocks that fit the cache, and into pieces for
 * threads: no two threads may share a block of C.
 */
#include "sparse.h"

#include <string.h>

static void add_multiple(double *restrict y, double alpha, const double *restrict x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        y[k] += alpha * x[k];
}

void fathom_csr_times(double *c, int64_t ldc, fathom_csr a, int64_t first, int64_t last, const double *b,
                      int64_t ldb, int64_t columns)
{
    if (columns <= 0)
        return;
    for (int64_t i = first; i < last; i++) {
        double *row = c + (i - first) * ldc;
        memset(row, 0, (size_t)columns * sizeof(double));
        for (int64_t e = a.row_start[i]; e < a.row_start[i + 1]; e++)
            add_multiple(row, a.value[e], b + a.column[e] * ldb, columns);
    }
}

void fathom_csr_transposed_times(double *c, int64_t ldc, fathom_csr a, int64_t first, int64_t last,
                                 const double *b, int64_t ldb, int64_t columns)
{
    for (int64_t i = first; i < last; i++)
        for (int64_t e = a.row_start[i]; e < a.row_start[i + 1]; e++)
            add_multiple(c + a.column[e] * ldc, a.value[e], b + (i - first) * ldb, columns);
}

void fathom_csr_transpose(int64_t *start, int32_t *row, double *value, fathom_csr a)
{
    memset(start, 0, (size_t)(a.d + 1) * sizeof *start);
    for (int64_t e = a.row_start[0]; e < a.row_start[a.n]; e++)
        start[a.column[e] + 1]++;
    for (int64_t k = 0; k < a.d; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t e = a.row_start[i]; e < a.row_start[i + 1]; e++) {
            const int64_t at = start[a.column[e]]++;
            row[at] = (int32_t)i;
            value[at] = a.value[e];
        }
    for (int64_t k = a.d; k > 0; k--) /* each start has moved to the next one */
        start[k] = start[k - 1];
    start[0] = 0;
}
