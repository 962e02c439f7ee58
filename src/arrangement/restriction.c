/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of any central arrangement by restriction: see restriction.h.
 *
 * With c(p, r) cells the recursion visits O(r c(p, r)) of them in generic position, fewer otherwise, and every step
 * touches all cells so far once: O(p/r) per cell. Which cells a hyperplane splits is combinatorial: patterns of
 * the restriction are looked up among those of the cells. The side on which an unsplit cell lies is the side of its
 * witness, exactly. No linear program is solved.
 */
#include "restriction.h"

#include <math.h>
#include <string.h>

#include "cell_witness.h"
#include "context_internal.h"
#include "memory.h"

/* ---- restriction of hyperplanes ---- */

void fathom_restriction_free(fathom_restriction *restriction)
{
    if (!restriction->context)
        return;
    fathom_integers_free(restriction->context, restriction->normal, restriction->given * restriction->r);
    FATHOM_FREE(restriction->context, restriction->plane_of, restriction->side_of);
    *restriction = (fathom_restriction){0};
}

/* Enters row number to->p, just computed: it stays there where it is new. Gives its number. */
static int64_t find_restriction(fathom_restriction *to, int32_t *slot, int64_t capacity)
{
    const fathom_integer *v = to->normal + to->p * to->r;
    int64_t at = (int64_t)(fathom_integers_hash(v, to->r) & (uint64_t)(capacity - 1));
    while (slot[at] >= 0 && !fathom_integers_equal(to->normal + slot[at] * to->r, v, to->r))
        at = (at + 1) & (capacity - 1);
    if (slot[at] < 0)
        slot[at] = (int32_t)to->p++;
    return slot[at];
}

fathom_status fathom_restriction_init(fathom_restriction *to, fathom_context *context, int64_t given,
                                      int64_t r, const fathom_integer *normal, const fathom_integer *base)
{
    int64_t capacity = 8;
    while (capacity < 2 * given)
        capacity *= 2;
    *to = (fathom_restriction){.context = context, .given = given, .r = r};
    to->normal = fathom_integers_create(context, given * r);
    to->plane_of = fathom_memory_alloc(context, given, sizeof *to->plane_of);
    to->side_of = fathom_memory_alloc(context, given, sizeof *to->side_of);
    int32_t *slot = fathom_memory_alloc(context, capacity, sizeof *slot);
    const bool fine = to->normal && to->plane_of && to->side_of && slot;
    if (fine)
        memset(slot, 0xff, (size_t)capacity * sizeof *slot);
    to->pivot = fathom_integers_pivot(base, r + 1);
    for (int64_t j = 0; j < given && fine; j++) {
        fathom_integer *v = to->normal + to->p * r;
        fathom_integers_restrict(v, normal + j * (r + 1), base, to->pivot, r + 1);
        to->plane_of[j] = -1;
        if (fathom_integers_are_zero(v, r))
            continue;
        to->side_of[j] = (int8_t)fathom_integers_orient(v, r);
        to->plane_of[j] = (int32_t)find_restriction(to, slot, capacity);
    }
    fathom_memory_free(context, slot);
    return fine ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* ---- lists of cells ---- */

void fathom_cells_free(fathom_cells *cells)
{
    if (!cells->context)
        return;
    FATHOM_FREE(cells->context, cells->bits, cells->witness);
    fathom_integers_free(cells->context, cells->point, cells->point_count);
    *cells = (fathom_cells){0};
}

/* Room for `count` cells. */
static fathom_status reserve(fathom_cells *cells, int64_t count)
{
    const fathom_status status =
        fathom_memory_grow(cells->context, (void **)&cells->bits, &cells->bits_capacity, count * cells->words,
                           sizeof *cells->bits);
    if (status != FATHOM_OK || cells->exact)
        return status == FATHOM_OK ? fathom_cells_reserve_points(cells, count) : status;
    return fathom_memory_grow(cells->context, (void **)&cells->witness, &cells->witness_capacity,
                              count * cells->r, sizeof *cells->witness);
}

static void put_bit(uint64_t *bits, int64_t i, bool set)
{
    if (set)
        bits[i / 64] |= (uint64_t)1 << (i % 64);
}

/* ---- at most one hyperplane, or one dimension: at most two cells ---- */

static fathom_status enumerate_trivial(fathom_cells *cells, const fathom_cell_frame *frame)
{
    FATHOM_TRY(reserve(cells, 2));
    memset(cells->bits, 0, (size_t)(2 * cells->words) * sizeof *cells->bits);
    if (cells->exact && cells->p > 0) {
        fathom_integers_copy(cells->point, frame->normal, cells->r);
        fathom_integers_combine(cells->point + cells->r, cells->point + cells->r, 1, 0, frame->normal, -1, 0,
                                cells->r);
    } else if (cells->exact) {
        const double one = 1;
        fathom_integers_from_doubles(cells->point, &one, 1);
    }
    for (int64_t c = 0; c < cells->r && !cells->exact; c++) {
        const double up = cells->p == 0 ? c == 0 : frame->approximate[c];
        cells->witness[c] = up;
        cells->witness[cells->r + c] = -up;
    }
    cells->count = cells->p == 0 ? 1 : 2;
    if (cells->p > 0)
        put_bit(cells->bits, 0, true);
    return FATHOM_OK;
}

/* ---- two dimensions: sectors between rays ---- */

/* Orders hyperplanes of R^2 by the angle in [0, pi) of the ray (-b, a) +- orthogonal to (a, b); normals come oriented
 * (first nonzero entry positive), so that (a, b) has its angle in (-pi/2, pi/2] and the order is that of the angle. */
static void sort_by_angle(int32_t *order, int32_t *spare, const fathom_integer *normal, int64_t p)
{
    for (int64_t i = 0; i < p; i++)
        order[i] = (int32_t)i;
    for (int64_t width = 1; width < p; width *= 2) {
        for (int64_t low = 0; low < p; low += 2 * width) {
            const int64_t middle = low + width < p ? low + width : p,
                          high = middle + width < p ? middle + width : p;
            int64_t a = low, b = middle;
            for (int64_t k = low; k < high; k++) {
                /* turn > 0: the second is counterclockwise of the first */
                const bool left =
                    b == high ||
                    (a < middle && fathom_integers_turn(normal + 2 * order[a], normal + 2 * order[b]) > 0);
                spare[k] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, spare, (size_t)p * sizeof *order);
    }
}

/* A point between the rays that follow the normals a, b by a right angle, b counterclockwise of a by less than pi. */
static void between(double z[2], const double *a, const double *b)
{
    const double la = hypot(a[0], a[1]), lb = hypot(b[0], b[1]);
    const double u[2] = {-a[1] / la, a[0] / la}, v[2] = {-b[1] / lb, b[0] / lb};
    const bool obtuse = u[0] * v[0] + u[1] * v[1] < 0;
    z[0] = obtuse ? -u[1] : u[0] + v[0];
    z[1] = obtuse ? u[0] : u[1] + v[1];
}

/* Sector k lies between the rays of order[k] and order[k + 1], each a quarter turn ahead of its normal: <N, z> < 0 for
 * the first k + 1 hyperplanes of the order, whose rays lie behind, and > 0 for the others. */
static fathom_status enumerate_sectors(fathom_cells *cells, fathom_cell_frame *frame, int32_t *order)
{
    const int64_t p = cells->p;
    FATHOM_TRY(reserve(cells, 2 * p));
    sort_by_angle(order, order + p, frame->normal, p);
    memset(cells->bits, 0, (size_t)(2 * p * cells->words) * sizeof *cells->bits);
    for (int64_t k = 0; k < p; k++) {
        uint64_t *bits = cells->bits + 2 * k * cells->words;
        for (int64_t l = 0; l < p; l++)
            put_bit(bits + (l <= k ? cells->words : 0), order[l], true);
        if (cells->exact)
            continue;
        double *z = cells->witness + 4 * k, back[2];
        const double *a = frame->approximate + 2 * order[k], *b = frame->approximate + 2 * order[(k + 1) % p];
        back[0] = k + 1 < p ? b[0] : -b[0];
        back[1] = k + 1 < p ? b[1] : -b[1];
        between(z, a, back);
        if (!fathom_cell_frame_verify(frame, z, bits, p)) {
            cells->thin = true;
            return fathom_cell_too_thin(cells->context);
        }
        z[2] = -z[0];
        z[3] = -z[1];
    }
    if (cells->exact)
        fathom_cells_sector_points(cells, frame->normal, order);
    cells->count = 2 * p;
    return FATHOM_OK;
}

/* ---- three and more: one hyperplane after the other ---- */

static fathom_status enumerate(fathom_cells *cells, fathom_context *context, int64_t p, int64_t r,
                               const fathom_integer *normal, int threads, bool exact);

/* A step adds hyperplane i: the restriction of those before, and its cells. */
typedef struct step {
    fathom_restriction restriction;
    fathom_cells facets;
} step;

static fathom_status step_find(step *s, const fathom_cells *cells, const fathom_integer *normal, int64_t i)
{
    const int64_t r = cells->r;
    if (fathom_context_stop_reason(cells->context) != FATHOM_STOP_NONE)
        return fathom_error_set(cells->context, FATHOM_ERROR_STOPPED,
                                "stopped while restricting hyperplanes");
    FATHOM_TRY(fathom_restriction_init(&s->restriction, cells->context, i, r - 1, normal, normal + i * r));
    return enumerate(&s->facets, cells->context, s->restriction.p, r - 1, s->restriction.normal, 1,
                     cells->exact);
}

static void step_free(step *s)
{
    fathom_restriction_free(&s->restriction);
    fathom_cells_free(&s->facets);
}

/* Pattern of facet f over the first i hyperplanes. */
static void facet_pattern(uint64_t *bits, int64_t words, const step *s, int64_t f)
{
    const uint64_t *of_facet = s->facets.bits + f * s->facets.words;
    memset(bits, 0, (size_t)words * sizeof *bits);
    for (int64_t j = 0; j < s->restriction.given; j++)
        put_bit(bits, j,
                fathom_pattern_bit(of_facet, s->restriction.plane_of[j]) == (s->restriction.side_of[j] > 0));
}

/* The facet's witness as a point of R^r on hyperplane i, up to rounding. */
static void facet_point(double *z, const step *s, int64_t f, const double *normal, int64_t r)
{
    const double *y = s->facets.witness + f * (r - 1);
    const int64_t pivot = s->restriction.pivot;
    double sum = 0;
    for (int64_t c = 0, k = 0; c < r; c++) {
        if (c == pivot)
            continue;
        z[c] = y[k++];
        sum += normal[c] * z[c];
    }
    z[pivot] = -sum / normal[pivot];
}

/* Splits cell k along hyperplane i at `point` on their common facet; the new cell is number cells->count. The old witness
 * stays unless it lies on the hyperplane or almost so. */
static fathom_status split(fathom_cells *cells, fathom_cell_frame *frame, int64_t i, int64_t k,
                           const double *point)
{
    FATHOM_TRY(reserve(cells, cells->count + 1));
    const int64_t r = cells->r, fresh = cells->count++;
    uint64_t *old_bits = cells->bits + k * cells->words, *new_bits = cells->bits + fresh * cells->words;
    double *old_witness = cells->witness + k * r, *new_witness = cells->witness + fresh * r;
    const int side = fathom_cell_frame_sign(frame, i, old_witness);
    const bool near = fathom_cell_frame_near(frame, i, old_witness);
    memcpy(new_bits, old_bits, (size_t)cells->words * sizeof *new_bits);
    put_bit(side < 0 ? new_bits : old_bits, i, true);
    bool found = !near && fathom_cell_frame_find(frame, new_witness, new_bits, i, point, old_witness);
    if (!found)
        found = fathom_cell_frame_find(frame, new_witness, new_bits, i, point, NULL);
    if (near)
        found = (fathom_cell_frame_find(frame, old_witness, old_bits, i, point, NULL) || side != 0) && found;
    cells->thin = cells->thin || !found;
    return found ? FATHOM_OK : fathom_cell_too_thin(cells->context);
}

/* The same with integer witnesses: `facet` lies exactly on the hyperplane. */
static fathom_status split_exactly(fathom_cells *cells, const fathom_cell_frame *frame, int64_t i, int64_t k,
                                   const fathom_integer *facet)
{
    FATHOM_TRY(reserve(cells, cells->count + 1));
    const int64_t r = cells->r, fresh = cells->count++;
    uint64_t *old_bits = cells->bits + k * cells->words, *new_bits = cells->bits + fresh * cells->words;
    const int side = fathom_integers_product_sign(frame->normal + i * r, cells->point + k * r, r);
    memcpy(new_bits, old_bits, (size_t)cells->words * sizeof *new_bits);
    put_bit(side < 0 ? new_bits : old_bits, i, true);
    fathom_cells_split_point(cells, frame->normal, i, fresh, k, facet);
    if (side == 0)
        fathom_cells_split_point(cells, frame->normal, i, k, k, facet);
    return FATHOM_OK;
}

/* Which cell each facet splits: facet_of (count), -1 for cells that are not split. */
static fathom_status match_facets(int64_t *facet_of, const fathom_cells *cells, const step *s,
                                  uint64_t *pattern)
{
    fathom_pattern_index index;
    fathom_status status = fathom_pattern_index_init(&index, cells->context, cells->words);
    for (int64_t k = 0; k < cells->count && status == FATHOM_OK; k++) {
        facet_of[k] = -1;
        status = fathom_pattern_index_add(&index, cells->bits);
    }
    for (int64_t f = 0; f < s->facets.count && status == FATHOM_OK; f++) {
        facet_pattern(pattern, cells->words, s, f);
        const int64_t k = fathom_pattern_index_find(&index, cells->bits, pattern);
        if (k < 0)
            status = fathom_error_set(cells->context, FATHOM_ERROR_RUNTIME, "a facet belongs to no cone");
        else
            facet_of[k] = f;
    }
    fathom_pattern_index_free(&index);
    return status;
}

/* Adds hyperplane i to the cells of those before. */
static fathom_status step_apply(fathom_cells *cells, fathom_cell_frame *frame, const step *s, int64_t i)
{
    const int64_t before = cells->count;
    int64_t *facet_of = fathom_memory_alloc(cells->context, before, sizeof *facet_of);
    uint64_t *pattern = fathom_memory_alloc(cells->context, cells->words, sizeof *pattern);
    double *point = fathom_memory_alloc(cells->context, cells->r, sizeof *point);
    fathom_status status =
        facet_of && pattern && point ? match_facets(facet_of, cells, s, pattern) : FATHOM_ERROR_MEMORY;
    fathom_integer facet[FATHOM_CELLS_RANK] = {0};
    for (int64_t k = 0; k < before && status == FATHOM_OK; k++) {
        if (cells->exact && facet_of[k] >= 0) {
            fathom_integers_lift(facet, s->facets.point + facet_of[k] * (cells->r - 1),
                                 frame->normal + i * cells->r, s->restriction.pivot, cells->r);
            status = split_exactly(cells, frame, i, k, facet);
        } else if (cells->exact) {
            put_bit(cells->bits + k * cells->words, i,
                    fathom_integers_product_sign(frame->normal + i * cells->r, cells->point + k * cells->r,
                                                 cells->r) > 0);
        } else if (facet_of[k] >= 0) {
            facet_point(point, s, facet_of[k], frame->approximate + i * cells->r, cells->r);
            status = split(cells, frame, i, k, point);
        } else {
            put_bit(cells->bits + k * cells->words, i,
                    fathom_cell_frame_sign(frame, i, cells->witness + k * cells->r) > 0);
        }
    }
    fathom_integers_combine(facet, facet, 1, 0, facet, -1, 0, cells->r); /* zero, so that nothing is owned */
    FATHOM_FREE(cells->context, facet_of, pattern, point);
    return status;
}

static fathom_status enumerate_steps(fathom_cells *cells, fathom_cell_frame *frame, int threads)
{
    (void)threads; /* only the pragma reads it */
    step *steps = fathom_memory_zero(cells->context, cells->p, sizeof *steps);
    fathom_status status = steps ? reserve(cells, 1) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) { /* no hyperplane: one cell */
        memset(cells->bits, 0, (size_t)cells->words * sizeof *cells->bits);
        const double one = 1;
        for (int64_t c = 0; c < cells->r && !cells->exact; c++)
            cells->witness[c] = c == 0;
        if (cells->exact)
            fathom_integers_from_doubles(cells->point, &one, 1);
        cells->count = 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
        for (int64_t k = 0; k < cells->p; k++) {
            const int64_t i = cells->p - 1 - k; /* the long ones first */
            const fathom_status found = step_find(steps + i, cells, frame->normal, i);
            if (found != FATHOM_OK) {
#pragma omp critical(fathom_restriction)
                status = found;
            }
        }
    }
    for (int64_t i = 0; i < cells->p && status == FATHOM_OK; i++) {
        status = step_apply(cells, frame, steps + i, i);
        step_free(steps + i);
    }
    for (int64_t i = 0; steps && i < cells->p; i++) {
        cells->thin = cells->thin || steps[i].facets.thin;
        step_free(steps + i);
    }
    fathom_memory_free(cells->context, steps);
    return status;
}

static fathom_status enumerate(fathom_cells *cells, fathom_context *context, int64_t p, int64_t r,
                               const fathom_integer *normal, int threads, bool exact)
{
    fathom_cell_frame frame;
    *cells = (fathom_cells){
        .context = context, .p = p, .r = r, .words = p > 0 ? fathom_pattern_words(p) : 1, .exact = exact};
    fathom_status status = fathom_cell_frame_init(&frame, context, p, r, normal);
    if (status == FATHOM_OK && (p <= 1 || r == 1)) {
        status = enumerate_trivial(cells, &frame);
    } else if (status == FATHOM_OK && r == 2) {
        int32_t *order = fathom_memory_alloc(context, 2 * p, sizeof *order);
        status = order ? enumerate_sectors(cells, &frame, order) : FATHOM_ERROR_MEMORY;
        fathom_memory_free(context, order);
    } else if (status == FATHOM_OK) {
        status = enumerate_steps(cells, &frame, threads);
    }
    fathom_cell_frame_free(&frame);
    return status;
}

fathom_status fathom_cells_enumerate(fathom_cells *cells, fathom_context *context, int64_t p, int64_t r,
                                     const fathom_integer *normal, int threads)
{
    if (r > FATHOM_CELLS_RANK) {
        *cells = (fathom_cells){0};
        return fathom_error_set(context, FATHOM_ERROR_MEMORY, "cones of rank %lld are too many",
                                (long long)r);
    }
    const fathom_status status = enumerate(cells, context, p, r, normal, threads, false);
    if (status != FATHOM_ERROR_RUNTIME || !cells->thin)
        return status;
    fathom_cells_free(cells);
    return enumerate(cells, context, p, r, normal, threads, true);
}
