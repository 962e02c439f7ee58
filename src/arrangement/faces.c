/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of S_0(X) by flats.
 *
 * The relatively open faces of an arrangement are the cells of its restrictions to flats, and U is constant on each. A
 * flat is known by the set of hyperplanes that contain it, so that each is visited once. The origin gives U = {}.
 */
#include "faces.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "patterns.h"
#include "restriction.h"

/* Distinct patterns, kept. */
typedef struct pattern_set {
    fathom_pattern_index index;
    uint64_t *bits;
    int64_t capacity;
} pattern_set;

typedef struct search {
    const fathom_hyperplanes *planes;
    pattern_set unions; /* sets U over points */
    pattern_set flats;  /* sets of hyperplanes that contain a flat */
    uint64_t *pattern;  /* room for one of either */
    const fathom_cone_sink *sink;
    fathom_integer *exact; /* d: the point of a set, in data coordinates */
    fathom_integer *other; /* d */
    double *witness;       /* d */
} search;

/* Hands the set in s->pattern over, with the point s->exact. */
static fathom_status hand_over(search *s)
{
    const int64_t d = s->planes->d;
    const int32_t whole = -1;
    fathom_integers_to_doubles(s->witness, s->exact, d);
    fathom_integers_from_doubles(s->other, s->witness, d);
    const bool same = fathom_integers_equal(s->other, s->exact, d) || fathom_integers_are_zero(s->exact, d);
    for (int64_t c = 0; c < d && !same; c++)
        s->witness[c] = NAN;
    const fathom_cone_block block = {1, &whole, NULL, s->pattern, s->witness, same ? NULL : s->exact};
    return s->sink->put(s->sink->user, &block);
}

/* A flat: the distinct hyperplanes of the restriction to it, and where the p original ones went. */
typedef struct flat {
    int64_t r, p;
    const fathom_integer *normal; /* p x r */
    const int32_t *plane_of;      /* original p: -1 where the flat lies in it */
    const int8_t *side_of;
    const struct flat
        *outer; /* the flat in which it lies on the hyperplane `base`, without coordinate `pivot`; or NULL */
    const fathom_integer *base; /* outer->r */
    int64_t pivot;
} flat;

static fathom_status set_add(pattern_set *set, fathom_context *context, const uint64_t *pattern, bool *fresh)
{
    const int64_t words = set->index.words, count = set->index.count;
    *fresh = fathom_pattern_index_find(&set->index, set->bits, pattern) < 0;
    if (!*fresh)
        return FATHOM_OK;
    FATHOM_TRY(fathom_memory_grow(context, (void **)&set->bits, &set->capacity, (count + 1) * words,
                                  sizeof *set->bits));
    memcpy(set->bits + count * words, pattern, (size_t)words * sizeof *pattern);
    return fathom_pattern_index_add(&set->index, set->bits);
}

/* s->exact = the witness of cell k of the flat, lifted from flat to flat. */
static void lift(search *s, const flat *f, const fathom_cells *cells, int64_t k)
{
    const fathom_hyperplanes *planes = s->planes;
    fathom_integer inner[FATHOM_CELLS_RANK] = {0}, outer[FATHOM_CELLS_RANK] = {0};
    if (cells->exact)
        fathom_integers_copy(inner, cells->point + k * f->r, f->r);
    else
        fathom_integers_from_doubles(inner, cells->witness + k * f->r, f->r);
    for (; f->outer; f = f->outer) {
        fathom_integers_lift(outer, inner, f->base, f->pivot, f->outer->r);
        fathom_integers_copy(inner, outer, f->outer->r);
    }
    fathom_integers_clear(s->exact, planes->d);
    for (int64_t c = 0; c < planes->r; c++)
        fathom_integers_copy(s->exact + planes->column[c], inner + c, 1);
    fathom_integers_reduce(s->exact, planes->d);
    fathom_integers_clear(inner, FATHOM_CELLS_RANK);
    fathom_integers_clear(outer, FATHOM_CELLS_RANK);
}

/* Enters U of cell k of the flat. */
static fathom_status add_union(search *s, const flat *f, const fathom_cells *cells, int64_t k_cell)
{
    const fathom_hyperplanes *planes = s->planes;
    const uint64_t *cell = cells->bits + k_cell * cells->words;
    bool fresh;
    memset(s->pattern, 0, (size_t)planes->words * sizeof *s->pattern);
    for (int64_t h = 0; h < planes->p; h++) {
        if (f->plane_of[h] < 0)
            continue;
        const bool positive = fathom_pattern_bit(cell, f->plane_of[h]) == (f->side_of[h] > 0);
        for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
            if (positive == (planes->side[k] > 0))
                s->pattern[planes->member[k] / 64] |= (uint64_t)1 << (planes->member[k] % 64);
    }
    const fathom_status status = set_add(&s->unions, planes->context, s->pattern, &fresh);
    if (status != FATHOM_OK || !fresh || !s->sink)
        return status;
    lift(s, f, cells, k_cell);
    return hand_over(s);
}

static fathom_status visit(search *s, const flat *f);

/* Visits the flat inside f cut by its hyperplane number k, unless it was seen before. */
static fathom_status visit_inside(search *s, const flat *f, int64_t k)
{
    const fathom_hyperplanes *planes = s->planes;
    fathom_context *context = planes->context;
    const int64_t p = planes->p, words = s->flats.index.words;
    fathom_restriction to;
    fathom_status status =
        fathom_restriction_init(&to, context, f->p, f->r - 1, f->normal, f->normal + k * f->r);
    int32_t *plane_of = fathom_memory_alloc(context, p, sizeof *plane_of);
    int8_t *side_of = fathom_memory_zero(context, p, sizeof *side_of);
    if (!plane_of || !side_of)
        status = FATHOM_ERROR_MEMORY;
    bool fresh = false;
    if (status == FATHOM_OK) {
        memset(s->pattern, 0, (size_t)words * sizeof *s->pattern);
        for (int64_t h = 0; h < p; h++) {
            plane_of[h] = f->plane_of[h] < 0 ? -1 : to.plane_of[f->plane_of[h]];
            if (plane_of[h] < 0)
                s->pattern[h / 64] |= (uint64_t)1 << (h % 64);
            else
                side_of[h] = (int8_t)(f->side_of[h] * to.side_of[f->plane_of[h]]);
        }
        status = set_add(&s->flats, context, s->pattern, &fresh);
    }
    const flat inside = {f->r - 1, to.p, to.normal, plane_of, side_of, f, f->normal + k * f->r, to.pivot};
    if (status == FATHOM_OK && fresh)
        status = visit(s, &inside);
    FATHOM_FREE(context, plane_of, side_of);
    fathom_restriction_free(&to);
    return status;
}

static fathom_status visit(search *s, const flat *f)
{
    fathom_context *context = s->planes->context;
    if (fathom_context_poll(context, "faces", s->unions.index.count, NAN, NAN) != FATHOM_STOP_NONE)
        return fathom_error_set(context, FATHOM_ERROR_STOPPED, "stopped after %lld faces",
                                (long long)s->unions.index.count);
    fathom_cells cells;
    fathom_status status =
        fathom_cells_enumerate(&cells, context, f->p, f->r, f->normal, fathom_context_threads(context));
    for (int64_t k = 0; k < cells.count && status == FATHOM_OK; k++)
        status = add_union(s, f, &cells, k);
    fathom_cells_free(&cells);
    for (int64_t k = 0; k < f->p && f->r > 1 && status == FATHOM_OK; k++)
        status = visit_inside(s, f, k);
    return status;
}

static fathom_status start(search *s)
{
    const fathom_hyperplanes *planes = s->planes;
    const int64_t words = fathom_pattern_words(planes->p);
    s->pattern = fathom_memory_zero(planes->context, planes->words > words ? planes->words : words,
                                    sizeof *s->pattern);
    fathom_status status = fathom_pattern_index_init(&s->unions.index, planes->context, planes->words);
    FATHOM_THEN(status, fathom_pattern_index_init(&s->flats.index, planes->context, words));
    bool fresh;
    if (status == FATHOM_OK) /* the origin */
        status = s->pattern ? set_add(&s->unions, planes->context, s->pattern, &fresh) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && s->sink) {
        s->exact = fathom_integers_create(planes->context, planes->d);
        s->other = fathom_integers_create(planes->context, planes->d);
        s->witness = fathom_memory_zero(planes->context, planes->d, sizeof *s->witness);
        status = s->exact && s->other && s->witness ? hand_over(s) : FATHOM_ERROR_MEMORY;
    }
    return status;
}

fathom_status fathom_faces_enumerate(int64_t *count, const fathom_hyperplanes *planes,
                                     const fathom_cone_sink *sink)
{
    fathom_context *context = planes->context;
    search s = {.planes = planes, .sink = sink};
    fathom_status status = start(&s);
    int32_t *plane_of = fathom_memory_alloc(context, planes->p, sizeof *plane_of);
    int8_t *side_of = fathom_memory_alloc(context, planes->p, sizeof *side_of);
    if (!plane_of || !side_of)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && planes->p > 0) {
        for (int64_t h = 0; h < planes->p; h++) {
            plane_of[h] = (int32_t)h;
            side_of[h] = 1;
        }
        const flat whole = {planes->r, planes->p, planes->normal, plane_of, side_of, NULL, NULL, 0};
        status = visit(&s, &whole);
    }
    *count = s.unions.index.count;
    FATHOM_FREE(context, plane_of, side_of, s.pattern, s.witness);
    fathom_integers_free(context, s.exact, planes->d);
    fathom_integers_free(context, s.other, planes->d);
    fathom_pattern_index_free(&s.unions.index);
    fathom_pattern_index_free(&s.flats.index);
    FATHOM_FREE(context, s.unions.bits, s.flats.bits);
    return status;
}
