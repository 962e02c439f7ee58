/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation on faces: the solution of a master moved so that its outputs are the targets, to rounding.
 *
 * With G (columns x N) the features, p moves by the change dp with G' dp = y - f that is least relative to S, group by group
 * s_k = sqrt(|p_k|) times the identity, or times the projection on p_k where p_k is close to a side of its cone and may
 * only change in length: dp = S^2 G K^{-1} (y - f), K = G' S^2 G. Repeated while that helps, as K may be ill-conditioned.
 * So p goes on naming the same network.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gemm.h"
#include "memory.h"
#include "relu_faces.h"

enum { PASSES = 20 };

/* f = G' p + c of the solution. */
static void outputs_of(double *f, const fathom_faces *a, int64_t rows)
{
    fathom_blas_gemv(f, rows, a->start[a->count], 1, fathom_transposed(a->feature, rows), a->p, 0);
    for (int64_t i = 0; i < rows; i++)
        f[i] += a->c[i / a->problem->n];
}

/* Whether p_k is close to a side of its cone. */
static bool near_side(const fathom_faces *a, int64_t k, double norm)
{
    const int64_t at = a->start[k], size = a->start[k + 1] - at;
    for (int64_t i = 0; i < a->cone_rows[k]; i++)
        if (fathom_blas_dot(a->cone[k] + i * size, a->p + at, size) < 1e-4 * norm)
            return true;
    return false;
}

/* x (the columns of group k, `count` numbers each) = S_k x. */
static void apply_scale(double *x, int64_t count, const fathom_faces *a, int64_t k, const double *scale,
                        double *work)
{
    const int64_t at = a->start[k], size = a->start[k + 1] - at;
    const double norm = fathom_blas_norm(a->p + at, size);
    if (scale[k] >= 0) {
        fathom_blas_scale(x + at * count, scale[k], size * count);
        return;
    }
    memset(work, 0, (size_t)count * sizeof *work);
    for (int64_t l = at; l < at + size; l++)
        fathom_blas_axpy(work, a->p[l] / norm, x + l * count, count);
    for (int64_t l = at; l < at + size; l++)
        for (int64_t i = 0; i < count; i++)
            x[l * count + i] = -scale[k] * a->p[l] / norm * work[i];
}

/* scaled (columns x N) = S G; scale (faces) = s, negative where only the length may change. */
static void scale_features(double *scaled, double *scale, const fathom_faces *a, int64_t rows, double *work)
{
    double total = 0;
    for (int64_t k = 0; k < a->count; k++)
        total += fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
    memcpy(scaled, a->feature, (size_t)(a->start[a->count] * rows) * sizeof *scaled);
    for (int64_t k = 0; k < a->count; k++) {
        const double norm = fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
        scale[k] = norm > 1e-6 * total ? sqrt(norm / total) : 0;
        if (scale[k] > 0 && near_side(a, k, norm))
            scale[k] = -scale[k];
        apply_scale(scaled, rows, a, k, scale, work);
    }
}

/* r = y - f; returns its largest entry. */
static double residual(double *r, fathom_faces *a, const double *y, int64_t rows)
{
    double most = 0;
    outputs_of(a->f, a, rows);
    for (int64_t i = 0; i < rows; i++) {
        r[i] = y[i] - a->f[i];
        most = fmax(most, fabs(r[i]));
    }
    return most;
}

/* p += S^2 G K^{-1} r with the factor of K, while that helps. */
static void repair(double *left, fathom_faces *a, const double *y, const double *scaled, const double *scale,
                   const double *factor, double *r, double *step)
{
    const int64_t rows = a->problem->n * a->problem->outputs, columns = a->start[a->count];
    *left = residual(r, a, y, rows);
    for (int pass = 0; pass<PASSES && * left> 0; pass++) {
        fathom_blas_cholesky_solve(r, 1, factor, rows, rows, 1);
        fathom_blas_gemv(step, columns, rows, 1, fathom_plain(scaled, rows), r, 0);
        double work;
        for (int64_t k = 0; k < a->count; k++)
            apply_scale(step, 1, a, k, scale, &work);
        fathom_blas_axpy(a->p, 1, step, columns);
        const double now = residual(r, a, y, rows);
        if (!(now < 0.5 * *left)) {
            if (now > *left)
                fathom_blas_axpy(a->p, -1, step, columns);
            *left = residual(r, a, y, rows);
            return;
        }
        *left = now;
    }
}

fathom_status fathom_faces_interpolate(double *left, fathom_faces *faces, const double *y)
{
    fathom_context *context = faces->problem->context;
    const int64_t rows = faces->problem->n * faces->problem->outputs, columns = faces->start[faces->count];
    double *scaled = fathom_memory_alloc(context, columns * rows, sizeof *scaled);
    double *k = fathom_memory_alloc(context, rows * rows, sizeof *k);
    double *work = fathom_memory_alloc(context, rows + faces->count + columns, sizeof *work), trace = 0;
    fathom_status status = scaled && k && work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *scale = work + rows;
        scale_features(scaled, scale, faces, rows, work);
        status = fathom_gemm(k, rows, rows, rows, columns, 1, fathom_transposed(scaled, rows),
                             fathom_plain(scaled, rows), 0, context);
        for (int64_t i = 0; i < rows; i++)
            trace += k[i * rows + i];
        for (int64_t i = 0; i < rows; i++)
            k[i * rows + i] += 1e-14 * trace;
        *left = INFINITY;
        if (status == FATHOM_OK && fathom_blas_cholesky(k, rows, rows) == 0)
            repair(left, faces, y, scaled, scale, k, work, scale + faces->count);
    }
    fathom_memory_free(context, scaled);
    fathom_memory_free(context, k);
    fathom_memory_free(context, work);
    return status;
}
