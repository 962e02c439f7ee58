/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Z = X U', the n x m matrix that no one stores whole: tiles of it on demand.
 *
 * Dense X: one matrix product per tile. Sparse X: every entry of X meets a row of U', so U is transposed once
 * (d x m doubles) and read in contiguous runs. The adjoint D' X is one product over fixed tiles for dense X; for
 * sparse X it is summed as X' D in strips of hidden units, each strip by one thread, and transposed at the end.
 */
#include "hidden.h"

#include <string.h>

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

enum { STRIP = 64 };

fathom_status fathom_adjoint_open(fathom_adjoint *adjoint, fathom_context *context,
                                  const fathom_data_view *view, double *target, int64_t ldt, int64_t m)
{
    *adjoint = (fathom_adjoint){view, target, ldt, m, NULL};
    for (int64_t j = 0; j < m; j++)
        memset(target + j * ldt, 0, (size_t)view->d * sizeof(double));
    if (!fathom_view_is_sparse(view))
        return FATHOM_OK;
    adjoint->transposed = fathom_memory_zero(context, view->d * m, sizeof(double));
    return adjoint->transposed ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_adjoint_add(fathom_adjoint *adjoint, fathom_context *context, const double *d,
                                 int64_t ldd, int64_t i0, int64_t i1)
{
    const fathom_data_view *view = adjoint->view;
    const int64_t m = adjoint->m;
    if (!adjoint->transposed)
        return fathom_gemm(adjoint->target, adjoint->ldt, m, view->d, i1 - i0, 1, fathom_transposed(d, ldd),
                           fathom_plain(view->x + i0 * view->ld, view->ld), 1, context);
    const int threads = fathom_context_threads(context);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t j = 0; j < m; j += STRIP)
        fathom_csr_transposed_times(adjoint->transposed + j, m, fathom_view_csr(view), i0, i1, d + j, ldd,
                                    m - j < STRIP ? m - j : STRIP);
    return FATHOM_OK;
}

void fathom_adjoint_close(fathom_adjoint *adjoint, fathom_context *context)
{
    if (adjoint->transposed)
        fathom_transpose(adjoint->target, adjoint->ldt, adjoint->transposed, adjoint->m, adjoint->view->d,
                         adjoint->m);
    fathom_memory_free(context, adjoint->transposed);
    adjoint->transposed = NULL;
}

fathom_data_view fathom_view_rows(const fathom_data_view *view, int64_t i0, int64_t i1)
{
    fathom_data_view rows = *view;
    rows.n = i1 - i0;
    if (view->x)
        rows.x = view->x + i0 * view->ld;
    if (view->row_start)
        rows.row_start = view->row_start + i0; /* offsets into column and value stay as they are */
    if (view->y)
        rows.y = view->y + i0 * view->outputs;
    if (view->weight)
        rows.weight = view->weight + i0;
    return rows;
}
