/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel examples are one hyperplane. With x_i = c_i u_g, |u_g| = 1, and zeta_g = <v, u_g> a unit of slope
 * alpha below its kink has
 *
 *     sigma(c zeta) = c sigma(zeta) for c > 0,
 *     sigma(c zeta) = |c| (sigma(zeta) - (1 + alpha) zeta) for c < 0,
 *
 * so that forces f_i on the examples push a neuron along u_g with the effect
 *
 *     above_g = F - alpha B where zeta > 0,   below_g = alpha F - B where zeta < 0,
 *     F = sum_{c_i > 0} f_i |c_i|,   B = sum_{c_i < 0} f_i |c_i|.
 *
 * The Clarke differential at zeta_g = 0 is the segment between the two; examples taken one by one would
 * give a larger set, in which a neuron may seem to be held on a kink that it must leave.
 * above_g - below_g = (1 - alpha) (F + B) decides whether the plane is a valley or a ridge. Both effects are
 * kept, not one of them and the difference: where duals are far apart the smaller one would be lost to
 * rounding. [docs/explanation/dynamics.md]
 *
 * Rows are compared after scaling to norm 1, up to rounding (1e-14); neighbours are found by sorting
 * projections on one direction.
 */
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

static const double same = 1e-14;

typedef struct place {
    double key; /* |<x_i, w>| / |x_i| */
    int64_t i;
} place;

static int by_key(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->i > b->i) - (a->i < b->i);
}

/* +1 or -1 where row x of norm `norm` is that multiple of the unit row u, up to rounding; else 0. */
static int parallel(const double *x, double norm, const double *u, int64_t d)
{
    const int sign = fathom_blas_dot(x, u, d) > 0 ? 1 : -1;
    for (int64_t k = 0; k < d; k++)
        if (fabs(x[k] / norm - sign * u[k]) > same)
            return 0;
    return sign;
}

/* Sorted places of all rows but zeros; returns how many. Directions of w are irrational and of all sizes. */
static int64_t sort_places(place *at, double *norm, fathom_planes *planes, const double *x, int64_t n,
                           int64_t d)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        norm[i] = fathom_blas_norm(x + i * d, d);
        planes->of[i] = -1;
        for (int64_t k = 0; k < d; k++)
            sum += x[i * d + k] * (0.5 + fmod(0.6180339887498949 * (double)(k + 1), 1));
        if (norm[i] > 0)
            at[count++] = (place){fabs(sum) / norm[i] / sqrt((double)d), i};
    }
    qsort(at, (size_t)count, sizeof *at, by_key);
    return count;
}

/* The plane of one more row: among those whose key is near, or a new one. */
static void assign(fathom_planes *planes, double *key, double norm, place at, const double *row, int64_t d)
{
    for (int64_t g = planes->count - 1; g >= 0 && at.key - key[g] <= 10 * same; g--) {
        const int sign = parallel(row, norm, planes->unit + g * d, d);
        if (sign != 0) {
            planes->of[at.i] = g;
            planes->factor[at.i] = sign * norm;
            return;
        }
    }
    const int64_t g = planes->count++;
    for (int64_t k = 0; k < d; k++)
        planes->unit[g * d + k] = row[k] / norm;
    key[g] = at.key;
    planes->of[at.i] = g;
    planes->factor[at.i] = norm;
    planes->squares[g] = 1;
}

fathom_status fathom_planes_find(fathom_planes *planes, fathom_context *context, const double *x, int64_t n,
                                 int64_t d)
{
    *planes = (fathom_planes){0};
    planes->of = fathom_memory_alloc(context, n, sizeof *planes->of);
    planes->factor = fathom_memory_zero(context, n, sizeof(double));
    planes->unit = fathom_memory_alloc(context, n * d, sizeof(double));
    planes->squares = fathom_memory_alloc(context, n, sizeof(double));
    place *at = fathom_memory_alloc(context, n, sizeof *at);
    double *norm = fathom_memory_alloc(context, 2 * n, sizeof *norm);
    const bool ok = planes->of && planes->factor && planes->unit && planes->squares && at && norm;
    if (ok) {
        const int64_t count = sort_places(at, norm, planes, x, n, d);
        for (int64_t k = 0; k < count; k++)
            assign(planes, norm + n, norm[at[k].i], at[k], x + at[k].i * d, d);
    }
    FATHOM_FREE(context, at, norm);
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_planes_free(fathom_planes *planes, fathom_context *context)
{
    FATHOM_FREE(context, planes->of, planes->factor, planes->unit, planes->squares);
    *planes = (fathom_planes){0};
}

double fathom_planes_gather(double *above, double *below, const fathom_planes *planes, const double *force,
                            int64_t n, double alpha)
{
    double size = 0;
    memset(above, 0, (size_t)planes->count * sizeof *above);
    memset(below, 0, (size_t)planes->count * sizeof *below);
    for (int64_t i = 0; i < n; i++) {
        const int64_t g = planes->of[i];
        const double push = force[i] * planes->factor[i];
        if (g < 0)
            continue;
        size += fabs(push);
        above[g] += planes->factor[i] > 0 ? push : alpha * push;
        below[g] += planes->factor[i] > 0 ? alpha * push : push;
    }
    return size;
}
