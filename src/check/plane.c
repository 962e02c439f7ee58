/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p(v) = max over |u| <= 1 (and b) of |sum_i v_i relu(<x_i, u> + b)| in few dimensions, exactly, for one output.
 *
 * Two columns: between the rays orthogonal to the x_i the function is linear, h(u) = <g, u>. On an arc with edges a, b its
 * maximum over unit vectors is |g| where g lies inside, and otherwise taken at an edge. Walking counterclockwise,
 * the ray 90 degrees after x_i closes point i, the one 90 degrees before it opens it. One column is two columns with a 0.
 * One column with free biases: for u = +-1 the function is piecewise linear in b with kinks at -u x_i, and constant outside
 * since sum_i v_i = 0: its maximum is at a kink. (For |u| < 1 it is smaller: h is homogeneous in (u, b).)
 * Comparisons are between s^2 h^2 and (N beta)^2 |u|^2. Cost O(n log n), or n^2 where kinks are summed one by one.
 */
#include <stdlib.h>

#include "train_claim.h"

/* A ray orthogonal to point i: sign > 0 is 90 degrees after it. */
typedef struct ray {
    mpz_t x, y;
    int64_t point;
    int sign;
} ray;

static int half(const ray *a)
{
    return mpz_sgn(a->y) > 0 || (mpz_sgn(a->y) == 0 && mpz_sgn(a->x) > 0) ? 0 : 1;
}

/* The sign of a x b. */
static int turn(const mpz_t ax, const mpz_t ay, const mpz_t bx, const mpz_t by)
{
    mpz_t left, right;
    mpz_init(left);
    mpz_init(right);
    mpz_mul(left, ax, by);
    mpz_mul(right, ay, bx);
    const int sign = mpz_cmp(left, right);
    mpz_clear(left);
    mpz_clear(right);
    return sign;
}

/* Counterclockwise from the positive first axis. */
static int by_angle(const void *left, const void *right)
{
    const ray *a = left, *b = right;
    if (half(a) != half(b))
        return half(a) - half(b);
    return -turn(a->x, a->y, b->x, b->y);
}

/* sum s^2 h^2 <= (N beta)^2 |u|^2 for h = hz 2^he and |u|^2 = length 2^0. */
static void check_height(check *c, const train *t, const mpz_t h, int64_t e, const mpz_t length)
{
    mpz_t square, limit;
    const int64_t limit_e = train_limit(limit, c, t);
    mpz_init(square);
    mpz_mul(square, h, h);
    mpz_mul_si(square, square, t->scale.m);
    mpz_mul_si(square, square, t->scale.m);
    mpz_mul(limit, limit, limit);
    mpz_mul(limit, limit, length);
    const int64_t left = 2 * (e + t->scale.e), right = 2 * limit_e;
    if (left > right)
        mpz_mul_2exp(square, square, (mp_bitcnt_t)(left - right));
    else
        mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(right - left));
    const bool fits = mpz_cmp(square, limit) <= 0;
    mpz_clear(square);
    mpz_clear(limit);
    if (!fits)
        check_fail(c, 4, "line %lld: a neuron is priced above beta", (long long)c->line);
}

/* x_i as two integers; the second is 0 where there is one column. */
static void point_of(mpz_t x, mpz_t y, const check *c, int64_t i)
{
    mpz_set(x, c->x.z[i * c->data.d]);
    mpz_set_ui(y, 0);
    if (c->data.d == 2)
        mpz_set(y, c->x.z[i * 2 + 1]);
}

/* Rays of all points other than 0, sorted. */
static int64_t make_rays(check *c, ray *rays)
{
    int64_t count = 0;
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    for (int64_t i = 0; i < c->data.n; i++) {
        point_of(x, y, c, i);
        for (int sign = 1; sign >= -1 && (mpz_sgn(x) || mpz_sgn(y)); sign -= 2) {
            ray *r = rays + count++;
            mpz_init_set(r->x, y);
            mpz_init_set(r->y, x);
            if (sign > 0)
                mpz_neg(r->x, r->x); /* (-y, x) */
            else
                mpz_neg(r->y, r->y);
            r->point = i;
            r->sign = sign;
        }
    }
    mpz_clear(x);
    mpz_clear(y);
    qsort(rays, (size_t)count, sizeof *rays, by_angle);
    return count;
}

/* g (2) += sign v_i x_i. */
static void move(mpz_t g[2], const check *c, const train *t, int64_t i, int sign)
{
    for (int64_t k = 0; k < c->data.d; k++) {
        if (sign > 0)
            mpz_addmul(g[k], t->v.z[i], c->x.z[i * c->data.d + k]);
        else
            mpz_submul(g[k], t->v.z[i], c->x.z[i * c->data.d + k]);
    }
}

/* The arc from ray a to ray b on which the function is <g, u>: its edge a, and g and -g where they lie inside. */
static void check_arc(check *c, const train *t, mpz_t g[2], const ray *a, const ray *b)
{
    mpz_t h, length;
    const int64_t e = c->x.e + t->v.e;
    mpz_init(h);
    mpz_init(length);
    mpz_mul(h, g[0], a->x);
    mpz_addmul(h, g[1], a->y);
    mpz_mul(length, a->x, a->x);
    mpz_addmul(length, a->y, a->y);
    check_height(c, t, h, e, length);
    const int after = turn(a->x, a->y, g[0], g[1]), before = turn(g[0], g[1], b->x, b->y);
    if (after != 0 && after == before) { /* g or -g strictly inside (edges are at most 180 degrees apart) */
        mpz_mul(h, g[0], g[0]);
        mpz_addmul(h, g[1], g[1]);
        mpz_set(length, h);
        check_height(c, t, h, e, length);
    }
    mpz_clear(h);
    mpz_clear(length);
}

static void walk(check *c, const train *t)
{
    ray *rays = check_alloc(c, 2 * c->data.n, sizeof *rays);
    const int64_t count = make_rays(c, rays);
    mpz_t g[2], x, y, side;
    mpz_init(g[0]), mpz_init(g[1]), mpz_init(x), mpz_init(y), mpz_init(side);
    for (int64_t i = 0; i < c->data.n && count > 0; i++) { /* open just before the first ray */
        point_of(x, y, c, i);
        mpz_mul(side, x, rays[0].x);
        mpz_addmul(side, y, rays[0].y);
        const int after =
            turn(x, y, rays[0].x, rays[0].y); /* on the ray: open before where it is 90 degrees after x */
        if (mpz_sgn(side) > 0 || (mpz_sgn(side) == 0 && after > 0))
            move(g, c, t, i, 1);
    }
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && by_angle(rays + first, rays + next) == 0; next++)
            move(g, c, t, rays[next].point, -rays[next].sign);
        check_arc(c, t, g, rays + first, rays + next % count);
    }
    mpz_clear(g[0]), mpz_clear(g[1]), mpz_clear(x), mpz_clear(y), mpz_clear(side);
    for (int64_t k = 0; k < count; k++) {
        mpz_clear(rays[k].x);
        mpz_clear(rays[k].y);
    }
    check_free(c, rays);
}

/* One column, free biases: the value at the kink of point k for u = +-1; t->x has the column of ones. */
static void check_kinks(check *c, const train *t)
{
    mpz_t h, one;
    mpz_init(h);
    mpz_init(one);
    for (int64_t k = 0; k < 2 * c->data.n; k++) {
        const mpz_t *at = (const mpz_t *)t->x.z + k / 2 * 2;
        mpz_set_ui(h, 0);
        for (int64_t i = 0; i < c->data.n; i++) {
            mpz_sub(one, t->x.z[2 * i], *at);
            if (k % 2)
                mpz_neg(one, one);
            if (mpz_sgn(one) > 0)
                mpz_addmul(h, one, t->v.z[i]);
        }
        mpz_set_ui(one, 1);
        check_height(c, t, h, t->x.e + t->v.e, one);
    }
    mpz_clear(h);
    mpz_clear(one);
}

void check_plane(check *c, const train *t)
{
    if (t->outputs != 1 || c->data.d > 2 || (c->data.bias == BIAS_FREE && c->data.d != 1))
        check_fail(c, 4, "line %lld: this evidence is for one output and few columns", (long long)c->line);
    if (c->data.bias == BIAS_FREE)
        check_kinks(c, t);
    else
        walk(c, t);
}
