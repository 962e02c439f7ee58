/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate tree: a spanning tree of the cones' adjacency in which neighbours differ in one hyperplane.
 *
 * Walk from a cone's witness w towards that of the root: the first hyperplane crossed is a facet, and the
 * cone behind it is separated from the root by one hyperplane less. That cone is the parent: looked up
 * among all patterns, so that rounding can at worst make the search try the next hyperplane on the way.
 * Cones are numbered by their number of separating hyperplanes, those with equally many by their parents,
 * hence parent[j] < j, parents never fall, and the depth is at most p. Cost O(r p) per cone and one
 * look-up.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "cones_internal.h"
#include "context_internal.h"
#include "memory.h"
#include "patterns.h"

typedef struct planting {
    const fathom_hyperplanes *planes;
    fathom_gates *gates;
    fathom_pattern_index index;
    double *root;     /* p: products of the root's witness */
    int64_t *parent;  /* m, in the old numbering */
    int32_t *crossed; /* m: the hyperplane between a cone and its parent */
    int64_t *place;   /* m: new number of each cone */
} planting;

/* <h_i, w> for the witness of gate j, in scaled coordinates. */
static double product(const fathom_hyperplanes *planes, int64_t i, const double *w)
{
    double sum = 0;
    for (int64_t c = 0; c < planes->r; c++)
        sum += planes->scaled[i * planes->r + c] * (w[planes->column[c]] / planes->column_scale[c]);
    return sum;
}

/* Where on the way from w (0) to the root (1) each hyperplane is crossed; INFINITY where it does not
 * separate. Gives the number of separating ones. */
static int32_t find_crossings(double *when, const planting *p, int64_t j)
{
    const fathom_hyperplanes *planes = p->planes;
    const fathom_gates *g = p->gates;
    int32_t count = 0;
    for (int64_t i = 0; i < planes->p; i++) {
        when[i] = INFINITY;
        if (fathom_hyperplanes_side(planes, g->bits + j * g->words, i) ==
            fathom_hyperplanes_side(planes, g->bits, i))
            continue;
        const double value = product(planes, i, g->orientation + j * g->d);
        const double at = value / (value - p->root[i]);
        when[i] = isfinite(at) ? at : DBL_MAX; /* too thin to tell */
        count++;
    }
    return count;
}

/* Parent of gate j; when (p) and pattern (words) are workspace. -1 where none is found. */
static int64_t find_parent(planting *p, int64_t j, double *when, uint64_t *pattern)
{
    const fathom_hyperplanes *planes = p->planes;
    const fathom_gates *g = p->gates;
    const int32_t distance = find_crossings(when, p, j);
    for (int32_t trial = 0; trial < distance; trial++) {
        int64_t first = 0;
        for (int64_t i = 1; i < planes->p; i++)
            if (when[i] < when[first])
                first = i;
        when[first] = INFINITY;
        memcpy(pattern, g->bits + j * g->words, (size_t)g->words * sizeof *pattern);
        fathom_hyperplanes_toggle(planes, pattern, first);
        const int64_t parent = fathom_pattern_index_find(&p->index, g->bits, pattern);
        if (parent >= 0) {
            p->crossed[j] = (int32_t)first;
            return parent;
        }
    }
    return -1;
}

/* Parents of all gates but the root. */
static fathom_status find_parents(planting *p)
{
    fathom_context *context = p->gates->context;
    const int threads = fathom_context_threads(context);
    const int64_t planes = p->planes->p, words = p->gates->words;
    double *when = fathom_memory_alloc(context, threads * planes, sizeof *when);
    uint64_t *pattern = fathom_memory_alloc(context, threads * words, sizeof *pattern);
    int64_t orphans = 0;
    if (when && pattern) {
        p->parent[0] = -1;
#pragma omp parallel for schedule(static, 256) num_threads(threads) reduction(+ : orphans)
        for (int64_t j = 1; j < p->gates->m; j++) {
            const int t = omp_get_thread_num();
            if (fathom_context_overdue(context))
                continue;
            p->parent[j] = find_parent(p, j, when + t * planes, pattern + t * words);
            orphans += p->parent[j] < 0;
        }
    }
    const bool fine = when && pattern;
    FATHOM_FREE(context, when, pattern);
    if (fathom_context_overdue(context))
        return fathom_context_late(context, "the tree of cones");
    if (orphans > 0)
        return fathom_error_set(context, FATHOM_ERROR_RUNTIME,
                                "%lld cones have no neighbour nearer to the first", (long long)orphans);
    return fine ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* place = the new number of each gate: the root, then layer by layer the children of each gate in turn, in
 * the old order. */
static fathom_status number_by_layers(planting *p)
{
    fathom_context *context = p->gates->context;
    const int64_t m = p->gates->m;
    int64_t *start = fathom_memory_zero(context, m + 1, sizeof *start); /* children of gate j: start[j] .. */
    int64_t *child = fathom_memory_alloc(context, m, sizeof *child);
    int64_t *order = fathom_memory_alloc(context, m, sizeof *order), next = 1;
    const bool fine = start && child && order;
    for (int64_t j = 1; j < m && fine; j++)
        start[p->parent[j] + 1]++;
    for (int64_t j = 0; j < m && fine; j++)
        start[j + 1] += start[j];
    for (int64_t j = m - 1; j > 0 && fine; j--) /* from the last on: starts end where they belong */
        child[--start[p->parent[j] + 1]] = j;
    if (fine && m > 0)
        order[0] = p->place[0] = 0;
    for (int64_t q = 0; q < m && fine; q++) {
        const int64_t j = order[q], end = j + 2 <= m ? start[j + 2] : m - 1;
        for (int64_t k = start[j + 1]; k < end; k++) {
            p->place[child[k]] = next;
            order[next++] = child[k];
        }
    }
    FATHOM_FREE(context, start, child, order);
    return fine ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Moves row j of a (m rows of `size` bytes) to row place[j]; *a is replaced. */
static fathom_status reorder(void **a, const planting *p, size_t size)
{
    fathom_context *context = p->gates->context;
    char *sorted = fathom_memory_alloc(context, p->gates->m, size);
    if (!sorted)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < p->gates->m; j++)
        memcpy(sorted + (size_t)p->place[j] * size, (char *)*a + (size_t)j * size, size);
    fathom_memory_free(context, *a);
    *a = sorted;
    return FATHOM_OK;
}

/* Parents and flips in the new numbering. */
static fathom_status link_gates(const planting *p)
{
    fathom_gates *g = p->gates;
    const fathom_hyperplanes *planes = p->planes;
    int64_t flips = 0;
    for (int64_t j = 1; j < g->m; j++)
        flips += planes->member_start[p->crossed[j] + 1] - planes->member_start[p->crossed[j]];
    g->parent = fathom_memory_alloc(g->context, g->m, sizeof *g->parent);
    g->flip_start = fathom_memory_zero(g->context, g->m + 1, sizeof *g->flip_start);
    g->flip = fathom_memory_alloc(g->context, flips, sizeof *g->flip);
    if (!g->parent || !g->flip_start || !g->flip)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < g->m; j++) {
        g->parent[p->place[j]] = p->parent[j] < 0 ? -1 : p->place[p->parent[j]];
        if (p->parent[j] >= 0)
            g->flip_start[p->place[j] + 1] =
                planes->member_start[p->crossed[j] + 1] - planes->member_start[p->crossed[j]];
    }
    for (int64_t j = 0; j < g->m; j++)
        g->flip_start[j + 1] += g->flip_start[j];
    for (int64_t j = 0; j < g->m; j++)
        if (p->parent[j] >= 0)
            memcpy(g->flip + g->flip_start[p->place[j]], planes->member + planes->member_start[p->crossed[j]],
                   (size_t)(g->flip_start[p->place[j] + 1] - g->flip_start[p->place[j]]) * sizeof *g->flip);
    return FATHOM_OK;
}

static fathom_status planting_init(planting *p)
{
    fathom_context *context = p->gates->context;
    const int64_t m = p->gates->m;
    p->root = fathom_memory_alloc(context, p->planes->p, sizeof *p->root);
    p->parent = fathom_memory_alloc(context, m, sizeof *p->parent);
    p->crossed = fathom_memory_zero(context, m, sizeof *p->crossed);
    p->place = fathom_memory_alloc(context, m, sizeof *p->place);
    fathom_status status = fathom_pattern_index_init(&p->index, context, p->gates->words);
    if (!p->root || !p->parent || !p->crossed || !p->place)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < m && status == FATHOM_OK; j++)
        status = fathom_pattern_index_add(&p->index, p->gates->bits);
    for (int64_t i = 0; i < p->planes->p; i++)
        p->root[i] = product(p->planes, i, p->gates->orientation);
    return status;
}

fathom_status fathom_gates_plant(fathom_gates *gates, const fathom_hyperplanes *planes)
{
    planting p = {.planes = planes, .gates = gates};
    fathom_status status = planting_init(&p);
    FATHOM_THEN(status, find_parents(&p));
    FATHOM_THEN(status, number_by_layers(&p));
    FATHOM_THEN(status, link_gates(&p));
    if (status == FATHOM_OK && gates->words > 0)
        status = reorder((void **)&gates->bits, &p, (size_t)gates->words * sizeof *gates->bits);
    if (status == FATHOM_OK && gates->d > 0)
        status = reorder((void **)&gates->orientation, &p, (size_t)gates->d * sizeof *gates->orientation);
    if (status == FATHOM_OK && gates->exact_at)
        status = reorder((void **)&gates->exact_at, &p, sizeof *gates->exact_at);
    fathom_pattern_index_free(&p.index);
    FATHOM_FREE(gates->context, p.root, p.parent, p.crossed, p.place);
    return status;
}
