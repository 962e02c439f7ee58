/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs from prices of one. For every orthogonal Q (o x o), cut into blocks Q_b of up
 * to three columns,
 *
 *     max_u |V'(Xu)_+|^2 <= sum_b max_u |(V Q_b)'(Xu)_+|^2,        max_u |(V Q_b)'(Xu)_+| = max over |c| = 1 of p(V Q_b c),
 *
 * and c -> p(V Q_b c) is a norm, whose largest value global_sphere.c bounds from some ten to sixty of its
 * values. Up to three outputs (four of softmax, whose V has rank o - 1) nothing is lost but the gap asked
 * for; beyond, at most the root of the number of blocks. Q holds the principal directions of V, so that
 * most of the sum is in the first block. Each p(V c) is bounded exactly at small rank, else by the joint
 * relaxation with the dual point held. [convex.md a; bounds.md 6]
 *
 * Rows at right angles, and others near them, are priced in the positive orthant too (orthant_price.c).
 *
 * For a certificate Q = I, in one block of up to three outputs, whose directions and their cover of the
 * sphere are its evidence; beyond, outputs are blocks of their own.
 */
#include "global_outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "global_direction.h"
#include "global_space.h"
#include "global_sphere.h"
#include "joint.h"
#include "memory.h"
#include "orthant_price.h"
#include "price.h"

/* Work in units of about a microsecond: of an exact price, and of each of its cones, at least and per
 * point. */
static const double exact_work = 300, cone_work = 4, cone_point = 0.07;

/* An exact price looks at so many cones, however little work is left. */
enum { LEAST_CONES = 4000 };

/* q (o x o): eigenvectors of V V' in rows. */
static fathom_status find_directions(double *q, const fathom_objective *p, const double *v)
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

/* For evidence: seconds of effort, whatever little is asked for else, and the share of the largest price
 * below which one need not be told exactly. */
static const double least_seconds = 10, most_seconds = 60, little = 0.97;

/* Prices of V c for directions c in a block of principal directions. */
typedef struct block {
    const fathom_objective *form, *plain;
    const double *v; /* outputs x n */
    const double *q; /* k x outputs: its directions */
    int64_t k;
    bool exact;       /* prices by subdivision, else by the joint relaxation */
    double gap, best; /* of exact prices; the largest of them so far */
    double work;      /* done so far */
    double most;      /* work that may be done */
    double *w;        /* n + outputs + d + 1 */

    fathom_proof *proof; /* where the evidence goes, or NULL */
    int64_t directions;  /* there so far; the first `long_axes` of them have the length sqrt(2) */
    int64_t long_axes;
    double more; /* what rounding may add to a price there */
} block;

/* A price far below the largest need not be told from nine tenths of it. */
static fathom_status price_exactly(double *price, block *a, double *u)
{
    const fathom_objective *p = a->plain;
    const fathom_price_problem exact = fathom_price_at(p, a->w, 1);
    const double cone = cone_work + cone_point * (double)p->n, left = fmax(0, a->most - a->work) / cone;
    const fathom_price_options options = {.gap = a->gap,
                                          .enough = 0.9 * a->best,
                                          .excess = INFINITY,
                                          .nodes = LEAST_CONES + (int64_t)fmin(left, 1e12)};
    fathom_price_result result;
    const fathom_status status = fathom_price_bound(&result, u, &exact, &options);
    *price = result.upper;
    a->best = fmax(a->best, result.lower);
    a->work += exact_work + (double)result.nodes * cone;
    return status;
}

/* With free biases every point is the kink of a walk of its own, or beyond the plane of a tree, up to this
 * n^2 d. */
enum { MOST_KINKS = 1500 };
static const double MOST_KINK_PRODUCTS = 1e3;

bool fathom_global_in_plane(const fathom_objective *p)
{
    return p->d <= 2 && !(p->d == 2 && p->constant && p->n > MOST_KINKS);
}

/* A price that the checker finds by itself; directions are rounded. */
static fathom_status tell_price(double *price, block *a, double *u)
{
    double sum = 0;
    *price = 0;
    for (int64_t i = 0; i < a->form->n; i++)
        sum += fabs(a->w[i]) * a->form->reach[i];
    fathom_status status = sum > 0 ? price_exactly(price, a, u) : FATHOM_OK;
    *price += 256 * DBL_EPSILON * sum;
    return status;
}

/* Evidence is sought for the exact price where that is known, or for what is little enough. */
static fathom_status prove_direction(double *price, block *a, double *u)
{
    const fathom_proof *proof = a->proof;
    const double length = a->directions < a->long_axes ? sqrt(2.0) : 1;
    double aim = INFINITY, bytes = 0;
    fathom_status status = FATHOM_OK;
    const double size = (double)a->plain->n * (double)a->plain->n * (double)a->plain->d;
    const bool kinks = a->plain->constant && a->exact && size <= MOST_KINK_PRODUCTS;
    if (fathom_global_in_plane(a->plain)) {
        status = tell_price(price, a, u);
        return status == FATHOM_OK ? fathom_proof_add_price(a->proof, a->directions++, length * *price)
                                   : status;
    }
    if (a->exact && fathom_blas_sum_abs(a->w, a->form->n) > 0)
        status = price_exactly(&aim, a, u);
    aim = fmax(aim, little * a->best) * (1 + a->gap);
    fathom_blas_scale(a->w, length, a->form->n);
    if (status == FATHOM_OK && kinks)
        status = fathom_direction_prove_kinks(price, a->proof, a->plain, a->w, a->directions++, length * aim,
                                              a->more, &a->work);
    else if (status == FATHOM_OK)
        status = fathom_direction_prove(price, a->proof, a->form, a->w, a->directions++, length * aim,
                                        a->more, &a->work);
    *price /= length;
    for (int64_t l = 0; l < proof->leaves && proof->most_bytes > 0; l++)
        bytes += 12 * (double)(proof->leaf[l].entries + proof->n);
    if (bytes > proof->most_bytes / 2)
        a->work = INFINITY;
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
    if (a->proof)
        return prove_direction(price, a, u);
    if (!(fathom_blas_sum_abs(a->w, n) > 0))
        return FATHOM_OK;
    if (a->exact)
        return price_exactly(price, a, u);
    return fathom_direction_price(price, a->form, a->w, &a->work);
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

/* The sum over blocks of up to three directions each, the largest first; those of no weight count as they
 * are. */
static fathom_status add_blocks(double *square, block *a, const double *q, double gap)
{
    const fathom_objective *p = a->form;
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
        status = fathom_sphere_bound(&price, p->context, a->k, NULL, price_direction, a, gap, &a->work,
                                     a->most, NULL);
        *square += price * price;
    }
    return status;
}

/* The price by weights w (n) of the rows, where that applies and is less than *price by more than this gap. */
static fathom_status price_in_orthant(bool *less, double *price, double *w, const fathom_objective *plain,
                                      const double *v, double gap)
{
    double found = INFINITY;
    fathom_status status = FATHOM_OK;
    if (plain->x && !plain->constant && fathom_orthant_fits(plain->n, plain->d, plain->outputs))
        status =
            fathom_orthant_price(w, &found, plain->context, plain->x, plain->n, plain->d, v, plain->outputs);
    *less = status == FATHOM_OK && found < *price * (1 - gap);
    *price = *less ? found : *price;
    return status;
}

fathom_status fathom_global_outputs_price(double *price, const fathom_objective *form,
                                          const fathom_objective *plain, const double *v, double gap,
                                          double seconds)
{
    const int64_t n = form->n, o = form->outputs;
    double *q = fathom_memory_alloc(form->context, o * o + n + o + plain->d + 1, sizeof *q), square = 0;
    if (!q)
        return FATHOM_ERROR_MEMORY;
    block a = {.form = form, .plain = plain, .v = v, .gap = gap / 4, .most = 1e6 * seconds, .w = q + o * o};
    const fathom_price_problem one = fathom_price_at(plain, v, 1);
    fathom_status status = find_directions(q, form, v);
    FATHOM_THEN(status, fathom_price_is_small(&a.exact, &one));
    FATHOM_THEN(status, add_blocks(&square, &a, q, gap));
    /* q is orthogonal to (o + 8) u; what it rounds in w is charged per reach by the bound that uses the
     * price */
    *price = sqrt(square) * (1 + 16 * (double)(o + 8) * DBL_EPSILON);
    bool less;
    FATHOM_THEN(status, price_in_orthant(&less, price, a.w, plain, v, 2 * gap));
    fathom_memory_free(form->context, q);
    return status;
}

double fathom_global_outputs_margin(const fathom_objective *form, const double *v)
{
    double sum = 0;
    for (int64_t k = 0; k < form->outputs * form->n; k++)
        sum += fabs(v[k]) * form->reach[k % form->n];
    return fathom_joint_settling(form, v, form->n * form->outputs,
                                 form->constant ? FATHOM_JOINT_FLATTEST : 0) +
           256 * DBL_EPSILON * sum;
}

/* The sum over outputs, each with its evidence. */
static fathom_status prove_each(double *price, block *a)
{
    const double unit = 1, *q = a->q;
    double square = 0, one = 0;
    fathom_status status = FATHOM_OK;
    const int64_t o = a->k;
    a->k = 1;
    for (int64_t k = 0; k < o && status == FATHOM_OK; k++) {
        a->q = q + k * o;
        status = price_direction(&one, a, &unit);
        square += one * one;
    }
    *price = sqrt(square) * (1 + 8 * (double)(o + 8) * DBL_EPSILON);
    return status;
}

fathom_status fathom_global_outputs_prove(double *price, fathom_proof *proof, const fathom_objective *form,
                                          const fathom_objective *plain, const double *v, double gap,
                                          double seconds)
{
    const int64_t n = form->n, o = form->outputs;
    const bool sums = fathom_output_differences(form), together = o - sums <= FATHOM_SPHERE_MOST;
    const fathom_price_problem one = fathom_price_at(plain, v, 1);
    block a = {.form = form,
               .plain = plain,
               .v = v,
               .gap = gap / 4,
               .proof = proof,
               .more = fathom_global_outputs_margin(form, v)};
    fathom_output_space s;
    fathom_status status = fathom_output_space_open(&s, form->context, o, together && sums);
    a.q = s.q;
    a.k = s.k;
    a.long_axes = s.k < o ? s.k : 0;
    a.most = 1e6 * fmin(fmax(seconds, least_seconds), most_seconds);
    a.w = fathom_memory_alloc(form->context, n + o + plain->d + 1, sizeof *a.w);
    if (!a.w)
        status = FATHOM_ERROR_MEMORY;
    *price = INFINITY;
    FATHOM_THEN(status, fathom_price_is_small(&a.exact, &one));
    if (status == FATHOM_OK && together)
        status = fathom_sphere_bound(price, form->context, s.k, s.axis, price_direction, &a, gap, &a.work,
                                     a.most, proof);
    else if (status == FATHOM_OK)
        status = prove_each(price, &a);
    if (status == FATHOM_OK)
        fathom_output_space_leave(proof, &s);
    memcpy(proof->v, v, (size_t)(o * n) * sizeof *v);
    bool less = false;
    FATHOM_THEN(status, price_in_orthant(&less, price, a.w, plain, v, 2 * gap));
    if (status == FATHOM_OK && less)
        status = fathom_proof_set_orthant(proof, a.w, *price);
    if (status == FATHOM_OK && *price < INFINITY)
        proof->lower = fathom_objective_bound(form, v, *price);
    fathom_memory_free(form->context, a.w);
    fathom_output_space_close(&s, form->context);
    return status;
}
