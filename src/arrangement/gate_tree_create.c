/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate tree made ready for products.
 *
 * Gates are numbered by layers, those of a layer by their parents (parent[j] never falls). Hence the descendants of
 * a contiguous part of a layer are contiguous in every layer below: the parts of one layer cut the tree into tiles that
 * need neither each other nor a list of their gates. The tiles depend on the tree alone.
 */
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "gate_tree_internal.h"
#include "memory.h"
#include "patterns.h"

/* A layer is cut into tiles from WIDE gates on; up to CACHED gates two of them stay in the cache. */
enum { LANES = 4, WIDE = 8 * FATHOM_TREE_TILES, CACHED = 4096 };

void fathom_gate_tree_free(fathom_gate_tree *tree)
{
    if (!tree)
        return;
    fathom_context *context = tree->context;
    void *blocks[] = {tree->step,   tree->move_start, tree->point, tree->layer, tree->bound,
                      tree->change, tree->top,        tree->low,   tree->grid,  tree->working};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        fathom_memory_free(context, blocks[k]);
    fathom_memory_free(context, tree);
}

/* The flips of gate j as a move: twice the point, plus one where its sign differs from the first one's. */
static void describe(int32_t *move, const fathom_gates_view *gates, int64_t j)
{
    const uint64_t *bits = gates->bits + j * gates->words;
    const int32_t *flip = gates->flip + gates->flip_start[j];
    for (int64_t k = 0; k < gates->flip_start[j + 1] - gates->flip_start[j]; k++)
        move[k] = 2 * flip[k] + (fathom_pattern_bit(bits, flip[k]) != fathom_pattern_bit(bits, flip[0]));
}

/* Moves and steps of all gates. A move is looked for among those that begin with the same point: the last one alone,
 * which finds all of them where every point lies on one hyperplane. */
static fathom_status find_moves(fathom_gate_tree *t, const fathom_gates_view *gates)
{
    int64_t starts = 0, points = 0;
    int64_t *last = fathom_memory_alloc(t->context, t->n, sizeof *last);
    fathom_status status = last ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status,
                fathom_memory_grow(t->context, (void **)&t->move_start, &starts, 1, sizeof *t->move_start));
    for (int64_t i = 0; i < t->n && last; i++)
        last[i] = -1;
    if (status == FATHOM_OK)
        t->move_start[0] = 0;
    for (int64_t j = 1; j < t->m && status == FATHOM_OK; j++) {
        const int64_t size = gates->flip_start[j + 1] - gates->flip_start[j], from = t->move_start[t->moves];
        const int32_t first = gates->flip[gates->flip_start[j]];
        status = fathom_memory_grow(t->context, (void **)&t->point, &points, from + size, sizeof *t->point);
        FATHOM_THEN(status, fathom_memory_grow(t->context, (void **)&t->move_start, &starts, t->moves + 2,
                                               sizeof *t->move_start));
        if (status != FATHOM_OK)
            break;
        describe(t->point + from, gates, j);
        int64_t known = last[first];
        if (known < 0 || t->move_start[known + 1] - t->move_start[known] != size ||
            memcmp(t->point + t->move_start[known], t->point + from, (size_t)size * sizeof *t->point) != 0) {
            known = last[first] = t->moves++;
            t->move_start[t->moves] = from + size;
        }
        const bool opens = fathom_pattern_bit(gates->bits + j * gates->words, first);
        t->step[j].move = (uint32_t)(2 * known + !opens);
    }
    fathom_memory_free(t->context, last);
    return status;
}

/* Layers, and parents relative to them. */
static fathom_status find_layers(fathom_gate_tree *t, const fathom_gates_view *gates)
{
    int64_t room = 0;
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < t->m && status == FATHOM_OK; j++) {
        if (j > 0 && gates->parent[j] < (j > 1 ? gates->parent[j - 1] : 0))
            return fathom_error_set(t->context, FATHOM_ERROR_RUNTIME,
                                    "gates %lld and %lld of a tree are not in order of parents",
                                    (long long)j - 1, (long long)j);
        if (j == 0 || gates->parent[j] >= t->layer[t->layers - 1]) {
            status =
                fathom_memory_grow(t->context, (void **)&t->layer, &room, t->layers + 2, sizeof *t->layer);
            if (status == FATHOM_OK)
                t->layer[t->layers++] = j;
        }
        if (status == FATHOM_OK && j > 0)
            t->step[j].parent = (uint32_t)(gates->parent[j] - t->layer[t->layers - 2]);
    }
    if (status == FATHOM_OK)
        t->layer[t->layers] = t->m;
    return status;
}

/* descendants (gates of layer `cut`) of each, itself included. */
static fathom_status weigh(double *weight, const fathom_gate_tree *t, const fathom_gates_view *gates)
{
    const int64_t first = t->layer[t->cut], last = t->layer[t->cut + 1];
    int64_t *ancestor = fathom_memory_alloc(t->context, t->m, sizeof *ancestor);
    if (!ancestor)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = first; j < t->m; j++) {
        ancestor[j] = j < last ? j - first : ancestor[gates->parent[j]];
        weight[ancestor[j]] += 1;
    }
    fathom_memory_free(t->context, ancestor);
    return FATHOM_OK;
}

/* Shares of layer `cut` with about as many descendants each, then the layers below. */
static fathom_status find_tiles(fathom_gate_tree *t, const fathom_gates_view *gates)
{
    const int64_t line = t->layers + 1;
    while (t->cut + 1 < t->layers && t->layer[t->cut + 1] - t->layer[t->cut] < WIDE)
        t->cut++;
    const int64_t first = t->layer[t->cut], count = t->layer[t->cut + 1] - first;
    t->bound = fathom_memory_zero(t->context, (FATHOM_TREE_TILES + 1) * line, sizeof *t->bound);
    double *weight = fathom_memory_zero(t->context, count, sizeof *weight), sum = 0;
    fathom_status status = t->bound && weight ? weigh(weight, t, gates) : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0, tile = 0; k <= count && status == FATHOM_OK; k++) {
        const double all = (double)(t->m - first);
        while (tile <= FATHOM_TREE_TILES && (k == count || sum >= all * (double)tile / FATHOM_TREE_TILES))
            t->bound[tile++ * line + t->cut] = first + k;
        sum += k < count ? weight[k] : 0;
    }
    fathom_memory_free(t->context, weight);
    /* The children of the gates before a bound come before its continuation. */
    for (int64_t l = t->cut + 1; l < t->layers && status == FATHOM_OK; l++)
        for (int64_t tile = 0, j = t->layer[l]; tile <= FATHOM_TREE_TILES; tile++) {
            while (j < t->layer[l + 1] && gates->parent[j] < t->bound[tile * line + l - 1])
                j++;
            t->bound[tile * line + l] = j;
        }
    return status;
}

/* Room for `count` pairs, whose first starts at the next multiple of 64 bytes. */
static double *pairs(const fathom_gate_tree *t, int64_t count)
{
    return fathom_memory_alloc(t->context, count * 2 * t->width + 8, sizeof(double));
}

/* The most gates of a layer above the cut, or of a layer of one tile below; of any layer where walks are not cut. */
static int64_t widest_part(const fathom_gate_tree *t)
{
    const int64_t line = t->layers + 1;
    int64_t widest = 0;
    for (int64_t l = 0; l < t->layers; l++) {
        const int64_t parts = l > t->cut && !t->whole ? FATHOM_TREE_TILES : 1;
        for (int64_t tile = 0; tile < parts; tile++) {
            const int64_t count = parts == 1 ? t->layer[l + 1] - t->layer[l]
                                             : t->bound[(tile + 1) * line + l] - t->bound[tile * line + l];
            widest = count > widest ? count : widest;
        }
    }
    return widest;
}

static fathom_status make_room(fathom_gate_tree *t)
{
    t->threads = fathom_context_threads(t->context);
    t->whole = t->threads == 1;
    if (t->whole && widest_part(t) > CACHED)
        t->whole = false;
    t->widest = widest_part(t);
    t->change = pairs(t, (FATHOM_TREE_TILES + 1) * t->moves);
    t->top = pairs(t, t->layer[t->cut + 1] - t->layer[t->cut]);
    t->grid = fathom_memory_zero(t->context, t->width, sizeof *t->grid);
    t->low = fathom_memory_alloc(t->context, t->n, sizeof *t->low);
    t->working = pairs(t, t->threads * 2 * t->widest);
    return t->change && t->top && t->grid && t->low && t->working ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_gate_tree_create(fathom_gate_tree **tree, fathom_context *context,
                                      const fathom_gates_view *gates)
{
    fathom_gate_tree *t = *tree = fathom_memory_zero(context, 1, sizeof *t);
    if (!t)
        return FATHOM_ERROR_MEMORY;
    t->context = context;
    t->root = gates->bits;
    t->n = gates->n;
    t->d = gates->d;
    t->m = gates->m;
    t->width = (t->d + LANES - 1) / LANES * LANES;
    t->step = fathom_memory_zero(context, t->m, sizeof *t->step);
    fathom_status status = t->step ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && t->m > 0)
        status = find_layers(t, gates);
    if (status == FATHOM_OK && t->m > 0)
        status = find_moves(t, gates);
    if (status == FATHOM_OK && t->m > 0)
        status = find_tiles(t, gates);
    if (status == FATHOM_OK && t->m > 0)
        status = make_room(t);
    if (status != FATHOM_OK) {
        fathom_gate_tree_free(t);
        *tree = NULL;
    }
    return status;
}
