/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the product X U', examples against hidden directions, and its adjoint D' X; dense and sparse data alike. */
#ifndef FATHOM_HIDDEN_H
#define FATHOM_HIDDEN_H

#include "fathom/data.h"
#include "sparse.h"

/* Borrows the view and the directions; owns a transposed copy of them where the data is sparse. */
typedef struct fathom_hidden {
    const fathom_data_view *view;
    const double *u; /* m x d, leading dimension ldu */
    int64_t ldu, m;
    double *transposed; /* d x m, sparse data only */
} fathom_hidden;

/* Must be closed, also after a failure. */
fathom_status fathom_hidden_open(fathom_hidden *hidden, fathom_context *context, const fathom_data_view *view,
                                 const double *u, int64_t ldu, int64_t m);
void fathom_hidden_close(fathom_hidden *hidden, fathom_context *context);

/* z (i1 - i0 x j1 - j0, leading dimension ldz) = X[i0:i1] U[j0:j1]'. Single-threaded, no allocation. */
void fathom_hidden_tile(double *z, int64_t ldz, const fathom_hidden *hidden, int64_t i0, int64_t i1,
                        int64_t j0, int64_t j1);

/* The adjoint, summed over batches of rows: target (m x d, leading dimension ldt) = sum over batches of D' X[i0:i1].
 * Owns a transposed accumulator where the data is sparse. */
typedef struct fathom_adjoint {
    const fathom_data_view *view;
    double *target;
    int64_t ldt, m;
    double *transposed; /* d x m, sparse data only */
} fathom_adjoint;

/* Sets the target to zero. Must be closed, also after a failure. */
fathom_status fathom_adjoint_open(fathom_adjoint *adjoint, fathom_context *context,
                                  const fathom_data_view *view, double *target, int64_t ldt, int64_t m);

/* Adds D' X[i0:i1], D (i1 - i0) x m with leading dimension ldd, on the context's threads. */
fathom_status fathom_adjoint_add(fathom_adjoint *adjoint, fathom_context *context, const double *d,
                                 int64_t ldd, int64_t i0, int64_t i1);

/* Completes the target and releases the accumulator. */
void fathom_adjoint_close(fathom_adjoint *adjoint, fathom_context *context);

/* Rows i0 .. i1 of a view: matrix, targets and weights. */
fathom_data_view fathom_view_rows(const fathom_data_view *view, int64_t i0, int64_t i1);

static inline bool fathom_view_is_sparse(const fathom_data_view *view) { return !view->x && view->row_start; }

static inline fathom_csr fathom_view_csr(const fathom_data_view *view)
{
    return (fathom_csr){view->n, view->d, view->row_start, view->column, view->value};
}

#endif
