/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs from prices of one. For every orthogonal Q (o x o), cut into blocks Q_b of up to three columns,
 *
 *     max_u |V'(Xu)_+|^2 <= sum_b max_u |(V Q_b)'(Xu)_+|^2,        max_u |(V Q_b)'(Xu)_+| = max over |c| = 1 of p(V Q_b c),
 *
 * and c -> p(V Q_b c) is a norm, whose largest value global_sphere.c bounds from some ten to sixty of its values. Up to three outputs (four of
 * softmax, whose V has rank o - 1) nothing is lost but the gap asked for; beyond, at most the root of the number of blocks. Q holds the principal directions of V, so
 * that most of the sum is in the first block. Each p(V c) is bounded exactly at small rank, else by the joint relaxation with the dual point
 * held. [convex.md a; bounds.md 6]
 *
 * For a certificate Q = I, and every output has two leaves of the joint relaxation.
 */
#include "global_outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_sphere.h"
#include "joint.h"
#include "memory.h"
#include "price.h"

enum { NEIGHBOURS = 20 };

/* Work in units of about a microsecond: of a price by the joint relaxation, at least and per number of X; of an exact one, and of each of its
 * cones, at least and per point. */
static const double joint_work = 1e6, joint_number = 60, exact_work = 300, cone_work = 4, cone_point = 0.07;

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

/* Prices of V c for directions c in a block of principal directions. */
typedef struct block {
    const fathom_gated_problem *form, *plain;
    const double *v; /* outputs x n */
    const double *q; /* k x outputs: its directions */
    int64_t k;
    bool exact;       /* prices by subdivision, else by the joint relaxation */
    double gap, best; /* of exact prices; the largest of them so far */
    double work;      /* done so far */
    double *w;        /* n + outputs + d + 1 */
} block;

/* A price far below the largest need not be told from nine tenths of it. */
static fathom_status price_exactly(double *price, block *a, double *u)
{
    const fathom_gated_problem *p = a->plain;
    const fathom_price_problem exact = {p->context, p->n, p->d, 1, p->x, a->w, p->constant};
    const fathom_price_options options = {.gap = a->gap, .enough = 0.9 * a->best, .excess = INFINITY};
    fathom_price_result result;
    const fathom_status status = fathom_price_bound(&result, u, &exact, &options);
    *price = result.upper;
    a->best = fmax(a->best, result.lower);
    a->work += exact_work + (double)result.nodes * (cone_work + cone_point * (double)p->n);
    return status;
}

static fathom_status price_direction(double *price, void *user, const double *c)
{
    block *a = user;
    const int64_t n = a->form->n, o = a->form->outputs;
    double *direction = a->w + n, *u = direction + o;
    fathom_blas_gemv(direction, o, a->k, 1, fathom_transposed(a->q, o), c, 0);
    fathom_blas_gemv(a->w, n, o, 1, fathom_transposed(a->v, n), direction, 0);
    *price = 0;
    if (!(fathom_blas_sum_abs(a->w, n) > 0))
        return FATHOM_OK;
    if (a->exact)
        return price_exactly(price, a, u);
    a->work += fmax(joint_work, joint_number * (double)(n * a->form->d));
    return price_jointly(price, a->form, a->w, NULL);
}

/* sum_i |w_i| |x_i| >= p(w) for w = V q_k: what rounding has left of a direction that is not there. */
static double crude(const block *a, const double *q)
{
    const int64_t n = a->form->n, o = a->form->outputs;
    double sum = 0;
    fathom_blas_gemv(a->w, n, o, 1, fathom_transposed(a->v, n), q, 0);
    for (int64_t i = 0; i < n; i++)
        sum += fabs(a->w[i]) * a->form->reach[i];
    return sum * (1 + (double)(n + 8) * DBL_EPSILON);
}

/* The sum over blocks of up to three directions each, the largest first; those of no weight count as they are. */
static fathom_status add_blocks(double *square, block *a, const double *q, double gap, double seconds)
{
    const fathom_gated_problem *p = a->form;
    const int64_t o = p->outputs;
    const double all = a->plain->constant ? INFINITY : crude(a, q + (o - 1) * o);
    int64_t first = 0;
    fathom_status status = FATHOM_OK;
    for (; first < o && all < INFINITY && crude(a, q + first * o) <= 1e-11 * all; first++)
        *square += pow(crude(a, q + first * o), 2);
    for (int64_t last = o; last > first && status == FATHOM_OK; last -= a->k) {
        double price = INFINITY;
        a->k = last - first < FATHOM_SPHERE_MOST ? last - first : FATHOM_SPHERE_MOST;
        a->q = q + (last - a->k) * o;
        a->best = 0;
        status =
            fathom_sphere_bound(&price, p->context, a->k, price_direction, a, gap, &a->work, 1e6 * seconds);
        *square += price * price;
    }
    return status;
}

fathom_status fathom_global_outputs_price(double *price, const fathom_gated_problem *form,
                                          const fathom_gated_problem *plain, const double *v, double gap,
                                          double seconds)
{
    const int64_t n = form->n, o = form->outputs;
    double *q = fathom_memory_alloc(form->context, o * o + n + o + plain->d + 1, sizeof *q), square = 0;
    if (!q)
        return FATHOM_ERROR_MEMORY;
    block a = {.form = form, .plain = plain, .v = v, .gap = gap / 4, .w = q + o * o};
    const fathom_price_problem one = {plain->context, plain->n, plain->d, 1, plain->x, v, plain->constant};
    fathom_status status = find_directions(q, form, v);
    if (status == FATHOM_OK)
        status = fathom_price_is_small(&a.exact, &one);
    if (status == FATHOM_OK)
        status = add_blocks(&square, &a, q, gap, seconds);
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
