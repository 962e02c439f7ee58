/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower bound of the margin of both layers, freed from the digits that q has lost.
 *
 * Where S_C tends to 0 a map theta of length l_C < 1 is left on the cell, and its direction is known no
 * better than that of S_C.
 * There is room for more: with g(0) = E |a| 1[|w| < 2], the map sgn(a) (1 - l_C) e on the cell, |e| <= 1,
 * keeps |theta| <= 1 and adds
 *
 *     c_C <e, z_i>,   c_C = (1 - l_C) rho_C g(0),
 *
 * to the margin of every point that is open on C. The e_C of least sum of squares that make the margins of
 * the points with weight
 * equal, to what their mean is, solve a system of normal equations; where some |e_C| would exceed 1 all are
 * shortened. Whatever
 * comes out is admissible, so that its least margin is a lower bound. Cost: m_cells open^2 d + n^3 / 6.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "margin_full_cells.h"

enum { R = FATHOM_FULL_RANK, ROUNDS = 4, REFINEMENTS = 3 };

typedef struct repair {
    const fathom_margin_points *points;
    const fathom_full_cells *cells;
    const double *room; /* m: c_C */
    double *e;          /* m x R */
    double *margin;     /* n */
    double *matrix;     /* n x n */
    double *alpha;      /* n */
    double *carries;    /* n: 1 for points whose margins are to be equal */
} repair;

static bool is_open(const repair *r, int64_t j, int64_t i)
{
    return r->cells->bits[j * r->cells->words + i / 64] >> i % 64 & 1;
}

/* sum of c_C^2 over the cells on which both points are open. */
static double shared_room(const repair *r, int64_t i, int64_t l)
{
    double sum = 0;
    for (int64_t j = 0; j < r->cells->m; j++)
        sum += is_open(r, j, i) && is_open(r, j, l) ? r->room[j] * r->room[j] : 0;
    return sum;
}

/* The factored normal equations sum_C c_C^2 <z_i, z_l> over cells on which both are open. */
static bool factor(repair *r)
{
    const int64_t n = r->points->n, d = r->cells->d;
    const double *z = r->points->z;
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l <= i; l++)
            r->matrix[i * n + l] = r->carries[i] > 0 && r->carries[l] > 0
                                       ? shared_room(r, i, l) * fathom_blas_dot(z + i * d, z + l * d, d)
                                       : 0;
    for (int64_t i = 0; i < n; i++)
        trace += r->matrix[i * n + i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l <= i; l++)
            r->matrix[l * n + i] = r->matrix[i * n + l] +=
                i == l ? (r->carries[i] > 0 ? 1e-15 : 1) * trace : 0;
    return trace > 0 && fathom_blas_cholesky(r->matrix, n, n) == 0;
}

/* margin_i of the map with these e, given those without. */
static void add_margins(repair *r, const double *before)
{
    const int64_t n = r->points->n, d = r->cells->d;
    memcpy(r->margin, before, (size_t)n * sizeof *before);
    for (int64_t j = 0; j < r->cells->m; j++)
        for (int64_t i = 0; i < n; i++)
            if (is_open(r, j, i))
                r->margin[i] += r->room[j] * fathom_blas_dot(r->e + j * R, r->points->z + i * d, d);
}

/* One solution of the normal equations for what is missing to `target`, added to e. */
static void improve(repair *r, double target)
{
    const int64_t n = r->points->n, d = r->cells->d;
    for (int64_t i = 0; i < n; i++)
        r->alpha[i] = r->carries[i] > 0 ? target - r->margin[i] : 0;
    fathom_blas_cholesky_solve(r->alpha, 1, r->matrix, n, n, 1);
    for (int64_t j = 0; j < r->cells->m; j++)
        for (int64_t i = 0; i < n; i++)
            if (r->carries[i] > 0 && is_open(r, j, i))
                fathom_blas_axpy(r->e + j * R, r->alpha[i] * r->room[j], r->points->z + i * d, d);
}

/* No e_C longer than 1. */
static void shorten(repair *r)
{
    double longest = 1;
    for (int64_t j = 0; j < r->cells->m; j++)
        longest = fmax(longest, fathom_blas_norm(r->e + j * R, r->cells->d) * (1 + 1e-14));
    for (int64_t k = 0; k < r->cells->m * R && longest > 1; k++)
        r->e[k] /= longest;
}

/* Points whose margins are below the target join; false where there are none. */
static bool join(repair *r, double target)
{
    bool any = false;
    for (int64_t i = 0; i < r->points->n; i++)
        if (r->carries[i] == 0 && r->margin[i] < target)
            r->carries[i] = 1, any = true;
    return any;
}

static void run_repair(repair *r, const double *before, const double *q)
{
    const int64_t n = r->points->n;
    double most = 0, target = 0, total = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, q[i]);
    for (int64_t i = 0; i < n; i++) {
        r->carries[i] = q[i] > 1e-4 * most;
        target += r->carries[i] > 0 ? q[i] * before[i] : 0;
        total += r->carries[i] > 0 ? q[i] : 0;
    }
    target /= total;
    memcpy(r->margin, before, (size_t)n * sizeof *before);
    for (int round = 0; round < ROUNDS; round++) {
        memset(r->e, 0, (size_t)(r->cells->m * R) * sizeof *r->e);
        memcpy(r->margin, before, (size_t)n * sizeof *before);
        if (!factor(r))
            break;
        for (int k = 0; k < REFINEMENTS; k++) {
            improve(r, target);
            add_margins(r, before);
        }
        if (!join(r, target))
            break;
    }
    shorten(r);
    add_margins(r, before);
}

int64_t fathom_full_repair_size(int64_t n, int64_t m) { return m * R + n * n + 2 * n; }

void fathom_full_repair(double *margin, double *work, const fathom_margin_points *points,
                        const fathom_full_cells *cells, const double *room, const double *before,
                        const double *q)
{
    const int64_t n = points->n;
    repair r = {.points = points, .cells = cells, .room = room, .margin = margin, .e = work};
    r.matrix = r.e + cells->m * R;
    r.alpha = r.matrix + n * n;
    r.carries = r.alpha + n;
    run_repair(&r, before, q);
}
