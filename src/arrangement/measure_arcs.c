/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones in a space of rank 0, 1 or 2: the whole, half lines, arcs.
 *
 * Rank 2: the p lines {z : <h, z> = 0} are sorted by angle through exact signs of cross products; between neighbours g, h the
 * angle of their normals (orthant.h), over 2 pi, belongs to the pattern that walking flips line by line; so do arcs on the
 * other side. Arcs are right to a few units of roundoff relative to themselves. Cost O(p (log p + words)).
 */
#include <math.h>
#include <stdlib.h>

#include "measure_internal.h"
#include "memory.h"

/* A line by its normal, whose first nonzero entry is positive, and its number. */
typedef struct line {
    const fathom_integer *normal;
    int64_t plane;
} line;

static int by_angle(const void *left, const void *right)
{
    return -fathom_integers_turn(((const line *)left)->normal, ((const line *)right)->normal);
}

/* The angle from normal a to b over 2 pi; `around`: to the opposite of b. */
static double angle_between(double *error, const measure_planes *planes, const line *a, const line *b,
                            bool around)
{
    fathom_integer product[3] = {0};
    fathom_integers_product(product, a->normal, planes->covariance, a->normal, 2);
    fathom_integers_product(product + 1, a->normal, planes->covariance, b->normal, 2);
    fathom_integers_product(product + 2, b->normal, planes->covariance, b->normal, 2);
    if (around)
        fathom_integers_negate(product + 1, 1);
    const double angle = fathom_plane_angle(error, product, product + 1, product + 2);
    fathom_integers_clear(product, 3);
    return angle;
}

/* Adds an arc to the cell with this pattern, where there is one. */
static void add_arc(measure_result *out, const measure_planes *planes, const uint64_t *pattern, double angle,
                    double error)
{
    const int64_t cell = fathom_pattern_index_find(&planes->index, planes->bits, pattern);
    if (cell < 0)
        return;
    out->value[cell] += angle;
    out->error[cell] += error;
}

/* Lines sorted by the angle of their normals, from -pi/2 (not included) to pi/2. */
static void sort_lines(line *lines, const measure_planes *planes)
{
    for (int64_t k = 0; k < planes->p; k++)
        lines[k] = (line){planes->normal + 2 * k, k};
    qsort(lines, (size_t)planes->p, sizeof *lines, by_angle);
}

/* All arcs: just after the first line, along (-h_2, h_1), z is on the negative side of its normal's turn. The signs there are
 * those of <g, (-h_2, h_1)> = h x g > 0 for the other lines, which come later; walking on passes line after line. */
static void walk(measure_result *out, const measure_planes *planes, const line *lines, uint64_t *pattern)
{
    const int64_t p = planes->p;
    for (int64_t k = 1; k < p; k++)
        pattern[lines[k].plane / 64] |= (uint64_t)1 << (lines[k].plane % 64);
    for (int64_t step = 0; step < 2 * p; step++) {
        const int64_t k = step % p, next = (k + 1) % p;
        double error = 0;
        const double angle = p == 1 ? 0.5 : angle_between(&error, planes, lines + k, lines + next, next == 0);
        add_arc(out, planes, pattern, angle, error);
        pattern[lines[next].plane / 64] ^= (uint64_t)1 << (lines[next].plane % 64);
    }
}

/* Rank 0: no hyperplane, one cone; rank 1: two half lines. */
static void whole_or_halves(measure_result *out, const measure_planes *planes)
{
    for (int64_t j = 0; j < planes->m; j++)
        out->value[j] = planes->r == 0 ? 1 : 0.5;
}

fathom_status fathom_measure_arcs(measure_result *out, const measure_planes *planes)
{
    if (planes->r < 2) {
        whole_or_halves(out, planes);
        return FATHOM_OK;
    }
    line *lines = fathom_memory_alloc(planes->context, planes->p, sizeof *lines);
    uint64_t *pattern = fathom_memory_zero(planes->context, planes->words, sizeof *pattern);
    const bool good = lines && pattern;
    if (good) {
        sort_lines(lines, planes);
        walk(out, planes, lines, pattern);
    }
    FATHOM_FREE(planes->context, lines, pattern);
    return good ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}
