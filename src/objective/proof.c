/* SPDX-License-Identifier: Apache-2.0 */
/* What a solver leaves behind as evidence for its lower bound: storage only. */
#include "proof.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "memory.h"

fathom_status fathom_proof_create(fathom_proof **proof, fathom_context *context, int64_t n, int64_t d,
                                  int64_t outputs)
{
    fathom_proof *p = fathom_memory_zero(context, 1, sizeof *p);
    *proof = p;
    if (!p)
        return FATHOM_ERROR_MEMORY;
    p->context = context;
    p->n = n;
    p->d = d;
    p->outputs = outputs;
    p->v = fathom_memory_zero(context, n * outputs, sizeof *p->v);
    if (p->v)
        return FATHOM_OK;
    fathom_proof_free(p);
    *proof = NULL;
    return FATHOM_ERROR_MEMORY;
}

void fathom_proof_shape(int64_t *n, int64_t *outputs, const fathom_proof *proof)
{
    *n = proof->n;
    *outputs = proof->outputs;
}

fathom_proof_kind fathom_proof_kind_of(const fathom_proof *proof)
{
    if (proof->gates > 0)
        return proof->leaves > 0 ? FATHOM_PROOF_CONES : FATHOM_PROOF_GATES;
    if (proof->orthant)
        return FATHOM_PROOF_ORTHANT;
    if (proof->leaves > 0 || proof->planar)
        return FATHOM_PROOF_TREES;
    return proof->exact_price > 0 ? FATHOM_PROOF_PLANE : FATHOM_PROOF_EMPTY;
}

void fathom_proof_put_entry(fathom_proof_leaf *leaf, int64_t i, int64_t j, double value)
{
    if (value == 0)
        return;
    leaf->i[leaf->entries] = i;
    leaf->j[leaf->entries] = j;
    leaf->theta[leaf->entries++] = value;
}

static void leaf_clear(fathom_proof_leaf *leaf, fathom_context *context)
{
    void *blocks[] = {leaf->row, leaf->sign, leaf->i, leaf->j, leaf->theta, leaf->weight, leaf->nu};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    *leaf = (fathom_proof_leaf){0};
}

static void drop_gates(fathom_proof *proof)
{
    void *blocks[] = {proof->bits, proof->orientation, proof->exact_at, proof->exact_text};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(proof->context, blocks[k]);
    proof->bits = NULL;
    proof->orientation = NULL;
    proof->exact_at = NULL;
    proof->exact_text = NULL;
    proof->gates = proof->words = 0;
    proof->complete = false;
}

void fathom_proof_drop_leaves(fathom_proof *proof)
{
    for (int64_t k = 0; k < proof->leaves; k++)
        leaf_clear(proof->leaf + k, proof->context);
    proof->leaves = 0;
    proof->kinks = false;
    proof->exact_price = 0;
    fathom_memory_free(proof->context, proof->orthant);
    proof->orthant = NULL;
    drop_gates(proof);
}

void fathom_proof_set_exact(fathom_proof *proof, const double *v, double price, double lower)
{
    fathom_proof_drop_leaves(proof);
    memcpy(proof->v, v, (size_t)(proof->n * proof->outputs) * sizeof *proof->v);
    proof->exact_price =
        fmax(price, DBL_MIN); /* 0 would stand for no price: points that are all equal have that */
    proof->lower = lower;
}

fathom_status fathom_proof_set_orthant(fathom_proof *proof, const double *w, double price)
{
    fathom_proof_drop_leaves(proof);
    proof->planar = false;
    proof->pieces = proof->corners = 0;
    proof->exact_price = fmax(price, DBL_MIN);
    proof->orthant = fathom_memory_alloc(proof->context, proof->n, sizeof *proof->orthant);
    if (!proof->orthant)
        return FATHOM_ERROR_MEMORY;
    memcpy(proof->orthant, w, (size_t)proof->n * sizeof *w);
    return FATHOM_OK;
}

void fathom_proof_free(fathom_proof *proof)
{
    if (!proof)
        return;
    fathom_context *context = proof->context;
    fathom_proof_drop_leaves(proof);
    void *blocks[] = {proof->v,        proof->price,      proof->leaf,   proof->bits,     proof->gate,
                      proof->w,        proof->parent,     proof->bisect, proof->majorant, proof->orientation,
                      proof->exact_at, proof->exact_text, proof->share,  proof->c,        proof->centre,
                      proof->u,        proof->along};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    fathom_memory_free(context, proof);
}

/* A copy of count items, in *out; NULL stays NULL. */
static fathom_status copy(void *out, fathom_context *context, const void *from, int64_t count, size_t size)
{
    void *block = from ? fathom_memory_alloc(context, count, size) : NULL;
    memcpy(out, &block, sizeof block); /* *out is a pointer to some type */
    if (from && !block)
        return FATHOM_ERROR_MEMORY;
    if (block && count > 0)
        memcpy(block, from, (size_t)count * size);
    return FATHOM_OK;
}

fathom_status fathom_proof_set_gates(fathom_proof *proof, const fathom_gates_view *gates, bool complete)
{
    fathom_context *context = proof->context;
    fathom_status status =
        copy(&proof->bits, context, gates->bits, gates->m * gates->words, sizeof *proof->bits);
    FATHOM_THEN(status, copy(&proof->orientation, context, gates->orientation, gates->m * gates->d,
                             sizeof *proof->orientation));
    int64_t text = 0;
    for (int64_t j = 0; j < gates->m && gates->exact_at; j++)
        if (gates->exact_at[j] >= 0) {
            const int64_t end =
                gates->exact_at[j] + (int64_t)strlen(gates->exact_text + gates->exact_at[j]) + 1;
            text = end > text ? end : text;
        }
    FATHOM_THEN(status, copy(&proof->exact_at, context, gates->exact_at, gates->m, sizeof *proof->exact_at));
    FATHOM_THEN(status, copy(&proof->exact_text, context, gates->exact_text, text, 1));
    proof->gates = gates->m;
    proof->words = gates->words;
    proof->complete = complete;
    return status;
}

static fathom_status leaf_copy(fathom_proof_leaf *out, fathom_context *context, const fathom_proof_leaf *from,
                               int64_t n)
{
    *out = (fathom_proof_leaf){.output = from->output,
                               .side = from->side,
                               .depth = from->depth,
                               .entries = from->entries,
                               .lift = from->lift,
                               .kink = from->kink};
    fathom_status status = copy(&out->row, context, from->row, from->depth, sizeof *out->row);
    FATHOM_THEN(status, copy(&out->sign, context, from->sign, from->depth, sizeof *out->sign));
    FATHOM_THEN(status, copy(&out->i, context, from->i, from->entries, sizeof *out->i));
    FATHOM_THEN(status, copy(&out->j, context, from->j, from->entries, sizeof *out->j));
    FATHOM_THEN(status, copy(&out->theta, context, from->theta, from->entries, sizeof *out->theta));
    FATHOM_THEN(status, copy(&out->weight, context, from->weight, n + 1, sizeof *out->weight));
    FATHOM_THEN(status, copy(&out->nu, context, from->nu, from->depth, sizeof *out->nu));
    if (status != FATHOM_OK)
        leaf_clear(out, context);
    return status;
}

fathom_status fathom_proof_set_cover(fathom_proof *proof, int64_t corners, int64_t pieces)
{
    fathom_context *context = proof->context;
    proof->corners = corners;
    proof->pieces = pieces;
    proof->parent = fathom_memory_alloc(context, 2 * corners, sizeof *proof->parent);
    proof->share = fathom_memory_alloc(context, 2 * corners, sizeof *proof->share);
    proof->bisect = fathom_memory_alloc(context, pieces, sizeof *proof->bisect);
    proof->majorant = fathom_memory_alloc(context, pieces * proof->outputs, sizeof *proof->majorant);
    return proof->parent && proof->share && proof->bisect && proof->majorant ? FATHOM_OK
                                                                             : FATHOM_ERROR_MEMORY;
}

/* Prices of directions up to that of the leaf; new ones are 0. */
static fathom_status reserve_prices(fathom_proof *proof, int64_t direction)
{
    void *block = proof->price;
    const int64_t before = proof->priced, axes = proof->outputs;
    const fathom_status status =
        fathom_memory_grow(proof->context, &block, &proof->priced,
                           2 * (direction < axes ? axes : direction + 1), sizeof *proof->price);
    proof->price = block;
    for (int64_t k = before; k < proof->priced && status == FATHOM_OK; k++)
        proof->price[k] = 0;
    return status;
}

fathom_status fathom_proof_add_price(fathom_proof *proof, int64_t direction, double price)
{
    const fathom_status status = reserve_prices(proof, direction);
    proof->planar = true;
    if (status == FATHOM_OK)
        proof->price[2 * direction] = proof->price[2 * direction + 1] = price;
    return status;
}

fathom_status fathom_proof_add_leaf(fathom_proof *proof, const fathom_proof_leaf *leaf)
{
    fathom_context *context = proof->context;
    void *block = proof->leaf;
    fathom_status status = reserve_prices(proof, leaf->output);
    FATHOM_THEN(status,
                fathom_memory_grow(context, &block, &proof->room, proof->leaves + 1, sizeof *proof->leaf));
    proof->leaf = block;
    FATHOM_THEN(status, leaf_copy(proof->leaf + proof->leaves, context, leaf, proof->n));
    proof->leaves += status == FATHOM_OK;
    return status;
}
