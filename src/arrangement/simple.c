/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All cones of a central arrangement in general position, each found once, without storing any.
 *
 * h_0 .. h_{p-1} in R^r in general position, generic directions g_1, g_2, ... Cones come in antipodal pairs; take
 * those with h_0 > 0 and look at the chart h_0 = 1, an arrangement of p - 1 hyperplanes in R^{r-1}. A cell that is
 * bounded below in direction g_1 has one lowest vertex, and every vertex (r - 1 hyperplanes out of p - 1) is the lowest
 * one of exactly one cell. The others are the cells that meet {g_1 = -M} for large M: the cells of the arrangement in
 * the chart g_1 = -1 of {h_0 = 0}, one dimension less, where the same holds with g_2, and so on down to a single cell:
 *     2 (C(p-1, r-1) + C(p-1, r-2) + ... + C(p-1, 0)) cones.
 *
 * The vertices of a level lie on lines (all its hyperplanes but one); the vertex belongs to the line without its
 * largest index. Sorting the cuts of each line (line.c) gives all patterns by single flips (simple_cell.c).
 * Cost O(r log p) per cone amortised, plus O(r p) where witnesses are wanted; memory O(p) per thread. Lines are
 * independent: groups of them run in parallel, and their cones are handed over in the order of the groups.
 * General position is proved on the way: every determinant of r rows appears in the comparison of two cuts.
 */
#include "simple.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

enum {
    GROUP_CONES = 8192,
    BATCH = 256,
    TABLE_PLANES = 16384 /* hyperplanes up to which rank 3 keeps its table (1 GB) */
};

/* Some consecutive lines of a level. */
typedef struct group {
    int64_t first[FATHOM_MINORS_LARGEST]; /* T of the first line */
    int64_t lines;
} group;

/* One thread: its workspace with the cones of the group it is at. */
typedef struct worker {
    fathom_cell_maker maker;
    bool general, thin;
} worker;

typedef struct run {
    const fathom_hyperplanes *planes;
    const fathom_cone_sink *sink;
    fathom_line_frame frame;
    fathom_line_level level;
    int threads;
    worker *workers;
    group *groups;  /* BATCH of them at a time */
    int64_t lines;  /* per group */
    int32_t *above; /* p x p in rank 3 where witnesses are wanted, see simple_plane.c */
    int64_t emitted;
    bool general;
    fathom_status status;
} run;

/* The next ascending set of `size` numbers below p, in the order of the alphabet; false after the last. */
static bool next_set(int64_t *set, int64_t size, int64_t p)
{
    int64_t k = size - 1;
    while (k >= 0 && set[k] == p - size + k)
        k--;
    if (k < 0)
        return false;
    set[k]++;
    for (int64_t l = k + 1; l < size; l++)
        set[l] = set[l - 1] + 1;
    return true;
}

/* Cones of one group. */
static void run_group(const run *r, worker *w, const group *g)
{
    const int64_t size = r->planes->r - 2 - r->level.j;
    fathom_line *line = &w->maker.line;
    memcpy(line->t_set, g->first, sizeof g->first);
    fathom_cone_trail_clear(&w->maker.trail);
    w->general = true;
    for (int64_t k = 0; k < g->lines && w->general; k++) {
        w->general = fathom_line_place(line, &r->level);
        if (w->general && r->sink)
            w->general = fathom_cell_maker_walk(&w->maker, r->sink->witnesses, &w->thin);
        next_set(line->t_set, size, r->planes->p);
    }
    if (r->sink)
        fathom_cone_trail_mirror(&w->maker.trail, r->planes->nonzero);
}

/* Hands the cones of a group over, then their antipodes, unless something went wrong before. */
static void deliver(run *r, const worker *w)
{
    const fathom_cone_trail *trail = &w->maker.trail;
    if (!r->general || r->status != FATHOM_OK)
        return;
    r->status = trail->status;
    if (w->thin)
        r->status = fathom_error_set(r->planes->context, FATHOM_ERROR_RUNTIME,
                                     "a cone is too thin to hold a point in double precision");
    r->general = w->general || w->thin;
    fathom_cone_block block = {trail->count, trail->flips, trail->flip, trail->pattern, trail->witness};
    for (int side = 0; side < 2 && r->general && r->status == FATHOM_OK && trail->count > 0; side++) {
        r->status = r->sink->put(r->sink->user, &block);
        r->emitted += trail->count;
        block.pattern += trail->whole * trail->words;
        block.witness = trail->witness ? trail->witness + trail->count * trail->d : NULL;
    }
}

static fathom_status poll(const run *r)
{
    if (fathom_context_poll(r->planes->context, "cones", r->emitted, NAN, NAN) == FATHOM_STOP_NONE)
        return FATHOM_OK;
    return fathom_error_set(r->planes->context, FATHOM_ERROR_RUNTIME, "stopped after %lld cones",
                            (long long)r->emitted);
}

/* Takes up to BATCH groups from the sequence of lines; gives their number. */
static int64_t cut_groups(run *r, int64_t *set, bool *more)
{
    const int64_t size = r->planes->r - 2 - r->level.j;
    int64_t count = 0;
    while (count < BATCH && *more) {
        group *g = r->groups + count++;
        memcpy(g->first, set, sizeof g->first);
        for (g->lines = 0; g->lines < r->lines && *more; g->lines++)
            *more = next_set(set, size, r->planes->p);
    }
    return count;
}

/* All lines of the current level. A thread that has finished a group waits for its turn to hand it over. */
static void run_level(run *r)
{
    int64_t set[FATHOM_MINORS_LARGEST];
    for (int64_t k = 0; k < FATHOM_MINORS_LARGEST; k++)
        set[k] = k + 1; /* hyperplane 0 is never in T */
    bool more = true;
    while (more && r->general && r->status == FATHOM_OK) {
        const int64_t count = cut_groups(r, set, &more);
#pragma omp parallel for ordered schedule(dynamic) num_threads(r->threads)
        for (int64_t k = 0; k < count; k++) {
            worker *w = r->workers + omp_get_thread_num();
            run_group(r, w, r->groups + k);
#pragma omp ordered
            deliver(r, w);
        }
        if (r->status == FATHOM_OK)
            r->status = poll(r);
    }
}

/* The next cuts on all lines of the plane, for witnesses in O(1). */
static void fill_above(run *r)
{
    const int64_t p = r->planes->p;
    bool general = true;
#pragma omp parallel for schedule(dynamic, 16) num_threads(r->threads) reduction(&& : general)
    for (int64_t s = 1; s < p; s++) {
        fathom_line *line = &r->workers[omp_get_thread_num()].maker.line;
        line->t_set[0] = s;
        general = fathom_line_place(line, &r->level) && general;
        if (general)
            fathom_plane_above(r->above + s * p, line);
    }
    r->general = general;
}

/* The last level has one cell and no lines. */
static void run_last(run *r)
{
    worker *w = r->workers;
    fathom_cone_trail_clear(&w->maker.trail);
    fathom_line_level_set(&r->level, &r->frame, r->planes->r - 1);
    w->general = !r->sink || fathom_cell_maker_last(&w->maker, &r->level, r->sink->witnesses, &w->thin);
    if (r->sink)
        fathom_cone_trail_mirror(&w->maker.trail, r->planes->nonzero);
    deliver(r, w);
}

static fathom_status run_init(run *r)
{
    fathom_context *context = r->planes->context;
    fathom_status status = fathom_line_frame_init(&r->frame, r->planes);
    r->threads = fathom_context_threads(context);
    r->lines = 1 + GROUP_CONES / r->planes->p;
    r->workers = fathom_memory_zero(context, r->threads, sizeof *r->workers);
    r->groups = fathom_memory_alloc(context, BATCH, sizeof *r->groups);
    if (!r->workers || !r->groups)
        return FATHOM_ERROR_MEMORY;
    if (r->sink && r->sink->witnesses && r->planes->r == 3 && r->planes->p <= TABLE_PLANES) {
        r->above = fathom_memory_alloc(context, r->planes->p * r->planes->p, sizeof *r->above);
        status = r->above ? status : FATHOM_ERROR_MEMORY;
    }
    for (int t = 0; t < r->threads && status == FATHOM_OK; t++) {
        status = fathom_cell_maker_init(&r->workers[t].maker, &r->frame);
        r->workers[t].maker.above = r->above;
    }
    return status;
}

static void run_free(run *r)
{
    fathom_context *context = r->planes->context;
    for (int t = 0; r->workers && t < r->threads; t++)
        fathom_cell_maker_free(&r->workers[t].maker);
    fathom_memory_free(context, r->workers);
    fathom_memory_free(context, r->groups);
    fathom_memory_free(context, r->above);
    fathom_line_frame_free(&r->frame);
}

fathom_status fathom_simple_enumerate(bool *general, const fathom_hyperplanes *planes,
                                      const fathom_cone_sink *sink)
{
    *general = planes->r >= 1 && planes->r <= FATHOM_MINORS_LARGEST && planes->scaled_exactly;
    if (!*general)
        return FATHOM_OK;
    run r = {.planes = planes, .sink = sink, .general = true};
    r.status = run_init(&r);
    for (int64_t j = 0; j + 2 <= planes->r && r.general && r.status == FATHOM_OK; j++) {
        fathom_line_level_set(&r.level, &r.frame, j);
        if (j == 0 && r.above)
            fill_above(&r);
        run_level(&r);
    }
    if (r.general && r.status == FATHOM_OK)
        run_last(&r);
    *general = r.general;
    run_free(&r);
    return r.status;
}
