/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tile of a kernel matrix, and the gates of finite width.
 *
 * Infinite width: arc.h. Finite width, first layer: <x_i, x_j> s_ij with s_ij = sum_k rho_k M_ik M_jk; where all rho are
 * multiples of one 1/M (sampled gates), M_i is stored as M bits and s_ij = popcount(M_i & M_j) / M is exact before its
 * one rounding; otherwise s = O O' with O_ik = M_ik sqrt(rho_k), by GEMM. Second layer: F F' with
 * F_ik = relu(<v_k, x_i>) / sqrt M. Cost per pair: M/64 word operations, or 2M flops.
 */
#include <math.h>
#include <string.h>

#include "arc.h"
#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "kernel_internal.h"
#include "memory.h"
#include "random.h"

/* Number of gates open on both points. */
FATHOM_DISPATCH
static int64_t common(const uint64_t *a, const uint64_t *b, int64_t words)
{
    int64_t count = 0;
    for (int64_t k = 0; k < words; k++)
        count += __builtin_popcountll(a[k] & b[k]);
    return count;
}

/* Whether a row has a pair that must be refined: most have none, and counting needs no branches. */
FATHOM_DISPATCH
static bool any_near(const double *cosine, int64_t columns)
{
    int64_t count = 0;
    for (int64_t j = 0; j < columns; j++)
        count += fabs(cosine[j]) > FATHOM_ARC_NEAR;
    return count > 0;
}

/* Replaces the values of a row whose angle must not be taken from the cosine. */
static void refine_row(double *out, const double *cosine, const double *norm, double scale, const double *u,
                       const double *v, int64_t d, int64_t columns, bool both)
{
    if (!any_near(cosine, columns))
        return;
    for (int64_t j = 0; j < columns; j++) {
        if (fabs(cosine[j]) <= FATHOM_ARC_NEAR)
            continue;
        const bool opposite = cosine[j] < 0;
        const double t = fathom_arc_half_sine(u, v + j * d, d, opposite);
        out[j] = scale * norm[j] * fathom_arc_near(t, opposite, both);
    }
}

/* Row i of an infinite-width tile from its cosines. */
static void infinite_row(double *out, const double *cosine, const fathom_kernel *kernel,
                         const kernel_points *a, int64_t i, int64_t b0, int64_t columns)
{
    const kernel_points *b = &kernel->points;
    const bool both = kernel->options.layers == 1;
    const double scale = kernel->options.factor * a->norm[i];
    (both ? fathom_arc_both : fathom_arc_first)(out, cosine, b->norm + b0, scale, columns);
    refine_row(out, cosine, b->norm + b0, scale, a->unit + i * a->d, b->unit + b0 * b->d, b->d, columns,
               both);
}

/* Finite width: `out` holds the shares s_ij where gates are weighted; times <x_i, x_j>. */
static void finite_row(double *out, const double *cosine, const fathom_kernel *kernel, int64_t i, int64_t b0,
                       int64_t columns)
{
    const double *norm = kernel->points.norm;
    const double scale = kernel->options.factor * norm[i];
    const uint64_t *mine = kernel->bits ? kernel->bits + i * kernel->words : NULL;
    for (int64_t j = 0; j < columns; j++) {
        const double s = mine ? (double)common(mine, kernel->bits + (b0 + j) * kernel->words, kernel->words) /
                                    (double)kernel->gates
                              : out[j];
        out[j] = scale * norm[b0 + j] * (cosine[j] * s);
    }
}

/* out += factor * A_i. B_j' for rows of an n x gates matrix. */
static void add_product(double *out, const fathom_kernel *kernel, const double *matrix, int64_t a0,
                        int64_t rows, int64_t b0, int64_t columns, double alpha, double beta)
{
    const int64_t m = kernel->gates;
    fathom_blas_gemm(out, KERNEL_TILE, rows, columns, m, alpha, fathom_plain(matrix + a0 * m, m),
                     fathom_transposed(matrix + b0 * m, m), beta);
}

void fathom_kernel_tile(double *tile, double *cosine, const fathom_kernel *kernel, const kernel_points *a,
                        int64_t a0, int64_t rows, int64_t b0, int64_t columns)
{
    const kernel_points *b = &kernel->points;
    fathom_blas_gemm(cosine, KERNEL_TILE, rows, columns, b->d, 1, fathom_plain(a->unit + a0 * b->d, b->d),
                     fathom_transposed(b->unit + b0 * b->d, b->d), 0);
    if (kernel->open)
        add_product(tile, kernel, kernel->open, a0, rows, b0, columns, 1, 0);
    for (int64_t i = 0; i < rows; i++) {
        double *out = tile + i * KERNEL_TILE;
        const double *c = cosine + i * KERNEL_TILE;
        if (kernel->gates == 0)
            infinite_row(out, c, kernel, a, a0 + i, b0, columns);
        else
            finite_row(out, c, kernel, a0 + i, b0, columns);
    }
    if (kernel->feature)
        add_product(tile, kernel, kernel->feature, a0, rows, b0, columns, kernel->options.factor, 1);
}

/* Multiplicities of gates as whole numbers with sum `draws`; false where the weights are no such shares. */
static bool count_draws(int64_t *multiplicity, const fathom_gates_view *view, int64_t draws)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < view->m; j++) {
        const double expected = view->weight ? view->weight[j] * (double)draws : 1;
        multiplicity[j] = llround(expected);
        sum += multiplicity[j];
        if (fabs(expected - (double)multiplicity[j]) > 1e-9 * expected)
            return false;
    }
    return sum == draws;
}

static bool is_open(const fathom_gates_view *view, int64_t j, int64_t i)
{
    return view->bits[j * view->words + i / 64] >> (i % 64) & 1;
}

/* Bits by point, each gate as often as it was drawn. */
static fathom_status take_bits(fathom_kernel *kernel, const fathom_gates_view *view,
                               const int64_t *multiplicity, int64_t draws)
{
    kernel->gates = draws;
    kernel->words = (draws + 63) / 64;
    FATHOM_TRY(fathom_context_require(kernel->context, 8 * (double)view->n * (double)kernel->words,
                                      "the gates of a kernel"));
    kernel->bits = fathom_memory_zero(kernel->context, view->n * kernel->words, sizeof *kernel->bits);
    if (!kernel->bits)
        return FATHOM_ERROR_MEMORY;
    int64_t at = 0;
    for (int64_t j = 0; j < view->m; j++)
        for (int64_t copy = 0; copy < multiplicity[j]; copy++, at++)
            for (int64_t i = 0; i < view->n; i++)
                kernel->bits[i * kernel->words + at / 64] |= (uint64_t)is_open(view, j, i) << (at % 64);
    return FATHOM_OK;
}

/* Openness by point, weighted. */
static fathom_status take_weighted(fathom_kernel *kernel, const fathom_gates_view *view)
{
    kernel->gates = view->m;
    FATHOM_TRY(fathom_context_require(kernel->context, 8 * (double)view->n * (double)view->m,
                                      "the gates of a kernel"));
    kernel->open = fathom_memory_alloc(kernel->context, view->n * view->m, sizeof *kernel->open);
    if (!kernel->open)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < view->n; i++)
        for (int64_t j = 0; j < view->m; j++)
            kernel->open[i * view->m + j] = is_open(view, j, i) ? sqrt(view->weight[j]) : 0;
    return FATHOM_OK;
}

fathom_status fathom_kernel_take_gates(fathom_kernel *kernel, const fathom_gates *gates, int64_t draws)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    if (view.n != kernel->points.n || view.m < 1)
        return fathom_error_set(kernel->context, FATHOM_ERROR_USAGE,
                                "the kernel has %lld points, its gates are %lld on %lld points",
                                (long long)kernel->points.n, (long long)view.m, (long long)view.n);
    int64_t *multiplicity = fathom_memory_alloc(kernel->context, view.m, sizeof *multiplicity);
    if (!multiplicity)
        return FATHOM_ERROR_MEMORY;
    const int64_t total = draws > 0 ? draws : view.m;
    const fathom_status status = count_draws(multiplicity, &view, total)
                                     ? take_bits(kernel, &view, multiplicity, total)
                                     : take_weighted(kernel, &view);
    fathom_memory_free(kernel->context, multiplicity);
    return status;
}

/* feature (n x m) = relu(X V') / sqrt m with the orientations that fathom_gates_sample draws. */
static fathom_status sample_features(fathom_kernel *kernel)
{
    fathom_context *context = kernel->context;
    const kernel_points *points = &kernel->points;
    const int64_t n = points->n, d = points->d, m = kernel->options.width;
    FATHOM_TRY(
        fathom_context_require(context, 8 * (double)m * ((double)n + (double)d), "the features of a kernel"));
    kernel->feature = fathom_memory_alloc(context, n * m, sizeof *kernel->feature);
    double *v = fathom_memory_alloc(context, m * d, sizeof *v);
    if (!kernel->feature || !v) {
        fathom_memory_free(context, v);
        return FATHOM_ERROR_MEMORY;
    }
    fathom_random_normals(v, m * d, fathom_context_seed(context), FATHOM_STREAM_GATE, 0, 0);
    fathom_blas_gemm(kernel->feature, m, n, m, d, 1 / sqrt((double)m), fathom_plain(points->unit, d),
                     fathom_transposed(v, d), 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double *f = kernel->feature + i * m + j;
            *f = *f > 0 ? *f * points->norm[i] : 0;
        }
    fathom_memory_free(context, v);
    return FATHOM_OK;
}

fathom_status fathom_kernel_sample_gates(fathom_kernel *kernel, const fathom_data *data)
{
    fathom_gates *gates = NULL;
    fathom_status status = fathom_gates_sample(&gates, kernel->context, data, kernel->options.width);
    FATHOM_THEN(status, fathom_kernel_take_gates(kernel, gates, kernel->options.width));
    fathom_gates_free(gates);
    if (status == FATHOM_OK && kernel->options.layers == 1)
        status = sample_features(kernel);
    return status;
}
