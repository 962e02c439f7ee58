/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Z = X U', the n x m matrix that no one stores whole: tiles of it on demand.
 *
 * Dense X: one matrix product per tile. Sparse X: every entry of X meets a row of U', so U is transposed once
 * (d x m doubles) and read in contiguous runs.
 */
#include "hidden.h"

#include "blas.h"
#include "gemm.h"
#include "memory.h"

fathom_status fathom_hidden_open(fathom_hidden *hidden, fathom_context *context, const fathom_data_view *view,
                                 const double *u, int64_t ldu, int64_t m)
{
    *hidden = (fathom_hidden){view, u, ldu, m, NULL};
    if (!fathom_view_is_sparse(view))
        return FATHOM_OK;
    hidden->transposed = fathom_memory_alloc(context, view->d * m, sizeof(double));
    if (!hidden->transposed)
        return FATHOM_ERROR_MEMORY;
    fathom_transpose(hidden->transposed, m, u, ldu, m, view->d);
    return FATHOM_OK;
}

void fathom_hidden_close(fathom_hidden *hidden, fathom_context *context)
{
    fathom_memory_free(context, hidden->transposed);
    hidden->transposed = NULL;
}

void fathom_hidden_tile(double *z, int64_t ldz, const fathom_hidden *hidden, int64_t i0, int64_t i1,
                        int64_t j0, int64_t j1)
{
    const fathom_data_view *view = hidden->view;
    if (hidden->transposed)
        fathom_csr_times(z, ldz, fathom_view_csr(view), i0, i1, hidden->transposed + j0, hidden->m, j1 - j0);
    else
        fathom_blas_gemm(z, ldz, i1 - i0, j1 - j0, view->d, 1,
                         fathom_plain(view->x + i0 * view->ld, view->ld),
                         fathom_transposed(hidden->u + j0 * hidden->ldu, hidden->ldu), 0);
}
