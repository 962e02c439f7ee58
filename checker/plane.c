/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p(v) = max over |u| <= 1 (and b) of |sum_i v_i relu(<x_i, u> + b)| in few dimensions, exactly, for one
 * output.
 *
 * Two columns: between the rays orthogonal to the x_i the function is linear, h(u) = <g, u>. On an arc with
 * edges a, b its maximum over unit vectors is |g| where g lies inside, and otherwise taken at an edge.
 * Walking counterclockwise, the ray 90 degrees after x_i closes point i, the one 90 degrees before it opens
 * it. One column is two columns with a 0. One column with free biases: the points (x_i, 1) and (u, b) with
 * |u| <= 1. For fixed u the function is piecewise linear in b, its kinks at the rays, and constant outside
 * them since sum_i v_i = 0: its maximum is at a ray. (For |u| < 1 it is smaller: h is homogeneous in (u, b).)
 * Prices h^2 / |u|^2 are compared exactly. Cost O(n log n). Two columns with free biases: as sum_i v_i = 0, a
 * best b is at a kink, b = -<x_k, u>: two columns x_i - x_k for every k, O(n^2 log n). Points beside a line,
 * "along a t": |sum_i v_i relu(<x_i, u> + b)| <= |a| p(t) + sum_i |v_i||x_i - t_i a|, p(t) the price of v in
 * the one column t, because relu moves no more than its argument.
 */
#include <stdlib.h>

#include "checker.h"

/* n x 2: the columns, or t; the second 0, or 1 where the bias is free, for one of them. Less point k where k
 * >= 0. */
static num *points(check *c, const train *t, int64_t k)
{
    const dataset *a = &c->data;
    num *point = check_alloc(c, 2 * a->n, sizeof *point);
    for (int64_t i = 0; i < a->n; i++) {
        const num *x = t->along ? t->along + a->d + i : a->point + i * (a->d + 1);
        point[2 * i] = x[0];
        if (!t->along && a->d == 2)
            point[2 * i + 1] = x[1];
        else if (t->width > a->d)
            point[2 * i + 1] = num_real(1);
        for (int l = 0; l < 2 && k >= 0; l++)
            point[2 * i + l] = num_sub(point[2 * i + l], a->point[k * (a->d + 1) + l]);
    }
    return point;
}

/* a x b and its sign. */
static int cross(num *out, const num *a, const num *b)
{
    arb_mul(out, a, b + 1, ARF_PREC_EXACT);
    arb_submul(out, a + 1, b, ARF_PREC_EXACT);
    return num_sign(*out);
}

static bool lower_half(const num *a)
{
    return num_sign(a[1]) < 0 || (num_sign(a[1]) == 0 && num_sign(a[0]) < 0);
}

/* Counterclockwise from the first axis. */
int check_order(const void *left, const void *right)
{
    const plane_ray *a = left, *b = right;
    num t = {0};
    if (lower_half(a->at) != lower_half(b->at))
        return lower_half(a->at) - lower_half(b->at);
    const int turn = -cross(&t, a->at, b->at);
    arb_clear(&t);
    return turn;
}

plane_ray *check_rays(check *c, const num *point, int64_t n, int64_t *count)
{
    plane_ray *rays = check_alloc(c, 2 * n, sizeof *rays);
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int sign = 1; sign >= -1 && (num_sign(point[2 * i]) || num_sign(point[2 * i + 1])); sign -= 2)
            rays[(*count)++] =
                (plane_ray){{num_times(point[2 * i + 1], -sign), num_times(point[2 * i], sign)}, i, sign};
    qsort(rays, (size_t)*count, sizeof *rays, check_order);
    return rays;
}

/* The arc from ray a to ray b on which the function is <g, u>: its edge a, and g and -g where they lie inside (edges are
 * at most 180 degrees apart). */
static void check_arc(check *c, const train *t, const num *g, const num *a, const num *b)
{
    num h = {0}, length = {0};
    const bool biased = t->width > c->data.d;
    num_dot(&h, g, a, 2);
    num_dot(&length, a, a, biased ? 1 : 2);
    check_price(c, t, num_mul(h, h), length);
    const int after = cross(&h, a, g), before = cross(&h, g, b);
    num_dot(&length, g, g, 2);
    if (!biased && after * before > 0)
        check_price(c, t, length, num_real(1));
    arb_clear(&h), arb_clear(&length);
}

/* g += sign v_i x_i. */
static void move(num *g, const num *x, num v, int sign)
{
    num_mul_to(g, num_times(v, sign), x[0]);
    num_mul_to(g + 1, num_times(v, sign), x[1]);
}

/* All prices of v on these points; with a bias where t has one. */
static void walk(check *c, const train *t, const num *point)
{
    int64_t count, n = c->data.n;
    num g[2] = {0}, side = {0};
    const plane_ray *rays = check_rays(c, point, n, &count);
    for (int64_t i = 0; count > 0 && i < n; i++) { /* open just before the first ray */
        num_dot(&side, point + 2 * i, rays->at, 2);
        const int on = num_sign(side);
        if (on > 0 || (on == 0 && cross(&side, point + 2 * i, rays->at) > 0))
            move(g, point + 2 * i, t->v[i], 1);
    }
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && check_order(rays + first, rays + next) == 0; next++)
            move(g, point + 2 * rays[next].point, t->v[rays[next].point], -rays[next].sign);
        check_arc(c, t, g, rays[first].at, rays[next % count].at);
    }
}

/* What the squared price in the column t may be: (N beta - s sum_i |v_i||x_i - t_i a|)^2 / |a|^2. */
static num limit_along(check *c, const train *t)
{
    const int64_t d = c->data.d;
    const num *a = t->along;
    num *miss = check_alloc(c, d, sizeof *miss), rest = {0}, square = {0};
    for (int64_t i = 0; i < c->data.n; i++) {
        for (int64_t l = 0; l < d; l++)
            miss[l] = num_sub(c->data.point[i * (d + 1) + l], num_mul(a[d + i], a[l]));
        num_mul_to(&rest, num_times(t->v[i], num_sign(t->v[i])), num_norm(miss, d));
    }
    const num left = num_sub(t->edge, num_mul(*t->scale, rest));
    num_dot(&square, a, a, d);
    need(c, num_sign(square) > 0 && num_at_most(num_real(0), left), "the points are too far from the line");
    return num_div(num_mul(left, left), square);
}

void check_exactly(check *c, const train *t)
{
    const int64_t d = c->data.d, columns = t->along ? 1 : d, biased = t->width - d;
    train one = *t;
    need(c, columns <= 2, "this evidence is for few columns");
    if (t->along)
        one.limit = limit_along(c, t);
    if (columns + biased <= 2) {
        walk(c, &one, points(c, t, -1));
        return;
    }
    one.width = d;
    for (int64_t k = 0; k < c->data.n; k++) {
        const int64_t mark = c->serial;
        walk(c, &one, points(c, t, k));
        check_release(c, mark);
    }
}

void check_plane(check *c, const train *t)
{
    need(c, c->data.outputs == 1, "this evidence is for one output");
    check_exactly(c, t);
}

/* The rays before and after the orientation of a gate are the edges of its arc. */
void check_arcs(check *c, num *rho)
{
    int64_t count;
    const plane_ray *rays = check_rays(c, points(c, &(train){.width = 2}, -1), c->data.n, &count);
    num y = {0}, x = {0}, pi = {0};
    arb_const_pi(&pi, PRECISION);
    for (int64_t j = 0; count > 0 && j < c->gates.m; j++) {
        const plane_ray at = {.at = {c->gates.orientation[2 * j], c->gates.orientation[2 * j + 1]}};
        int64_t k = 0;
        while (k < count && check_order(rays + k, &at) < 0)
            k++;
        const num *a = rays[(k + count - 1) % count].at, *b = rays[k % count].at;
        cross(&y, a, b);
        num_dot(&x, a, b, 2);
        arb_atan2(rho + j, &y, &x, PRECISION);
        rho[j] = num_div(rho[j], num_times(pi, 2));
    }
}
