/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p(w) = max over |u| <= 1 (and b) of |sum_i w_i relu(<x_i, u> + b)| in few dimensions, exactly, for one output.
 *
 * Two columns: between the rays orthogonal to the x_i the function is linear, h(u) = <g, u>. On an arc with edges a, b its
 * maximum over unit vectors is |g| where g lies inside, and otherwise taken at an edge. Walking counterclockwise,
 * the ray 90 degrees after x_i closes point i, the one 90 degrees before it opens it. One column is two columns with a 0.
 * One column with free biases: the points (x_i, 1) and (u, b) with |u| <= 1. For fixed u the function is piecewise linear
 * in b, its kinks at the rays, and constant outside them since sum_i w_i = 0: its maximum is at a ray. (For |u| < 1 it is
 * smaller: h is homogeneous in (u, b).) Comparisons are between h^2 and (N beta)^2 |u|^2. Cost O(n log n).
 */
#include <stdlib.h>

#include "checker.h"

int plane_cross(num *out, const num *a, const num *b)
{
    num_mul(out, a, b + 1);
    arf_submul(out, a + 1, b, EXACT);
    return arf_sgn(out);
}

static bool lower_half(const num *a) { return arf_sgn(a + 1) < 0 || (arf_sgn(a + 1) == 0 && arf_sgn(a) < 0); }

int plane_order(const void *left, const void *right)
{
    const ray *a = left, *b = right;
    arf_t t;
    if (lower_half(a->at) != lower_half(b->at))
        return lower_half(a->at) - lower_half(b->at);
    arf_init(t);
    const int order = -plane_cross(t, a->at, b->at);
    arf_clear(t);
    return order;
}

ray *plane_rays(check *c, const num *point, int64_t *count)
{
    ray *rays = check_alloc(c, 2 * c->data.n, sizeof *rays);
    *count = 0;
    for (int64_t i = 0; i < c->data.n; i++)
        for (int sign = 1; sign >= -1 && !(arf_is_zero(point + 2 * i) && arf_is_zero(point + 2 * i + 1));
             sign -= 2) {
            ray *r = rays + (*count)++;
            num_add(r->at, point + 2 * i + 1, -sign); /* sign (-y, x) */
            num_add(r->at + 1, point + 2 * i, sign);
            r->point = i;
            r->sign = sign;
        }
    qsort(rays, (size_t)*count, sizeof *rays, plane_order);
    return rays;
}

/* h^2 <= limit length. */
static void check_height(check *c, const train *t, const num *h, const num *length)
{
    arf_t square, limit;
    arf_init(square), arf_init(limit);
    num_mul(square, h, h);
    num_mul(limit, &t->limit, length);
    if (arf_cmp(square, limit) > 0)
        check_reject(c, "a neuron is priced above beta");
    arf_clear(square), arf_clear(limit);
}

/* The arc from ray a to ray b on which the function is <g, u>: its edge a, and g and -g where they lie inside (edges are
 * at most 180 degrees apart). */
static void check_arc(check *c, const train *t, const num *g, const num *a, const num *b)
{
    arf_t h, length;
    arf_init(h), arf_init(length);
    num_dot(h, g, a, 2);
    num_dot(length, a, a, t->hidden_bias ? 1 : 2);
    check_height(c, t, h, length);
    const int after = plane_cross(h, a, g), before = plane_cross(h, g, b);
    if (!t->hidden_bias && after * before > 0) {
        num_dot(h, g, g, 2);
        check_height(c, t, h, h);
    }
    arf_clear(h), arf_clear(length);
}

/* g += sign w_i x_i. */
static void move(num *g, const num *point, const train *t, int64_t i, int sign)
{
    num_addmul(g, t->w + i, point + 2 * i, sign);
    num_addmul(g + 1, t->w + i, point + 2 * i + 1, sign);
}

void check_plane(check *c, const train *t)
{
    const dataset *a = &c->data;
    num *point = check_alloc(c, 2 * a->n, sizeof *point), *g = check_alloc(c, 2, sizeof *g);
    int64_t count;
    arf_t side;
    if (t->outputs != 1 || t->width > 2)
        check_reject(c, "this evidence is for one output and few columns");
    for (int64_t i = 0; i < a->n; i++) {
        arf_set(point + 2 * i, a->point + i * (a->d + 1));
        if (t->width == 2)
            arf_set(point + 2 * i + 1, a->point + i * (a->d + 1) + 1);
    }
    const ray *rays = plane_rays(c, point, &count);
    arf_init(side);
    for (int64_t i = 0; count > 0 && i < a->n; i++) { /* open just before the first ray */
        num_dot(side, point + 2 * i, rays->at, 2);
        const int on = arf_sgn(side);
        if (on > 0 || (on == 0 && plane_cross(side, point + 2 * i, rays->at) > 0))
            move(g, point, t, i, 1);
    }
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && plane_order(rays + first, rays + next) == 0; next++)
            move(g, point, t, rays[next].point, -rays[next].sign);
        check_arc(c, t, g, rays[first].at, rays[next % count].at);
    }
}
