/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation on faces: the solution of a master moved so that its outputs are the targets, to rounding.
 *
 * With G (columns x N) the features of the faces in use, p moves by the least change dp with G' dp = y - f, that is
 * dp = G K^{-1} (y - f), K = G' G. Repeated once, as K may be ill-conditioned. Faces are open in their spans, so a small
 * change keeps the network that p names.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gemm.h"
#include "memory.h"
#include "relu_faces.h"

/* f = G' p + c of the solution. */
static void outputs_of(double *f, const fathom_faces *a, int64_t rows)
{
    fathom_blas_gemv(f, rows, a->start[a->count], 1, fathom_transposed(a->feature, rows), a->p, 0);
    for (int64_t i = 0; i < rows; i++)
        f[i] += a->c[i / a->problem->n];
}

/* work (columns x N) = the features of the columns in use, zero for the others. */
static void used_features(double *work, const fathom_faces *a, int64_t rows)
{
    double total = 0;
    memcpy(work, a->feature, (size_t)(a->start[a->count] * rows) * sizeof *work);
    for (int64_t k = 0; k < a->count; k++)
        total += fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
    for (int64_t k = 0; k < a->count; k++) {
        const int64_t at = a->start[k], size = a->start[k + 1] - at;
        if (!(fathom_blas_norm(a->p + at, size) > 1e-7 * total))
            memset(work + at * rows, 0, (size_t)(size * rows) * sizeof *work);
    }
}

fathom_status fathom_faces_interpolate(double *left, fathom_faces *faces, const double *y)
{
    fathom_context *context = faces->problem->context;
    const int64_t rows = faces->problem->n * faces->problem->outputs, columns = faces->start[faces->count];
    double *g = fathom_memory_alloc(context, columns * rows, sizeof *g);
    double *k = fathom_memory_alloc(context, rows * rows, sizeof *k);
    double *r = fathom_memory_alloc(context, rows, sizeof *r), trace = 0;
    fathom_status status = g && k && r ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        used_features(g, faces, rows);
        status = fathom_gemm(k, rows, rows, rows, columns, 1, fathom_transposed(g, rows),
                             fathom_plain(g, rows), 0, context);
    }
    for (int64_t i = 0; i < rows && status == FATHOM_OK; i++)
        trace += k[i * rows + i];
    for (int64_t i = 0; i < rows && status == FATHOM_OK; i++)
        k[i * rows + i] += 1e-14 * trace;
    const bool solvable = status == FATHOM_OK && fathom_blas_cholesky(k, rows, rows) == 0;
    for (int pass = 0; pass < 3 && status == FATHOM_OK; pass++) {
        outputs_of(faces->f, faces, rows);
        *left = 0;
        for (int64_t i = 0; i < rows; i++) {
            r[i] = y[i] - faces->f[i];
            *left = fmax(*left, fabs(r[i]));
        }
        if (pass == 2 || !solvable)
            break;
        fathom_blas_cholesky_solve(r, 1, k, rows, rows, 1);
        fathom_blas_gemv(faces->p, columns, rows, 1, fathom_plain(g, rows), r, 1);
    }
    fathom_memory_free(context, g);
    fathom_memory_free(context, k);
    fathom_memory_free(context, r);
    return status;
}
