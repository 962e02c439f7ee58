/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about margins, z_i = y_i x_i, M_ji = 1 where gate j is open on point i, rho_j the weight of gate j:
 *
 *     lower <= max over |w_j| <= 1 of min_i sum_j rho_j M_ji <z_i, w_j> <= upper
 *
 * The listed w_j give the left side, and any q >= 0 the right one: sum_j rho_j |sum_i q_i M_ji z_i| / sum_i
 * q_i. rho_j = k_j / K for gate j counted k_j of K times; or, in the plane, the gates are all arcs (gates.c)
 * and rho_j their angles over 2 pi, or all cones of at most three columns and their solid angles over 4 pi
 * (space.c): the margin of infinite width [000, Thm 4.2]; or one gate is open on all points: the margin of
 * linear functions; or both layers of K neurons (a_j, v_j) are trained, and <v_j, z_i>, a_j z_i take the
 * place of z_i [003, Assumption 1.3].
 *
 * The infinite-width margin is 0: two points on one ray with opposite labels, or pairs (a, b) with
 * x_b = -t x_a, t > 0, y_a = 1, y_b = -1, and a relation sum of l_a x_a = 0 with all l_a > 0; or a row that
 * is 0; or two equal rows with opposite labels, where biases may be free.
 */
#include <string.h>

#include "checker.h"

/* Each gate counts at least once. */
num *check_counts(check *c)
{
    const int64_t m = c->gates.m;
    int64_t left = c->claim->units = check_integer(c, "counts", m > 1 ? m : 1, INT64_C(1) << 40);
    const num units = num_real((double)left);
    num *rho = check_alloc(c, m, sizeof *rho);
    for (int64_t j = 0; j < m; j++) {
        const int64_t times = check_integer(c, NULL, 1, left);
        left -= times;
        rho[j] = num_div(num_real((double)times), units);
    }
    return rho;
}

/* rho: k_j / M, or the measures of all arcs of the plane or cells of space; linear: 1; neurons of both
 * layers: 1 / M, and a_j in *gain. */
static num *read_measure(check *c, const num **gain)
{
    const int kind = c->claim->evidence = check_bounds(c, "units plane neurons space linear");
    const int64_t m = c->gates.m;
    if (kind == UNITS)
        return check_counts(c);
    num *rho = check_alloc(c, m, sizeof *rho);
    if (kind == PLANE) {
        need(c, c->data.d == 2, "the data is not in the plane");
        check_all_cones(c);
        check_arcs(c, rho);
        return rho;
    }
    if (kind == SPACE) {
        need(c, c->data.d <= 3, "the data has more than three columns");
        check_all_cones(c);
        check_cells(c, rho);
        return rho;
    }
    if (kind == LINEAR) {
        need(c, m == 1 && !memchr(c->gates.open, 0, (size_t)c->data.n),
             "the one gate of a linear function is open on all points");
        *rho = num_real(1);
        return rho;
    }
    const int64_t units = c->claim->units = check_integer(c, "gains", m, INT64_C(1) << 40);
    for (int64_t j = 0; j < m; j++)
        rho[j] = num_div(num_real(1), num_real((double)units));
    need(c, c->gates.orientation, "neurons have orientations");
    *gain = check_numbers(c, NULL, m);
    return rho;
}

/* Both layers: theta_0 relu(<v_j, x>) + a_j 1[..] <theta', x> = 1[..] <theta_0 v_j + a_j theta', x>. */
static const num *weights_of(check *c, const num *theta, const num *gain, int64_t j)
{
    const int64_t d = c->data.d;
    num *w = check_alloc(c, d, sizeof *w);
    for (int64_t k = 0; k < d; k++)
        w[k] = num_add(num_mul(theta[0], c->gates.orientation[j * d + k]), num_mul(gain[j], theta[1 + k]));
    return w;
}

/* The vectors w_j, |w_j| <= 1: the least of the scores sum_j rho_j M_ji <z_i, w_j> is as claimed. */
static void check_vectors(check *c, const num *rho, const num *gain)
{
    const dataset *a = &c->data;
    num *score = check_alloc(c, a->n, sizeof *score), t = {0};
    for (int64_t j = 0; j < c->gates.m; j++) {
        const int64_t size = gain ? a->d + 1 : a->d;
        const num *theta = check_numbers(c, "vector", size),
                  *w = gain ? weights_of(c, theta, gain, j) : theta;
        num_dot(&t, theta, theta, size);
        need(c, num_at_most(t, num_real(1)), "the vector is longer than 1");
        for (int64_t i = 0; i < a->n; i++)
            if (c->gates.open[j * a->n + i]) {
                num_dot(&t, a->point + i * (a->d + 1), w, a->d);
                num_mul_to(score + i, num_mul(rho[j], a->y[i]), t);
            }
    }
    for (int64_t i = 0; i < a->n; i++)
        check_bound(c, -1, score[i], "the vectors give");
}

/* sum_j rho_j |S_j| / sum_i q_i, S_j = sum_i q_i M_ji z_i; both layers: the length of (<v_j, S_j>, a_j
 * S_j). */
static void check_weights(check *c, const num *rho, const num *gain)
{
    const dataset *a = &c->data;
    num *q = check_numbers(c, "dual", a->n), *sum = check_alloc(c, a->d, sizeof *sum), total = {0},
        value = {0};
    num square = {0}, height = {0};
    for (int64_t i = 0; i < a->n; i++) {
        need(c, num_sign(q[i]) >= 0, "entry %lld (from 0) is negative", (long long)i);
        num_add_to(&total, q[i]);
        q[i] = num_mul(q[i], a->y[i]);
    }
    need(c, num_sign(total) > 0, "the dual point is 0");
    for (int64_t j = 0; j < c->gates.m; j++) {
        check_gate_sum(sum, c, q, j);
        num_dot(&square, sum, sum, a->d);
        if (gain) {
            num_dot(&height, c->gates.orientation + j * a->d, sum, a->d);
            square = num_add(num_mul(height, height), num_mul(num_mul(gain[j], gain[j]), square));
        }
        num_mul_to(&value, num_root(square), rho[j]);
    }
    check_bound(c, 1, num_div(value, total), "the dual point gives");
}

void check_claim_margin(check *c)
{
    const num *gain = NULL;
    const num *rho = read_measure(c, &gain);
    need(c, c->data.bias != BIAS_FREE, "this margin is one of networks without free biases");
    check_signs(c);
    check_vectors(c, rho, gain);
    check_weights(c, rho, gain);
    c->claim->weak = c->gates.m == 0 ? WEAK_GATES : 0;
}

/* By Cauchy-Schwarz: <a, b>^2 = |a|^2 |b|^2. */
int check_parallel(const check *c, int64_t a, int64_t b)
{
    const int64_t d = c->data.d;
    const num *x = c->data.point + a * (d + 1), *z = c->data.point + b * (d + 1);
    num xx = {0}, zz = {0}, xz = {0};
    num_dot(&xx, x, x, d);
    num_dot(&zz, z, z, d);
    num_dot(&xz, x, z, d);
    return num_at_most(num_mul(xx, zz), num_mul(xz, xz)) ? num_sign(xz) : 0;
}

/* "origin i": row i is 0, as is every network without biases there. "equal a b": no function tells these
 * rows apart. */
static bool zero_by_rows(check *c)
{
    static const char *const keyword[] = {NULL, "origin", "equal"};
    const dataset *a = &c->data;
    claim *q = c->claim;
    q->evidence = check_line_is(c, "origin")  ? ZERO_ORIGIN
                  : check_line_is(c, "equal") ? ZERO_EQUAL
                                              : ZERO_PAIRS;
    if (q->evidence == ZERO_PAIRS)
        return false;
    for (int k = 0; k < q->evidence; k++)
        q->row[k] = check_integer(c, k ? NULL : keyword[q->evidence], 0, a->n - 1);
    const num *first = a->point + q->row[0] * (a->d + 1), *second = a->point + q->row[1] * (a->d + 1);
    bool same = q->evidence == ZERO_ORIGIN || num_sign(a->y[q->row[0]]) != num_sign(a->y[q->row[1]]);
    for (int64_t j = 0; j < a->d; j++)
        same =
            same && (q->evidence == ZERO_ORIGIN ? num_sign(first[j]) == 0 : arb_equal(first + j, second + j));
    need(c, same, "the rows are not as this proof needs them");
    return true;
}

void check_claim_zero(check *c)
{
    const dataset *a = &c->data;
    num *sum = check_alloc(c, a->d, sizeof *sum), square = {0};
    bool ray = false;
    check_signs(c);
    c->verdict.upper = c->verdict.lower = 0;
    const bool shown = zero_by_rows(c);
    need(c, a->bias != BIAS_FREE || c->claim->evidence == ZERO_EQUAL,
         "this margin is one of networks without free biases");
    if (shown)
        return;
    const int64_t pairs = check_count(c, "pairs");
    for (int64_t k = 0; k < pairs; k++) {
        const int64_t p = check_integer(c, NULL, 0, a->n - 1), q = check_integer(c, NULL, 0, a->n - 1);
        const num l = *check_numbers(c, NULL, 1);
        const int side = check_parallel(c, p, q);
        need(c, num_sign(a->y[p]) > 0 && num_sign(a->y[q]) < 0 && num_sign(l) > 0 && side != 0,
             "points %lld and %lld are not as this proof needs them", (long long)p, (long long)q);
        ray = ray || side > 0;
        for (int64_t j = 0; j < a->d; j++)
            num_mul_to(sum + j, l, a->point[p * (a->d + 1) + j]);
    }
    num_dot(&square, sum, sum, a->d);
    need(c, ray || (pairs > 0 && num_sign(square) == 0), "0 is no positive combination of these points");
}
