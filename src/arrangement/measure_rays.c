/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extreme rays of the cells of an arrangement of rank r = 3..5.
 *
 * Every extreme ray is the intersection of r - 1 hyperplanes with independent normals: their generalised cross product,
 * an integer vector. All hyperplanes through it are found exactly; a set of r - 1 is used only where it is the first independent one of those, so that each ray appears once. The cells at
 * a ray agree with it off those hyperplanes; on them all sign patterns are looked up among the cells (2^(r-1) in
 * general position). Cost: C(p, r - 1) (p r + 2^(r-1)) operations. A ray -v has the hyperplanes of v.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "measure_internal.h"
#include "memory.h"

enum { LOCAL = 16 }; /* hyperplanes through a ray up to which patterns are looked up one by one */

/* The ray under construction: signs of all hyperplanes on it, and those through it. */
typedef struct vertex {
    fathom_integer direction[MEASURE_RANK];
    double approximate[MEASURE_RANK];
    uint64_t *positive; /* words */
    int32_t *through;   /* p */
    int64_t count;      /* of `through` */
} vertex;

/* The sign of <normal k, ray>: products of doubles where their error of 2^-52 in each entry leaves no doubt. */
static int sign_of(const vertex *v, const measure_planes *planes, int64_t k)
{
    const int64_t r = planes->r;
    double sum = 0, size = 0;
    for (int64_t c = 0; c < r; c++) {
        sum += planes->approximate[k * r + c] * v->approximate[c];
        size += fabs(planes->approximate[k * r + c]) + fabs(v->approximate[c]);
    }
    if (fabs(sum) > 0x1p-50 * size)
        return sum > 0 ? 1 : -1;
    return fathom_integers_product_sign(planes->normal + k * r, v->direction, r);
}

static void classify(vertex *v, const measure_planes *planes)
{
    memset(v->positive, 0, (size_t)planes->words * sizeof *v->positive);
    v->count = 0;
    for (int64_t k = 0; k < planes->p; k++) {
        const int sign = sign_of(v, planes, k);
        if (sign == 0)
            v->through[v->count++] = (int32_t)k;
        else if (sign > 0)
            v->positive[k / 64] |= (uint64_t)1 << (k % 64);
    }
}

/* Whether `set` is the first independent set of r - 1 among the hyperplanes through the ray (greedy, ascending). */
static bool is_first(const vertex *v, const measure_planes *planes, const int64_t *set)
{
    const int64_t r = planes->r;
    const fathom_integer *row[MEASURE_RANK];
    int64_t found = 0;
    for (int64_t q = 0; q < v->count && found < r - 1 && v->count > r - 1; q++) {
        row[found] = planes->normal + v->through[q] * r;
        if (v->through[q] == set[found])
            found++;
        else if (fathom_integers_rank(row, found + 1, r) == found + 1)
            return false;
    }
    return true;
}

static fathom_status add_pair(measure_rays *rays, fathom_context *context, int64_t cell, int64_t ray)
{
    const fathom_status status = fathom_memory_grow(context, (void **)&rays->pair, &rays->capacity_pair,
                                                    2 * rays->pairs + 2, sizeof *rays->pair);
    if (status == FATHOM_OK) {
        rays->pair[2 * rays->pairs] = cell;
        rays->pair[2 * rays->pairs++ + 1] = ray;
    }
    return status;
}

/* Enters ray number `ray` with all cells at it; pattern (words) is the ray's signs, changed and restored. */
static fathom_status meet_cells(measure_rays *rays, const measure_planes *planes, uint64_t *pattern,
                                const vertex *v, int64_t ray)
{
    fathom_status status = FATHOM_OK;
    const int64_t local = (int64_t)1 << (v->count < LOCAL ? v->count : LOCAL);
    for (int64_t code = 1; code <= local && status == FATHOM_OK; code++) {
        const int64_t cell = fathom_pattern_index_find(&planes->index, planes->bits, pattern);
        if (cell >= 0)
            status = add_pair(rays, planes->context, cell, ray);
        /* Gray code: step `code` flips the hyperplane of its lowest set bit; a ray on no hyperplane meets one cell */
        if (v->count == 0)
            break;
        const int32_t k = v->through[code < local ? __builtin_ctzll((uint64_t)code) : v->count - 1];
        pattern[k / 64] ^= (uint64_t)1 << (k % 64);
    }
    return status;
}

/* The same by comparing with every cell, for rays on very many hyperplanes. */
static fathom_status meet_all_cells(measure_rays *rays, const measure_planes *planes, const uint64_t *pattern,
                                    const uint64_t *through, int64_t ray)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < planes->m && status == FATHOM_OK; j++) {
        bool same = true;
        for (int64_t w = 0; w < planes->words && same; w++)
            same = ((planes->bits[j * planes->words + w] ^ pattern[w]) & ~through[w]) == 0;
        if (same)
            status = add_pair(rays, planes->context, j, ray);
    }
    return status;
}

/* Room for ray number `ray`, whose hyperplanes begin at `at`. */
static fathom_status reserve(measure_rays *rays, const measure_planes *planes, int64_t ray, int64_t at)
{
    fathom_context *context = planes->context;
    const int64_t size = (ray / 2 + 1) * planes->r;
    FATHOM_TRY(fathom_memory_grow(context, (void **)&rays->direction, &rays->capacity_direction, size,
                                  sizeof *rays->direction));
    FATHOM_TRY(fathom_memory_grow(context, (void **)&rays->approximate, &rays->capacity_approximate, size,
                                  sizeof *rays->approximate));
    FATHOM_TRY(fathom_memory_grow(context, (void **)&rays->plane_start, &rays->capacity_start, ray + 2,
                                  sizeof *rays->plane_start));
    return fathom_memory_grow(context, (void **)&rays->plane, &rays->capacity_plane, at, sizeof *rays->plane);
}

/* The direction of the next two rays. */
static void keep_direction(measure_rays *rays, const measure_planes *planes, const vertex *v)
{
    const int64_t r = planes->r, at = rays->count / 2 * r;
    memset(rays->direction + at, 0, (size_t)r * sizeof *rays->direction);
    fathom_integers_copy(rays->direction + at, v->direction, r);
    memcpy(rays->approximate + at, v->approximate, (size_t)r * sizeof *rays->approximate);
}

/* Enters the ray (or its negative: signs flipped off the hyperplanes through it). `mask` (words) is workspace. */
static fathom_status add_ray(measure_rays *rays, const measure_planes *planes, vertex *v, uint64_t *mask,
                             bool negative)
{
    const int64_t ray = rays->count, at = ray > 0 ? rays->plane_start[ray] : 0;
    FATHOM_TRY(reserve(rays, planes, ray, at + v->count));
    rays->plane_start[0] = 0;
    rays->plane_start[ray + 1] = at + v->count;
    memcpy(rays->plane + at, v->through, (size_t)v->count * sizeof *v->through);
    if (!negative)
        keep_direction(rays, planes, v);
    rays->count++;
    memset(mask, 0, (size_t)planes->words * sizeof *mask);
    for (int64_t q = 0; q < v->count; q++)
        mask[v->through[q] / 64] |= (uint64_t)1 << (v->through[q] % 64);
    if (negative)
        for (int64_t k = 0; k < planes->p; k++)
            if (!(mask[k / 64] >> (k % 64) & 1))
                v->positive[k / 64] ^= (uint64_t)1 << (k % 64);
    return v->count > LOCAL ? meet_all_cells(rays, planes, v->positive, mask, ray)
                            : meet_cells(rays, planes, v->positive, v, ray);
}

/* The next set of `size` numbers below p in lexicographic order; false after the last. */
static bool next_set(int64_t *set, int64_t size, int64_t p)
{
    int64_t i = size - 1;
    while (i >= 0 && set[i] == p - size + i)
        i--;
    if (i < 0)
        return false;
    set[i]++;
    for (int64_t k = i + 1; k < size; k++)
        set[k] = set[k - 1] + 1;
    return true;
}

/* The ray of r - 1 hyperplanes; false where they are dependent. */
static bool cut(vertex *v, const measure_planes *planes, const int64_t *set)
{
    const fathom_integer *row[MEASURE_RANK];
    for (int64_t i = 0; i < planes->r - 1; i++)
        row[i] = planes->normal + set[i] * planes->r;
    if (!fathom_integers_cross(v->direction, row, planes->r))
        return false;
    fathom_integers_to_doubles(v->approximate, v->direction, planes->r);
    return true;
}

static fathom_status find_rays(measure_rays *rays, const measure_planes *planes, vertex *v, uint64_t *mask)
{
    fathom_status status = FATHOM_OK;
    const int64_t size = planes->r - 1;
    int64_t set[MEASURE_RANK], looked = 0;
    for (int64_t k = 0; k < size; k++)
        set[k] = k;
    do {
        if (!cut(v, planes, set))
            continue;
        classify(v, planes);
        if (!is_first(v, planes, set))
            continue;
        status = add_ray(rays, planes, v, mask, false);
        FATHOM_THEN(status, add_ray(rays, planes, v, mask, true));
        if (status == FATHOM_OK && ++looked % 1024 == 0 &&
            fathom_context_poll(planes->context, "rays", looked, NAN, NAN) != FATHOM_STOP_NONE)
            status = fathom_error_set(planes->context, FATHOM_ERROR_STOPPED, "stopped while measuring cones");
    } while (status == FATHOM_OK && next_set(set, size, planes->p));
    return status;
}

/* Rays by cell, ascending, from the pairs (which come in order of rays). */
static fathom_status sort_pairs(measure_rays *rays, const measure_planes *planes)
{
    rays->cell_start = fathom_memory_zero(planes->context, planes->m + 2, sizeof *rays->cell_start);
    rays->cell_ray = fathom_memory_alloc(planes->context, rays->pairs, sizeof *rays->cell_ray);
    if (!rays->cell_start || !rays->cell_ray)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < rays->pairs; k++)
        rays->cell_start[rays->pair[2 * k] + 2]++;
    for (int64_t j = 2; j <= planes->m + 1; j++)
        rays->cell_start[j] += rays->cell_start[j - 1];
    for (int64_t k = 0; k < rays->pairs; k++)
        rays->cell_ray[rays->cell_start[rays->pair[2 * k] + 1]++] = rays->pair[2 * k + 1];
    return FATHOM_OK;
}

fathom_status fathom_measure_rays_init(measure_rays *rays, const measure_planes *planes)
{
    fathom_context *context = planes->context;
    vertex v = {0};
    *rays = (measure_rays){0};
    v.positive = fathom_memory_alloc(context, planes->words, sizeof *v.positive);
    v.through = fathom_memory_alloc(context, planes->p, sizeof *v.through);
    uint64_t *mask = fathom_memory_alloc(context, planes->words, sizeof *mask);
    fathom_status status = v.positive && v.through && mask ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, find_rays(rays, planes, &v, mask));
    FATHOM_THEN(status, sort_pairs(rays, planes));
    FATHOM_FREE(context, v.positive, v.through, mask);
    fathom_integers_clear(v.direction, MEASURE_RANK);
    return status;
}

void fathom_measure_rays_free(measure_rays *rays, int64_t r, fathom_context *context)
{
    fathom_integers_free(context, rays->direction, (rays->count + 1) / 2 * r);
    FATHOM_FREE(context, rays->approximate, rays->plane_start, rays->plane, rays->cell_start, rays->cell_ray,
                rays->pair);
}
