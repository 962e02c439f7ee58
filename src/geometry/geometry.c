/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the rectified ellipsoid of a data matrix: see fathom/geometry.h.
 *
 * Rank: singular values above max(n, d) 2^-52 sigma_max, the error of a backward stable SVD; beside it, where the matrix
 * is small, the rank of its doubles as rational numbers (which rounding of the data makes full).
 */
#include "fathom/geometry.h"
#include "inner/geometry.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "exact.h"
#include "gemm.h"
#include "hull.h"
#include "memory.h"
#include "spike.h"
#include "data_scale.h"

#define OWNER fathom_geometry_options
static const fathom_option rows[] = {FATHOM_GEOMETRY_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_geometry_option_table =
    FATHOM_OPTION_TABLE("Geometry", rows, fathom_geometry_options);

/* Largest n d min(n, d)^2 for the exact rank: below about a second. */
#define EXACT_LARGEST 5e6

/* exact (n x d): the rows, each perhaps times a positive number, for the exact rank. */
static fathom_status measure_rank(fathom_geometry *r, const double *x, const double *exact,
                                  fathom_context *context)
{
    const int64_t n = r->n, d = r->d, least = n < d ? n : d;
    double *sigma = fathom_memory_alloc(context, least, sizeof *sigma);
    double *copy = fathom_memory_alloc(context, n * d, sizeof *copy);
    fathom_status status = sigma && copy ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        memcpy(copy, x, (size_t)(n * d) * sizeof *copy);
        status = fathom_blas_svd(sigma, NULL, NULL, copy, d, n, d, context);
    }
    if (status == FATHOM_ERROR_STOPPED) {
        r->rank = -1;
        r->sigma_max = r->sigma_min = r->rank_tolerance = NAN;
    }
    if (status == FATHOM_OK) {
        r->sigma_max = sigma[0];
        r->sigma_min = sigma[least - 1];
        r->rank_tolerance = (double)(n > d ? n : d) * 0x1p-52 * sigma[0];
        for (int64_t k = 0; k < least; k++)
            r->rank += sigma[k] > r->rank_tolerance;
        r->rank_one = r->rank == 1;
        const double work = (double)n * (double)d * (double)least * (double)least;
        r->rank_exact = work <= EXACT_LARGEST ? fathom_exact_rank(exact, n, d, d) : -1;
    }
    FATHOM_FREE(context, sigma, copy);
    return status;
}

/* The largest entry of |AA' - I|; it takes n <= d to vanish. */
static fathom_status measure_whitening(fathom_geometry *r, const double *x, double tolerance,
                                       fathom_context *context)
{
    const int64_t n = r->n;
    r->whitened_error = NAN;
    if (n > r->d)
        return FATHOM_OK;
    double *gram = fathom_memory_alloc(context, n * n, sizeof *gram);
    if (!gram)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status =
        fathom_gemm(gram, n, n, n, r->d, 1, fathom_plain(x, r->d), fathom_transposed(x, r->d), 0, context);
    double error = 0;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        for (int64_t j = 0; j < n; j++)
            error = fmax(error, fabs(gram[i * n + j] - (i == j)));
    r->whitened_error = error;
    r->whitened = error <= tolerance;
    fathom_memory_free(context, gram);
    return status;
}

static fathom_status count_vertices(fathom_geometry *r, const double *x, fathom_context *context)
{
    fathom_hull_count count;
    signed char *vertex = fathom_memory_alloc(context, r->n, sizeof *vertex);
    if (!vertex)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_hull_vertices(&count, vertex, x, r->n, r->d, r->d, context);
    fathom_memory_free(context, vertex);
    r->hull_known = status == FATHOM_OK && fathom_context_stop_reason(context) == FATHOM_STOP_NONE;
    r->hull_vertices = count.vertices;
    r->hull_undecided = count.undecided;
    return status;
}

/* All facts, as far as the limits of the context let; what was not reached is unknown. */
static fathom_status measure(fathom_geometry *r, const double *x, const double *exact,
                             const fathom_geometry_options *options, fathom_context *context)
{
    r->rank_exact = -1;
    r->spike_free = FATHOM_UNKNOWN;
    r->whitened_error = r->rho_lower = r->rho_upper = r->inverse_gram = NAN;
    r->pair[0] = r->pair[1] = -1;
    r->spike_method = "not reached";
    fathom_status status = measure_rank(r, x, exact, context);
    FATHOM_THEN(status, measure_whitening(r, x, options->tolerance, context));
    FATHOM_THEN(status, fathom_spike_decide(r, exact, r->n, r->d, context));
    if (status == FATHOM_OK && !options->skip_hull)
        status = count_vertices(r, x, context);
    fathom_context_wind_up(context);
    return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

fathom_status fathom_geometry_compute(fathom_geometry *result, fathom_context *context,
                                      const fathom_data *data, const fathom_geometry_options *options)
{
    fathom_geometry_options defaults;
    const fathom_data_view view = fathom_data_look(data);
    double *x = NULL;
    fathom_data *decimals = NULL;
    *result = (fathom_geometry){.n = view.n, .d = view.d};
    fathom_options_init(&defaults, &fathom_geometry_option_table);
    if (!options)
        options = &defaults;
    fathom_status status = fathom_options_check(context, options, &fathom_geometry_option_table);
    if (status == FATHOM_OK && (view.n < 1 || view.d < 1))
        status = fathom_error_set(context, FATHOM_ERROR_INPUT, "the data has %lld rows and %lld columns",
                                  (long long)view.n, (long long)view.d);
    FATHOM_THEN(status, fathom_data_check_range(data));
    FATHOM_THEN(status, fathom_dense_copy(&x, &view, context));
    if (status == FATHOM_OK && !options->as_doubles)
        status = fathom_data_decimals(&decimals, data);
    /* rank and spike-freeness stay when rows are scaled */
    const double *exact = decimals ? fathom_data_look(decimals).x : x;
    result->reading = decimals ? "decimals" : "doubles";
    FATHOM_THEN(status, measure(result, x, exact, options, context));
    fathom_data_free(decimals);
    fathom_memory_free(context, x);
    return status;
}

fathom_status fathom_geometry_show_spike(bool *shown, double *point, double *combination,
                                         fathom_context *context, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    double *x = NULL;
    fathom_status status = fathom_dense_copy(&x, &view, context);
    FATHOM_THEN(status, fathom_spike_show(shown, point, combination, x, view.n, view.d, context));
    fathom_memory_free(context, x);
    return status;
}
