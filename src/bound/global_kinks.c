/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of v with free biases by all signs of a few points. With sum_i v_i = 0 a best b lies on a kink, b = -<x_k, u>: for every
 * k and sigma = +1, -1 the tree of the signs e_i of t_i = <x_i - x_k, u>, i != k, bounds sigma sum_i v_i relu(t_i) over |u| <= 1.
 * A leaf in the form of docs/reference/certificate.md, Section 5, F its rows: Theta_ii = |v_i| where sigma v_i < 0, so that psi_i = 0 there and psi_i
 * = sigma v_i elsewhere, and all gamma = 0, so that what is proved is half of sum_j |C_j|:
 *
 *     C_j = psi_j x_j or -Theta_jj x_j, of length |v_j||x_j|,                                     j not in F
 *     C_0 = sigma X'v + sum_{j in F} e_j (sigma v_j + nu_j) x_j
 *
 * Where F are all points this is |sigma sum_{e_i = 1} v_i x_i + sum_i (nu_i / 2) e_i x_i|: with nu / 2 the multipliers of the projection on the cone
 * of these signs it is the price in that cone, to rounding; a cone without inside has a price of 0 or less. Trees of relaxations keep
 * their multipliers in single precision, and rows of very different lengths lose the price by it; these leaves do not.
 * Cost: at most n 2^n projections of O(n d + d^2) for each row that enters or leaves.
 */
#include "global_kinks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gate_cone.h"
#include "memory.h"

enum { MOST_POINTS = 8 };

/* One tree at a time. */
typedef struct signs {
    const fathom_objective *p;
    fathom_proof *proof;
    const double *v;
    double aim, price; /* found so far */
    double x[MOST_POINTS * MOST_POINTS * 4], reach[MOST_POINTS];
    double side[MOST_POINTS * 4]; /* sigma sum_{e_i = 1} v_i x_i */
    fathom_gate_cone cone;
    int64_t row[MOST_POINTS]; /* that are divided, in their order */
    int sign[MOST_POINTS];
    int64_t count;
} signs;

bool fathom_global_few_signs(const fathom_objective *p)
{
    return p->constant && p->outputs == 1 && p->n <= MOST_POINTS && p->d <= 4 * MOST_POINTS;
}

/* The points less number k, and the rows to divide. */
static void shift(signs *a, int64_t k)
{
    const int64_t n = a->p->n, d = a->p->d;
    a->count = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l < d; l++)
            a->x[i * d + l] = a->p->x[i * d + l] - a->p->x[k * d + l];
        a->reach[i] = fathom_blas_norm_up(a->x + i * d, d, 8);
        if (a->reach[i] > 0)
            a->row[a->count++] = i;
    }
}

/* What the rounding of sums may add. */
static double rounding(const signs *a)
{
    double mass = 0;
    for (int64_t i = 0; i < a->p->n; i++)
        mass += fabs(a->v[i]) * a->reach[i];
    return 4 * (double)(a->p->n + a->p->d + 16) * DBL_EPSILON * mass;
}

/* Half of sum_j |C_j| with nu = 0, the first `depth` rows divided. */
static double plain_bound(const signs *a, int sigma, int64_t depth)
{
    const int64_t n = a->p->n, d = a->p->d;
    double column[MOST_POINTS * 4] = {0}, rest = 0;
    for (int64_t i = 0; i < n; i++)
        fathom_blas_axpy(column, sigma * a->v[i], a->x + i * d, d);
    for (int64_t k = 0; k < a->count; k++) {
        const int64_t j = a->row[k];
        if (k < depth)
            fathom_blas_axpy(column, a->sign[k] * sigma * a->v[j], a->x + j * d, d);
        else
            rest += fabs(a->v[j]) * a->reach[j];
    }
    return (fathom_blas_norm(column, d) + rest) / 2 + rounding(a);
}

/* A leaf of the first `depth` rows with multipliers nu. */
static fathom_status add_leaf(signs *a, int sigma, int64_t kink, int64_t depth, double *nu)
{
    int64_t at[MOST_POINTS], column[MOST_POINTS];
    double theta[MOST_POINTS], weight[MOST_POINTS + 1] = {0};
    fathom_proof_leaf leaf = {.side = sigma,
                              .depth = depth,
                              .row = a->row,
                              .sign = a->sign,
                              .i = at,
                              .j = column,
                              .theta = theta,
                              .weight = weight,
                              .nu = nu,
                              .kink = kink};
    for (int64_t i = 0; i < a->p->n; i++)
        if (sigma * a->v[i] < 0) {
            at[leaf.entries] = i;
            column[leaf.entries] = i + 1;
            theta[leaf.entries++] = fabs(a->v[i]);
        }
    return fathom_proof_add_leaf(a->proof, &leaf);
}

/* All signs are there: the projection on their cone. */
static fathom_status project(signs *a, int sigma, int64_t kink)
{
    const int64_t d = a->p->d;
    double nu[MOST_POINTS] = {0};
    uint64_t open = 0;
    memset(a->side, 0, (size_t)d * sizeof *a->side);
    for (int64_t k = 0; k < a->count; k++)
        if (a->sign[k] > 0) {
            open |= UINT64_C(1) << a->row[k];
            fathom_blas_axpy(a->side, sigma * a->v[a->row[k]], a->x + a->row[k] * d, d);
        }
    a->cone.count = 0;
    fathom_gate_cone_project(&a->cone, &open, a->side, NULL);
    a->price = fmax(a->price, fathom_gate_cone_bound(&a->cone, &open, a->side) + rounding(a));
    for (int64_t t = 0; t < a->cone.count; t++)
        for (int64_t k = 0; k < a->count; k++)
            nu[k] += a->row[k] == a->cone.tight[t] ? 2 * a->cone.mu[t] : 0;
    return add_leaf(a, sigma, kink, a->count, nu);
}

/* The subtree of the signs so far, e = +1 first. */
static fathom_status divide(signs *a, int sigma, int64_t kink, int64_t depth)
{
    double none[MOST_POINTS] = {0};
    const double bound = plain_bound(a, sigma, depth);
    if (depth == a->count)
        return project(a, sigma, kink);
    if (bound <= a->aim) {
        a->price = fmax(a->price, bound);
        return add_leaf(a, sigma, kink, depth, none);
    }
    for (int sign = 1; sign >= -1; sign -= 2) {
        a->sign[depth] = sign;
        FATHOM_TRY(divide(a, sigma, kink, depth + 1));
    }
    return FATHOM_OK;
}

fathom_status fathom_global_kinks_prove(double *price, fathom_proof *proof, const fathom_objective *p,
                                        const double *v, double aim)
{
    signs a = {.p = p, .proof = proof, .v = v, .aim = aim};
    fathom_status status = fathom_gate_cone_open(&a.cone, p->context, p->n, p->d, a.x, a.reach);
    proof->kinks = true;
    for (int64_t k = 0; k < p->n && status == FATHOM_OK; k++) {
        shift(&a, k);
        for (int sigma = 1; sigma >= -1 && status == FATHOM_OK; sigma -= 2)
            status = divide(&a, sigma, k, 0);
    }
    if (status == FATHOM_OK)
        proof->price[0] = proof->price[1] = a.price;
    *price = a.price;
    fathom_gate_cone_close(&a.cone);
    return status;
}
