/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branch and bound on p(v) = max over |u| <= 1 of |v'(Xu)_+| at every size: the sign of one point at a time.
 *
 * Both sides have a binary tree whose nodes fix signs of points; the leaves cover the ball, each is bounded by the joint
 * relaxation with its signs (sign_node.h), so the largest bound over all leaves of both trees is at least p(v). The leaf with the
 * largest bound is split first, at the point that its relaxation knows least about; children start from their parent's
 * multipliers, with which the bound does not rise. Leaves are taken in batches of fixed size: the same tree for every
 * number of threads. Multipliers stay valid when v moves, so one tree serves a whole path of dual points.
 */
#ifndef FATHOM_SIGN_TREE_H
#define FATHOM_SIGN_TREE_H

#include "joint.h"
#include "sign_node.h"

/* A node; the nodes of both trees form one array, parents before children, the roots first. */
typedef struct fathom_tree_node {
    int32_t parent; /* -1 at a root */
    int32_t point;  /* the point whose sign this node fixes beside those of its parent; -1 at a root */
    int8_t sign;    /* that sign, e = -1 or +1 */
    int8_t side;    /* 0: sigma = +1, 1: sigma = -1 */
    bool leaf;
    bool stale;   /* v has moved since the multipliers were improved */
    int32_t next; /* where to split; -1: nothing is left to split */
    double bound; /* P of a leaf, rounded up */
    /* Multipliers of a leaf: `entries` pairs (number, value > 0), values of one number add up. Numbers below n (k + 2) of the side: theta; beyond: nu of the
     * point number - n (k + 2). log_alpha (n + 2): -INFINITY for alpha = 0; the last is t of a free bias. */
    int32_t entries;
    uint32_t *number;
    float *value;
    float *log_alpha;
} fathom_tree_node;

typedef struct fathom_sign_tree {
    const fathom_objective *problem; /* borrowed */
    fathom_sign_side side[2];
    double *v; /* n: the dual point whose price the tree bounds */
    int64_t nodes, capacity;
    fathom_tree_node *node;
    int64_t open; /* leaves in the heap, largest bound first */
    int32_t *heap;
    int64_t heap_capacity;
    double bytes;        /* held by multipliers */
    int64_t evaluations; /* nodes improved so far */
    int threads;
    struct fathom_tree_task *task;
    fathom_sign_work **work;
} fathom_sign_tree;

/* Roots from the joint relaxation's neighbours and multipliers. `joint` may be closed afterwards. */
fathom_status fathom_sign_tree_open(fathom_sign_tree *tree, const fathom_objective *problem,
                                    const fathom_joint *joint);
void fathom_sign_tree_close(fathom_sign_tree *tree);

/* Moves to the dual point v: every leaf is bounded anew with the multipliers it has. */
fathom_status fathom_sign_tree_move(fathom_sign_tree *tree, const double *v);

/* Splits leaves until the price is at most `aim`, `count` more nodes have been improved, nothing is left to split, `bytes` of
 * multipliers are held, or the context asks to stop. */
fathom_status fathom_sign_tree_grow(fathom_sign_tree *tree, double aim, int64_t count, double bytes);

/* Whether a tree that was read from a file proves its price: two children of opposite signs at every node
 * that is no leaf, all leaves in the heap, and for each the bound that its multipliers give. */
bool fathom_sign_tree_holds(fathom_sign_tree *tree);

/* The price proved so far: the largest bound of a leaf. */
double fathom_sign_tree_price(const fathom_sign_tree *tree);

/* The same of one side, 0 for sigma = +1. */
double fathom_sign_tree_side_price(const fathom_sign_tree *tree, int side);

/* Replaces the evidence of a proof by that of the tree: v, every leaf with its multipliers, the price of both sides. */
fathom_status fathom_sign_tree_prove(fathom_proof *proof, fathom_sign_tree *tree);

/* For that (sign_tree.c): multipliers and signs of a leaf in full. */
void fathom_sign_tree_unpack(fathom_sign_node *full, const fathom_sign_tree *tree, int32_t at);
fathom_sign_node *fathom_sign_tree_scratch(const fathom_sign_tree *tree);

#endif
