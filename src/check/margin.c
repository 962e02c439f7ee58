/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about margins, z_i = y_i x_i, M_ji = 1 where gate j is open on point i, rho_j the weight of gate j:
 *
 *     lower <= max over |w_j| <= 1 of min_i sum_j rho_j M_ji <z_i, w_j> <= upper:
 *         the listed w_j give the left side, and any q >= 0 the right one: sum_j rho_j |sum_i q_i M_ji z_i| / sum_i q_i.
 *         rho_j = k_j / K for gate j counted k_j of K times; or, in the plane, the gates are all arcs (cones.c) and
 *         rho_j their angles over 2 pi: the margin of infinite width [000, Thm 4.2];
 *     the infinite-width margin is 0: two points on one ray with opposite labels, or pairs (a, b) with x_b = -t x_a,
 *         t > 0, y_a = 1, y_b = -1, whose x_a have 0 in the inside of their convex hull's cone: sum of l_a x_a = 0, l > 0.
 */
#include <math.h>

#include "checker.h"

/* Labels -1, +1. */
static const double *two_classes(check *c)
{
    double *y;
    int64_t outputs;
    check_code_targets(c, LOSS_HINGE, &y, &outputs);
    if (outputs != 1)
        check_reject(c, "a margin is about two classes");
    return y;
}

/* The angle over 2 pi of the arc around v, between the rays before and after it. */
static void arc_measure(arb_t out, const ray *rays, int64_t count, const num *v)
{
    ray at = {.at = {v[0], v[1]}};
    int64_t k = 0;
    arb_t x, y;
    arb_init(x), arb_init(y);
    while (k < count && plane_order(rays + k, &at) < 0)
        k++;
    const num *a = rays[(k + count - 1) % count].at, *b = rays[k % count].at;
    plane_cross(arb_midref(y), a, b);
    num_dot(arb_midref(x), a, b, 2);
    arb_atan2(out, y, x, PRECISION);
    arb_const_pi(x, PRECISION);
    arb_div(out, out, x, PRECISION);
    arb_mul_2exp_si(out, out, -1);
}

/* rho: k_j / K, or the measures of all arcs of the plane. */
static arb_ptr read_measure(check *c)
{
    const dataset *a = &c->data;
    arb_ptr rho = check_alloc(c, c->gates.m, sizeof *rho);
    check_line(c, "measure");
    if (check_choice(c, "units plane") == 0) {
        const int64_t units = check_integer(c, 1, INT64_C(1) << 40);
        for (int64_t j = 0, left = units; j < c->gates.m; j++) {
            const int64_t times = check_integer(c, 1, left);
            left -= times;
            arb_set_si(rho + j, (slong)times);
            arb_div_si(rho + j, rho + j, (slong)units, PRECISION);
        }
    } else {
        int64_t count;
        if (a->d != 2)
            check_reject(c, "the data is not in the plane");
        check_all_cones(c);
        num *point = check_alloc(c, 2 * a->n, sizeof *point);
        for (int64_t i = 0; i < 2 * a->n; i++)
            arf_set(point + i, a->point + i / 2 * 3 + i % 2);
        const ray *rays = plane_rays(c, point, &count);
        for (int64_t j = 0; count > 0 && j < c->gates.m; j++)
            arc_measure(rho + j, rays, count, c->gates.orientation + 2 * j);
    }
    check_end(c);
    return rho;
}

/* The vectors w_j, |w_j| <= 1: the least of the scores sum_j rho_j M_ji <z_i, w_j> is as claimed. */
static void check_lower(check *c, const double *y, arb_srcptr rho, const num *lower, int64_t line)
{
    const dataset *a = &c->data;
    arb_ptr score = check_alloc(c, a->n, sizeof *score);
    arf_t t;
    arf_init(t);
    for (int64_t j = 0; j < c->gates.m; j++) {
        const num *w = check_line_numbers(c, "vector", a->d);
        num_dot(t, w, w, a->d);
        if (arf_cmp_si(t, 1) > 0)
            check_reject(c, "the vector is longer than 1");
        for (int64_t i = 0; i < a->n; i++) {
            if (!c->gates.open[j * a->n + i])
                continue;
            num_dot(t, a->point + i * (a->d + 1), w, a->d);
            if (y[i] < 0)
                arf_neg(t, t);
            arb_addmul_arf(score + i, rho + j, t, PRECISION);
        }
    }
    c->verdict.lower = INFINITY;
    for (int64_t i = 0; i < a->n; i++) {
        const double end = ball_end(score + i, -1);
        c->verdict.lower = end < c->verdict.lower ? end : c->verdict.lower;
        if (!ball_at_least(score + i, lower))
            check_fail(c, 4, "line %lld: the vectors give %.17g, below what is claimed", (long long)line,
                       end);
    }
}

/* sum_j rho_j |sum_i q_i M_ji z_i| / sum_i q_i. */
static void check_upper(check *c, const double *y, arb_srcptr rho, const num *upper, int64_t line)
{
    const dataset *a = &c->data;
    num *q = check_line_numbers(c, "dual", a->n), *sum = check_alloc(c, a->d, sizeof *sum);
    arf_t total;
    arb_t value, one;
    arf_init(total), arb_init(value), arb_init(one);
    for (int64_t i = 0; i < a->n; i++) {
        if (arf_sgn(q + i) < 0)
            check_reject(c, "entry %lld (from 0) is negative", (long long)i);
        num_add(total, q + i, 1);
        if (y[i] < 0)
            arf_neg(q + i, q + i);
    }
    if (arf_is_zero(total))
        check_reject(c, "the dual point is 0");
    for (int64_t j = 0; j < c->gates.m; j++) {
        check_gate_sum(sum, c, q, 1, j);
        num_norm(one, sum, a->d);
        arb_addmul(value, one, rho + j, PRECISION);
    }
    arb_div_arf(value, value, total, PRECISION);
    c->verdict.upper = ball_end(value, 1);
    if (!ball_at_most(value, upper))
        check_fail(c, 4, "line %lld: the dual point gives %.17g, above what is claimed", (long long)line,
                   c->verdict.upper);
}

void check_claim_margin(check *c)
{
    const num *upper = check_line_numbers(c, "upper", 1), *lower = check_line_numbers(c, "lower", 1);
    const int64_t line = c->line;
    const double *y = two_classes(c);
    arb_srcptr rho = read_measure(c);
    check_lower(c, y, rho, lower, line);
    check_upper(c, y, rho, upper, line - 1);
}

/* 1 where x_b = t x_a with t > 0, -1 with t < 0, otherwise 0: by Cauchy-Schwarz, <a, b>^2 = |a|^2 |b|^2. */
static int direction(const check *c, int64_t a, int64_t b)
{
    const int64_t d = c->data.d;
    const num *x = c->data.point + a * (d + 1), *z = c->data.point + b * (d + 1);
    arf_t xx, zz, xz;
    arf_init(xx), arf_init(zz), arf_init(xz);
    num_dot(xx, x, x, d);
    num_dot(zz, z, z, d);
    num_dot(xz, x, z, d);
    const int sign = arf_sgn(xz);
    num_mul(xx, xx, zz);
    num_mul(xz, xz, xz);
    return arf_equal(xx, xz) ? sign : 0;
}

void check_claim_zero(check *c)
{
    const double *y = two_classes(c);
    check_line(c, "combination");
    const int kind = check_choice(c, "ray pairs");
    const int64_t count = kind ? check_integer(c, 1, c->data.d + 1) : 1;
    int64_t *point = check_alloc(c, count, sizeof *point);
    for (int64_t k = 0; k < count; k++) {
        point[k] = check_integer(c, 0, c->data.n - 1);
        const int64_t other = check_integer(c, 0, c->data.n - 1);
        if (y[point[k]] < 0 || y[other] > 0 || direction(c, point[k], other) != (kind ? -1 : 1))
            check_reject(c, "points %lld and %lld are not as this proof needs them", (long long)point[k],
                         (long long)other);
    }
    check_end(c);
    if (kind && !check_relation(c, point, count))
        check_reject(c, "0 is no positive combination of these points");
    c->verdict.upper = c->verdict.lower = 0;
}
