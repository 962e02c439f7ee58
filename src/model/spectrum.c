/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of a symmetric matrix's spectrum, with proven intervals.
 *
 * Estimates: up to n = SMALL by LAPACK's divide and conquer; beyond, Lanczos on K for the largest
 * eigenvalue and on (K + delta I)^{-1} for the smallest, delta at the level of rounding. Proofs for the
 * matrix as stored, rounding included:
 *   inner ends   the Rayleigh quotient of the computed eigenvector x,
 *                lambda_min <= x'Kx / x'x <= lambda_max, |fl - exact| <= g_{3n+8} max_i sum_j |K_ij|;
 *   outer ends   a Cholesky factorisation of K - s I (or s I - K) that runs to its end proves
 *                lambda_min >= s - slack (lambda_max <= s + slack), slack = fathom_cholesky_slack. s starts one slack
 *                away from the estimate and moves off until the factorisation succeeds.
 * Half-widths are about 2 (n + 4) 2^-53 trace(K) at the smallest eigenvalue, and 2 (n + 4) 2^-53 n
 * lambda_max at the largest. Cost: three Cholesky factorisations, n^3 flops. Memory: that of the matrix
 * (the factor replaces the lower triangle, which is then restored from the upper one), and n^2 more where
 * n <= SMALL. Stopped before that: every eigenvalue is within Gershgorin's discs, min_i 2 K_ii - sum_j
 * |K_ij| <= lambda <= max_i sum_j |K_ij| (K_ii >= 0), and the mean trace / n of all is between the
 * smallest and the largest.
 */
#include <math.h>
#include <string.h>

#include "fathom/kernel.h"

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "interval.h"
#include "lanczos.h"
#include "memory.h"

enum { SMALL = 384, BLOCK = 256, TILE = 32, STEPS = 120, ATTEMPTS = 40, ROUNDS = 4 };

/* What the steps share. */
typedef struct search {
    double *k; /* n x n */
    int64_t ld, n;
    fathom_context *context;
    double *diagonal; /* n: K_ii, while the lower triangle is in use */
    double *vector;   /* n */
    double *image;    /* n */
    double trace, row_sum;
    double least; /* min_i K_ii - sum_{j != i} |K_ij|, rounded down */
} search;

/* lower triangle = sign K + shift I, or K itself again (sign 1, shift 0). By tiles: a column of K is a
 * page for each entry. */
static void load_lower(search *s, double sign, double shift)
{
#pragma omp parallel for schedule(dynamic) num_threads(fathom_context_threads(s->context))
    for (int64_t i0 = 0; i0 < s->n; i0 += TILE)
        for (int64_t j0 = 0; j0 <= i0; j0 += TILE)
            for (int64_t i = i0; i < i0 + TILE && i < s->n; i++) {
                const int64_t end = j0 + TILE < i ? j0 + TILE : i;
                for (int64_t j = j0; j < end; j++)
                    s->k[i * s->ld + j] = sign * s->k[j * s->ld + i];
            }
    for (int64_t i = 0; i < s->n; i++)
        s->k[i * s->ld + i] = sign * s->diagonal[i] + shift;
}

/* y = K x by blocks of rows. */
static void multiply(double *y, const double *x, void *user)
{
    const search *s = user;
#pragma omp parallel for schedule(dynamic) num_threads(fathom_context_threads(s->context))
    for (int64_t i = 0; i < s->n; i += BLOCK)
        fathom_blas_gemv(y + i, s->n - i < BLOCK ? s->n - i : BLOCK, s->n, 1,
                         fathom_plain(s->k + i * s->ld, s->ld), x, 0);
}

/* y = (L L')^{-1} x. */
static void solve(double *y, const double *x, void *user)
{
    const search *s = user;
    memcpy(y, x, (size_t)s->n * sizeof *y);
    fathom_cholesky_apply(y, 1, 1, s->k, s->ld, s->n, s->context);
}

/* Rayleigh quotient of s->vector and the bound of its rounding error. */
static double rayleigh(search *s, double *error)
{
    multiply(s->image, s->vector, s);
    const double g = (double)(3 * s->n + 8) * 0x1p-53;
    *error = 1.0000000001 * g / (1 - g) * s->row_sum;
    return fathom_blas_dot(s->vector, s->image, s->n) / fathom_blas_dot(s->vector, s->vector, s->n);
}

/* Eigenvectors of both ends by LAPACK: the smallest in s->vector, the largest in s->image. */
static fathom_status dense_ends(search *s, double *smallest, double *largest)
{
    double *copy = fathom_memory_alloc(s->context, s->n * s->n, sizeof *copy);
    double *value = fathom_memory_alloc(s->context, s->n, sizeof *value);
    fathom_status status = copy && value ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n && status == FATHOM_OK; i++)
        memcpy(copy + i * s->n, s->k + i * s->ld, (size_t)s->n * sizeof *copy);
    FATHOM_THEN(status, fathom_blas_eigen(value, copy, s->n, s->n, true, s->context));
    if (status == FATHOM_OK) {
        memcpy(smallest, copy, (size_t)s->n * sizeof *copy);
        memcpy(largest, copy + (s->n - 1) * s->n, (size_t)s->n * sizeof *copy);
    }
    FATHOM_FREE(s->context, copy, value);
    return status;
}

/* Factors sign K + shift I, with shift moved by `step`, 4 `step`, ... until it succeeds; the final shift
 * is *shift. */
static fathom_status factor_until(double *shift, search *s, double sign, double step)
{
    int64_t minor = 1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, *shift += step, step *= 4) {
        load_lower(s, sign, *shift);
        const fathom_status status = fathom_cholesky_factor(&minor, s->k, s->ld, s->n, s->context);
        if (status != FATHOM_OK || minor == 0)
            return status;
    }
    return fathom_error_set(s->context, FATHOM_ERROR_RUNTIME,
                            "the matrix is too far from finite to be bounded");
}

/* The eigenvector of the smallest eigenvalue by inverse Lanczos, into s->vector. */
static fathom_status inverse_vector(search *s)
{
    double theta = 0, shift = 2 * fathom_cholesky_slack(s->n, s->trace);
    fathom_status status = factor_until(&shift, s, 1, 16 * shift);
    FATHOM_THEN(status, fathom_lanczos_largest(&theta, s->vector, solve, s, s->n, STEPS, 1e-9, s->context));
    load_lower(s, 1, 0);
    return status;
}

/* The end that a finished factorisation of sign K + shift I proves: lambda_min_lower for sign = 1,
 * lambda_max_upper for sign = -1. */
static double proven_end(const search *s, double sign, double shift)
{
    double trace = 0, largest = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double entry = fabs(sign * s->diagonal[i] + shift);
        trace += entry;
        largest = fmax(largest, entry);
    }
    /* the diagonal was rounded when it was shifted; the trace is a rounded sum of n positive terms */
    const double slack =
        fathom_cholesky_slack(s->n, trace * (1 + (double)s->n * 0x1p-52)) + largest * 0x1p-53;
    const double end = -sign * (shift + slack);
    return nextafter(end, sign > 0 ? -INFINITY : INFINITY);
}

/* An end of the spectrum: value, its proven outer and inner side. */
typedef struct end {
    double value, outer, inner;
} end;

/* Bounds the end of `sign` from the estimate of its eigenvector in s->vector. Where the first
 * factorisation fails, the estimate had not converged: the shift that worked then serves an inverse
 * iteration, and the proof is repeated. */
static fathom_status bound_end(end *out, search *s, double sign)
{
    fathom_status status = FATHOM_OK;
    for (int round = 0; round < ROUNDS && status == FATHOM_OK; round++) {
        double error = 0, theta = 0;
        out->value = rayleigh(s, &error);
        out->inner = nextafter(out->value + sign * error, sign * INFINITY);
        const double size =
            sign > 0 ? s->trace - (double)s->n * out->value : (double)s->n * out->value - s->trace;
        const double distance = error + fathom_cholesky_slack(s->n, fmax(fabs(size), s->row_sum));
        const double first = -sign * out->value + distance;
        double shift = first;
        status = factor_until(&shift, s, sign, distance);
        if (status == FATHOM_OK)
            out->outer = proven_end(s, sign, shift);
        const bool again = shift != first && round + 1 < ROUNDS && status == FATHOM_OK;
        if (again)
            status = fathom_lanczos_largest(&theta, s->vector, solve, s, s->n, STEPS, 1e-9, s->context);
        load_lower(s, 1, 0);
        if (!again)
            break;
    }
    return status;
}

/* Trace, diagonal and the largest row sum of absolute values, rounded up. */
static void measure(search *s)
{
    double most = 0, least = INFINITY;
    int infinite = 0;
#pragma omp parallel for reduction(max                                              \
                                   : most) reduction(|                              \
                                                     : infinite) reduction(min      \
                                                                           : least) \
    num_threads(fathom_context_threads(s->context))
    for (int64_t i = 0; i < s->n; i++) {
        const double sum = fathom_blas_sum_abs(s->k + i * s->ld, s->n);
        infinite |= !isfinite(sum);
        most = sum > most ? sum : most;
        const double own = s->k[i * s->ld + i], disc = own + fabs(own) - sum * (1 + (double)s->n * 0x1p-51);
        least = disc < least ? disc : least;
    }
    s->least = nextafter(least, -INFINITY);
    s->row_sum = infinite ? INFINITY : most * (1 + (double)s->n * 0x1p-52);
    s->trace = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->trace += s->diagonal[i] = s->k[i * s->ld + i];
}

/* What is known at once; ends that a factorisation proved before the stop are kept. */
static void stand(fathom_spectrum *out, const search *s, const end *low, const end *high)
{
    const double n = (double)s->n, mean = s->trace / n, off = fabs(s->row_sum) * (n + 4) * 0x1p-52;
    const double outer[] = {low->outer, high->outer}, inner[] = {low->inner, high->inner};
    *out = (fathom_spectrum){NAN,
                             isfinite(outer[0]) ? outer[0] : s->least,
                             isfinite(inner[0]) ? inner[0] : mean + off,
                             NAN,
                             isfinite(inner[1]) ? inner[1] : mean - off,
                             isfinite(outer[1]) ? outer[1] : nextafter(s->row_sum, INFINITY),
                             s->trace,
                             NAN};
}

/* All four ends, workspace at hand. */
static fathom_status compute(fathom_spectrum *out, search *s)
{
    fathom_status status;
    const bool small = s->n <= SMALL;
    double theta = 0, *largest = fathom_memory_alloc(s->context, s->n, sizeof *largest);
    if (!largest)
        return FATHOM_ERROR_MEMORY;
    if (small)
        status = dense_ends(s, s->vector, largest);
    else
        status = fathom_lanczos_largest(&theta, largest, multiply, s, s->n, STEPS, 1e-10, s->context);
    if (status == FATHOM_OK && !small)
        status = inverse_vector(s);
    end low = {NAN, NAN, NAN}, high = low;
    FATHOM_THEN(status, bound_end(&low, s, 1));
    if (status == FATHOM_OK) {
        memcpy(s->vector, largest, (size_t)s->n * sizeof *largest);
        status = bound_end(&high, s, -1);
    }
    if (status == FATHOM_ERROR_STOPPED) {
        load_lower(s, 1, 0); /* the upper triangle is what it was */
        stand(out, s, &low, &high);
        fathom_memory_free(s->context, largest);
        return FATHOM_OK;
    }
    *out =
        (fathom_spectrum){low.value, low.outer, low.inner, high.value, high.inner, high.outer, s->trace, 0};
    FATHOM_THEN(status, fathom_interval_check(s->context, "the smallest eigenvalue", low.outer, low.inner));
    FATHOM_THEN(status, fathom_interval_check(s->context, "the largest eigenvalue", high.inner, high.outer));
    fathom_memory_free(s->context, largest);
    return status;
}

fathom_status fathom_spectrum_compute(fathom_spectrum *spectrum, double *matrix, int64_t ld, int64_t n,
                                      fathom_context *context)
{
    *spectrum = (fathom_spectrum){0};
    if (n < 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "a matrix without rows has no eigenvalues");
    search s = {.k = matrix, .ld = ld, .n = n, .context = context};
    s.diagonal = fathom_memory_alloc(context, n, sizeof *s.diagonal);
    s.vector = fathom_memory_alloc(context, n, sizeof *s.vector);
    s.image = fathom_memory_alloc(context, n, sizeof *s.image);
    fathom_status status = s.diagonal && s.vector && s.image ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        measure(&s);
        status = isfinite(s.row_sum)
                     ? compute(spectrum, &s)
                     : fathom_error_set(context, FATHOM_ERROR_INPUT, "the matrix is not finite");
    }
    if (!isnan(spectrum->lambda_max))
        spectrum->condition =
            spectrum->lambda_min_lower > 0 ? spectrum->lambda_max / spectrum->lambda_min : INFINITY;
    FATHOM_FREE(context, s.diagonal, s.vector, s.image);
    return status;
}

fathom_status fathom_spectrum_values(double *value, const double *matrix, int64_t ld, int64_t n,
                                     fathom_context *context)
{
    double *copy = fathom_memory_alloc(context, n * n, sizeof *copy);
    if (!copy)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        memcpy(copy + i * n, matrix + i * ld, (size_t)n * sizeof *copy);
    const fathom_status status = fathom_blas_eigen(value, copy, n, n, false, context);
    fathom_memory_free(context, copy);
    return status;
}
