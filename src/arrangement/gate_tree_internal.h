/* SPDX-License-Identifier: Apache-2.0 */
/* The gate tree as products walk it; made in gate_tree_create.c. */
#ifndef FATHOM_GATE_TREE_INTERNAL_H
#define FATHOM_GATE_TREE_INTERNAL_H

#include "gate_tree.h"

enum { FATHOM_TREE_TILES = 8 };

/* How a gate follows from its parent. */
typedef struct fathom_tree_step {
    uint32_t parent; /* its place within the layer above */
    uint32_t move;   /* twice the number of the move, plus one where the move is undone */
} fathom_tree_step;

struct fathom_gate_tree {
    fathom_context *context;
    const uint64_t *root; /* borrowed: pattern of gate 0 */
    int64_t n, d, m;
    int64_t width;          /* d rounded up to whole vectors; a number kept as a pair takes 2 width doubles */
    fathom_tree_step *step; /* m; unused for gate 0 */
    /* Move k opens the points with sign +1 and closes those with sign -1. */
    int64_t moves;
    int64_t *move_start; /* moves + 1 */
    int32_t *point;      /* twice the point, plus one where it is closed */
    /* Layer l is the gates layer[l] .. layer[l + 1] at distance l from the root, ordered by their parents. */
    int64_t layers;
    int64_t *layer; /* layers + 1 */
    /* From layer `cut` on, tile t holds the gates bound[t (layers + 1) + l] .. bound[(t + 1) (layers + 1) + l] of layer l: those
     * that descend from its share of layer `cut`. */
    int64_t cut;
    int64_t *bound;
    bool whole;     /* sums are not cut into tiles: one thread, narrow layers */
    int64_t widest; /* gates that a walk has at a time, at most */
    int threads;
    /* (tiles + 1) x moves pairs: v_i x_i of every move; or sums of subtrees by tile, then all */
    double *change;
    double *top;     /* pairs of the gates in layer `cut` */
    double *grid;    /* width: M of every column, see gate_tree.c */
    double *low;     /* n */
    double *working; /* threads x 2 x widest pairs; all three start at the next multiple of 64 bytes */
};

#endif
