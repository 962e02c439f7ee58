/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs from prices of one: for every orthogonal Q (o x o),
 *
 *     max_u |V'(Xu)_+|^2 = max_u sum_k ((V q_k)'(Xu)_+)^2 <= sum_k p(V q_k)^2.
 *
 * Q holds the principal directions of V, so that most of the sum is in few terms; each p(V q_k) is bounded exactly at small rank, else by
 * the joint relaxation with the dual point held. Loose by at most sqrt(o). [convex.md a; bounds.md 6]
 *
 * For a certificate Q = I, and every output has two leaves of the joint relaxation.
 */
#include "global_outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint.h"
#include "memory.h"
#include "price.h"

enum { NEIGHBOURS = 20 };

/* q (o x o): eigenvectors of V V' in rows. */
static fathom_status find_directions(double *q, const fathom_gated_problem *p, const double *v)
{
    const int64_t o = p->outputs;
    double *value = fathom_memory_alloc(p->context, o, sizeof *value);
    if (!value)
        return FATHOM_ERROR_MEMORY;
    fathom_blas_syrk(q, o, o, p->n, 1, fathom_plain(v, p->n), 0);
    const fathom_status status = fathom_blas_eigen(value, q, o, o, true, p->context);
    fathom_memory_free(p->context, value);
    return status;
}

/* P >= p(w) for one output w (n). */
static fathom_status price_jointly(double *price, const fathom_gated_problem *form, double *w,
                                   fathom_proof *proof)
{
    /* D = <w, v> with v = w held: the bound is |w|^2 / P */
    fathom_gated_problem one = *form;
    fathom_joint_result result = {0, INFINITY};
    const fathom_joint_options options = {.neighbours = NEIGHBOURS,
                                          .enough = INFINITY,
                                          .value = NAN,
                                          .divisor = 1,
                                          .proof = proof,
                                          .held = true};
    one.outputs = 1;
    one.equality = true;
    one.loss = FATHOM_LOSS_SQUARED; /* no distributions: w is not theirs */
    one.y = w;
    one.weight = NULL;
    one.beta = 1;
    const fathom_status status = fathom_joint_improve(&result, w, &one, &options);
    *price = result.price;
    return status;
}

static fathom_status price_one(double *price, const fathom_gated_problem *form,
                               const fathom_gated_problem *plain, double *w)
{
    const fathom_price_problem exact = {plain->context, plain->n, plain->d, 1, plain->x, w, plain->constant};
    bool small;
    fathom_status status = fathom_price_is_small(&small, &exact);
    if (status != FATHOM_OK)
        return status;
    if (!small)
        return price_jointly(price, form, w, NULL);
    double *u = fathom_memory_alloc(plain->context, plain->d + 1, sizeof *u);
    if (!u)
        return FATHOM_ERROR_MEMORY;
    const fathom_price_options options = {.gap = 1e-6, .excess = INFINITY};
    fathom_price_result result;
    status = fathom_price_bound(&result, u, &exact, &options);
    *price = result.upper;
    fathom_memory_free(plain->context, u);
    return status;
}

fathom_status fathom_global_outputs_price(double *price, const fathom_gated_problem *form,
                                          const fathom_gated_problem *plain, const double *v)
{
    const int64_t n = form->n, o = form->outputs;
    double *q = fathom_memory_alloc(form->context, o * o + 2 * n, sizeof *q), square = 0;
    if (!q)
        return FATHOM_ERROR_MEMORY;
    double *w = q + o * o, *kept = w + n;
    fathom_status status = find_directions(q, form, v);
    for (int64_t k = 0; k < o && status == FATHOM_OK; k++) {
        double one = 0;
        fathom_blas_gemv(w, n, o, 1, fathom_transposed(v, n), q + k * o, 0);
        memcpy(kept, w, (size_t)n * sizeof *w);
        if (fathom_blas_sum_abs(w, n) > 0)
            status = price_one(&one, form, plain, kept);
        square += one * one;
    }
    /* q is orthogonal to (o + 8) u; what it rounds in w is charged per reach by the bound that uses the price */
    *price = sqrt(square) * (1 + 16 * (double)(o + 8) * DBL_EPSILON);
    fathom_memory_free(form->context, q);
    return status;
}

/* Moves what proves output k to the proof of all, with prices raised by `more`; a lift grows with the square of its price. */
static fathom_status take_leaves(fathom_proof *all, const fathom_proof *one, int64_t k, double more)
{
    fathom_status status = FATHOM_OK;
    for (int64_t l = 0; l < one->leaves && status == FATHOM_OK; l++) {
        fathom_proof_leaf leaf = one->leaf[l];
        const int s = leaf.side < 0;
        const double raised = one->price[s] + more, times = one->price[s] > 0 ? raised / one->price[s] : 1;
        leaf.output = k;
        leaf.lift *= times * times;
        status = fathom_proof_add_leaf(all, &leaf);
        if (status == FATHOM_OK)
            all->price[2 * k + s] = raised;
    }
    return status;
}

/* The leaves of an output without weight: nothing to bound. */
static fathom_status add_empty(fathom_proof *all, int64_t k, double *zeros)
{
    fathom_status status = FATHOM_OK;
    for (int s = 0; s < 2 && status == FATHOM_OK; s++) {
        const fathom_proof_leaf leaf = {.output = k, .side = s ? -1 : 1, .weight = zeros};
        status = fathom_proof_add_leaf(all, &leaf);
    }
    return status;
}

static fathom_status prove_one(fathom_proof *all, const fathom_gated_problem *form, const double *v,
                               int64_t k, double more)
{
    fathom_proof *one;
    double price = INFINITY;
    const int64_t n = form->n;
    fathom_status status = fathom_proof_create(&one, form->context, n, all->d, 1);
    double *w = status == FATHOM_OK ? fathom_memory_zero(form->context, n + 1, sizeof *w) : NULL;
    if (status == FATHOM_OK && !w)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && !(fathom_blas_sum_abs(v + k * n, n) > 0)) {
        status = add_empty(all, k, w);
    } else if (status == FATHOM_OK) {
        memcpy(w, v + k * n, (size_t)n * sizeof *w);
        status = price_jointly(&price, form, w, one);
        if (status == FATHOM_OK)
            status = take_leaves(all, one, k, more);
        memcpy(all->v + k * n, one->leaves ? one->v : v + k * n, (size_t)n * sizeof *w);
    }
    fathom_memory_free(form->context, w);
    fathom_proof_free(one);
    return status;
}

fathom_status fathom_global_outputs_prove(double *price, fathom_proof *proof,
                                          const fathom_gated_problem *form, const double *v)
{
    const int64_t o = form->outputs;
    const double more =
        fathom_joint_settling(form, v, form->n * o, form->constant ? FATHOM_JOINT_FLATTEST : 0);
    double square = 0;
    fathom_status status = FATHOM_OK;
    *price = INFINITY;
    for (int64_t k = 0; k < o && status == FATHOM_OK; k++)
        status = prove_one(proof, form, v, k, more);
    if (status != FATHOM_OK || proof->leaves < 2 * o) /* stopped before all outputs are done */
        return status;
    for (int64_t k = 0; k < o; k++)
        square += pow(fmax(proof->price[2 * k], proof->price[2 * k + 1]), 2);
    *price = sqrt(square) * (1 + 8 * (double)(o + 8) * DBL_EPSILON);
    proof->lower = fathom_gated_bound(form, proof->v, *price);
    return FATHOM_OK;
}
