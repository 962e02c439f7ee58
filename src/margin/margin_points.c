/* SPDX-License-Identifier: Apache-2.0 */
/* Labelled points from a data set: dense rows, labels -1 and +1, signed rows z_i = y_i x_i. */
#include "margin_points.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "inner/data.h"
#include "memory.h"

static fathom_status fill(fathom_margin_points *points, fathom_context *context, const double *label)
{
    const int64_t n = points->n, d = points->d;
    points->radius = 0;
    for (int64_t i = 0; i < n; i++) {
        const double norm = fathom_blas_norm(points->x + i * d, d);
        if (!isfinite(norm))
            return fathom_error_set(context, FATHOM_ERROR_INPUT, "the length of example %lld is not finite",
                                    (long long)i);
        if (norm == 0 && points->zero < 0)
            points->zero = i;
        points->radius = fmax(points->radius, norm * (1 + (double)(d + 4) * DBL_EPSILON));
        points->y[i] = label[i];
        for (int64_t k = 0; k < d; k++)
            points->z[i * d + k] = label[i] * points->x[i * d + k];
    }
    return FATHOM_OK;
}

fathom_status fathom_margin_points_create(fathom_margin_points *points, fathom_context *context,
                                          fathom_data *data, bool global)
{
    const fathom_data_view view = fathom_data_look(data);
    const double *label;
    int64_t outputs;
    *points = (fathom_margin_points){
        .n = view.n, .d = view.d, .columns = view.d, .zero = -1, .bias = view.bias == FATHOM_BIAS_FREE};
    if (view.n < 1 || view.d < 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "a margin needs at least one point and column");
    if (points->bias && !global)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "NTK margins are those of networks without free biases: use --bias augment for "
            "a constant column, or --kind global");
    fathom_status status = fathom_data_code_classes(&label, &outputs, data);
    if (status == FATHOM_OK && outputs != 1)
        status =
            fathom_error_set(context, FATHOM_ERROR_INPUT,
                             "a margin needs labels -1 and +1, but there are %lld classes; pick two with "
                             "--classes A,B",
                             (long long)outputs);
    FATHOM_THEN(status,
                fathom_context_require(context, 16.0 * (double)view.n * (double)view.d, "dense points"));
    if (status != FATHOM_OK)
        return status;
    points->x = fathom_memory_alloc(context, view.n * view.d, sizeof(double));
    points->z = fathom_memory_alloc(context, view.n * view.d, sizeof(double));
    points->y = fathom_memory_alloc(context, view.n, sizeof(double));
    status = FATHOM_ERROR_MEMORY;
    if (points->x && points->z && points->y) {
        for (int64_t i = 0; i < view.n; i++)
            fathom_dense_row(points->x + i * view.d, &view, i);
        status = fill(points, context, label);
    }
    if (status != FATHOM_OK)
        fathom_margin_points_free(context, points);
    return status;
}

/* A bound on the distance of the rows x from an exact isometric image of the coordinates: with B B' = I + E there are
 * orthonormal rows within |E| of B, so |x_i - B'c_i| + |E||c_i|, plus the rounding of these sums. */
static double reduction_slack(const double *x, const double *basis, const double *c, double radius, int64_t n,
                              int64_t d, double *row)
{
    double skew = 0, worst = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l <= k; l++) {
            const double e = fathom_blas_dot(basis + k * d, basis + l * d, d) - (k == l);
            skew += (k == l ? 1 : 2) * e * e;
        }
    for (int64_t i = 0; i < n; i++) {
        memcpy(row, x + i * d, (size_t)d * sizeof *row);
        fathom_blas_gemv(row, d, n, -1, fathom_transposed(basis, d), c + i * n, 1);
        worst = fmax(worst, fathom_blas_norm(row, d));
    }
    return worst + radius * (sqrt(skew) + 4 * (double)(n + d) * DBL_EPSILON);
}

fathom_status fathom_margin_points_reduce(fathom_margin_points *points, fathom_context *context)
{
    const int64_t n = points->n, d = points->d;
    if (d <= n)
        return FATHOM_OK;
    double *q = fathom_memory_alloc(context, d * n, sizeof *q); /* X' = Q R */
    double *basis = fathom_memory_alloc(context, n * d, sizeof *basis);
    double *r = fathom_memory_alloc(context, 2 * n * n + d, sizeof *r), *c = r ? r + n * n : NULL;
    fathom_status status = q && basis && r ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t at = 0; at < n * d && status == FATHOM_OK; at++)
        q[at % d * n + at / d] = points->x[at];
    FATHOM_THEN(status, fathom_blas_qr(q, n, r, d, n, context));
    if (status == FATHOM_OK) {
        for (int64_t at = 0; at < n * d; at++)
            basis[at % n * d + at / n] = q[at];
        for (int64_t at = 0; at < n * n; at++)
            c[at % n * n + at / n] = r[at];
        points->slack = reduction_slack(points->x, basis, c, points->radius, n, d, c + n * n);
        for (int64_t at = 0; at < n * n; at++) {
            points->x[at] = c[at];
            points->z[at] = points->y[at / n] * c[at];
        }
        points->radius = (points->radius + points->slack) * (1 + 4 * DBL_EPSILON);
        points->d = n;
        points->basis = basis;
        basis = NULL;
    }
    FATHOM_FREE(context, q, basis, r);
    return status;
}

void fathom_margin_points_lift(double *out, const fathom_margin_points *points, const double *v)
{
    if (points->basis)
        fathom_blas_gemv(out, points->columns, points->d, 1,
                         fathom_transposed(points->basis, points->columns), v, 0);
    else
        memcpy(out, v, (size_t)points->d * sizeof *out);
}

void fathom_margin_points_free(fathom_context *context, fathom_margin_points *points)
{
    FATHOM_FREE(context, points->x, points->y, points->z, points->basis);
    *points = (fathom_margin_points){0};
}
