/* SPDX-License-Identifier: Apache-2.0 */
/* Branch and bound on the price by signs of points; the method stands in sign_tree.h. */
#include "sign_tree.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "memory.h"
#include "sign_internal.h"
#include "tasks.h"

enum { BATCH = 8, STEPS = 60, NEIGHBOURS = 30 };

static const double steepest = 16; /* growth of a weight that multipliers follow */

/* One node to improve, with its multipliers in full. */
struct fathom_tree_task {
    fathom_sign_node full;
    int32_t leaf; /* where it comes from */
    int8_t sign;  /* of the child; 0: the leaf itself */
    int32_t next;
    double bound;
};

/* The k entries of row r that matter: those with the largest multipliers, then the nearest. */
static void choose_entries(fathom_sign_side *side, double *theta, const fathom_joint_side *from,
                           const double *x, int64_t r, bool *used)
{
    const double *have = x + r * (from->k + 2);
    double top = 0;
    memset(used, 0, (size_t)from->k * sizeof *used);
    for (int64_t l = 0; l < from->k; l++)
        top = fmax(top, have[l]);
    for (int64_t t = 0; t < side->k; t++) {
        int64_t best = -1;
        double most = 0;
        for (int64_t l = 0; l < from->k; l++) {
            const double score = (top > 0 ? have[l] / top : 0) + 0.05 * from->cosine[r * from->k + l];
            if (!used[l] && (best < 0 || score > most)) { /* there is one, whatever the scores */
                most = score;
                best = l;
            }
        }
        used[best] = true;
        side->column[r * side->k + t] = from->column[r * from->k + best];
        side->sign[r * side->k + t] = from->sign[r * from->k + best];
        theta[r * (side->k + 2) + t] = have[best];
    }
    theta[r * (side->k + 2) + side->k] = have[from->k];
    theta[r * (side->k + 2) + side->k + 1] = have[from->k + 1];
}

static fathom_status open_side(fathom_sign_side *side, const fathom_objective *p,
                               const fathom_joint_side *from)
{
    const int64_t n = p->n;
    side->p = p;
    side->sigma = from->sigma;
    side->rows = side->given = from->rows;
    side->k = from->k < NEIGHBOURS ? from->k : NEIGHBOURS;
    side->point = fathom_memory_alloc(p->context, n, sizeof *side->point);
    side->row_of = fathom_memory_alloc(p->context, n, sizeof *side->row_of);
    side->column = fathom_memory_alloc(p->context, n * side->k, sizeof *side->column);
    side->sign = fathom_memory_alloc(p->context, n * side->k, sizeof *side->sign);
    side->w = fathom_memory_zero(p->context, 2 * n, sizeof *side->w);
    side->ld = from->ld;
    side->padded = fathom_memory_alloc(p->context, n * side->ld, sizeof *side->padded);
    if (!side->point || !side->row_of || !side->column || !side->sign || !side->w || !side->padded)
        return FATHOM_ERROR_MEMORY;
    side->turn = side->w + n;
    memcpy(side->padded, from->padded, (size_t)(n * side->ld) * sizeof *side->padded);
    memcpy(side->point, from->point, (size_t)side->rows * sizeof *side->point);
    memcpy(side->row_of, from->row_of, (size_t)n * sizeof *side->row_of);
    return FATHOM_OK;
}

/* Tasks and workspaces for batches: 2 BATCH children at a time. */
static fathom_status open_tasks(fathom_sign_tree *tree)
{
    fathom_context *context = tree->problem->context;
    const int64_t n = tree->problem->n;
    const int64_t theta = fathom_sign_theta_most(tree->side);
    tree->threads = fathom_context_threads(context);
    tree->task = fathom_memory_zero(context, 2 * BATCH, sizeof *tree->task);
    tree->work = fathom_memory_zero(context, tree->threads, sizeof(void *));
    if (!tree->task || !tree->work)
        return FATHOM_ERROR_MEMORY;
    for (int k = 0; k < 2 * BATCH; k++) {
        fathom_sign_node *full = &tree->task[k].full;
        full->theta = fathom_memory_alloc(context, theta + 2 * n + 2, sizeof(double));
        full->fixed = fathom_memory_alloc(context, n, 1);
        if (!full->theta || !full->fixed)
            return FATHOM_ERROR_MEMORY;
        full->nu = full->theta + theta;
        full->log_alpha = full->nu + n;
    }
    for (int k = 0; k < tree->threads; k++) {
        FATHOM_TRY(fathom_sign_work_create(tree->work + k, tree->side));
    }
    return FATHOM_OK;
}

/* Values as a leaf keeps them: theta and nu cut, so that no sum of them grows; log alpha to the nearest. */
static void round_multipliers(fathom_sign_node *full, const fathom_sign_side *side)
{
    const int64_t n = side->p->n, size = fathom_sign_theta_size(side);
    for (int64_t t = 0; t < size + n; t++) {
        double *at = t < size ? full->theta + t : full->nu + (t - size);
        *at = fathom_sign_cut(*at, side);
    }
    for (int64_t j = 0; j <= n + 1; j++)
        full->log_alpha[j] = (double)(float)full->log_alpha[j];
}

static int64_t count_entries(const fathom_sign_node *full, const fathom_sign_side *side)
{
    const int64_t n = side->p->n, size = fathom_sign_theta_size(side);
    int64_t count = 0;
    for (int64_t t = 0; t < size; t++)
        count += full->theta[t] > 0;
    for (int64_t i = 0; i < n; i++)
        count += full->nu[i] > 0;
    return fathom_sign_parts(side) * count;
}

/* Keeps the rounded multipliers in a leaf, in their parts. */
static fathom_status pack(fathom_tree_node *leaf, fathom_sign_tree *tree, const fathom_sign_node *full)
{
    fathom_context *context = tree->problem->context;
    const fathom_sign_side *side = tree->side + leaf->side;
    const int64_t n = side->p->n, size = fathom_sign_theta_size(side), count = count_entries(full, side);
    leaf->number = fathom_memory_alloc(context, count, sizeof *leaf->number);
    leaf->value = fathom_memory_alloc(context, count, sizeof *leaf->value);
    leaf->log_alpha = fathom_memory_alloc(context, n + 2, sizeof *leaf->log_alpha);
    if (!leaf->number || !leaf->value || !leaf->log_alpha)
        return FATHOM_ERROR_MEMORY;
    leaf->entries = 0;
    for (int64_t t = 0; t < size + n; t++) {
        double value = t < size ? full->theta[t] : full->nu[t - size];
        for (int part = 0; part < fathom_sign_parts(side) && value > 0; part++) {
            leaf->number[leaf->entries] = (uint32_t)t;
            leaf->value[leaf->entries] = (float)fathom_sign_part(value);
            value -= (double)leaf->value[leaf->entries++];
        }
    }
    for (int64_t j = 0; j <= n + 1; j++)
        leaf->log_alpha[j] = (float)full->log_alpha[j];
    tree->bytes += 8.0 * (double)leaf->entries + 4.0 * (double)(n + 1) + 128;
    return FATHOM_OK;
}

static void drop(fathom_tree_node *leaf, fathom_sign_tree *tree)
{
    fathom_context *context = tree->problem->context;
    if (leaf->log_alpha)
        tree->bytes -= 8.0 * leaf->entries + 4.0 * (double)(tree->problem->n + 1) + 128;
    FATHOM_FREE(context, leaf->number, leaf->value, leaf->log_alpha);
    leaf->number = NULL;
    leaf->value = leaf->log_alpha = NULL;
    leaf->entries = 0;
}

void fathom_sign_tree_unpack(fathom_sign_node *full, const fathom_sign_tree *tree, int32_t at)
{
    const fathom_tree_node *leaf = tree->node + at;
    const fathom_sign_side *side = tree->side + leaf->side;
    const int64_t n = side->p->n, size = fathom_sign_theta_size(side);
    memset(full->theta, 0, (size_t)size * sizeof *full->theta);
    memset(full->nu, 0, (size_t)n * sizeof *full->nu);
    memset(full->fixed, 0, (size_t)n);
    for (int32_t e = 0; e < leaf->entries; e++) {
        const int64_t t = leaf->number[e];
        *(t < size ? full->theta + t : full->nu + (t - size)) += (double)leaf->value[e];
    }
    for (int64_t j = 0; j <= n + 1; j++)
        full->log_alpha[j] = (double)leaf->log_alpha[j];
    for (; tree->node[at].parent >= 0; at = tree->node[at].parent)
        full->fixed[tree->node[at].point] = tree->node[at].sign;
}

static void sink(fathom_sign_tree *tree, int64_t at)
{
    int32_t *heap = tree->heap;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= tree->open)
            return;
        if (child + 1 < tree->open && tree->node[heap[child + 1]].bound > tree->node[heap[child]].bound)
            child++;
        if (!(tree->node[heap[child]].bound > tree->node[heap[at]].bound))
            return;
        const int32_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static int32_t pop(fathom_sign_tree *tree)
{
    const int32_t top = tree->heap[0];
    tree->heap[0] = tree->heap[--tree->open];
    sink(tree, 0);
    return top;
}

static fathom_status push(fathom_sign_tree *tree, int32_t leaf)
{
    FATHOM_TRY(fathom_memory_grow(tree->problem->context, (void **)&tree->heap, &tree->heap_capacity,
                                  tree->open + 1, sizeof *tree->heap));
    int64_t at = tree->open++;
    const double bound = tree->node[leaf].bound;
    for (; at > 0 && bound > tree->node[tree->heap[(at - 1) / 2]].bound; at = (at - 1) / 2)
        tree->heap[at] = tree->heap[(at - 1) / 2];
    tree->heap[at] = leaf;
    return FATHOM_OK;
}

double fathom_sign_tree_price(const fathom_sign_tree *tree)
{
    return tree->open > 0 ? tree->node[tree->heap[0]].bound : INFINITY;
}

double fathom_sign_tree_side_price(const fathom_sign_tree *tree, int side)
{
    double most = -INFINITY;
    for (int64_t k = 0; k < tree->open; k++)
        if (tree->node[tree->heap[k]].side == side)
            most = fmax(most, tree->node[tree->heap[k]].bound);
    return most > -INFINITY ? most : INFINITY;
}

/* Multipliers of side s at the root: the joint relaxation's own, on fewer neighbours. */
static fathom_status open_root(fathom_sign_tree *tree, const fathom_joint *joint, int s)
{
    const fathom_objective *p = tree->problem;
    const fathom_joint_side *from = joint->side + s;
    fathom_sign_node *full = &tree->task[0].full;
    const double *x = joint->best + joint->offset[s];
    bool *used = fathom_memory_alloc(p->context, from->k, sizeof *used);
    if (!used)
        return FATHOM_ERROR_MEMORY;
    memset(full->theta, 0, (size_t)fathom_sign_theta_size(tree->side + s) * sizeof *full->theta);
    for (int64_t r = 0; r < from->rows; r++)
        choose_entries(tree->side + s, full->theta, from, x, r, used);
    fathom_memory_free(p->context, used);
    for (int64_t i = 0; i < p->n;
         i++) /* the weights that the multipliers were made for: they follow from there */
        tree->side[s].w[i] = from->sigma * joint->orient[i] * joint->best[i];
    memset(full->nu, 0, (size_t)p->n * sizeof *full->nu);
    memset(full->fixed, 0, (size_t)p->n);
    memcpy(full->log_alpha, x + from->rows * (from->k + 2), (size_t)(p->n + 1) * sizeof *full->log_alpha);
    full->log_alpha[p->n + 1] = p->constant ? x[from->rows * (from->k + 2) + p->n + 1] : 0;
    round_multipliers(full, tree->side + s);
    fathom_tree_node *root = tree->node + tree->nodes++;
    *root = (fathom_tree_node){
        .parent = -1, .point = -1, .side = (int8_t)s, .leaf = true, .stale = true, .next = -1};
    return pack(root, tree, full);
}

fathom_status fathom_sign_tree_open(fathom_sign_tree *tree, const fathom_objective *problem,
                                    const fathom_joint *joint)
{
    *tree = (fathom_sign_tree){.problem = problem};
    fathom_status status = FATHOM_OK;
    for (int s = 0; s < 2 && status == FATHOM_OK; s++)
        status = open_side(tree->side + s, problem, joint->side + s);
    tree->v = fathom_memory_alloc(problem->context, problem->n, sizeof *tree->v);
    FATHOM_THEN(status, tree->v ? open_tasks(tree) : FATHOM_ERROR_MEMORY);
    FATHOM_THEN(status, fathom_memory_grow(problem->context, (void **)&tree->node, &tree->capacity, 64,
                                           sizeof *tree->node));
    for (int s = 0; s < 2 && status == FATHOM_OK; s++)
        status = open_root(tree, joint, s);
    return status;
}

void fathom_sign_tree_close(fathom_sign_tree *tree)
{
    if (!tree->problem)
        return;
    fathom_context *context = tree->problem->context;
    for (int64_t k = 0; k < tree->nodes; k++)
        drop(tree->node + k, tree);
    for (int k = 0; tree->task && k < 2 * BATCH; k++) {
        FATHOM_FREE(context, tree->task[k].full.theta, tree->task[k].full.fixed);
    }
    for (int k = 0; tree->work && k < tree->threads; k++)
        fathom_sign_work_free(tree->work[k], context);
    for (int s = 0; s < 2; s++) {
        fathom_sign_side *side = tree->side + s;
        void *const blocks[] = {side->point, side->row_of, side->column, side->sign, side->w, side->padded};
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
            fathom_memory_free(context, blocks[k]);
    }
    FATHOM_FREE(context, tree->task, tree->work, tree->v, tree->node, tree->heap);
    *tree = (fathom_sign_tree){0};
}

void fathom_sign_side_add(fathom_sign_side *side, int64_t i)
{
    const int64_t d = side->p->d, r = side->rows++;
    side->row_of[i] = r;
    side->point[r] = i;
    for (int64_t e = r * side->k; e < (r + 1) * side->k; e++)
        side->sign[e] = fathom_blas_dot(side->p->x + i * d, side->p->x + side->column[e] * d, d) < 0 ? -1 : 1;
}

/* The neighbours of the next row, that of point i: the k points of positive weight nearest by |cos|; others where there are fewer. */
static void find_neighbours(fathom_sign_side *side, int64_t i, double *score)
{
    const fathom_objective *p = side->p;
    for (int64_t j = 0; j < p->n; j++) {
        const double size = p->reach[i] * p->reach[j];
        const double dot = fathom_blas_dot(p->x + i * p->d, p->x + j * p->d, p->d);
        score[j] = j == i ? -3 : (size > 0 ? fabs(dot) / size : 0) - (side->w[j] > 0 ? 0 : 2);
    }
    for (int64_t l = 0; l < side->k; l++) {
        int64_t best = 0;
        for (int64_t j = 1; j < p->n; j++)
            best = score[j] > score[best] ? j : best;
        score[best] = -4;
        side->column[side->rows * side->k + l] = (int32_t)best;
    }
}

/* Weights from v; points whose weight has become negative get rows, with multipliers 0. */
static fathom_status weigh(fathom_sign_side *side, const double *v)
{
    const int64_t n = side->p->n;
    double *score = fathom_memory_alloc(side->p->context, n, sizeof *score);
    if (!score)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const double w = side->sigma * v[i];
        side->turn[i] = side->w[i] == w ? 1 : side->w[i] * w > 0 ? fmin(w / side->w[i], steepest) : 0;
        side->w[i] = w;
    }
    for (int64_t i = 0; i < n; i++) {
        if (!(side->w[i] < 0) || side->row_of[i] >= 0)
            continue;
        find_neighbours(side, i, score);
        fathom_sign_side_add(side, i);
    }
    fathom_memory_free(side->p->context, score);
    return FATHOM_OK;
}

/* Multipliers of a leaf follow the weights: Theta_ij that of i, alpha_k that of k; where a sign has changed they begin anew. */
static void follow_weights(fathom_tree_node *leaf, const fathom_sign_side *side)
{
    const int64_t n = side->p->n, size = fathom_sign_theta_size(side);
    for (int32_t e = 0; e < leaf->entries; e++) {
        const int64_t t = leaf->number[e];
        if (t < size)
            leaf->value[e] *= (float)side->turn[side->point[t / (side->k + 2)]];
    }
    for (int64_t j = 0; j < n; j++)
        leaf->log_alpha[j + 1] += (float)log(side->turn[j]);
}

fathom_status fathom_sign_tree_move(fathom_sign_tree *tree, const double *v)
{
    const int64_t n = tree->problem->n;
    fathom_status status = FATHOM_OK;
    memcpy(tree->v, v, (size_t)n * sizeof *v);
    for (int s = 0; s < 2 && status == FATHOM_OK; s++)
        status = weigh(tree->side + s, v);
    if (status != FATHOM_OK)
        return status;
    for (int64_t first = 0; first < tree->nodes; first += 2 * BATCH) {
        const int64_t count = tree->nodes - first < 2 * BATCH ? tree->nodes - first : 2 * BATCH;
#pragma omp parallel for schedule(dynamic, 1) num_threads(tree->threads)
        for (int64_t k = 0; k < count; k++) {
            fathom_tree_node *node = tree->node + first + k;
            if (!node->leaf)
                continue;
            follow_weights(node, tree->side + node->side);
            fathom_sign_tree_unpack(&tree->task[k].full, tree, (int32_t)(first + k));
            node->bound = fathom_sign_node_price(&tree->task[k].full, tree->side + node->side,
                                                 tree->work[omp_get_thread_num()]);
            node->stale = true;
        }
    }
    tree->open = 0;
    for (int64_t k = 0; k < tree->nodes && status == FATHOM_OK; k++)
        if (tree->node[k].leaf)
            status = push(tree, (int32_t)k);
    return status;
}

/* Whether the nodes are two trees whose leaves cover both sides, and the heap has every leaf, the largest
 * bound first. */
static bool is_cover(const fathom_sign_tree *tree, int8_t *children)
{
    int64_t leaves = 0, roots[2] = {0, 0};
    bool valid = true;
    for (int64_t k = 0; k < tree->nodes; k++) {
        const fathom_tree_node *node = tree->node + k;
        leaves += node->leaf;
        if (node->parent < 0)
            roots[node->side]++;
        else /* 1: the child of sign +1, 2: that of -1 */
            valid = valid && abs(node->sign) == 1 && node->point == tree->node[node->parent].next &&
                    !(children[node->parent] & (node->sign > 0 ? 1 : 2));
        if (node->parent >= 0)
            children[node->parent] |= node->sign > 0 ? 1 : 2;
    }
    for (int64_t k = 0; k < tree->nodes; k++)
        valid = valid && children[k] == (tree->node[k].leaf ? 0 : 3);
    for (int64_t k = 0; k < tree->open; k++) {
        valid = valid && !(children[tree->heap[k]] & 4) &&
                tree->node[tree->heap[k]].bound <= tree->node[tree->heap[(k > 0 ? k - 1 : 0) / 2]].bound;
        children[tree->heap[k]] |= 4;
    }
    return valid && roots[0] == 1 && roots[1] == 1 && tree->open == leaves;
}

/* Whether every leaf has the bound that its multipliers give, bit for bit: they are stored as they were when
 * it was priced. */
static bool is_priced(fathom_sign_tree *tree)
{
    bool valid = true;
    for (int64_t first = 0; first < tree->nodes; first += 2 * BATCH) {
        const int64_t count = tree->nodes - first < 2 * BATCH ? tree->nodes - first : 2 * BATCH;
#pragma omp parallel for schedule(dynamic, 1) num_threads(tree->threads) reduction(&& : valid)
        for (int64_t k = 0; k < count; k++) {
            const fathom_tree_node *node = tree->node + first + k;
            if (!node->leaf)
                continue;
            fathom_sign_tree_unpack(&tree->task[k].full, tree, (int32_t)(first + k));
            valid =
                valid && node->bound == fathom_sign_node_price(&tree->task[k].full, tree->side + node->side,
                                                               tree->work[omp_get_thread_num()]);
        }
    }
    return valid;
}

bool fathom_sign_tree_holds(fathom_sign_tree *tree)
{
    int8_t *children = fathom_memory_zero(tree->problem->context, tree->nodes, sizeof *children);
    const bool valid = children && is_cover(tree, children) && is_priced(tree);
    fathom_memory_free(tree->problem->context, children);
    return valid;
}

/* The node of a task as its leaf leaves it. */
static void start_task(struct fathom_tree_task *task, const fathom_sign_tree *tree)
{
    const fathom_tree_node *leaf = tree->node + task->leaf;
    fathom_sign_tree_unpack(&task->full, tree, task->leaf);
    if (task->sign)
        fathom_sign_node_fix(&task->full, tree->side + leaf->side, leaf->next, task->sign);
    round_multipliers(&task->full, tree->side + leaf->side);
}

/* Improves the multipliers of a task and keeps the better of start and end: smoothing may have misled. */
static void run_task(struct fathom_tree_task *task, const fathom_sign_tree *tree, double aim,
                     fathom_sign_work *work)
{
    const fathom_sign_side *side = tree->side + tree->node[task->leaf].side;
    start_task(task, tree);
    const double before = fathom_sign_node_price(&task->full, side, work);
    task->next = (int32_t)fathom_sign_node_improve(&task->full, side, STEPS, aim, work);
    round_multipliers(&task->full, side);
    task->bound = fathom_sign_node_price(&task->full, side, work);
    if (task->bound <= before)
        return;
    start_task(task, tree);
    task->bound = before;
}

/* Takes up to BATCH leaves; returns the number of tasks. Leaves that cannot be split stay where they are. */
static int64_t take_batch(fathom_sign_tree *tree, double aim)
{
    int64_t tasks = 0;
    for (int k = 0; k < BATCH && tree->open > 0; k++) {
        const int32_t top = tree->heap[0];
        const fathom_tree_node *leaf = tree->node + top;
        if (leaf->bound <= aim || (!leaf->stale && leaf->next < 0))
            break;
        pop(tree);
        for (int c = 0; c < (leaf->stale ? 1 : 2); c++, tasks++) {
            tree->task[tasks].leaf = top;
            tree->task[tasks].sign = (int8_t)(leaf->stale ? 0 : c ? -1 : 1);
        }
    }
    return tasks;
}

/* Puts the results of the tasks into the tree. */
static fathom_status give_batch(fathom_sign_tree *tree, int64_t tasks)
{
    fathom_status status = fathom_memory_grow(tree->problem->context, (void **)&tree->node, &tree->capacity,
                                              tree->nodes + tasks, sizeof *tree->node);
    for (int64_t k = 0; k < tasks && status == FATHOM_OK; k++) {
        const struct fathom_tree_task *task = tree->task + k;
        fathom_tree_node *leaf = tree->node + task->leaf, *into = leaf;
        int32_t at = task->leaf;
        if (task->sign) {
            at = (int32_t)tree->nodes++;
            into = tree->node + at;
            *into = (fathom_tree_node){.parent = task->leaf,
                                       .point = leaf->next,
                                       .sign = task->sign,
                                       .side = leaf->side,
                                       .leaf = true};
            leaf->leaf = false;
        }
        drop(leaf, tree);
        into->stale = false;
        into->next = task->next;
        into->bound = task->bound;
        status = pack(into, tree, &task->full);
        FATHOM_THEN(status, push(tree, at));
    }
    return status;
}

/* What a task sends: its multipliers in full, the signs, where to branch, its bound. */
static int64_t task_numbers(const fathom_sign_tree *tree)
{
    return fathom_sign_theta_most(tree->side) + 2 * tree->problem->n + 2;
}

static int64_t task_size(void *user, int64_t k)
{
    const fathom_sign_tree *tree = user;
    (void)k;
    return (task_numbers(tree) + 2) * (int64_t)sizeof(double) + tree->problem->n;
}

static void task_put(void *bytes, void *user, int64_t k)
{
    const fathom_sign_tree *tree = user;
    const struct fathom_tree_task *task = tree->task + k;
    const size_t numbers = (size_t)task_numbers(tree) * sizeof(double);
    const double next = task->next;
    char *to = bytes;
    memcpy(to, task->full.theta, numbers);
    memcpy(to + numbers, &task->bound, sizeof task->bound);
    memcpy(to + numbers + sizeof next, &next, sizeof next);
    memcpy(to + numbers + 2 * sizeof next, task->full.fixed, (size_t)tree->problem->n);
}

static fathom_status task_take(void *user, int64_t k, const void *bytes, int64_t size)
{
    fathom_sign_tree *tree = user;
    struct fathom_tree_task *task = tree->task + k;
    const size_t numbers = (size_t)task_numbers(tree) * sizeof(double);
    const char *from = bytes;
    double next;
    (void)size;
    memcpy(task->full.theta, from, numbers);
    memcpy(&task->bound, from + numbers, sizeof task->bound);
    memcpy(&next, from + numbers + sizeof next, sizeof next);
    memcpy(task->full.fixed, from + numbers + 2 * sizeof next, (size_t)tree->problem->n);
    task->next = (int32_t)next;
    return FATHOM_OK;
}

/* The tasks of a batch, on all ranks and threads: the tree that they make does not depend on who ran which. */
static fathom_status run_batch(fathom_sign_tree *tree, int64_t count, double aim)
{
    const fathom_task_results results = {task_size, task_put, task_take, tree};
    fathom_status status = FATHOM_OK;
    fathom_tasks tasks = fathom_tasks_deal(tree->problem->context, count);
    while (fathom_tasks_next(&tasks)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(tree->threads)
        for (int64_t k = 0; k < count; k++)
            if (fathom_tasks_mine(&tasks, k))
                run_task(tree->task + k, tree, aim, tree->work[omp_get_thread_num()]);
        status = fathom_tasks_share(&tasks, status, &results);
    }
    return status;
}

fathom_status fathom_sign_tree_grow(fathom_sign_tree *tree, double aim, int64_t count, double bytes)
{
    fathom_context *context = tree->problem->context;
    const int64_t end = tree->evaluations + count;
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && tree->evaluations < end && tree->bytes < bytes &&
           tree->nodes < INT32_MAX - 2 * BATCH && fathom_context_stop_reason(context) == FATHOM_STOP_NONE) {
        const int64_t tasks = take_batch(tree, aim);
        if (tasks == 0)
            break;
        status = run_batch(tree, tasks, aim);
        tree->evaluations += tasks;
        FATHOM_THEN(status, give_batch(tree, tasks));
    }
    return status;
}

fathom_sign_node *fathom_sign_tree_scratch(const fathom_sign_tree *tree) { return &tree->task[0].full; }
