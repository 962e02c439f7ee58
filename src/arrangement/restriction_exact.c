/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer witnesses, for arrangements with cells too thin for doubles (rows that are dependent up to their last bits).
 *
 * They are inside by construction. A sector's is a positive combination of its rays. A facet's point f is lifted exactly to
 * its hyperplane; the cell beyond it, seen from a point w of the cell on this side, contains 2^k f + (f - w) for all
 * large k (f and w brought to the same size), and the first k that satisfies all signs is taken.
 */
#include <string.h>

#include "memory.h"
#include "restriction.h"

enum { SHIFT = 4, ROUNDINGS = 100 }; /* steps of k; multiples of a point that are rounded before giving up */

fathom_status fathom_cells_reserve_points(fathom_cells *cells, int64_t count)
{
    const int64_t wanted = count * cells->r;
    const fathom_status status = fathom_memory_grow(cells->context, (void **)&cells->point,
                                                    &cells->point_capacity, wanted, sizeof *cells->point);
    if (status == FATHOM_OK && wanted > cells->point_count) {
        memset(cells->point + cells->point_count, 0,
               (size_t)(wanted - cells->point_count) * sizeof *cells->point);
        cells->point_count = wanted;
    }
    return status;
}

/* Whether z lies on the sides that the pattern names, for hyperplanes 0 .. count - 1. */
static bool inside(const fathom_integer *z, const uint64_t *bits, const fathom_integer *normal, int64_t r,
                   int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        if (fathom_integers_product_sign(normal + j * r, z, r) != (fathom_pattern_bit(bits, j) ? 1 : -1))
            return false;
    return true;
}

void fathom_cells_split_point(fathom_cells *cells, const fathom_integer *normal, int64_t i, int64_t k,
                              int64_t from, const fathom_integer *facet)
{
    const int64_t r = cells->r;
    const fathom_integer *n = normal + i * r, *w = cells->point + from * r;
    const uint64_t *bits = cells->bits + k * cells->words;
    fathom_integer way[FATHOM_CELLS_RANK] = {0}, *z = cells->point + k * r;
    const int64_t size = fathom_integers_bits(facet, r), other = fathom_integers_bits(w, r);
    if (from != k && fathom_integers_product_sign(n, w, r) != 0)
        fathom_integers_combine(way, facet, 1, other > size ? other - size : 0, w, -1,
                                size > other ? size - other : 0, r);
    else /* along the normal, to the side of cell k */
        fathom_integers_combine(way, way, 1, 0, n, fathom_pattern_bit(bits, i) ? 1 : -1, 0, r);
    for (int64_t shift = 0;; shift += SHIFT) {
        fathom_integers_combine(z, facet, 1, shift, way, 1, 0, r);
        if (inside(z, bits, normal, r, i + 1))
            break;
    }
    fathom_integers_combine(way, way, 1, 0, way, -1, 0, r); /* zero, so that nothing is owned */
}

void fathom_cells_sector_points(fathom_cells *cells, const fathom_integer *normal, const int32_t *order)
{
    for (int64_t k = 0; k < cells->p; k++) {
        const fathom_integer *a = normal + 2 * order[k], *b = normal + 2 * order[(k + 1) % cells->p];
        const int64_t more_a = fathom_integers_bits(b, 2), more_b = fathom_integers_bits(a, 2);
        const int turn = k + 1 < cells->p ? 1 : -1; /* the ray after the last is the opposite of the first */
        fathom_integer *z = cells->point + 4 * k, *back = z + 2;
        /* the rays are (-a_1, a_0) and (-b_1, b_0) */
        fathom_integers_combine(z, a + 1, -1, more_a, b + 1, -turn, more_b, 1);
        fathom_integers_combine(z + 1, a, 1, more_a, b, turn, more_b, 1);
        fathom_integers_combine(back, back, 1, 0, z, -1, 0, 2);
    }
}

bool fathom_cells_round_point(double *z, const fathom_cells *cells, const fathom_integer *normal, int64_t k)
{
    const int64_t r = cells->r;
    const uint64_t *bits = cells->bits + k * cells->words;
    for (int64_t factor = 1; factor <= ROUNDINGS; factor++) {
        bool fine = true;
        fathom_integers_round(z, cells->point + k * r, factor, r);
        for (int64_t i = 0; i < cells->p && fine; i++)
            fine = fathom_integers_dot_sign(normal + i * r, z, r) == (fathom_pattern_bit(bits, i) ? 1 : -1);
        if (fine)
            return true;
    }
    return false;
}
