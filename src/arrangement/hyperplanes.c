/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distinct hyperplanes of the data: see hyperplanes.h.
 *
 * Each row becomes its primitive integer vector with first nonzero entry positive; equal vectors are one hyperplane
 * (hash table). The rank comes from fraction-free elimination of one vector after the other, which for generic data
 * ends after d of them. O(n d) big-integer operations, O(n d r) where the rank is below d.
 */
#include "hyperplanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dense.h"
#include "memory.h"
#include "patterns.h"

enum { LOOK = 256 }; /* rows between two looks at the clock */

/* Working arrays of the construction. */
typedef struct builder {
    fathom_hyperplanes *planes;
    fathom_data_view data;
    double *row;             /* d: one row, dense */
    fathom_integer *vector;  /* n x d: normals found so far, then those of all columns */
    fathom_integer *echelon; /* d x d: eliminated rows */
    int64_t *pivot;          /* d: pivot column of each echelon row */
    int64_t *slot;           /* hash table of hyperplane numbers */
    int64_t capacity;        /* a power of two, at least 2 n */
    int32_t *plane_of;       /* n; -1 for zero rows */
    int8_t *side_of;         /* n */
} builder;

/* The number of the hyperplane with this normal; a new one is entered where the vector itself lies. */
static int64_t find_plane(builder *b, const fathom_integer *v)
{
    const int64_t d = b->data.d, mask = b->capacity - 1;
    int64_t at = (int64_t)(fathom_integers_hash(v, d) & (uint64_t)mask);
    while (b->slot[at] >= 0 && !fathom_integers_equal(b->vector + b->slot[at] * d, v, d))
        at = (at + 1) & mask;
    if (b->slot[at] < 0)
        b->slot[at] = b->planes->p++;
    return b->slot[at];
}

/* Assigns every row to its hyperplane. */
static fathom_status sort_rows(builder *b)
{
    const int64_t d = b->data.d;
    for (int64_t i = 0; i < b->data.n; i++) {
        fathom_integer *v = b->vector + b->planes->p * d;
        if (i % LOOK == LOOK - 1 && fathom_context_overdue(b->planes->context))
            return fathom_context_late(b->planes->context, "the hyperplanes of the data");
        fathom_dense_row(b->row, &b->data, i);
        b->plane_of[i] = -1;
        if (!fathom_integers_from_doubles(v, b->row, d))
            continue;
        b->side_of[i] = (int8_t)fathom_integers_orient(v, d);
        b->plane_of[i] = (int32_t)find_plane(b, v);
        b->planes->nonzero[i / 64] |= (uint64_t)1 << (i % 64);
    }
    return FATHOM_OK;
}

/* Rank and kept columns: each vector is reduced by the echelon rows so far and joins them where it is not zero. */
static void find_rank(builder *b, fathom_integer *reduced)
{
    fathom_hyperplanes *planes = b->planes;
    const int64_t d = b->data.d;
    for (int64_t h = 0; h < planes->p && planes->r < d; h++) {
        fathom_integers_copy(reduced, b->vector + h * d, d);
        for (int64_t e = 0; e < planes->r; e++)
            fathom_integers_eliminate(reduced, reduced, b->echelon + e * d, b->pivot[e], d);
        const int64_t pivot = fathom_integers_pivot(reduced, d);
        if (pivot < 0)
            continue;
        fathom_integers_copy(b->echelon + planes->r * d, reduced, d);
        b->pivot[planes->r++] = pivot;
    }
    int64_t kept = 0;
    for (int64_t c = 0; c < d; c++)
        for (int64_t e = 0; e < planes->r; e++)
            if (b->pivot[e] == c)
                planes->column[kept++] = c;
}

/* Members of each hyperplane, by ascending point. */
static void list_members(builder *b)
{
    fathom_hyperplanes *planes = b->planes;
    int64_t *start = planes->member_start; /* zeroed */
    for (int64_t i = 0; i < b->data.n; i++)
        if (b->plane_of[i] >= 0)
            start[b->plane_of[i] + 1]++;
    for (int64_t h = 0; h < planes->p; h++)
        start[h + 1] += start[h];
    for (int64_t i = b->data.n - 1; i >= 0; i--)
        if (b->plane_of[i] >= 0) {
            const int64_t k = --start[b->plane_of[i] + 1];
            planes->member[k] = (int32_t)i;
            planes->side[k] = b->side_of[i];
        }
    /* The loop left start[h + 1] at the beginning of h: shift down. */
    for (int64_t h = 0; h < planes->p; h++)
        start[h] = start[h + 1];
    start[planes->p] = 0;
    for (int64_t i = 0; i < b->data.n; i++)
        start[planes->p] += b->plane_of[i] >= 0;
    for (int64_t h = 0; h < planes->p; h++)
        for (int64_t k = start[h]; k < start[h + 1]; k++)
            planes->opposed = planes->opposed || planes->side[k] != planes->side[start[h]];
}

/* scaled = normals over powers of two: rows, then columns, then rows again, so that entries are at most 1 and neither
 * rows nor columns are small throughout. Signs of determinants are unchanged. */
static void scale(fathom_hyperplanes *planes)
{
    const int64_t p = planes->p, r = planes->r;
    double *x = planes->scaled;
    planes->scaled_exactly = true;
    for (int64_t h = 0; h < p; h++)
        fathom_integers_to_doubles(x + h * r, planes->normal + h * r, r);
    for (int64_t c = 0; c < r; c++) {
        double largest = 0;
        for (int64_t h = 0; h < p; h++)
            largest = fmax(largest, fabs(x[h * r + c]));
        planes->scaled_exactly = planes->scaled_exactly && largest > 0;
        planes->column_scale[c] = largest > 0 ? ldexp(1, -ilogb(largest)) : 1;
    }
    for (int64_t h = 0; h < p; h++) {
        double largest = 0;
        for (int64_t c = 0; c < r; c++)
            largest = fmax(largest, fabs(x[h * r + c] *= planes->column_scale[c]));
        const int down = -ilogb(largest) - 1;
        for (int64_t c = 0; c < r; c++) {
            x[h * r + c] = ldexp(x[h * r + c], down);
            const bool tiny = fabs(x[h * r + c]) < 0x1p-500;
            planes->scaled_exactly =
                planes->scaled_exactly && (!tiny || fathom_integers_sign(planes->normal + h * r, c) == 0);
        }
    }
}

/* Fits the primitive normals of the kept columns, and their scaled doubles, once rank and hyperplanes are known. A
 * primitive vector may exceed 53 bits only through trailing zero bits, so that its scaled doubles are exact. */
static fathom_status keep_normals(builder *b)
{
    fathom_hyperplanes *planes = b->planes;
    const int64_t p = planes->p, r = planes->r, d = b->data.d;
    planes->normal = fathom_integers_create(planes->context, p * r);
    planes->basis = fathom_integers_create(planes->context, r * d);
    planes->scaled = fathom_memory_alloc(planes->context, p * r, sizeof *planes->scaled);
    planes->column_scale = fathom_memory_alloc(planes->context, r, sizeof *planes->column_scale);
    planes->member_start = fathom_memory_zero(planes->context, p + 1, sizeof *planes->member_start);
    if (!planes->normal || !planes->basis || !planes->scaled || !planes->column_scale ||
        !planes->member_start)
        return FATHOM_ERROR_MEMORY;
    for (int64_t h = 0; h < p; h++)
        for (int64_t c = 0; c < r; c++)
            fathom_integers_copy(planes->normal + h * r + c, b->vector + h * d + planes->column[c], 1);
    fathom_integers_copy(planes->basis, b->echelon, r * d);
    list_members(b);
    for (int64_t h = 0; h < p; h++)
        if (fathom_integers_orient(planes->normal + h * r, r) < 0)
            for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
                planes->side[k] = (int8_t)-planes->side[k];
    scale(planes);
    return FATHOM_OK;
}

static fathom_status builder_init(builder *b, fathom_context *context)
{
    const int64_t n = b->data.n, d = b->data.d;
    for (b->capacity = 64; b->capacity < 2 * n;)
        b->capacity *= 2;
    b->row = fathom_memory_alloc(context, d, sizeof *b->row);
    b->vector = fathom_integers_create(context, (n + 1) * d);
    b->echelon = fathom_integers_create(context, (d + 1) * d);
    b->pivot = fathom_memory_alloc(context, d, sizeof *b->pivot);
    b->slot = fathom_memory_alloc(context, b->capacity, sizeof *b->slot);
    b->plane_of = fathom_memory_alloc(context, n, sizeof *b->plane_of);
    b->side_of = fathom_memory_zero(context, n, sizeof *b->side_of);
    if (!b->row || !b->vector || !b->echelon || !b->pivot || !b->slot || !b->plane_of || !b->side_of)
        return FATHOM_ERROR_MEMORY;
    memset(b->slot, 0xff, (size_t)b->capacity * sizeof *b->slot);
    return FATHOM_OK;
}

static void builder_free(builder *b, fathom_context *context)
{
    fathom_memory_free(context, b->row);
    fathom_integers_free(context, b->vector, (b->data.n + 1) * b->data.d);
    fathom_integers_free(context, b->echelon, (b->data.d + 1) * b->data.d);
    FATHOM_FREE(context, b->pivot, b->slot, b->plane_of, b->side_of);
}

void fathom_hyperplanes_free(fathom_hyperplanes *planes)
{
    if (!planes)
        return;
    fathom_context *context = planes->context;
    fathom_memory_free(context, planes->column);
    fathom_integers_free(context, planes->normal, planes->p * planes->r);
    fathom_integers_free(context, planes->basis, planes->r * planes->d);
    FATHOM_FREE(context, planes->scaled, planes->column_scale, planes->member_start, planes->member,
                planes->side, planes->nonzero, planes);
}

static fathom_status build(fathom_hyperplanes *planes, fathom_context *context, const fathom_data *data)
{
    builder b = {.planes = planes, .data = fathom_data_look(data)};
    planes->context = context;
    planes->n = b.data.n;
    planes->d = b.data.d;
    planes->words = fathom_pattern_words(b.data.n);
    planes->column = fathom_memory_alloc(context, b.data.d, sizeof *planes->column);
    planes->member = fathom_memory_alloc(context, b.data.n, sizeof *planes->member);
    planes->side = fathom_memory_alloc(context, b.data.n, sizeof *planes->side);
    planes->nonzero = fathom_memory_zero(context, planes->words, sizeof *planes->nonzero);
    fathom_status status = planes->column && planes->member && planes->side && planes->nonzero
                               ? builder_init(&b, context)
                               : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        status = sort_rows(&b);
        if (status == FATHOM_OK)
            find_rank(&b, b.echelon + b.data.d * b.data.d);
        FATHOM_THEN(status, keep_normals(&b));
    }
    builder_free(&b, context);
    return status;
}

fathom_status fathom_hyperplanes_create(fathom_hyperplanes **planes, fathom_context *context,
                                        const fathom_data *data)
{
    *planes = fathom_memory_zero(context, 1, sizeof **planes);
    if (!*planes)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = build(*planes, context, data);
    if (status != FATHOM_OK) {
        fathom_hyperplanes_free(*planes);
        *planes = NULL;
    }
    return status;
}

double fathom_cover_count(int64_t p, int64_t r)
{
    if (p == 0)
        return 1;
    unsigned __int128 term = 1, sum = 0; /* term = C(p - 1, k), exact while it fits 64 bits */
    double rough = 0, rough_sum = 0;     /* its continuation in floating point */
    for (int64_t k = 0; k < r && k < p; k++) {
        const uint64_t up = (uint64_t)(p - 1 - k), down = (uint64_t)(k + 1);
        sum += term;
        rough_sum += rough;
        if (rough == 0 && term >> 64 == 0)
            term = term * up / down;
        else
            rough = (rough == 0 ? (double)term : rough) * (double)up / (double)down, term = 0;
    }
    return 2 * ((double)sum + rough_sum);
}
