/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones of rank r = 3..5 as sums of simplicial cones.
 *
 * A cell with extreme rays S is cut by pulling: with the first ray v as apex, it is the union of the cones of v and G
 * over the facets G that do not contain v, each cut in the same way. Facets of a face are the sets of its rays on one
 * more hyperplane, of the right rank. A simplicial cone of unit rays a, b, c has the solid angle
 *     tan(Omega / 2) = |det(a, b - a, c - a)| / (1 + ab + bc + ca)       [Van Oosterom and Strackee 1983],
 * measure Omega / (4 pi), in long double: tiny cones keep their digits. For r = 4, 5 it is P(R^{-1} z > 0), an orthant
 * probability (orthant.h) of the correlation of (R'R)^{-1}, R the matrix of rays.
 *
 * Errors: r = 3: a few roundings of the value plus 2^-62 per triangle; r = 4, 5: the quadrature's estimate, plus
 * roundings; cells of measure below that are known absolutely, not relatively. Cells are independent: same bits
 * for every number of threads.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_internal.h"
#include "measure_internal.h"
#include "memory.h"

#define PI_LONG 3.14159265358979323846264338327950288L

/* What the cutting of one cell needs. */
typedef struct cutter {
    const measure_planes *planes;
    const measure_rays *rays;
    const fathom_orthant_rules *rules;
    int64_t *face[MEASURE_RANK + 1]; /* rays of the face at each depth; room for the largest cell */
    int64_t chain[MEASURE_RANK];     /* apexes so far */
    double value, error;
} cutter;

static bool lies_on(const measure_rays *rays, int64_t ray, int32_t plane)
{
    for (int64_t q = rays->plane_start[ray]; q < rays->plane_start[ray + 1]; q++)
        if (rays->plane[q] == plane)
            return true;
    return false;
}

static long double dot(const long double *a, const long double *b, int64_t r)
{
    long double sum = 0;
    for (int64_t c = 0; c < r; c++)
        sum += a[c] * b[c];
    return sum;
}

static void add_triangle(cutter *cut)
{
    const long double *a = cut->rays->direction + 3 * cut->chain[0],
                      *b = cut->rays->direction + 3 * cut->chain[1],
                      *c = cut->rays->direction + 3 * cut->chain[2];
    long double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    const long double volume = a[0] * (u[1] * v[2] - u[2] * v[1]) + a[1] * (u[2] * v[0] - u[0] * v[2]) +
                               a[2] * (u[0] * v[1] - u[1] * v[0]);
    const long double angle = 2 * atan2l(fabsl(volume), 1 + dot(a, b, 3) + dot(b, c, 3) + dot(c, a, 3));
    cut->value += (double)(angle / (4 * PI_LONG));
    cut->error += 4 * 0x1p-53 * (double)(angle / (4 * PI_LONG)) + 0x1p-62;
}

/* inverse (r x r) of a Gram matrix by Gauss-Jordan elimination with diagonal pivots; false where it is singular. */
static bool invert(long double *inverse, long double *gram, int64_t r)
{
    for (int64_t i = 0; i < r * r; i++)
        inverse[i] = i % (r + 1) == 0;
    for (int64_t k = 0; k < r; k++) {
        const long double pivot = gram[k * r + k];
        if (!(pivot > 0))
            return false;
        for (int64_t j = 0; j < r; j++) {
            gram[k * r + j] /= pivot;
            inverse[k * r + j] /= pivot;
        }
        for (int64_t i = 0; i < r; i++) {
            const long double factor = gram[i * r + k];
            for (int64_t j = 0; j < r && i != k; j++) {
                gram[i * r + j] -= factor * gram[k * r + j];
                inverse[i * r + j] -= factor * inverse[k * r + j];
            }
        }
    }
    return true;
}

static void add_simplex(cutter *cut)
{
    const int64_t r = cut->planes->r;
    if (r == 3) {
        add_triangle(cut);
        return;
    }
    long double gram[MEASURE_RANK * MEASURE_RANK], inverse[MEASURE_RANK * MEASURE_RANK];
    double correlation[MEASURE_RANK * MEASURE_RANK], error = 0;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            gram[i * r + j] =
                dot(cut->rays->direction + r * cut->chain[i], cut->rays->direction + r * cut->chain[j], r);
    if (!invert(inverse, gram, r)) {
        cut->error += 0x1p-32; /* flat to 64 bits: measure of the order of the root of that */
        return;
    }
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            correlation[i * r + j] =
                i == j ? 1 : (double)(inverse[i * r + j] / sqrtl(inverse[i * r + i] * inverse[j * r + j]));
    cut->value += fathom_orthant(&error, correlation, (int)r, cut->rules);
    cut->error += error;
}

/* Whether `count` rays span at least `rank` dimensions, to 1e-12. */
static bool spans(const cutter *cut, const int64_t *ray, int64_t count, int64_t rank)
{
    const int64_t r = cut->planes->r;
    long double basis[MEASURE_RANK * MEASURE_RANK];
    int64_t found = 0;
    if (count < rank)
        return false;
    for (int64_t q = 0; q < count && found < rank && rank > 2; q++) {
        long double *b = basis + found * r;
        memcpy(b, cut->rays->direction + ray[q] * r, (size_t)r * sizeof *b);
        for (int64_t j = 0; j < 2 * found; j++) {
            const long double part = dot(b, basis + (j % found) * r, r);
            for (int64_t c = 0; c < r; c++)
                b[c] -= part * basis[(j % found) * r + c];
        }
        const long double left = sqrtl(dot(b, b, r));
        if (left <= 1e-12L)
            continue;
        for (int64_t c = 0; c < r; c++)
            b[c] /= left;
        found++;
    }
    return rank <= 2 || found >= rank;
}

/* The rays of a face that lie on `plane`, into out; their number. */
static int64_t restrict_face(int64_t *out, const cutter *cut, const int64_t *face, int64_t count,
                             int32_t plane)
{
    int64_t kept = 0;
    for (int64_t q = 0; q < count; q++)
        if (lies_on(cut->rays, face[q], plane))
            out[kept++] = face[q];
    return kept;
}

/* Whether an earlier hyperplane through ray `first` (not through the apex) holds all of the rays: the same facet. */
static bool seen(const cutter *cut, const int64_t *facet, int64_t count, int64_t apex, int32_t plane)
{
    const measure_rays *rays = cut->rays;
    for (int64_t q = rays->plane_start[facet[0]]; rays->plane[q] != plane; q++) {
        bool all = !lies_on(rays, apex, rays->plane[q]);
        for (int64_t k = 0; k < count && all; k++)
            all = lies_on(rays, facet[k], rays->plane[q]);
        if (all)
            return true;
    }
    return false;
}

/* Cuts the face of dimension k whose `count` rays are face[depth]. */
static void pull(cutter *cut, int64_t count, int64_t k, int depth)
{
    const measure_rays *rays = cut->rays;
    const int64_t *face = cut->face[depth], apex = face[0];
    int64_t *facet = cut->face[depth + 1];
    cut->chain[depth] = apex;
    if (k == 1) {
        add_simplex(cut);
        return;
    }
    for (int64_t s = 1; s < count; s++)
        for (int64_t q = rays->plane_start[face[s]]; q < rays->plane_start[face[s] + 1]; q++) {
            const int32_t plane = rays->plane[q];
            if (lies_on(rays, apex, plane))
                continue;
            const int64_t kept = restrict_face(facet, cut, face, count, plane);
            /* each facet once: from its first ray, by its first hyperplane */
            if (facet[0] == face[s] && spans(cut, facet, kept, k - 1) && !seen(cut, facet, kept, apex, plane))
                pull(cut, kept, k - 1, depth + 1);
        }
}

/* Measures cell j. */
static void measure_cell(measure_result *out, cutter *cut, int64_t j)
{
    const measure_rays *rays = cut->rays;
    const int64_t first = rays->cell_start[j], count = rays->cell_start[j + 1] - first;
    cut->value = cut->error = 0;
    if (spans(cut, rays->cell_ray + first, count, cut->planes->r)) {
        memcpy(cut->face[0], rays->cell_ray + first, (size_t)count * sizeof *rays->cell_ray);
        pull(cut, count, cut->planes->r, 0);
    } else {
        cut->error = 1e-12; /* too thin for its rays to be told apart */
    }
    out->value[j] = fmax(cut->value, 0);
    out->error[j] = cut->error;
}

/* Room for faces of the largest cell, for every thread; *stride is that of one face. */
static int64_t *face_workspace(const measure_rays *rays, const measure_planes *planes, int threads,
                               int64_t *stride)
{
    *stride = 1;
    for (int64_t j = 0; j < planes->m; j++) {
        const int64_t count = rays->cell_start[j + 1] - rays->cell_start[j];
        *stride = count > *stride ? count : *stride;
    }
    return fathom_memory_alloc(planes->context, (int64_t)threads * (MEASURE_RANK + 1) * *stride,
                               sizeof(int64_t));
}

static fathom_status measure_cells(measure_result *out, const measure_planes *planes,
                                   const measure_rays *rays, const fathom_orthant_rules *rules)
{
    const int threads = fathom_context_threads(planes->context);
    int64_t stride;
    int64_t *workspace = face_workspace(rays, planes, threads, &stride);
    if (!workspace)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel num_threads(threads)
    {
        cutter cut = {.planes = planes, .rays = rays, .rules = rules};
        for (int k = 0; k <= MEASURE_RANK; k++)
            cut.face[k] = workspace + ((int64_t)omp_get_thread_num() * (MEASURE_RANK + 1) + k) * stride;
#pragma omp for schedule(dynamic, 16)
        for (int64_t j = 0; j < planes->m; j++)
            if (fathom_context_stop_reason(planes->context) == FATHOM_STOP_NONE)
                measure_cell(out, &cut, j);
    }
    fathom_memory_free(planes->context, workspace);
    if (fathom_context_stop_reason(planes->context) != FATHOM_STOP_NONE)
        return fathom_error_set(planes->context, FATHOM_ERROR_STOPPED, "stopped while measuring cones");
    return FATHOM_OK;
}

fathom_status fathom_measure_simplices(measure_result *out, const measure_planes *planes)
{
    measure_rays rays = {0};
    fathom_orthant_rules rules = {0};
    fathom_status status = fathom_measure_rays_init(&rays, planes);
    if (status == FATHOM_OK)
        status = fathom_orthant_rules_init(&rules, planes->context);
    if (status == FATHOM_OK)
        status = measure_cells(out, planes, &rays, &rules);
    fathom_orthant_rules_free(&rules, planes->context);
    fathom_measure_rays_free(&rays, planes->context);
    return status;
}

double fathom_measure_ray_count(const measure_planes *planes)
{
    double count = 1;
    for (int64_t k = 0; k < planes->r - 1; k++)
        count *= (double)(planes->p - k) / (double)(k + 1);
    return count;
}
