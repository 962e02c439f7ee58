/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones in a space of rank 0, 1 or 2: the whole, half lines, arcs.
 *
 * Rank 2: the p lines {z : <h, z> = 0} are sorted by angle through signs of cross products; between neighbours g, h the
 * arc atan2(|g x h|, <g, h>) / (2 pi) belongs to the pattern that walking flips line by line; so do arcs on the other
 * side. In long double: arcs are right to a few units of double roundoff relative to themselves unless their lines are
 * closer than 1e-12, where the relative error grows and the absolute one stays below 1e-19. Cost O(p (log p + words)).
 */
#include <math.h>
#include <stdlib.h>

#include "measure_internal.h"
#include "memory.h"

/* A line by its direction in the upper half plane (angle in [0, pi)) and its number. */
typedef struct line {
    long double x, y;
    int64_t plane;
} line;

static long double cross(const line *a, const line *b) { return a->x * b->y - a->y * b->x; }

static int by_angle(const void *left, const void *right)
{
    const long double c = cross(left, right);
    return c > 0 ? -1 : c < 0;
}

/* Angle from a to b, both in the upper half plane; `around`: to the opposite of b. */
static long double angle_between(const line *a, const line *b, bool around)
{
    const long double sign = around ? -1 : 1;
    return atan2l(fabsl(cross(a, b)), sign * (a->x * b->x + a->y * b->y));
}

/* Adds an arc to the cell with this pattern, where there is one. */
static void add_arc(measure_result *out, const measure_planes *planes, const uint64_t *pattern,
                    long double angle)
{
    const int64_t cell = fathom_pattern_index_find(&planes->index, planes->bits, pattern);
    if (cell < 0)
        return;
    out->value[cell] += (double)(angle / (2 * acosl(-1)));
    out->error[cell] += 2 * 0x1p-53 * out->value[cell] + 0x1p-62;
}

/* Lines sorted by angle: the direction of {<h, z> = 0} is h turned by a right angle. */
static void sort_lines(line *lines, const measure_planes *planes)
{
    for (int64_t k = 0; k < planes->p; k++) {
        const long double x = -planes->normal[2 * k + 1], y = planes->normal[2 * k];
        const long double sign = y < 0 || (y == 0 && x < 0) ? -1 : 1, size = hypotl(x, y);
        lines[k] = (line){sign * x / size, sign * y / size, k};
    }
    qsort(lines, (size_t)planes->p, sizeof *lines, by_angle);
}

/* Signs of <h, z> for z just after the first line, in the direction of growing angle. */
static void first_pattern(uint64_t *pattern, const line *lines, const measure_planes *planes)
{
    for (int64_t k = 0; k < planes->p; k++) {
        /* z = first line's direction u, then tilted to the left, (-u_y, u_x) */
        const double *h = planes->normal + 2 * lines[k].plane;
        const long double along = h[0] * lines[0].x + h[1] * lines[0].y;
        const long double tilt = -h[0] * lines[0].y + h[1] * lines[0].x;
        if (k == 0 ? tilt > 0 : along > 0)
            pattern[lines[k].plane / 64] |= (uint64_t)1 << (lines[k].plane % 64);
    }
}

static void walk(measure_result *out, const measure_planes *planes, const line *lines, uint64_t *pattern)
{
    const int64_t p = planes->p;
    first_pattern(pattern, lines, planes);
    for (int64_t step = 0; step < 2 * p; step++) {
        const int64_t k = step % p, next = (k + 1) % p;
        const long double angle = p == 1 ? acosl(-1) : angle_between(lines + k, lines + next, next == 0);
        add_arc(out, planes, pattern, angle);
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
    fathom_memory_free(planes->context, lines);
    fathom_memory_free(planes->context, pattern);
    return good ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}
