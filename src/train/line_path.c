/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line, exactly: every penalty at which the knots of the optimal network of the squared loss change, and
 * all minimisers of squared loss and hinge at one penalty; see fathom/extreme.h and docs/explanation/line.md.
 *
 * The path is a chain of pieces (line_exact.h), each an interval of penalties. A gap between known pieces is
 * asked at a point inside; the piece found there takes its interval out of the gap, and what is left on
 * either side is asked in turn: as many questions as pieces, whatever happens at their ends.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "fathom/extreme.h"
#include "inner/extreme.h"
#include "inner/json.h"
#include "line_hinge.h"
#include "memory.h"
#include "train_internal.h"

enum { MOST_PIECES = 100000, LISTED = 10000 };

/* One piece as it is listed. */
typedef struct {
    mpq_t low, high;
    int64_t knots;
    double *kink; /* knots */
} stretch;

/* An interval of penalties that is not yet known. */
typedef struct {
    mpq_t low, high;
} opening;

typedef struct {
    fathom_context *context;
    fathom_exact_line line;
    fathom_line_piece piece; /* the last one found: where the next search starts */
    int64_t count, capacity, open, room;
    stretch *part;
    opening *gap;
    double missed; /* length of what could not be resolved */
} survey;

static void survey_close(survey *s)
{
    for (int64_t k = 0; k < s->count; k++) {
        mpq_clears(s->part[k].low, s->part[k].high, NULL);
        fathom_memory_free(s->context, s->part[k].kink);
    }
    for (int64_t k = 0; k < s->open; k++)
        mpq_clears(s->gap[k].low, s->gap[k].high, NULL);
    FATHOM_FREE(s->context, s->part, s->gap);
    fathom_line_piece_close(&s->piece);
    fathom_exact_line_close(&s->line);
}

static fathom_status push(survey *s, const mpq_t low, const mpq_t high)
{
    if (mpq_cmp(low, high) >= 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_memory_grow(s->context, (void **)&s->gap, &s->room, s->open + 1, sizeof *s->gap));
    opening *gap = s->gap + s->open++;
    mpq_inits(gap->low, gap->high, NULL);
    mpq_set(gap->low, low);
    mpq_set(gap->high, high);
    return FATHOM_OK;
}

/* Lists the piece found between low and high. */
static fathom_status list_piece(survey *s, const mpq_t low, const mpq_t high)
{
    const fathom_line_piece *p = &s->piece;
    fathom_status status =
        fathom_memory_grow(s->context, (void **)&s->part, &s->capacity, s->count + 1, sizeof *s->part);
    double *kink = fathom_memory_alloc(s->context, p->knots, sizeof *kink);
    if (status != FATHOM_OK || !kink) {
        fathom_memory_free(s->context, kink);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < p->knots; k++)
        kink[k] = s->line.place[p->knot[k]];
    stretch *part = s->part + s->count++;
    *part = (stretch){.knots = p->knots, .kink = kink};
    mpq_inits(part->low, part->high, NULL);
    mpq_set(part->low, mpq_cmp(p->low, low) > 0 ? p->low : low);
    mpq_set(part->high, mpq_sgn(p->high) >= 0 && mpq_cmp(p->high, high) < 0 ? p->high : high);
    return FATHOM_OK;
}

/* A number inside, 2^-share of the length below `high`, a double where there is one. */
static void choose_inside(mpq_t inside, const mpq_t low, const mpq_t high, unsigned share)
{
    mpq_sub(inside, low, high);
    mpq_div_2exp(inside, inside, share);
    mpq_add(inside, inside, high);
    const double near = mpq_get_d(inside);
    mpq_t rounded;
    mpq_init(rounded);
    mpq_set_d(rounded, near);
    if (mpq_cmp(low, rounded) < 0 && mpq_cmp(rounded, high) < 0)
        mpq_set(inside, rounded);
    mpq_clear(rounded);
}

/* Forgets the knots, for a search that starts anew. */
static void restart(fathom_line_piece *p)
{
    memset(p->sign, 0, (size_t)p->line->count);
    p->knots = 0;
    p->regime = FATHOM_LINE_BETWEEN;
    p->tilt = 1;
}

/* Asks one gap; what is left of it goes back, the upper part to be asked next. */
static fathom_status ask(survey *s)
{
    bool found;
    mpq_t low, high, inside;
    mpq_inits(low, high, inside, NULL);
    opening *gap = s->gap + --s->open;
    mpq_swap(low, gap->low);
    mpq_swap(high, gap->high);
    mpq_clears(gap->low, gap->high, NULL);
    /* near the piece above few knots change; else halfway, from the start */
    choose_inside(inside, low, high, 20);
    fathom_status status = fathom_line_piece_find(&found, &s->piece, inside);
    for (int k = 0; k < 2 && status == FATHOM_OK && !found; k++) {
        restart(&s->piece);
        choose_inside(inside, low, high, k == 0 ? 20 : 1);
        status = fathom_line_piece_find(&found, &s->piece, inside);
    }
    if (status == FATHOM_OK && found)
        status = list_piece(s, low, high);
    if (status == FATHOM_OK && found) {
        status = push(s, low, s->part[s->count - 1].low);
        FATHOM_THEN(status, push(s, s->part[s->count - 1].high, high));
    } else if (status == FATHOM_OK) {
        mpq_sub(high, high, low);
        s->missed += mpq_get_d(high);
    }
    mpq_clears(low, high, inside, NULL);
    return status;
}

static int by_height(const void *a, const void *b)
{
    return mpq_cmp(((const stretch *)b)->high, ((const stretch *)a)->high);
}

/* All pieces from the largest useful penalty down to `ratio` times it. */
static fathom_status list_pieces(survey *s, double most, double ratio)
{
    bool found;
    mpq_t top, bottom;
    mpq_inits(top, bottom, NULL);
    mpq_set_d(top, 2 * most + 1);
    fathom_status status = fathom_line_piece_find(&found, &s->piece, top);
    if (status == FATHOM_OK && (!found || s->piece.knots > 0))
        status = fathom_error_set(s->context, FATHOM_ERROR_RUNTIME, "the path could not be begun");
    if (status == FATHOM_OK) {
        mpq_set(top, s->piece.low);
        mpq_set_d(bottom, ratio);
        mpq_mul(bottom, bottom, top);
        status = push(s, bottom, top);
    }
    while (s->open > 0 && s->count < MOST_PIECES && status == FATHOM_OK)
        status = ask(s);
    if (s->count > 0)
        qsort(s->part, (size_t)s->count, sizeof *s->part, by_height);
    mpq_clears(top, bottom, NULL);
    return status;
}

static fathom_status set_pieces(fathom_json *object, const survey *s, double divisor)
{
    fathom_json *list, *member;
    fathom_status status = fathom_json_set_list(object, "pieces", &list);
    for (int64_t k = 0; k < s->count && k < LISTED && status == FATHOM_OK; k++) {
        const stretch *part = s->part + k;
        status = fathom_json_append_object(list, &member);
        FATHOM_THEN(status, fathom_json_set_real(member, "from", mpq_get_d(part->high) / divisor));
        FATHOM_THEN(status, fathom_json_set_real(member, "to", mpq_get_d(part->low) / divisor));
        FATHOM_THEN(status, fathom_json_set_vector(member, "kinks", part->kink, part->knots));
    }
    return status;
}

/* Whether the problem is the squared loss in one column with a free bias. */
static fathom_status check_problem(const fathom_train_problem *p)
{
    if (p->constant && p->d == 1 && p->outputs == 1 && p->loss == FATHOM_LOSS_SQUARED && !p->equality)
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE,
                            "exact knots are those of the squared loss on one column with --bias free");
}

fathom_status fathom_line_path_set(fathom_line_path *path, fathom_json *object, fathom_context *context,
                                   fathom_data *data, const fathom_train_options *options, double ratio)
{
    fathom_train_problem p;
    survey s = {.context = context};
    double size = 0, reach = 0;
    *path = (fathom_line_path){.complete = true};
    FATHOM_TRY(fathom_train_problem_create(&p, context, data, options));
    fathom_status status = check_problem(&p);
    FATHOM_THEN(status, fathom_exact_line_open(&s.line, context, p.x, p.y, p.weight, p.n));
    FATHOM_THEN(status, fathom_line_piece_open(&s.piece, &s.line));
    for (int64_t i = 0; i < p.n && status == FATHOM_OK; i++) { /* no price exceeds it */
        size += (p.weight ? p.weight[i] : 1) * fabs(p.y[i]);
        reach = fmax(reach, fabs(p.x[i]));
    }
    if (status == FATHOM_OK && s.line.count > 1)
        status = list_pieces(&s, 8 * size * reach, ratio);
    path->complete = status == FATHOM_OK && s.open == 0 && s.missed == 0;
    if (status == FATHOM_ERROR_STOPPED)
        status = FATHOM_OK;
    path->pieces = s.count;
    path->beta_max = s.count > 0 ? mpq_get_d(s.part[0].high) / p.divisor : 0;
    FATHOM_THEN(status, set_pieces(object, &s, p.divisor));
    FATHOM_THEN(status, fathom_json_set_bool(object, "complete", path->complete));
    survey_close(&s);
    fathom_train_problem_clear(&p);
    return status;
}

/* --- all minimisers at one penalty ---------------------------------------------------------------------- */

/* Interval k is free where f leaves its ends with slopes on one side of it: its ends and apex. */
static bool free_interval(double out[4], const fathom_line_piece *piece, mpq_t *s, int64_t k,
                          const mpq_t before, const mpq_t after, const mpq_t beta)
{
    const fathom_exact_line *line = piece->line;
    mpq_t left, right, ahead, f;
    mpq_inits(left, right, ahead, f, NULL);
    mpq_sub(left, s[k], before);
    mpq_sub(right, after, s[k]);
    const bool yes = mpq_sgn(left) * mpq_sgn(right) > 0;
    if (yes) {
        mpq_add(left, left, right);
        mpq_div(right, right, left);
        mpq_sub(ahead, line->x[k + 1], line->x[k]);
        mpq_mul(ahead, ahead, right);
        mpq_mul(f, piece->f1[k], beta);
        mpq_add(f, f, piece->f0[k]);
        mpq_mul(left, before, ahead);
        mpq_add(f, f, left);
        mpq_add(ahead, ahead, line->x[k]);
        const double found[4] = {line->place[k], line->place[k + 1], mpq_get_d(ahead), mpq_get_d(f)};
        memcpy(out, found, sizeof found);
    }
    mpq_clears(left, right, ahead, f, NULL);
    return yes;
}

/* TV and E. */
static void totals(mpq_t tv, mpq_t ends, mpq_t *s, int64_t intervals)
{
    mpq_t jump;
    mpq_init(jump);
    for (int64_t k = 1; k < intervals; k++) {
        mpq_sub(jump, s[k], s[k - 1]);
        mpq_abs(jump, jump);
        mpq_add(tv, tv, jump);
    }
    mpq_add(ends, s[0], s[intervals - 1]);
    mpq_clear(jump);
}

/* The family from the slopes s of the optimal f, exactly as for interpolation (docs/explanation/line.md). */
static void describe(fathom_minimisers *m, const fathom_line_piece *piece, mpq_t *s, const mpq_t beta,
                     int64_t most)
{
    const int64_t last = piece->line->count - 2;
    mpq_t tv, ends, t, before, after;
    mpq_inits(tv, ends, t, before, after, NULL);
    totals(tv, ends, s, last + 1);
    mpq_abs(t, ends);
    mpq_sub(t, t, tv);
    m->outside = mpq_sgn(t) > 0;
    m->variation = mpq_get_d(tv);
    m->ends = mpq_get_d(ends);
    m->norm = m->lower = fmax(m->variation, (m->variation + fabs(m->ends)) / 2);
    mpq_div_2exp(t, t, 1);
    if (!m->outside)
        mpq_set_ui(t, 0, 1);
    else if (mpq_sgn(ends) < 0)
        mpq_neg(t, t);
    for (int64_t k = 0; k <= last && last > 0; k++) {
        double interval[4];
        mpq_sub(before, s[0], t);
        mpq_sub(after, s[last], t);
        if (!free_interval(interval, piece, s, k, k > 0 ? s[k - 1] : before, k < last ? s[k + 1] : after,
                           beta))
            continue;
        if (m->free_count < most)
            memcpy(m->free + 4 * m->free_count, interval, sizeof interval);
        m->free_count++;
    }
    m->free_kept = m->free_count < most ? m->free_count : most;
    m->unique = m->free_count == 0 && !m->outside;
    mpq_clears(tv, ends, t, before, after, NULL);
}

/* The exact optimum at the penalty, and its family. */
static fathom_status solve_at(fathom_minimisers *m, const fathom_train_problem *p, double penalty,
                              int64_t most)
{
    fathom_exact_line line = {0};
    fathom_line_piece piece = {0};
    mpq_t beta, *slope = NULL;
    bool found = false;
    mpq_init(beta);
    fathom_status status = fathom_exact_line_open(&line, p->context, p->x, p->y, p->weight, p->n);
    FATHOM_THEN(status, fathom_line_piece_open(&piece, &line));
    mpq_set_d(beta, penalty);
    if (status == FATHOM_OK && line.count > 1)
        status = fathom_line_piece_find(&found, &piece, beta);
    if (status == FATHOM_ERROR_STOPPED)
        status = FATHOM_OK;
    if (status == FATHOM_OK && found) {
        slope = fathom_rationals_create(p->context, line.count);
        m->free = fathom_memory_alloc(p->context, 4 * most, sizeof *m->free);
        status = slope && m->free ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK && found) {
        fathom_line_piece_slopes(slope, &piece, beta);
        describe(m, &piece, slope, beta, most);
    }
    m->exists = found || line.count == 1;
    m->unique = m->unique || line.count == 1;
    fathom_rationals_free(p->context, slope, line.count);
    fathom_line_piece_close(&piece);
    fathom_exact_line_close(&line);
    mpq_clear(beta);
    return status;
}

/* The family through outputs that all minimisers share. */
static fathom_status describe_values(fathom_minimisers *m, const fathom_exact_line *line, mpq_t *value,
                                     int64_t most)
{
    fathom_line_piece piece;
    mpq_t none, *slope = fathom_rationals_create(line->context, line->count);
    mpq_init(none);
    fathom_status status = fathom_line_piece_open(&piece, line);
    m->free = fathom_memory_alloc(line->context, 4 * most, sizeof *m->free);
    if (!slope || !m->free)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < line->count && status == FATHOM_OK; k++) {
        mpq_set(piece.f0[k], value[k]);
        mpq_set_ui(piece.f1[k], 0, 1);
    }
    if (status == FATHOM_OK) {
        fathom_line_piece_slopes(slope, &piece, none);
        describe(m, &piece, slope, none, most);
    }
    fathom_rationals_free(line->context, slope, line->count);
    fathom_line_piece_close(&piece);
    mpq_clear(none);
    return status;
}

/* The hinge: which outputs minimisers have, and where there is one choice the family through them. */
static fathom_status solve_hinge(fathom_minimisers *m, const fathom_train_problem *p, double penalty,
                                 int64_t most)
{
    fathom_exact_line line = {0};
    double *range = NULL;
    mpq_t *value = NULL;
    fathom_status status = fathom_exact_line_open(&line, p->context, p->x, p->y, p->weight, p->n);
    const fathom_line_hinge hinge = {&line, p->x, p->y, p->weight, p->n, penalty};
    if (status == FATHOM_OK) {
        range = fathom_memory_alloc(p->context, 2 * line.count, sizeof *range);
        m->values = fathom_memory_alloc(p->context, 3 * line.count, sizeof *m->values);
        value = fathom_rationals_create(p->context, line.count);
        status = range && value && m->values ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    FATHOM_THEN(status, fathom_line_hinge_ranges(range, value, &m->exists, &hinge));
    if (status == FATHOM_ERROR_STOPPED) {
        m->exists = false;
        status = FATHOM_OK;
    }
    if (status == FATHOM_OK && m->exists) {
        m->places = line.count;
        m->fixed = true;
        for (int64_t k = 0; k < line.count; k++) {
            m->values[3 * k] = line.place[k];
            m->values[3 * k + 1] = range[2 * k];
            m->values[3 * k + 2] = range[2 * k + 1];
            m->fixed = m->fixed && range[2 * k] == range[2 * k + 1];
        }
        m->unique = m->fixed && line.count == 1;
        if (m->fixed && line.count > 1)
            status = describe_values(m, &line, value, most);
    }
    fathom_rationals_free(p->context, value, line.count);
    fathom_memory_free(p->context, range);
    fathom_exact_line_close(&line);
    return status;
}

fathom_status fathom_minimisers_compute_at(fathom_minimisers *minimisers, fathom_context *context,
                                           fathom_data *data, const fathom_train_options *options,
                                           double beta, int64_t most)
{
    fathom_train_problem p;
    *minimisers = (fathom_minimisers){0};
    FATHOM_TRY(fathom_train_problem_create(&p, context, data, options));
    fathom_status status = FATHOM_OK;
    const bool hinge = p.loss == FATHOM_LOSS_HINGE;
    minimisers->applies =
        p.constant && p.d == 1 && p.outputs == 1 && !p.equality && (p.loss == FATHOM_LOSS_SQUARED || hinge);
    if (minimisers->applies)
        status = (hinge ? solve_hinge : solve_at)(minimisers, &p, beta * p.divisor, most);
    fathom_train_problem_clear(&p);
    if (status != FATHOM_OK)
        fathom_minimisers_clear(minimisers, context);
    return status;
}
