/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest value of a norm q on the unit sphere of R^k, k <= 3, from above.
 *
 * Simplicial cones with unit vertices c_1 .. c_k, at first k given ones and their opposites, cover a half of the sphere, which is enough as q is even. On c = sum_i mu_i c_i, mu >= 0,
 *
 *     q(c) <= sum_i mu_i q(c_i) <= <l, c> <= |l|     for every l with <l, c_i> >= q(c_i), i = 1..k,
 *
 * and the best such l is met with equality on some subset of the vertices: all of them are tried. The cone of largest bound is split at the
 * middle of its longest edge, where q is evaluated. On a cone of angle a the bound exceeds q by a share of about a^2/8, and cones far from the maximum are
 * never split: some 10 to 60 values reach 1e-3.
 *
 * Rounding. Any l is valid once scaled so that the inequalities hold, for values of at least 1e-12 of the largest. Middles are rounded by 2^-52, so
 * that children miss an angle of as much at the common face; q is Lipschitz with its own maximum, and the levels are at most the number of cones:
 * 1e-12 covers both.
 *
 * For a certificate a middle is c_i / |c_i + c_j| + c_j / |c_i + c_j| exactly, and the cones with their l are written down as they were split; where the
 * parts of a cone have a larger bound than the cone itself (their values are bounds, not q), they are left out.
 */
#include "global_sphere.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

enum { MOST = FATHOM_SPHERE_MOST, CORNERS = 1 << (MOST - 1) };

typedef struct corner {
    double c[MOST], above;
    int64_t parent[2]; /* of a middle, which is share times their sum */
    double share;
} corner;

typedef struct piece {
    int64_t corner[MOST];
    double l[MOST], own; /* the best l and its length */
    double bound;        /* the least `own` of the piece and of those it is a part of */
    int64_t middle;      /* where it is split: a corner, 0 where it is not, */
    int64_t part;        /* into this piece and the next */
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

/* l that meets the corners of `subset` with equality; returns its length, INFINITY where there is none. */
static double meet(double *l, const sphere *s, const piece *p, int subset)
{
    const corner *at[MOST];
    double g[MOST][MOST], value[MOST], t[MOST], times = 1;
    const double least = 1e-12 * s->best;
    int m = 0;
    memset(l, 0, MOST * sizeof *l);
    for (int a = 0; a < s->k; a++)
        if (subset >> a & 1)
            at[m++] = s->corner + p->corner[a];
    for (int a = 0; a < m; a++) {
        value[a] = fmax(at[a]->above, least);
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
        const double product = dot(l, other->c, s->k), above = fmax(other->above, least);
        if (above > 0 && !(product > 0))
            return INFINITY;
        if (above > 0)
            times = fmax(times, above / product);
    }
    for (int64_t e = 0; e < s->k; e++)
        l[e] *= times * (1 + 1e-12);
    return sqrt(dot(l, l, s->k));
}

/* `most` is what the bound is at most anyway. */
static void bound_piece(const sphere *s, piece *p, double most)
{
    double l[MOST];
    p->own = INFINITY;
    for (int subset = 1; subset < 1 << s->k; subset++) {
        const double length = meet(l, s, p, subset);
        if (length < p->own || subset == 1)
            memcpy(p->l, l, sizeof l);
        p->own = fmin(p->own, length);
    }
    p->bound = fmin(p->own, most);
}

/* Room for a few more corners and pieces. */
static fathom_status reserve(sphere *s)
{
    FATHOM_TRY(fathom_memory_grow(s->context, (void **)&s->corner, &s->corner_room, s->corners + 2 * MOST,
                                  sizeof *s->corner));
    return fathom_memory_grow(s->context, (void **)&s->piece, &s->piece_room, s->pieces + CORNERS + 2,
                              sizeof *s->piece);
}

static fathom_status add_corner(sphere *s, const double *c, fathom_sphere_value *value, void *user)
{
    FATHOM_TRY(reserve(s));
    corner *new = s->corner + s->corners;
    *new = (corner){.above = INFINITY};
    memcpy(new->c, c, (size_t)s->k * sizeof *c);
    fathom_status status = value(&new->above, user, c);
    s->best = fmax(s->best, new->above);
    s->corners += status == FATHOM_OK;
    return status;
}

/* The cones of a_1, +-a_2, .., +-a_k for the rows of `axis`, or of the coordinates. */
static fathom_status start(sphere *s, const double *axis, fathom_sphere_value *value, void *user)
{
    fathom_status status = FATHOM_OK;
    for (int64_t a = 0; a < s->k && status == FATHOM_OK; a++) {
        double c[MOST];
        for (int64_t e = 0; e < s->k; e++)
            c[e] = axis ? axis[a * s->k + e] : a == e;
        status = add_corner(s, c, value, user);
    }
    for (int64_t a = 1; a < s->k && status == FATHOM_OK; a++) { /* opposites have the same values */
        corner *new = s->corner + s->corners++;
        *new = s->corner[a];
        for (int64_t e = 0; e < s->k; e++)
            new->c[e] = -new->c[e];
    }
    for (int signs = 0; signs < 1 << (s->k - 1) && status == FATHOM_OK; signs++) {
        piece *p = s->piece + s->pieces++;
        *p = (piece){0};
        for (int a = 1; a < s->k; a++)
            p->corner[a] = signs >> (a - 1) & 1 ? s->k + a - 1 : a;
        bound_piece(s, p, INFINITY);
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
    FATHOM_TRY(add_corner(s, c, value, user));
    corner *new = s->corner + s->corners - 1;
    new->parent[0] = parent.corner[first];
    new->parent[1] = parent.corner[second];
    new->share = 1 / norm;
    s->piece[top].middle = s->corners - 1;
    s->piece[top].part = s->pieces;
    for (int half = 0; half < 2; half++) { /* the parent's bound holds for both */
        piece *part = s->piece + s->pieces++;
        *part = parent;
        part->corner[half ? second : first] = s->corners - 1;
        bound_piece(s, part, parent.bound);
    }
    return FATHOM_OK;
}

/* The number of a corner among the directions of a certificate, which has no opposites of axes, and its sign there. */
static int64_t direction_of(double *sign, const sphere *s, int64_t at)
{
    const int64_t k = s->k;
    *sign = at < k || at > 2 * k - 2 ? 1 : -1;
    return at < k ? at : at > 2 * k - 2 ? at - (k - 1) : at - k + 1;
}

/* What is proved of every piece, parts before the whole; a piece whose parts prove no more stays whole. */
static void settle_pieces(sphere *s)
{
    for (int64_t a = s->pieces - 1; a >= 0; a--) {
        piece *p = s->piece + a;
        const double parts =
            p->middle ? fmax(s->piece[p->part].bound, s->piece[p->part + 1].bound) : INFINITY;
        p->bound = fmin(p->own, parts);
        p->middle = parts < p->own ? p->middle : 0;
    }
}

/* The piece and its parts, in preorder, at the end of the cover. */
static void tell_piece(fathom_proof *proof, const sphere *s, const piece *p)
{
    double sign;
    const int64_t at = proof->pieces++;
    proof->bisect[at] = p->middle ? direction_of(&sign, s, p->middle) : -1;
    for (int64_t e = 0; e < s->k; e++)
        proof->majorant[at * proof->outputs + e] = p->l[e];
    for (int half = 0; p->middle && half < 2; half++)
        tell_piece(proof, s, s->piece + p->part + half);
}

static fathom_status tell(fathom_proof *proof, sphere *s)
{
    const int64_t k = s->k, axes = 2 * k - 1;
    fathom_status status = fathom_proof_set_cover(proof, s->corners - axes, s->pieces);
    for (int64_t a = 0; a < s->corners - axes && status == FATHOM_OK; a++)
        for (int half = 0; half < 2; half++) {
            const corner *middle = s->corner + axes + a;
            proof->parent[2 * a + half] = direction_of(proof->share + 2 * a + half, s, middle->parent[half]);
            proof->share[2 * a + half] *= middle->share;
        }
    proof->pieces = 0;
    for (int64_t a = 0; a < INT64_C(1) << (k - 1) && status == FATHOM_OK; a++)
        tell_piece(proof, s, s->piece + a);
    return status;
}

fathom_status fathom_sphere_bound(double *bound, fathom_context *context, int64_t k, const double *axis,
                                  fathom_sphere_value *value, void *user, double gap, const double *work,
                                  double most, fathom_proof *proof)
{
    sphere s = {.context = context, .k = k};
    *bound = INFINITY;
    fathom_status status = start(&s, axis, value, user);
    while (status == FATHOM_OK) {
        int64_t top = -1;
        for (int64_t a = 0; a < s.pieces; a++)
            if (!s.piece[a].middle && (top < 0 || s.piece[a].bound > s.piece[top].bound))
                top = a;
        *bound = s.piece[top].bound;
        if (*work >= most || k == 1 || !(s.piece[top].bound > s.best * (1 + gap)) ||
            fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            break;
        status = split(&s, top, value, user);
    }
    settle_pieces(&s);
    if (status == FATHOM_OK && proof)
        status = tell(proof, &s);
    FATHOM_FREE(context, s.corner, s.piece);
    return status;
}
