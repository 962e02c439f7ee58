/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest value of a norm q on the unit sphere of R^k, k <= 3, from above.
 *
 * Simplicial cones with unit vertices c_1 .. c_k cover a half of the sphere, which is enough as q is even. On c = sum_i mu_i c_i, mu >= 0,
 *
 *     q(c) <= sum_i mu_i q(c_i) <= <l, c> <= |l|     for every l with <l, c_i> >= q(c_i), i = 1..k,
 *
 * and the best such l is met with equality on some subset of the vertices: all of them are tried. The cone of largest bound is split at the
 * middle of its longest edge, where q is evaluated. On a cone of angle a the bound exceeds q by a share of about a^2/8, and cones far from the maximum are
 * never split: some 10 to 60 values reach 1e-3.
 *
 * Rounding. Any l is valid once scaled so that the inequalities hold. Middles are rounded by 2^-52, so that children miss an angle of as
 * much at the common face; q is Lipschitz with its own maximum, and the levels are at most the number of cones: 1e-12 covers both.
 */
#include "global_sphere.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

enum { MOST = FATHOM_SPHERE_MOST, CORNERS = 1 << (MOST - 1) };

typedef struct corner {
    double c[MOST], above;
} corner;

typedef struct piece {
    int64_t corner[MOST];
    double bound;
} piece;

typedef struct sphere {
    fathom_context *context;
    int64_t k, corners, pieces;
    int64_t corner_room, piece_room;
    corner *corner;
    piece *piece;
    double best; /* largest value met */
} sphere;

static double dot(const double *a, const double *b, int64_t k)
{
    double sum = 0;
    for (int64_t l = 0; l < k; l++)
        sum += a[l] * b[l];
    return sum;
}

/* Solves the m x m system g t = p (Gram matrix of a few unit vectors) by elimination; false where it is singular. */
static bool solve(double *t, double g[MOST][MOST], const double *p, int m)
{
    memcpy(t, p, (size_t)m * sizeof *t);
    for (int a = 0; a < m; a++) {
        if (!(g[a][a] > 1e-14))
            return false;
        for (int b = a + 1; b < m; b++) {
            const double times = g[b][a] / g[a][a];
            for (int c = a; c < m; c++)
                g[b][c] -= times * g[a][c];
            t[b] -= times * t[a];
        }
    }
    for (int a = m - 1; a >= 0; a--) {
        for (int c = a + 1; c < m; c++)
            t[a] -= g[a][c] * t[c];
        t[a] /= g[a][a];
    }
    return true;
}

/* The bound of the l that meets the corners of `subset` with equality; INFINITY where none does. */
static double bound_of(const sphere *s, const piece *p, int subset)
{
    const corner *at[MOST];
    double g[MOST][MOST], value[MOST], t[MOST], l[MOST] = {0}, times = 1;
    int m = 0;
    for (int a = 0; a < s->k; a++)
        if (subset >> a & 1)
            at[m++] = s->corner + p->corner[a];
    for (int a = 0; a < m; a++) {
        value[a] = at[a]->above;
        for (int b = 0; b < m; b++)
            g[a][b] = dot(at[a]->c, at[b]->c, s->k);
    }
    if (!solve(t, g, value, m))
        return INFINITY;
    for (int a = 0; a < m; a++)
        for (int64_t e = 0; e < s->k; e++)
            l[e] += t[a] * at[a]->c[e];
    for (int a = 0; a < s->k; a++) {
        const corner *other = s->corner + p->corner[a];
        const double product = dot(l, other->c, s->k);
        if (other->above > 0 && !(product > 0))
            return INFINITY;
        if (other->above > 0)
            times = fmax(times, other->above / product);
    }
    return times * sqrt(dot(l, l, s->k));
}

static void bound_piece(const sphere *s, piece *p)
{
    p->bound = INFINITY;
    for (int subset = 1; subset < 1 << s->k; subset++)
        p->bound = fmin(p->bound, bound_of(s, p, subset));
}

/* Room for a few more corners and pieces. */
static fathom_status reserve(sphere *s)
{
    fathom_status status = fathom_memory_grow(s->context, (void **)&s->corner, &s->corner_room,
                                              s->corners + 2 * MOST, sizeof *s->corner);
    if (status == FATHOM_OK)
        status = fathom_memory_grow(s->context, (void **)&s->piece, &s->piece_room, s->pieces + CORNERS,
                                    sizeof *s->piece);
    return status;
}

static fathom_status add_corner(sphere *s, const double *c, fathom_sphere_value *value, void *user)
{
    fathom_status status = reserve(s);
    if (status != FATHOM_OK)
        return status;
    corner *new = s->corner + s->corners;
    memcpy(new->c, c, (size_t)s->k * sizeof *c);
    new->above = INFINITY;
    status = value(&new->above, user, c);
    s->best = fmax(s->best, new->above);
    s->corners += status == FATHOM_OK;
    return status;
}

/* The cones of e_1, +-e_2, .., +-e_k. */
static fathom_status start(sphere *s, fathom_sphere_value *value, void *user)
{
    fathom_status status = FATHOM_OK;
    for (int64_t a = 0; a < s->k && status == FATHOM_OK; a++) {
        double c[MOST] = {0};
        c[a] = 1;
        status = add_corner(s, c, value, user);
    }
    for (int64_t a = 1; a < s->k && status == FATHOM_OK; a++) { /* opposites have the same values */
        corner *new = s->corner + s->corners++;
        *new = s->corner[a];
        new->c[a] = -1;
    }
    for (int signs = 0; signs < 1 << (s->k - 1) && status == FATHOM_OK; signs++) {
        piece *p = s->piece + s->pieces++;
        p->corner[0] = 0;
        for (int a = 1; a < s->k; a++)
            p->corner[a] = signs >> (a - 1) & 1 ? s->k + a - 1 : a;
        bound_piece(s, p);
    }
    return status;
}

/* Splits piece `top` at the middle of its longest edge. */
static fathom_status split(sphere *s, int64_t top, fathom_sphere_value *value, void *user)
{
    const piece parent = s->piece[top];
    double c[MOST], least = INFINITY;
    int first = 0, second = 1;
    for (int a = 0; a < s->k; a++)
        for (int b = a + 1; b < s->k; b++) {
            const double cosine = dot(s->corner[parent.corner[a]].c, s->corner[parent.corner[b]].c, s->k);
            if (cosine < least) {
                least = cosine;
                first = a;
                second = b;
            }
        }
    for (int64_t e = 0; e < s->k; e++)
        c[e] = s->corner[parent.corner[first]].c[e] + s->corner[parent.corner[second]].c[e];
    const double norm = sqrt(dot(c, c, s->k));
    for (int64_t e = 0; e < s->k; e++)
        c[e] /= norm;
    const fathom_status status = add_corner(s, c, value, user);
    if (status != FATHOM_OK)
        return status;
    piece *one = s->piece + top, *two = s->piece + s->pieces++;
    *two = parent;
    one->corner[first] = two->corner[second] = s->corners - 1;
    bound_piece(s, one);
    bound_piece(s, two);
    /* the parent's bound holds for both */
    one->bound = fmin(one->bound, parent.bound);
    two->bound = fmin(two->bound, parent.bound);
    return FATHOM_OK;
}

fathom_status fathom_sphere_bound(double *bound, fathom_context *context, int64_t k,
                                  fathom_sphere_value *value, void *user, double gap, const double *work,
                                  double most)
{
    sphere s = {.context = context, .k = k};
    *bound = INFINITY;
    fathom_status status = start(&s, value, user);
    while (status == FATHOM_OK) {
        int64_t top = 0;
        for (int64_t a = 1; a < s.pieces; a++)
            if (s.piece[a].bound > s.piece[top].bound)
                top = a;
        *bound = s.piece[top].bound * (1 + 1e-12);
        if (*work >= most || k == 1 || !(s.piece[top].bound > s.best * (1 + gap)) ||
            fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            break;
        status = split(&s, top, value, user);
    }
    fathom_memory_free(context, s.corner);
    fathom_memory_free(context, s.piece);
    return status;
}
