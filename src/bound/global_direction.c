/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices p(w) = max over |u| <= 1 of |w'(Xu)_+| for one direction w = V c of several outputs, from above, with what a certificate needs:
 * leaves of the joint relaxation (joint.h) or of a tree of signs (sign_tree.h) for both sides. w is held: D = <w, w> with the price
 * as its only constraint, so that the bound is |w|^2 / P.
 */
#include "global_direction.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "hyperplanes.h"
#include "joint.h"
#include "memory.h"
#include "sign_tree.h"

enum { NEIGHBOURS = 20, NODES = 400 };

static const double FEW_CONES = 600;

/* Work in microseconds or so: of a joint relaxation, at least and per number of X; of a node of a tree per number of X. */
static const double joint_work = 1e5, joint_number = 60, node_number = 4, most_bytes = 2e8;
static const double few_work = 1e3, few_node = 100; /* where cones are few */

/* Branching from the multipliers of the joint relaxation, whose evidence it replaces where its price is less. */
static fathom_status branch(double *price, const fathom_objective *one, const double *w,
                            const fathom_joint *joint, double aim, fathom_proof *proof, int64_t *nodes)
{
    fathom_sign_tree tree = {0};
    fathom_status status = fathom_sign_tree_open(&tree, one, joint);
    FATHOM_THEN(status, fathom_sign_tree_move(&tree, w));
    FATHOM_THEN(status, fathom_sign_tree_grow(&tree, aim, NODES, most_bytes));
    if (status == FATHOM_OK && fathom_sign_tree_price(&tree) < *price) {
        *price = fathom_sign_tree_price(&tree);
        status = fathom_sign_tree_prove(proof, &tree);
    }
    *nodes += tree.evaluations;
    fathom_sign_tree_close(&tree);
    return status;
}

/* Few cones: a tree closes on them faster than the relaxation improves. */
static bool few_signs(const fathom_objective *p)
{
    return fathom_cover_count(p->n, p->d < p->n ? p->d : p->n) <= FEW_CONES;
}

/* The joint relaxation and branching until the price is at most `aim`: where cones are few branching comes first. */
static fathom_status search_price(double *price, const fathom_objective *one, double *w, double aim,
                                  fathom_proof *proof, int64_t *nodes)
{
    fathom_joint *joint;
    fathom_joint_result result = {0, INFINITY};
    fathom_joint_options options = {.neighbours = NEIGHBOURS,
                                    .enough = aim < INFINITY ? fathom_blas_dot(w, w, one->n) / aim : aim,
                                    .value = NAN,
                                    .divisor = 1,
                                    .proof = proof,
                                    .held = true};
    fathom_status status = fathom_joint_create(&joint, one, w, NEIGHBOURS);
    *price = INFINITY;
    for (options.start = aim < INFINITY && few_signs(one); status == FATHOM_OK; options.start = false) {
        status = fathom_joint_run(&result, w, joint, &options);
        *price = fmin(*price, result.price);
        if (status == FATHOM_OK && *price > aim && result.price < INFINITY)
            status = branch(price, one, w, joint, aim, proof, nodes);
        if (!options.start || *price <= aim)
            break;
        result = (fathom_joint_result){fathom_blas_dot(w, w, one->n) / *price, *price}; /* to be bettered */
    }
    fathom_joint_free(joint);
    return status;
}

static double work_of(const fathom_objective *form, int64_t nodes, bool branched)
{
    const double size = (double)(form->n * form->d);
    const double first = branched ? few_work : fmax(joint_work, joint_number * size);
    return first + fmax(branched ? few_node : 0, node_number * size) * (double)nodes;
}

fathom_status fathom_direction_price(double *price, const fathom_objective *form, double *w, double *work)
{
    const fathom_objective one = fathom_objective_one_output(form, w);
    int64_t nodes = 0;
    *work += work_of(form, 0, false);
    return search_price(price, &one, w, INFINITY, NULL, &nodes);
}

/* A copy of the leaf with multipliers `length` times as large; a lift grows with the square of its price. */
static fathom_status take_leaf(fathom_proof *all, const fathom_proof_leaf *one, int64_t number, int64_t kink,
                               double length, double lift)
{
    fathom_proof_leaf leaf = *one;
    leaf.output = number;
    leaf.kink = kink;
    leaf.lift *= lift;
    FATHOM_TRY(fathom_proof_add_leaf(all, &leaf));
    leaf = all->leaf[all->leaves - 1];
    for (int64_t k = 0; k < leaf.entries; k++)
        leaf.theta[k] *= length;
    for (int64_t k = 0; k < leaf.depth; k++)
        leaf.nu[k] *= length;
    return FATHOM_OK;
}

fathom_status fathom_direction_take(double *price, fathom_proof *all, const fathom_proof *one, int64_t number,
                                    int64_t kink, double length, double more)
{
    fathom_status status = FATHOM_OK;
    *price = one->leaves > 0 ? 0 : INFINITY;
    for (int64_t l = 0; l < one->leaves && status == FATHOM_OK; l++) {
        const int s = one->leaf[l].side < 0;
        const double raised = length * one->price[s] + more,
                     times = one->price[s] > 0 ? raised / one->price[s] : 1;
        status = take_leaf(all, one->leaf + l, number, kink, length, times * times);
        if (status == FATHOM_OK)
            all->price[2 * number + s] =
                kink > 0 ? fmax(raised, all->price[2 * number + s]) : raised; /* the largest of all kinks */
        *price = fmax(*price, raised);
    }
    return status;
}

/* Whether all terms vanish: no weight, or points of no length alone have one. */
static bool is_nothing(const fathom_objective *form, const double *w)
{
    for (int64_t i = 0; i < form->n; i++)
        if (w[i] != 0 && form->reach[i] > 0)
            return false;
    return true;
}

/* The leaves of a direction without weight: nothing to bound. */
static fathom_status add_empty(fathom_proof *all, int64_t number, int64_t kink)
{
    double *zeros = fathom_memory_zero(all->context, all->n + 1, sizeof *zeros);
    fathom_status status = zeros ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int s = 0; s < 2 && status == FATHOM_OK; s++) {
        const fathom_proof_leaf leaf = {.output = number, .side = s ? -1 : 1, .weight = zeros, .kink = kink};
        status = fathom_proof_add_leaf(all, &leaf);
    }
    fathom_memory_free(all->context, zeros);
    return status;
}

static fathom_status prove(double *price, fathom_proof *all, const fathom_objective *form, double *w,
                           int64_t number, int64_t kink, double aim, double more, double *work)
{
    const fathom_objective one = fathom_objective_one_output(form, w);
    fathom_proof *proof;
    int64_t nodes = 0;
    *price = 0;
    if (is_nothing(form, w))
        return add_empty(all, number, kink);
    FATHOM_TRY(fathom_proof_create(&proof, form->context, form->n, all->d, 1));
    proof->most_bytes = all->most_bytes;
    fathom_status status = search_price(price, &one, w, aim, proof, &nodes);
    FATHOM_THEN(status, fathom_direction_take(price, all, proof, number, kink, 1, more));
    *work += work_of(form, nodes, aim < INFINITY && few_signs(form));
    fathom_proof_free(proof);
    return status;
}

fathom_status fathom_direction_prove(double *price, fathom_proof *all, const fathom_objective *form,
                                     double *w, int64_t number, double aim, double more, double *work)
{
    return prove(price, all, form, w, number, 0, aim, more, work);
}

/* x (n x d) = the points less number k, and their lengths, rounded up. */
static void shift(double *x, double *reach, const fathom_objective *plain, int64_t k)
{
    const int64_t n = plain->n, d = plain->d;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l < d; l++)
            x[i * d + l] = plain->x[i * d + l] - plain->x[k * d + l];
        reach[i] = fathom_blas_norm_up(x + i * d, d, 8);
    }
}

fathom_status fathom_direction_prove_kinks(double *price, fathom_proof *all, const fathom_objective *plain,
                                           double *w, int64_t number, double aim, double more, double *work)
{
    const int64_t n = plain->n, d = plain->d;
    double *x = fathom_memory_alloc(plain->context, n * d + 2 * n, sizeof *x),
           *held = x ? x + n * d + n : NULL;
    fathom_status status = x ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    double spent = 0;
    all->kinks = true;
    *price = 0;
    for (int64_t k = 0; k < n && status == FATHOM_OK && *price < INFINITY; k++) {
        fathom_objective kinked = *plain;
        double one = 0;
        shift(x, x + n * d, plain, k);
        memcpy(held, w, (size_t)n * sizeof *w);
        kinked.x = x;
        kinked.reach = x + n * d;
        kinked.constant = false;
        status = prove(&one, all, &kinked, held, number, k, aim, more, &spent);
        *price = fmax(*price, one);
    }
    *work +=
        spent / (double)n; /* data that is small enough for n trees takes far less than the least counted */
    if (status == FATHOM_OK)
        all->price[2 * number] = all->price[2 * number + 1] = *price;
    fathom_memory_free(plain->context, x);
    return status;
}
