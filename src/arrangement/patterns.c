/* SPDX-License-Identifier: Apache-2.0 */
/* Activation patterns of orientations by tiles: see patterns.h. */
#include "patterns.h"

#include <float.h>
#include <math.h>
#include <omp.h>

#include "blas.h"
#include "context_internal.h"
#include "exact_dot.h"
#include "memory.h"

/* A tile: TILE_POINTS points (whole words of bits) by TILE_GATES orientations; its products fit a core's
 * cache. */
enum { TILE_POINTS = 256, TILE_GATES = 64 };

void fathom_patterns_norms(double *norm, const fathom_data_view *data, fathom_context *context)
{
    for (int64_t i = 0; i < data->n; i++) {
        double sum = 0;
        if (data->x)
            for (int64_t k = 0; k < data->d; k++)
                sum += fabs(data->x[i * data->ld + k]);
        else
            for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
                sum += fabs(data->value[k]);
        norm[i] = sum;
        fathom_context_passed_row(context, i);
    }
}

/* The points and orientations of one tile. */
typedef struct tile {
    const fathom_data_view *data;
    const double *norm;
    int64_t first, points; /* points first .. first + points */
    int64_t gates;
    const double *v; /* gates x d, leading dimension ld */
    int64_t ld;
} tile;

static double sparse_dot(const fathom_data_view *data, int64_t i, const double *v)
{
    double sum = 0;
    for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
        sum += data->value[k] * v[data->column[k]];
    return sum;
}

/* product (gates x TILE_POINTS) = V X'. */
static void tile_products(double *product, const tile *t)
{
    const fathom_data_view *data = t->data;
    if (data->x) {
        fathom_blas_gemm(product, TILE_POINTS, t->gates, t->points, data->d, 1, fathom_plain(t->v, t->ld),
                         fathom_transposed(data->x + t->first * data->ld, data->ld), 0);
        return;
    }
    for (int64_t j = 0; j < t->gates; j++)
        for (int64_t i = 0; i < t->points; i++)
            product[j * TILE_POINTS + i] = sparse_dot(data, t->first + i, t->v + j * t->ld);
}

/* <x_i, v> > 0, exactly. */
static bool exactly_positive(const fathom_data_view *data, int64_t i, const double *v)
{
    if (data->x)
        return fathom_exact_dot_sign(data->d, data->x + i * data->ld, v) > 0;
    const int64_t start = data->row_start[i];
    return fathom_exact_sparse_dot_sign(data->row_start[i + 1] - start, data->column + start,
                                        data->value + start, v) > 0;
}

static double largest_entry(const double *v, int64_t d)
{
    double largest = 0;
    for (int64_t k = 0; k < d; k++)
        largest = fmax(largest, fabs(v[k]));
    return largest;
}

/* Signs of one orientation's products, packed. The tests are written so that NaN is undecided. */
static void pack_gate(uint64_t *bits, const tile *t, const double *v, const double *product)
{
    const double d = (double)t->data->d;
    const double scale = (d + 4) * DBL_EPSILON * largest_entry(v, t->data->d), least = d * DBL_MIN;
    for (int64_t w = 0; w < fathom_pattern_words(t->points); w++) {
        uint64_t word = 0;
        const int64_t end = t->points < 64 * (w + 1) ? t->points : 64 * (w + 1);
        for (int64_t i = 64 * w; i < end; i++) {
            const double bound = scale * t->norm[t->first + i] + least;
            bool open = product[i] > bound;
            if (!open && !(product[i] < -bound))
                open = exactly_positive(t->data, t->first + i, v);
            word |= (uint64_t)open << (i % 64);
        }
        bits[w] = word;
    }
}

fathom_status fathom_patterns_compute(uint64_t *bits, fathom_context *context, const fathom_data_view *data,
                                      const double *norm, int64_t m, const double *v, int64_t ld)
{
    const int threads = fathom_context_threads(context);
    const int64_t words = fathom_pattern_words(data->n);
    const int64_t tiles_down = (m + TILE_GATES - 1) / TILE_GATES;
    const int64_t tiles_across = (data->n + TILE_POINTS - 1) / TILE_POINTS;
    double *products =
        fathom_memory_alloc(context, (int64_t)threads * TILE_GATES * TILE_POINTS, sizeof *products);
    if (!products)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t k = 0; k < tiles_down * tiles_across; k++) {
        if (fathom_context_overdue(context))
            continue;
        fathom_context_passed(context);
        const int64_t gate = k / tiles_across * TILE_GATES, first = k % tiles_across * TILE_POINTS;
        const tile t = {data,
                        norm,
                        first,
                        data->n - first < TILE_POINTS ? data->n - first : TILE_POINTS,
                        m - gate < TILE_GATES ? m - gate : TILE_GATES,
                        v + gate * ld,
                        ld};
        double *product = products + (int64_t)omp_get_thread_num() * TILE_GATES * TILE_POINTS;
        tile_products(product, &t);
        for (int64_t j = 0; j < t.gates; j++)
            pack_gate(bits + (gate + j) * words + first / 64, &t, t.v + j * ld, product + j * TILE_POINTS);
    }
    fathom_memory_free(context, products);
    return fathom_context_overdue(context) ? fathom_context_late(context, "patterns of gates") : FATHOM_OK;
}
