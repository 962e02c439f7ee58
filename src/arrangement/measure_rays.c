/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extreme rays of the cells of an arrangement of rank r = 3..5.
 *
 * Every extreme ray is the intersection of r - 1 hyperplanes with independent normals: their generalised cross product,
 * in long double. All hyperplanes through it are found (|<h, ray>| within rounding of 0; exactly 0 on integer data); a
 * set of r - 1 is used only where it is the first independent one of those, so that each ray appears once. The cells at
 * a ray agree with it off those hyperplanes; on them all sign patterns are looked up among the cells (2^(r-1) in
 * general position). Cost: C(p, r - 1) (p r + 2^(r-1)) operations. A ray -v has the hyperplanes of v.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "measure_internal.h"
#include "memory.h"

enum { LOCAL = 16 }; /* hyperplanes through a ray up to which patterns are looked up one by one */

/* Determinant of a k x k matrix, k <= 4, by expansion. */
static long double determinant(const long double *a, int k)
{
    if (k == 1)
        return a[0];
    if (k == 2)
        return a[0] * a[3] - a[1] * a[2];
    long double sum = 0, minor[9];
    for (int c = 0; c < k; c++) {
        for (int i = 1; i < k; i++)
            for (int j = 0, to = 0; j < k; j++)
                if (j != c)
                    minor[(i - 1) * (k - 1) + to++] = a[i * k + j];
        sum += (c % 2 ? -1 : 1) * a[c] * determinant(minor, k - 1);
    }
    return sum;
}

/* out (r, unit) = the direction orthogonal to r - 1 normals; returns the product of their lengths over that of the
 * cross product, the factor by which rounding is amplified; infinite where they are dependent. */
static long double cross_product(long double *out, const measure_planes *planes, const int64_t *set)
{
    const int r = (int)planes->r;
    long double matrix[16], size = 0, lengths = 1;
    for (int i = 0; i < r - 1; i++) {
        long double sum = 0;
        for (int c = 0; c < r; c++)
            sum += (long double)planes->normal[set[i] * r + c] * planes->normal[set[i] * r + c];
        lengths *= sqrtl(sum);
    }
    for (int skip = 0; skip < r; skip++) {
        for (int i = 0; i < r - 1; i++)
            for (int c = 0, to = 0; c < r; c++)
                if (c != skip)
                    matrix[i * (r - 1) + to++] = planes->normal[set[i] * r + c];
        out[skip] = (skip % 2 ? -1 : 1) * determinant(matrix, r - 1);
        size += out[skip] * out[skip];
    }
    size = sqrtl(size);
    for (int c = 0; c < r && size > 0; c++)
        out[c] /= size;
    return size > 0x1p-58L * lengths ? lengths / size : INFINITY;
}

/* The ray under construction: signs of all hyperplanes on it, and those through it. */
typedef struct vertex {
    long double direction[MEASURE_RANK];
    uint64_t *positive; /* words */
    int32_t *through;   /* p */
    int64_t count;      /* of `through` */
} vertex;

static void classify(vertex *v, const measure_planes *planes, long double amplified)
{
    const int r = (int)planes->r;
    const long double tolerance = 0x1p-59L * amplified;
    memset(v->positive, 0, (size_t)planes->words * sizeof *v->positive);
    v->count = 0;
    for (int64_t k = 0; k < planes->p; k++) {
        long double sum = 0, size = 0;
        for (int c = 0; c < r; c++) {
            const long double h = planes->normal[k * r + c];
            sum += h * v->direction[c];
            size += h * h;
        }
        if (fabsl(sum) <= tolerance * sqrtl(size))
            v->through[v->count++] = (int32_t)k;
        else if (sum > 0)
            v->positive[k / 64] |= (uint64_t)1 << (k % 64);
    }
}

/* Whether `set` is the first independent set of r - 1 among the hyperplanes through the ray (greedy, ascending). */
static bool is_first(const vertex *v, const measure_planes *planes, const int64_t *set)
{
    const int r = (int)planes->r;
    if (v->count == r - 1)
        return true;
    long double basis[MEASURE_RANK * MEASURE_RANK];
    int found = 0;
    for (int64_t q = 0; q < v->count && found < r - 1; q++) {
        long double *b = basis + found * r, size = 0, left = 0;
        for (int c = 0; c < r; c++) {
            b[c] = planes->normal[v->through[q] * r + c];
            size += b[c] * b[c];
        }
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < found; j++) {
                long double part = 0;
                for (int c = 0; c < r; c++)
                    part += b[c] * basis[j * r + c];
                for (int c = 0; c < r; c++)
                    b[c] -= part * basis[j * r + c];
            }
        for (int c = 0; c < r; c++)
            left += b[c] * b[c];
        if (!(left > 0x1p-90L * size))
            continue;
        for (int c = 0; c < r; c++)
            b[c] /= sqrtl(left);
        if (v->through[q] != set[found++])
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

/* Enters the ray (or its negative: signs flipped off the hyperplanes through it). `mask` (words) is workspace. */
static fathom_status add_ray(measure_rays *rays, const measure_planes *planes, vertex *v, uint64_t *mask,
                             bool negative)
{
    fathom_context *context = planes->context;
    const int64_t r = planes->r, ray = rays->count;
    fathom_status status = fathom_memory_grow(context, (void **)&rays->direction, &rays->capacity_direction,
                                              (ray + 1) * r, sizeof *rays->direction);
    if (status == FATHOM_OK)
        status = fathom_memory_grow(context, (void **)&rays->plane_start, &rays->capacity_start, ray + 2,
                                    sizeof *rays->plane_start);
    const int64_t at = ray > 0 && status == FATHOM_OK ? rays->plane_start[ray] : 0;
    if (status == FATHOM_OK)
        status = fathom_memory_grow(context, (void **)&rays->plane, &rays->capacity_plane, at + v->count,
                                    sizeof *rays->plane);
    if (status != FATHOM_OK)
        return status;
    rays->plane_start[0] = 0;
    rays->plane_start[ray + 1] = at + v->count;
    memcpy(rays->plane + at, v->through, (size_t)v->count * sizeof *v->through);
    for (int64_t c = 0; c < r; c++)
        rays->direction[ray * r + c] = negative ? -v->direction[c] : v->direction[c];
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

static fathom_status find_rays(measure_rays *rays, const measure_planes *planes, vertex *v, uint64_t *mask)
{
    fathom_status status = FATHOM_OK;
    const int64_t size = planes->r - 1;
    int64_t set[MEASURE_RANK], looked = 0;
    for (int64_t k = 0; k < size; k++)
        set[k] = k;
    do {
        const long double amplified = cross_product(v->direction, planes, set);
        if (isinf(amplified))
            continue;
        classify(v, planes, amplified);
        if (!is_first(v, planes, set))
            continue;
        status = add_ray(rays, planes, v, mask, false);
        if (status == FATHOM_OK)
            status = add_ray(rays, planes, v, mask, true);
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
    if (status == FATHOM_OK)
        status = find_rays(rays, planes, &v, mask);
    if (status == FATHOM_OK)
        status = sort_pairs(rays, planes);
    fathom_memory_free(context, v.positive);
    fathom_memory_free(context, v.through);
    fathom_memory_free(context, mask);
    return status;
}

void fathom_measure_rays_free(measure_rays *rays, fathom_context *context)
{
    fathom_memory_free(context, rays->direction);
    fathom_memory_free(context, rays->plane_start);
    fathom_memory_free(context, rays->plane);
    fathom_memory_free(context, rays->cell_start);
    fathom_memory_free(context, rays->cell_ray);
    fathom_memory_free(context, rays->pair);
}
