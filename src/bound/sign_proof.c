/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of signs as evidence for a certificate: its leaves in preorder, positive half-spaces first.
 *
 * Every leaf is priced once more, as columns may move between the matrix and the sum of norms in it; prices are raised by
 * 16 (d^2 + 32) eps, for the test of checker/tree.c. With a limit on the size multipliers are cut to 16 bits:
 * any values are valid, and the price is that of what is written.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "joint.h"
#include "memory.h"
#include "sign_tree.h"

/* What the walk carries along. */
typedef struct walk {
    fathom_proof *proof;
    fathom_sign_tree *tree;
    fathom_proof_leaf leaf; /* with room for n rows and all entries */
    int32_t *child;         /* nodes x 2: the child of sign +1, then -1; 0: none */
} walk;

/* The number with its last bits cut off. */
static double cut(double value)
{
    int e;
    const double share = frexp(value, &e); /* value >= 0 */
    return ldexp(floor(ldexp(share, 16)), e - 16);
}

static void cut_multipliers(fathom_sign_node *full, const fathom_sign_side *side)
{
    for (int64_t t = 0; t < fathom_sign_theta_size(side); t++)
        full->theta[t] = cut(full->theta[t]);
    for (int64_t i = 0; i < side->p->n; i++)
        full->nu[i] = cut(full->nu[i]);
}

/* Whether point j has a column of its own, as in fathom_sign_set_up: the price knows no Theta_ij of others. */
static bool has_column(const fathom_sign_node *full, const fathom_sign_side *side, int64_t j)
{
    return !full->fixed[j] && (side->w[j] > 0 || side->row_of[j] >= 0);
}

/* Fills the leaf from the node's multipliers; its path is there. */
static void fill_leaf(fathom_proof_leaf *leaf, const fathom_sign_node *full, const fathom_sign_side *side,
                      bool small)
{
    const int64_t n = side->p->n, k = side->k;
    leaf->entries = 0;
    for (int64_t r = 0; r < side->rows; r++) {
        const double *theta = full->theta + r * (k + 2);
        for (int64_t l = 0; l < k; l++)
            if (has_column(full, side, side->column[r * k + l]))
                fathom_proof_put_entry(leaf, side->point[r], side->column[r * k + l] + 1,
                                       side->sign[r * k + l] * theta[l]);
        fathom_proof_put_entry(leaf, side->point[r], 0, theta[k]);
        fathom_proof_put_entry(leaf, side->point[r], 0, -theta[k + 1]);
    }
    for (int64_t j = 0; j <= n; j++) {
        const double weight =
            exp(-full->log_alpha[j]); /* 0 for fixed points and columns outside the matrix */
        leaf->weight[j] = !(full->log_alpha[j] > -INFINITY) || (j > 0 && !has_column(full, side, j - 1)) ? 0
                          : small ? cut(weight)
                                  : weight;
    }
    for (int64_t t = 0; t < leaf->depth; t++)
        leaf->nu[t] = full->nu[leaf->row[t]];
}

static fathom_status visit_leaf(walk *w, int32_t at)
{
    fathom_sign_tree *tree = w->tree;
    const int s = tree->node[at].side;
    const fathom_sign_side *side = tree->side + s;
    fathom_sign_node *full = fathom_sign_tree_scratch(tree);
    const double d = (double)side->p->d;
    const bool small = w->proof->most_bytes > 0;
    fathom_sign_tree_unpack(full, tree, at);
    if (small)
        cut_multipliers(full, side);
    /* t follows the n + 1 logarithms */
    const double t = side->p->constant ? fmin(fmax(full->log_alpha[side->p->n + 1], -FATHOM_JOINT_FLATTEST),
                                              FATHOM_JOINT_FLATTEST)
                                       : 0;
    /* gamma cut to 16 bits is alpha raised by at most 2^-15: the price rises by no more */
    const double price = fathom_sign_node_price(full, side, tree->work[0]) *
                             (1 + 16 * (d * d + 32) * DBL_EPSILON + (small ? 0x1p-14 : 0)) +
                         fathom_joint_settling(side->p, tree->v, side->p->n, t);
    w->leaf.side = s ? -1 : 1;
    fill_leaf(&w->leaf, full, side, small);
    if (side->p->constant)
        w->leaf.lift = fathom_joint_lift(w->leaf.weight, side->p, 1, t);
    FATHOM_TRY(fathom_proof_add_leaf(w->proof, &w->leaf));
    w->proof->price[s] = fmax(w->proof->price[s], price);
    return FATHOM_OK;
}

/* The tree below `root` without recursion: down the positive side first, up to the last node whose negative side is open. */
static fathom_status visit(walk *w, int32_t root)
{
    int32_t at = root;
    fathom_status status = FATHOM_OK;
    w->leaf.depth = 0;
    for (;;) {
        while (!w->tree->node[at].leaf) {
            w->leaf.row[w->leaf.depth] = w->tree->node[w->child[2 * at]].point;
            w->leaf.sign[w->leaf.depth++] = 1;
            at = w->child[2 * at];
        }
        status = visit_leaf(w, at);
        while (w->leaf.depth > 0 && w->leaf.sign[w->leaf.depth - 1] < 0) {
            w->leaf.depth--;
            at = w->tree->node[at].parent;
        }
        if (status != FATHOM_OK || w->leaf.depth == 0)
            return status;
        w->leaf.sign[w->leaf.depth - 1] = -1;
        at = w->child[2 * w->tree->node[at].parent + 1];
    }
}

static fathom_status open_walk(walk *w, fathom_proof *proof, fathom_sign_tree *tree)
{
    fathom_context *context = proof->context;
    const int64_t n = proof->n;
    const int64_t most = fathom_sign_theta_most(tree->side);
    *w = (walk){.proof = proof, .tree = tree};
    w->leaf.row = fathom_memory_alloc(context, n, sizeof *w->leaf.row);
    w->leaf.sign = fathom_memory_alloc(context, n, sizeof *w->leaf.sign);
    w->leaf.i = fathom_memory_alloc(context, most, sizeof *w->leaf.i);
    w->leaf.j = fathom_memory_alloc(context, most, sizeof *w->leaf.j);
    w->leaf.theta = fathom_memory_alloc(context, most, sizeof *w->leaf.theta);
    w->leaf.weight = fathom_memory_alloc(context, n + 1, sizeof *w->leaf.weight);
    w->leaf.nu = fathom_memory_alloc(context, n, sizeof *w->leaf.nu);
    w->child = fathom_memory_zero(context, 2 * tree->nodes, sizeof *w->child);
    const fathom_proof_leaf *l = &w->leaf;
    if (!l->row || !l->sign || !l->i || !l->j || !l->theta || !l->weight || !l->nu || !w->child)
        return FATHOM_ERROR_MEMORY;
    for (int32_t k = 0; k < tree->nodes; k++)
        if (tree->node[k].parent >= 0)
            w->child[2 * tree->node[k].parent + (tree->node[k].sign < 0)] = k;
    return FATHOM_OK;
}

static void close_walk(walk *w)
{
    void *blocks[] = {w->leaf.row,   w->leaf.sign,   w->leaf.i,  w->leaf.j,
                      w->leaf.theta, w->leaf.weight, w->leaf.nu, w->child};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(w->proof->context, blocks[k]);
}

/* Lifts for the price of the side, at which leaves are tested: that of a leaf far below it would leave no
 * room for what settling adds. */
static void raise_lifts(fathom_proof *proof)
{
    for (int64_t l = 0; l < proof->leaves; l++)
        proof->leaf[l].lift *= pow(proof->price[proof->leaf[l].side < 0], 2);
}

fathom_status fathom_sign_tree_prove(fathom_proof *proof, fathom_sign_tree *tree)
{
    walk w;
    fathom_status status = open_walk(&w, proof, tree);
    fathom_proof_drop_leaves(proof);
    if (proof->price)
        proof->price[0] = proof->price[1] = 0;
    for (int32_t root = 0; root < 2 && status == FATHOM_OK; root++)
        status = visit(&w, root);
    if (status == FATHOM_OK) {
        raise_lifts(proof);
        memcpy(proof->v, tree->v, (size_t)proof->n * sizeof *proof->v);
        proof->lower = fathom_objective_bound(tree->problem, tree->v, fmax(proof->price[0], proof->price[1]));
    }
    close_walk(&w);
    return status;
}
