/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of the spectrum of a tangent kernel's matrix H (n x n), g its factor, theta the angle of x_i and
 * x_k:
 *
 *     first layer    H_ik = g <x_i, x_k> (pi - theta) / (2 pi)
 *     first, gates   g <x_i, x_k> sum_j rho_j D_ij D_kj
 *     both layers    g (2 (pi - theta) <x_i, x_k> + |x_i||x_k| sin theta) / (2 pi)
 *
 * with |x_i||x_k| sin theta = root(|x_i|^2 |x_k|^2 - <x_i, x_k>^2) and pi - theta = atan2(that, -<x_i,
 * x_k>). A vector v gives v'Hv / v'v between both ends. H - L I or U I - H positive definite (pivots in
 * balls) gives the other side; H is positive semidefinite in any case, being an average of v'Hv = |sum_i
 * v_i D_i x_i|^2.
 *
 * Hv = 0 (`null`) is decided exactly. Gates: sum_i v_i D_ij x_i = 0 for every gate. Infinite width: that
 * sum is 0 for almost every gate iff it does not jump across any hyperplane, sum over the rows parallel to
 * a row r of v_i |<x_i, x_r>| = 0, and sum_i v_i x_i = 0: docs/reference/certificate.md.
 */
#include "checker.h"

typedef struct kernel {
    bool both, gates;
    num factor;
    const num *rho; /* of gates */
    num pi;
} kernel;

/* The share of gates that are open on both points. */
static num share(const check *c, const kernel *k, int64_t p, int64_t q)
{
    num sum = {0};
    for (int64_t j = 0; j < c->gates.m; j++)
        if (c->gates.open[j * c->data.n + p] && c->gates.open[j * c->data.n + q])
            num_add_to(&sum, k->rho[j]);
    return sum;
}

static num entry(const check *c, const kernel *k, int64_t p, int64_t q)
{
    const int64_t d = c->data.d;
    const num *x = c->data.point + p * (d + 1), *z = c->data.point + q * (d + 1);
    num xx = {0}, zz = {0}, xz = {0}, angle = {0};
    num_dot(&xz, x, z, d);
    if (k->gates)
        return num_mul(num_mul(k->factor, xz), share(c, k, p, q));
    num_dot(&xx, x, x, d);
    num_dot(&zz, z, z, d);
    if (num_sign(xx) == 0 || num_sign(zz) == 0)
        return num_real(0);
    const num height = num_root(num_sub(num_mul(xx, zz), num_mul(xz, xz))), back = num_times(xz, -1);
    arb_atan2(&angle, &height, &back, PRECISION);
    num value = num_mul(xz, angle);
    if (k->both)
        value = num_add(num_times(value, 2), height);
    return num_div(num_mul(k->factor, value), num_times(k->pi, 2));
}

num check_kernel(const check *c, int64_t p, int64_t q)
{
    kernel k = {.factor = num_real(1)};
    arb_const_pi(&k.pi, PRECISION);
    return entry(c, &k, p, q);
}

/* H, both triangles. */
static void fill(check *c, arb_mat_t h, const kernel *k)
{
    const int64_t n = c->data.n;
    for (int64_t p = 0; p < n; p++) {
        check_work(c, 100 * (double)n);
        for (int64_t q = 0; q <= p; q++) {
            const num value = entry(c, k, p, q);
            arb_set_round(arb_mat_entry(h, p, q), &value, PRECISION);
            arb_set(arb_mat_entry(h, q, p), arb_mat_entry(h, p, q));
        }
    }
}

/* v'Hv / v'v. */
static num quotient(check *c, const arb_mat_t h, const num *v)
{
    const int64_t n = c->data.n;
    num square = {0}, value = {0}, row = {0};
    num_dot(&square, v, v, n);
    need(c, num_sign(square) > 0, "the vector is 0");
    for (int64_t p = 0; p < n; p++) {
        num_dot(&row, arb_mat_entry(h, p, 0), v, n);
        num_mul_to(&value, v[p], row);
    }
    return num_div(value, square);
}

/* Whether sign (H - at I) is positive definite. */
static bool definite(check *c, arb_mat_t h, num at, int sign)
{
    const int64_t n = c->data.n;
    check_work(c, (double)n * (double)n * (double)n);
    for (int64_t p = 0; p < n; p++) {
        arb_sub(arb_mat_entry(h, p, p), arb_mat_entry(h, p, p), &at, ARF_PREC_EXACT);
        for (int64_t q = 0; q < n; q++)
            arb_mul_si(arb_mat_entry(h, p, q), arb_mat_entry(h, p, q), sign, ARF_PREC_EXACT);
    }
    return arb_mat_ldl(h, h, PRECISION);
}

/* The sum of v_i x_i over the rows that a gate is open on (j < 0: all) is 0. */
static bool vanishes(const check *c, const num *v, int64_t j)
{
    const dataset *a = &c->data;
    bool zero = true;
    for (int64_t k = 0; k < a->d; k++) {
        num sum = {0};
        for (int64_t i = 0; i < a->n; i++)
            if (j < 0 || c->gates.open[j * a->n + i])
                num_mul_to(&sum, v[i], a->point[i * (a->d + 1) + k]);
        zero &= num_sign(sum) == 0;
    }
    return zero;
}

/* The sum of v_i |<x_i, x_r>| over the rows parallel to row r is 0. */
static bool balanced(check *c, const num *v, int64_t r)
{
    const int64_t n = c->data.n, d = c->data.d;
    num sum = {0}, t = {0};
    check_work(c, 0);
    for (int64_t i = 0; i < n; i++) {
        const int side = check_parallel(c, i, r);
        num_dot(&t, c->data.point + i * (d + 1), c->data.point + r * (d + 1), d);
        num_mul_to(&sum, v[i], num_times(t, side));
    }
    return num_sign(sum) == 0;
}

static void check_null(check *c, const kernel *k, const num *v)
{
    num square = {0};
    num_dot(&square, v, v, c->data.n);
    need(c, num_sign(square) > 0, "the vector is 0");
    for (int64_t j = k->gates ? 0 : -1; j < (k->gates ? c->gates.m : 0); j++) {
        check_work(c, 0);
        need(c, vanishes(c, v, j), "the vector is not in the null space");
    }
    for (int64_t r = 0; r < c->data.n && !k->gates; r++)
        need(c, balanced(c, v, r), "the rows parallel to row %lld (from 0) do not cancel", (long long)r);
    check_bound(c, 1, num_real(0), "the vector gives");
    check_bound(c, -1, num_real(0), "the kernel gives");
}

static kernel read_kernel(check *c)
{
    claim *q = c->claim;
    kernel k = {0};
    q->loss = check_choice(c, "kernel", "first both");
    q->gated = check_choice(c, NULL, "infinite gates") == 1;
    k.both = q->loss == 1;
    k.gates = q->gated;
    k.factor = q->divisor = *check_numbers(c, NULL, 1);
    need(c, num_sign(k.factor) > 0, "the factor is not positive");
    check_said(c, k.factor);
    need(c, !(k.both && k.gates), "a kernel of gates is one of the first layer");
    if (k.gates)
        k.rho = check_counts(c);
    q->weak = k.gates && c->gates.m == 0 ? WEAK_GATES : 0;
    arb_const_pi(&k.pi, PRECISION);
    return k;
}

void check_claim_spectrum(check *c)
{
    const kernel k = read_kernel(c);
    const int64_t n = c->data.n;
    const int end = c->claim->evidence = check_bounds(c, "least largest null");
    const num *claimed = c->claimed, *v = check_numbers(c, "vector", n);
    arb_mat_t h;
    if (end == END_NULL) {
        check_null(c, &k, v);
        return;
    }
    check_work(c, (double)n * (double)n);
    arb_mat_init(h, n, n);
    fill(c, h, &k);
    check_bound(c, end == END_LEAST ? 1 : -1, quotient(c, h, v), "the vector gives");
    if (end == END_LARGEST) {
        need(c, definite(c, h, claimed[0], -1), "that no eigenvalue is larger is not proved");
        check_bound(c, 1, claimed[0], "the matrix gives");
    } else {
        const bool positive = num_sign(claimed[1]) > 0;
        need(c, !positive || definite(c, h, claimed[1], 1), "that no eigenvalue is smaller is not proved");
        check_bound(c, -1, positive ? claimed[1] : num_real(0), "the matrix gives");
    }
    arb_mat_clear(h);
}
