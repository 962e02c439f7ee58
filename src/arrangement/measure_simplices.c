/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones of rank r = 3..5 as sums of simplicial cones.
 *
 * A cell with extreme rays S is cut by pulling: with the first ray v as apex, it is the union of the cones of v and G
 * over the facets G that do not contain v, each cut in the same way. Facets of a face are the sets of its rays on one
 * more hyperplane, of the right rank. Rays are integers, so all of this is exact, and so is the Gram matrix G of a simplicial
 * cone's rays. Its measure is a solid angle (r = 3) or the orthant probability of the covariance G^{-1} (r = 4, 5), enclosed
 * with an error that accounts for everything (orthant.h). Cells are independent: same bits for every number of threads.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_internal.h"
#include "measure_internal.h"
#include "memory.h"

/* What the cutting of one cell needs. */
typedef struct cutter {
    const measure_planes *planes;
    const measure_rays *rays;
    const fathom_orthant_rules *rules;
    int64_t *face[MEASURE_RANK + 1]; /* rays of the face at each depth; room for the largest cell */
    int64_t chain[MEASURE_RANK];     /* apexes so far */
    fathom_integer gram[MEASURE_RANK * MEASURE_RANK], inverse[MEASURE_RANK * MEASURE_RANK];
    double value, error;
} cutter;

static bool lies_on(const measure_rays *rays, int64_t ray, int32_t plane)
{
    for (int64_t q = rays->plane_start[ray]; q < rays->plane_start[ray + 1]; q++)
        if (rays->plane[q] == plane)
            return true;
    return false;
}

/* Ray number `ray` up to its sign. */
static const fathom_integer *direction(const cutter *cut, int64_t ray)
{
    return cut->rays->direction + ray / 2 * cut->planes->r;
}

/* The measure of the cone of the rays in `chain`. */
static void add_simplex(cutter *cut)
{
    const int64_t r = cut->planes->r;
    double error;
    if (fathom_context_stop_reason(cut->planes->context) != FATHOM_STOP_NONE)
        return; /* what is measured so far is thrown away */
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++) {
            fathom_integers_product(cut->gram + i * r + j, direction(cut, cut->chain[i]), cut->planes->metric,
                                    direction(cut, cut->chain[j]), r);
            if ((cut->chain[i] ^ cut->chain[j]) & 1)
                fathom_integers_negate(cut->gram + i * r + j, 1);
        }
    if (r > 3)
        fathom_integers_invert(cut->inverse, cut->gram, r);
    cut->value += r == 3 ? fathom_solid_angle(&error, cut->gram)
                         : fathom_orthant(&error, cut->inverse, (int)r, cut->rules);
    cut->error += error + 0x1p-53 * cut->value;
}

/* Whether `count` rays span at least `rank` dimensions. Rays that stand apart in doubles do: what Gram-Schmidt leaves of each
 * is then at least 1e-3, so that the volume of all is far above its rounding. */
static bool spans(const cutter *cut, const int64_t *ray, int64_t count, int64_t rank)
{
    const int64_t r = cut->planes->r;
    double basis[MEASURE_RANK * MEASURE_RANK];
    const fathom_integer *row[MEASURE_RANK];
    int64_t found = 0;
    bool apart = true; /* those found so far do */
    if (count < rank || rank <= 2)
        return count >= rank;
    for (int64_t q = 0; q < count && found < rank; q++) {
        double *b = basis + found * r, size = 0, left = 0;
        memcpy(b, cut->rays->approximate + ray[q] / 2 * r, (size_t)r * sizeof *b);
        for (int64_t c = 0; c < r; c++)
            size += b[c] * b[c];
        for (int64_t j = 0; j < found; j++) {
            double part = 0;
            for (int64_t c = 0; c < r; c++)
                part += b[c] * basis[j * r + c];
            for (int64_t c = 0; c < r; c++)
                b[c] -= part * basis[j * r + c];
        }
        for (int64_t c = 0; c < r; c++)
            left += b[c] * b[c];
        row[found] = direction(cut, ray[q]);
        const bool clear = apart && left >= 1e-6 * size;
        if (!clear && fathom_integers_rank(row, found + 1, r) <= found)
            continue;
        apart = clear;
        for (int64_t c = 0; c < r && apart; c++)
            b[c] /= sqrt(left);
        found++;
    }
    return found >= rank;
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
static void cut_face(cutter *cut, int64_t count, int64_t k, int depth)
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
                cut_face(cut, kept, k - 1, depth + 1);
        }
}

/* Measures cell j. */
static void measure_cell(measure_result *out, cutter *cut, int64_t j)
{
    const measure_rays *rays = cut->rays;
    const int64_t first = rays->cell_start[j], count = rays->cell_start[j + 1] - first;
    cut->value = cut->error = 0;
    memcpy(cut->face[0], rays->cell_ray + first, (size_t)count * sizeof *rays->cell_ray);
    if (spans(cut, rays->cell_ray + first, count, cut->planes->r))
        cut_face(cut, count, cut->planes->r, 0);
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
        fathom_integers_clear(cut.gram, MEASURE_RANK * MEASURE_RANK);
        fathom_integers_clear(cut.inverse, MEASURE_RANK * MEASURE_RANK);
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
    if (status == FATHOM_OK && planes->r > 3)
        status = fathom_orthant_rules_init(&rules, planes->context);
    FATHOM_THEN(status, measure_cells(out, planes, &rays, &rules));
    fathom_orthant_rules_free(&rules, planes->context);
    fathom_measure_rays_free(&rays, planes->r, planes->context);
    return status;
}

double fathom_measure_ray_count(const measure_planes *planes)
{
    double count = 1;
    for (int64_t k = 0; k < planes->r - 1; k++)
        count *= (double)(planes->p - k) / (double)(k + 1);
    return count;
}
