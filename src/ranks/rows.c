/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of rows: see the header. Rank r of P has the blocks r B / P .. (r + 1) B / P of B, rounded down.
 * What ranks tell each
 * other of a sum are the nodes of the tree that lie within one rank's blocks and whose parents do not: at
 * most 2 log2 B a
 * rank, one rank's after the other's from left to right.
 */
#include "rows.h"

#include <string.h>

#include "context_internal.h"
#include "ranks_internal.h"

enum {
    MANY = 32768,
    BLOCKS = 64,
    STEP = 512,
    DEPTH = 6
}; /* up to MANY rows are one block; 2^DEPTH = BLOCKS */

static fathom_status failed; /* what fathom_rows_failure says next */

fathom_rows fathom_rows_cut(int64_t n)
{
    const int64_t wanted = (n + MANY - 1) / MANY, blocks = wanted < BLOCKS ? wanted : BLOCKS;
    const int64_t size = n > 0 ? ((n + blocks - 1) / blocks + STEP - 1) / STEP * STEP : 0;
    return n <= MANY ? fathom_rows_whole(n) : (fathom_rows){n, size, (n + size - 1) / size};
}

fathom_row_range fathom_rows_block(fathom_rows rows, int64_t block)
{
    const int64_t first = block * rows.size;
    return (fathom_row_range){first, rows.n - first < rows.size ? rows.n : first + rows.size};
}

/* Ranks that share the rows from here on. */
static int sharers(fathom_rows rows)
{
    return rows.blocks > 1 && fathom_ranks_several() ? fathom_ranks_count() : 1;
}

/* The rank of P that has a block. */
static int owner(fathom_rows rows, int ranks, int64_t block)
{
    return (int)(((block + 1) * ranks - 1) / rows.blocks);
}

static fathom_row_range range_of(fathom_rows rows, int ranks, int rank)
{
    const int64_t low = rank * rows.blocks / ranks, high = (rank + 1) * rows.blocks / ranks;
    const int64_t first = low * rows.size, end = high * rows.size;
    return (fathom_row_range){first < rows.n ? first : rows.n, end < rows.n ? end : rows.n};
}

fathom_row_range fathom_rows_own(fathom_rows rows)
{
    const int ranks = sharers(rows);
    return range_of(rows, ranks, ranks > 1 ? fathom_ranks_rank() : 0);
}

bool fathom_rows_next(fathom_row_range *block, fathom_rows rows, fathom_context *context)
{
    const fathom_row_range own = fathom_rows_own(rows);
    if (block->first >= 0)
        fathom_context_passed(context);
    block->first = block->first < 0 ? own.first : block->end;
    block->end = own.end - block->first < rows.size ? own.end : block->first + rows.size;
    return block->first < own.end;
}

/* A walk over the tree. */
typedef struct walk {
    fathom_context *context;
    fathom_rows rows;
    int ranks, rank;
    int64_t count; /* numbers of a node */
    double *slot;  /* of the next node that ranks tell each other */
    double *spare; /* DEPTH x count */
    fathom_rows_part part;
    void *user;
} walk;

static bool is_one_ranks(const walk *w, int64_t low, int64_t high)
{
    return owner(w->rows, w->ranks, low) == owner(w->rows, w->ranks, high - 1);
}

static void add(double *restrict sum, const double *restrict other, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        sum[k] += other[k];
}

/* How many nodes below this one ranks tell each other. */
static int64_t count_nodes(const walk *w, int64_t low, int64_t high)
{
    const int64_t middle = low + (high - low) / 2;
    return is_one_ranks(w, low, high) ? 1 : count_nodes(w, low, middle) + count_nodes(w, middle, high);
}

/* out = a node, by this rank. */
static void compute_node(double *out, const walk *w, int64_t low, int64_t high, double *spare)
{
    const int64_t middle = low + (high - low) / 2;
    if (high - low == 1) {
        w->part(out, w->user, fathom_rows_block(w->rows, low));
        fathom_context_passed(w->context);
        return;
    }
    compute_node(out, w, low, middle, spare);
    compute_node(spare, w, middle, high, spare + w->count);
    add(out, spare, w->count);
}

/* The nodes that ranks tell each other: this rank's own are computed into their slots, or all are spread,
 * each from its rank. */
static void visit_nodes(walk *w, int64_t low, int64_t high, bool spread)
{
    const int64_t middle = low + (high - low) / 2;
    const int rank = owner(w->rows, w->ranks, low);
    if (!is_one_ranks(w, low, high)) {
        visit_nodes(w, low, middle, spread);
        visit_nodes(w, middle, high, spread);
        return;
    }
    if (spread)
        fathom_ranks_spread(w->slot, w->count * (int64_t)sizeof(double), rank);
    else if (rank == w->rank)
        compute_node(w->slot, w, low, high, w->spare);
    w->slot += w->count;
}

/* out = a node, from the slots. */
static void combine(double *out, walk *w, int64_t low, int64_t high, double *spare)
{
    const int64_t middle = low + (high - low) / 2;
    if (is_one_ranks(w, low, high)) {
        memcpy(out, w->slot, (size_t)w->count * sizeof *out);
        w->slot += w->count;
        return;
    }
    combine(out, w, low, middle, spare);
    combine(spare, w, middle, high, spare + w->count);
    add(out, spare, w->count);
}

int64_t fathom_rows_room(fathom_rows rows, int64_t count)
{
    const walk w = {.rows = rows, .ranks = sharers(rows)};
    return rows.blocks == 1 ? 0 : (DEPTH + (w.ranks > 1 ? count_nodes(&w, 0, rows.blocks) : 0)) * count;
}

/* Whether all ranks have come here; a failure is kept. */
static bool meet(fathom_context *context, int64_t count)
{
    bool parted;
    const fathom_status status = fathom_ranks_meet(&parted, context, count, FATHOM_OK);
    if (status != FATHOM_OK)
        failed = status;
    return status == FATHOM_OK && !parted && fathom_ranks_several();
}

void fathom_rows_sum(double *sum, int64_t count, fathom_context *context, fathom_rows rows,
                     fathom_rows_part part, void *user, double *room)
{
    const int ranks = sharers(rows);
    walk w = {context, rows, ranks, ranks > 1 ? fathom_ranks_rank() : 0, count, NULL, room, part, user};
    double *const slots = room + DEPTH * count;
    if (rows.blocks == 1) {
        part(sum, user, (fathom_row_range){0, rows.n});
        return;
    }
    w.slot = slots;
    if (ranks > 1)
        visit_nodes(&w, 0, rows.blocks, false);
    w.slot = slots;
    if (ranks == 1 || !meet(context, count)) {
        compute_node(sum, &w, 0, rows.blocks, room);
        return;
    }
    visit_nodes(&w, 0, rows.blocks, true);
    w.slot = slots;
    combine(sum, &w, 0, rows.blocks, room);
}

bool fathom_rows_gather(double *x, int64_t lines, fathom_context *context, fathom_rows rows)
{
    const int ranks = sharers(rows);
    if (ranks == 1)
        return true;
    if (!meet(context, lines))
        return false;
    for (int r = 0; r < ranks; r++) {
        const fathom_row_range range = range_of(rows, ranks, r);
        for (int64_t k = 0; k < lines; k++)
            fathom_ranks_spread(x + k * rows.n + range.first, (range.end - range.first) * (int64_t)sizeof *x,
                                r);
    }
    return true;
}

fathom_status fathom_rows_failure(void)
{
    const fathom_status status = failed;
    failed = FATHOM_OK;
    return status;
}
