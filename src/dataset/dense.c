/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse or padded rows as a packed dense copy: see dense.h. */
#include "dense.h"

#include <string.h>

#include "context_internal.h"
#include "memory.h"

void fathom_dense_row(double *row, const fathom_data_view *view, int64_t i)
{
    if (view->x) {
        memcpy(row, view->x + i * view->ld, (size_t)view->d * sizeof *row);
        return;
    }
    memset(row, 0, (size_t)view->d * sizeof *row);
    for (int64_t k = view->row_start[i]; k < view->row_start[i + 1]; k++)
        row[view->column[k]] = view->value[k];
}

fathom_status fathom_dense_copy(double **x, const fathom_data_view *view, fathom_context *context)
{
    *x = NULL;
    FATHOM_TRY(fathom_context_require(context, 8.0 * (double)view->n * (double)view->d, "the dense data"));
    *x = fathom_memory_alloc(context, view->n * view->d, sizeof **x);
    if (!*x)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < view->n; i++)
        fathom_dense_row(*x + i * view->d, view, i);
    return FATHOM_OK;
}
