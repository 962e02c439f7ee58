/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of the branching on signs in an archive.
 *
 *     tree_node      nodes x 9: parent, point, sign, side, leaf, stale, next, bound, entries
 *     tree_heap      the open leaves as the heap has them
 *     tree_entry     multipliers of all leaves in turn; a word holds a number (high half) and a float (low half)
 *     tree_alpha     n + 2 floats a leaf, two to a word
 *     tree_v         n: the dual point
 *     tree_row       rows that moves have added: side, point, neighbours
 *
 * Words are stored as doubles with these bits. None is a NaN: numbers are below 2^31 - 2^20, and no float is one.
 */
#include <math.h>
#include <string.h>

#include "columns_state.h"
#include "context_internal.h"
#include "memory.h"

enum { FIELDS = 9, PARTS = 5, LARGEST = 0x7fe00000 };

static double join(uint32_t high, uint32_t low)
{
    const uint64_t word = (uint64_t)high << 32 | low;
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void split(uint32_t *high, uint32_t *low, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    *high = (uint32_t)(word >> 32);
    *low = (uint32_t)word;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t alpha_words(const fathom_sign_tree *tree) { return (tree->problem->n + 3) / 2; }

/* Fields, multipliers and log alpha of all nodes. */
static void flatten(double *field, double *entry, double *alpha, const fathom_sign_tree *tree)
{
    const int64_t n = tree->problem->n;
    for (int64_t k = 0; k < tree->nodes; k++, field += FIELDS) {
        const fathom_tree_node *node = tree->node + k;
        const double values[FIELDS] = {node->parent, node->point, node->sign,  node->side,   node->leaf,
                                       node->stale,  node->next,  node->bound, node->entries};
        memcpy(field, values, sizeof values);
        for (int32_t e = 0; e < node->entries; e++)
            *entry++ = join(node->number[e], bits_of(node->value[e]));
        for (int64_t j = 0; node->leaf && j < n + 2; j += 2)
            *alpha++ = join(bits_of(node->log_alpha[j]), j + 1 < n + 2 ? bits_of(node->log_alpha[j + 1]) : 0);
    }
}

/* Rows beyond those of the joint relaxation, into `row` where there is one; returns how many numbers they take. */
static int64_t flatten_rows(double *row, const fathom_sign_tree *tree)
{
    int64_t count = 0;
    for (int s = 0; s < 2; s++) {
        const fathom_sign_side *side = tree->side + s;
        for (int64_t r = side->given; r < side->rows; r++, count += side->k + 2) {
            if (!row)
                continue;
            row[count] = s;
            row[count + 1] = (double)side->point[r];
            for (int64_t l = 0; l < side->k; l++)
                row[count + 2 + l] = side->column[r * side->k + l];
        }
    }
    return count;
}

fathom_status fathom_sign_tree_write(fathom_npz_writer *writer, const fathom_sign_tree *tree)
{
    fathom_context *context = tree->problem->context;
    int64_t entries = 0, leaves = 0;
    for (int64_t k = 0; k < tree->nodes; k++) {
        entries += tree->node[k].entries;
        leaves += tree->node[k].leaf;
    }
    const int64_t fields = tree->nodes * FIELDS, words = leaves * alpha_words(tree);
    const int64_t rows = flatten_rows(NULL, tree);
    double *block = fathom_memory_alloc(context, fields + entries + words + tree->open + rows, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *entry = block + fields, *alpha = entry + entries, *heap = alpha + words, *row = heap + tree->open;
    flatten(block, entry, alpha, tree);
    flatten_rows(row, tree);
    for (int64_t k = 0; k < tree->open; k++)
        heap[k] = tree->heap[k];
    fathom_state_add(writer, "tree_node", block, fields);
    fathom_state_add(writer, "tree_entry", entry, entries);
    fathom_state_add(writer, "tree_alpha", alpha, words);
    fathom_state_add(writer, "tree_heap", heap, tree->open);
    fathom_state_add(writer, "tree_row", row, rows);
    fathom_state_add(writer, "tree_v", tree->v, tree->problem->n);
    fathom_memory_free(context, block);
    return FATHOM_OK;
}

static fathom_status refuse(const fathom_sign_tree *tree, const char *path)
{
    return fathom_error_set_at(tree->problem->context, FATHOM_ERROR_INPUT, path, 0, 0,
                               "the tree of the checkpoint does not prove its prices");
}

/* The roots that the tree was opened with leave. */
static void empty(fathom_sign_tree *tree)
{
    fathom_context *context = tree->problem->context;
    for (int64_t k = 0; k < tree->nodes; k++) {
        FATHOM_FREE(context, tree->node[k].number, tree->node[k].value, tree->node[k].log_alpha);
    }
    tree->nodes = 0;
    tree->bytes = 0;
}

/* Whether the fields are those of node k: NaN fails every comparison. */
static bool sensible(const double *field, int64_t k, const fathom_sign_tree *tree)
{
    const double n = (double)tree->problem->n, parent = field[0];
    const bool root = parent == -1;
    return parent >= -1 && parent < (double)k && (root || tree->node[(int64_t)parent].side == field[3]) &&
           field[1] >= (root ? -1 : 0) && field[1] < n && fabs(field[2]) <= 1 &&
           (field[3] == 0 || field[3] == 1) && field[6] >= -1 && field[6] < n && field[7] >= 0 &&
           field[8] >= 0 && field[8] < LARGEST && (field[4] == 1 || (field[4] == 0 && field[8] == 0));
}

/* Multipliers of a leaf from the words at *entry and *alpha. */
static fathom_status take_leaf(fathom_sign_tree *tree, fathom_tree_node *leaf, const double *entry,
                               const double *alpha, const char *path)
{
    fathom_context *context = tree->problem->context;
    const fathom_sign_side *side = tree->side + leaf->side;
    const int64_t n = tree->problem->n, most = fathom_sign_theta_size(side) + n;
    bool valid = true;
    leaf->number = fathom_memory_alloc(context, leaf->entries, sizeof *leaf->number);
    leaf->value = fathom_memory_alloc(context, leaf->entries, sizeof *leaf->value);
    leaf->log_alpha = fathom_memory_alloc(context, n + 2, sizeof *leaf->log_alpha);
    if (!leaf->number || !leaf->value || !leaf->log_alpha)
        return FATHOM_ERROR_MEMORY;
    for (int32_t e = 0; e < leaf->entries; e++) {
        uint32_t bits;
        split(leaf->number + e, &bits, entry[e]);
        leaf->value[e] = float_of(bits);
        valid = valid && leaf->number[e] < most && leaf->value[e] >= 0 && leaf->value[e] < INFINITY;
    }
    for (int64_t j = 0; j < n + 2; j++) {
        uint32_t half[2];
        split(half, half + 1, alpha[j / 2]);
        leaf->log_alpha[j] = float_of(half[j % 2]);
        valid = valid && leaf->log_alpha[j] < INFINITY;
    }
    tree->bytes += 8.0 * leaf->entries + 4.0 * (double)(n + 1) + 128;
    return valid ? FATHOM_OK : refuse(tree, path);
}

/* All nodes from the arrays: fields, entries, log alpha. */
static fathom_status take_nodes(fathom_sign_tree *tree, const fathom_array part[3], const char *path)
{
    const int64_t nodes = part[0].count / FIELDS;
    int64_t entries = 0, words = 0;
    fathom_status status =
        nodes < 2 || nodes >= INT32_MAX || part[0].count % FIELDS ? refuse(tree, path) : FATHOM_OK;
    FATHOM_THEN(status, fathom_memory_grow(tree->problem->context, (void **)&tree->node, &tree->capacity,
                                           nodes, sizeof *tree->node));
    for (int64_t k = 0; k < nodes && status == FATHOM_OK; k++) {
        const double *f = part[0].values + k * FIELDS;
        if (!sensible(f, k, tree))
            return refuse(tree, path);
        fathom_tree_node *node = tree->node + tree->nodes++;
        *node = (fathom_tree_node){.parent = (int32_t)f[0],
                                   .point = (int32_t)f[1],
                                   .sign = (int8_t)f[2],
                                   .side = (int8_t)f[3],
                                   .leaf = f[4] != 0,
                                   .stale = f[5] != 0,
                                   .next = (int32_t)f[6],
                                   .bound = f[7],
                                   .entries = (int32_t)f[8]};
        if (!node->leaf)
            continue;
        if (entries + node->entries > part[1].count || words + alpha_words(tree) > part[2].count)
            return refuse(tree, path);
        status = take_leaf(tree, node, part[1].values + entries, part[2].values + words, path);
        entries += node->entries;
        words += alpha_words(tree);
    }
    return status;
}

static fathom_status take_rows(fathom_sign_tree *tree, const fathom_array *rows, const char *path)
{
    const double n = (double)tree->problem->n;
    for (int64_t at = 0; at < rows->count;) {
        const double *row = rows->values + at;
        if (!(row[0] == 0 || row[0] == 1))
            return refuse(tree, path);
        fathom_sign_side *side = tree->side + (row[0] > 0);
        at += side->k + 2;
        if (at > rows->count || !(row[1] >= 0 && row[1] < n) || side->row_of[(int64_t)row[1]] >= 0)
            return refuse(tree, path);
        for (int64_t l = 0; l < side->k; l++) {
            if (!(row[2 + l] >= 0 && row[2 + l] < n))
                return refuse(tree, path);
            side->column[side->rows * side->k + l] = (int32_t)row[2 + l];
        }
        fathom_sign_side_add(side, (int64_t)row[1]);
    }
    return FATHOM_OK;
}

static fathom_status take_heap(fathom_sign_tree *tree, const fathom_array *heap, const char *path)
{
    FATHOM_TRY(fathom_memory_grow(tree->problem->context, (void **)&tree->heap, &tree->heap_capacity,
                                  heap->count + 1, sizeof *tree->heap));
    for (int64_t k = 0; k < heap->count; k++) {
        const double at = heap->values[k];
        if (!(at >= 0 && at < (double)tree->nodes && tree->node[(int64_t)at].leaf))
            return refuse(tree, path);
        tree->heap[k] = (int32_t)at;
    }
    tree->open = heap->count;
    return FATHOM_OK;
}

fathom_status fathom_sign_tree_read(fathom_sign_tree *tree, const fathom_npz *npz, const char *path)
{
    static const char *const name[PARTS] = {"tree_node", "tree_entry", "tree_alpha", "tree_heap", "tree_row"};
    fathom_context *context = tree->problem->context;
    const int64_t n = tree->problem->n;
    fathom_array part[PARTS] = {{0}};
    fathom_status status = fathom_state_take(tree->v, npz, context, path, "tree_v", n);
    for (int64_t i = 0; i < 2 * n && status == FATHOM_OK; i++)
        tree->side[i / n].w[i % n] = tree->side[i / n].sigma * tree->v[i % n];
    for (int k = 0; k < PARTS && status == FATHOM_OK; k++)
        status = fathom_npz_get(part + k, npz, name[k]);
    empty(tree);
    FATHOM_THEN(status, take_rows(tree, part + 4, path));
    FATHOM_THEN(status, take_nodes(tree, part, path));
    FATHOM_THEN(status, take_heap(tree, part + 3, path));
    if (status == FATHOM_OK && !fathom_sign_tree_holds(tree))
        status = refuse(tree, path);
    for (int k = 0; k < PARTS; k++)
        fathom_array_free(context, part + k);
    return status;
}
