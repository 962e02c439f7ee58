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
 * independent: groups of them run in parallel, wait in a ring of slots and are handed over in their order by
 * whichever thread finds that their turn has come.
 * General position is proved on the way: every determinant of r rows appears in the comparison of two cuts.
 */
#include "simple.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "platform.h"

enum {
    GROUP_CONES = 8192,
    SLOTS_PER_THREAD = 4,
    TABLE_PLANES = 16384 /* hyperplanes up to which rank 3 keeps its table (1 GB) */
};

/* Some consecutive lines of a level. */
typedef struct group {
    int64_t number;
    int64_t first[FATHOM_MINORS_LARGEST]; /* T of the first line */
    int64_t lines;
} group;

/* The cones of a group that has been found and not handed over yet. */
typedef struct slot {
    fathom_cone_trail trail;
    bool general, thin, done;
} slot;

typedef struct run {
    const fathom_hyperplanes *planes;
    const fathom_cone_sink *sink;
    fathom_line_frame frame;
    fathom_line_level level;
    int threads;
    fathom_cell_maker *maker; /* one per thread */
    int64_t lines;            /* per group */
    int32_t *above;           /* p x p in rank 3 where witnesses are wanted, see simple_plane.c */
    slot *slots;              /* group k waits in slot k % count for its turn */
    int64_t slot_count;
    /* Below: only with the lock held. */
    fathom_platform_mutex lock;
    fathom_platform_condition moved;    /* delivered, or failed */
    int64_t set[FATHOM_MINORS_LARGEST]; /* T of the next group's first line */
    bool more, delivering;
    int64_t taken, delivered; /* groups of this level */
    int64_t emitted;          /* cones */
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

/* Cones of one group, into s; the maker takes the slot's old trail in exchange. */
static void find_group(const run *r, fathom_cell_maker *maker, slot *s, const group *g)
{
    const int64_t size = r->planes->r - 2 - r->level.j;
    fathom_line *line = &maker->line;
    memcpy(line->t_set, g->first, sizeof g->first);
    fathom_cone_trail_clear(&maker->trail);
    s->general = true;
    s->thin = false;
    for (int64_t k = 0; k < g->lines && s->general; k++) {
        s->general = fathom_line_place(line, &r->level);
        if (s->general && r->sink)
            s->general = fathom_cell_maker_walk(maker, r->sink->witnesses, &s->thin);
        next_set(line->t_set, size, r->planes->p);
    }
    if (r->sink)
        fathom_cone_trail_mirror(&maker->trail, r->planes->nonzero);
    const fathom_cone_trail trail = maker->trail;
    maker->trail = s->trail;
    s->trail = trail;
}

/* Hands the cones of a group over, then their antipodes. */
static fathom_status hand_over(const run *r, const slot *s)
{
    const fathom_cone_trail *trail = &s->trail;
    if (s->thin)
        return fathom_error_set(r->planes->context, FATHOM_ERROR_RUNTIME,
                                "a cone is too thin to hold a point in double precision");
    fathom_status status = trail->status;
    fathom_cone_block block = {trail->count, trail->flips, trail->flip, trail->pattern, trail->witness, NULL};
    for (int side = 0; side < 2 && s->general && status == FATHOM_OK && trail->count > 0; side++) {
        status = r->sink->put(r->sink->user, &block);
        block.pattern += trail->whole * trail->words;
        block.witness = trail->witness ? trail->witness + trail->count * trail->d : NULL;
    }
    return status;
}

static bool going(const run *r) { return r->general && r->status == FATHOM_OK; }

/* The next group, once there is a slot for it; false where there is none left or something went wrong. */
static bool take_group(run *r, group *g)
{
    const int64_t size = r->planes->r - 2 - r->level.j;
    fathom_platform_mutex_lock(&r->lock);
    while (going(r) && r->more && r->taken >= r->delivered + r->slot_count)
        fathom_platform_condition_wait(&r->moved, &r->lock);
    const bool some = going(r) && r->more;
    if (some) {
        g->number = r->taken++;
        memcpy(g->first, r->set, sizeof g->first);
        for (g->lines = 0; g->lines < r->lines && r->more; g->lines++)
            r->more = next_set(r->set, size, r->planes->p);
    }
    fathom_platform_mutex_unlock(&r->lock);
    return some;
}

/* Leaves a found group in its slot and, unless another thread is at it, hands over all groups whose turn has come. */
static void leave_group(run *r, slot *mine)
{
    fathom_platform_mutex_lock(&r->lock);
    mine->done = true;
    while (!r->delivering && going(r) && r->slots[r->delivered % r->slot_count].done) {
        slot *s = r->slots + r->delivered % r->slot_count;
        r->delivering = true;
        fathom_platform_mutex_unlock(&r->lock);
        const fathom_status status = hand_over(r, s);
        fathom_platform_mutex_lock(&r->lock);
        r->status = r->status == FATHOM_OK ? status : r->status;
        r->general = s->general || s->thin;
        r->emitted += 2 * s->trail.count;
        r->delivered++;
        s->done = r->delivering = false;
        fathom_platform_condition_wake_all(&r->moved);
    }
    fathom_platform_mutex_unlock(&r->lock);
}

/* Progress, from the thread that owns the context. */
static void poll(run *r)
{
    fathom_platform_mutex_lock(&r->lock);
    if (r->status == FATHOM_OK &&
        fathom_context_poll(r->planes->context, "cones", r->emitted, NAN, NAN) != FATHOM_STOP_NONE)
        r->status = fathom_error_set(r->planes->context, FATHOM_ERROR_STOPPED, "stopped after %lld cones",
                                     (long long)r->emitted);
    fathom_platform_condition_wake_all(&r->moved);
    fathom_platform_mutex_unlock(&r->lock);
}

/* All lines of the current level. */
static void run_level(run *r)
{
    for (int64_t k = 0; k < FATHOM_MINORS_LARGEST; k++)
        r->set[k] = k + 1; /* hyperplane 0 is never in T */
    r->more = true;
    r->taken = r->delivered = 0;
#pragma omp parallel num_threads(r->threads)
    {
        group g;
        while (take_group(r, &g)) {
            slot *mine = r->slots + g.number % r->slot_count;
            find_group(r, r->maker + omp_get_thread_num(), mine, &g);
            leave_group(r, mine);
            if (omp_get_thread_num() == 0)
                poll(r);
        }
    }
}

/* The next cuts on all lines of the plane, for witnesses in O(1). */
static void fill_above(run *r)
{
    const int64_t p = r->planes->p;
    bool general = true;
#pragma omp parallel for schedule(dynamic, 16) num_threads(r->threads) reduction(&& : general)
    for (int64_t s = 1; s < p; s++) {
        fathom_line *line = &r->maker[omp_get_thread_num()].line;
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
    slot s = {.general = true};
    if (!r->sink)
        return;
    fathom_cone_trail_clear(&r->maker->trail);
    fathom_line_level_set(&r->level, &r->frame, r->planes->r - 1);
    s.general = fathom_cell_maker_last(r->maker, &r->level, r->sink->witnesses, &s.thin);
    fathom_cone_trail_mirror(&r->maker->trail, r->planes->nonzero);
    s.trail = r->maker->trail; /* lent */
    r->general = s.general || s.thin;
    r->status = hand_over(r, &s);
}

static fathom_status run_init(run *r)
{
    fathom_context *context = r->planes->context;
    const int64_t p = r->planes->p;
    fathom_platform_mutex_begin(&r->lock);
    fathom_platform_condition_begin(&r->moved);
    fathom_status status = fathom_line_frame_init(&r->frame, r->planes);
    r->threads = fathom_context_threads(context);
    r->lines = 1 + GROUP_CONES / p;
    r->slot_count = (int64_t)SLOTS_PER_THREAD * r->threads;
    r->maker = fathom_memory_zero(context, r->threads, sizeof *r->maker);
    r->slots = fathom_memory_zero(context, r->slot_count, sizeof *r->slots);
    if (!r->maker || !r->slots)
        return FATHOM_ERROR_MEMORY;
    if (r->sink && r->sink->witnesses && r->planes->r == 3 && p <= TABLE_PLANES) {
        r->above = fathom_memory_alloc(context, p * p, sizeof *r->above);
        status = r->above ? status : FATHOM_ERROR_MEMORY;
    }
    for (int t = 0; t < r->threads && status == FATHOM_OK; t++) {
        status = fathom_cell_maker_init(r->maker + t, &r->frame);
        r->maker[t].above = r->above;
        r->maker[t].gaps = r->sink && r->sink->gaps;
    }
    for (int64_t k = 0; k < r->slot_count; k++)
        r->slots[k].trail =
            (fathom_cone_trail){.context = context, .words = r->planes->words, .d = r->planes->d};
    return status;
}

static void run_free(run *r)
{
    fathom_context *context = r->planes->context;
    for (int t = 0; r->maker && t < r->threads; t++)
        fathom_cell_maker_free(r->maker + t);
    for (int64_t k = 0; r->slots && k < r->slot_count; k++)
        if (r->slots[k].trail.context)
            fathom_cone_trail_free(&r->slots[k].trail);
    FATHOM_FREE(context, r->maker, r->slots, r->above);
    fathom_line_frame_free(&r->frame);
    fathom_platform_condition_end(&r->moved);
    fathom_platform_mutex_end(&r->lock);
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
