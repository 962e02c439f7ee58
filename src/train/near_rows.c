/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs on rows in coordinates that tell near rows apart.
 *
 *     (T f)_i = (f_i - c_i f_p) / l_i,   p the parent of i,   l_i = |x_i - c_i x_p|
 *
 * or f_i / l_i, l_i = |x_i|, where i has no parent. Without a free bias c_i = <x_i, x_p> / |x_p|^2 (rows
 * far from the origin are close by their angles); with one c_i = 1, and l_i is the spread of the data where
 * there is no parent. Parents are those of a shortest tree of the rows that are CLOSE; so T is triangular,
 * and T relu(Xu + b), |u| = 1, has entries up to about 1 whatever the distances. A dual point v = T'w,
 * which is as large as the rows are close, is found as a w of moderate size, and <v, f> = <w, T f> without
 * cancellation.
 *
 * O(n^2 d).
 */
#include "near_rows.h"

#include <math.h>

#include "blas.h"
#include "memory.h"
#include "sum.h"

/* Rows closer than this, relative to their length or to the spread of the data, have a parent. */
static const double CLOSE = 0.05;

/* <x, u> + b without the cancellation of its terms. */
static double long_dot(const double *x, const double *u, int64_t d, double b)
{
    double low;
    return fathom_dot_long(&low, x, u, d, b);
}

/* Row i relative to c times row p: step, and its length. */
static double set_step(fathom_near_rows *a, int64_t i, int64_t p, double c)
{
    const int64_t d = a->problem->d;
    const double *x = a->problem->x;
    double *step = a->step + i * (d + 1);
    for (int64_t k = 0; k < d; k++)
        step[k] = p < 0 ? x[i * d + k] : fma(-c, x[p * d + k], x[i * d + k]);
    step[d] = p < 0 ? 1 : 1 - c;
    a->parent[i] = p;
    a->factor[i] = p < 0 ? 0 : c;
    return fathom_blas_norm(step, d);
}

/* The multiple of row p that is taken from row i. */
static double factor_of(const fathom_train_problem *t, int64_t i, int64_t p)
{
    const double *x = t->x + p * t->d, square = fathom_blas_dot(x, x, t->d);
    if (t->constant)
        return 1;
    return square > 0 ? fmax(0, fathom_blas_dot(t->x + i * t->d, x, t->d) / square) : 0;
}

static double spread_of(const fathom_train_problem *t)
{
    double spread = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double square = 0;
        for (int64_t k = 0; k < t->d; k++)
            square += pow(t->x[i * t->d + k] - t->x[k], 2);
        spread = fmax(spread, sqrt(square));
    }
    return spread;
}

/* Prim's algorithm: the row that is nearest to those in the tree comes next. `gap` (n): its distance,
 * relative; inf once it is in. */
static void grow_tree(fathom_near_rows *a, double *gap, double spread)
{
    const fathom_train_problem *t = a->problem;
    for (int64_t done = 0; done < t->n; done++) {
        int64_t next = 0;
        while (next < t->n && isinf(gap[next]))
            next++;
        for (int64_t i = next + 1; i < t->n; i++)
            next = gap[i] < gap[next] ? i : next;
        gap[next] = INFINITY;
        for (int64_t i = 0; i < t->n; i++) {
            const double unit = t->constant ? spread : t->reach[i], c = factor_of(t, i, next);
            if (isinf(gap[i]) || !(c > 0) || !(unit > 0))
                continue;
            const int64_t before = a->parent[i];
            const double old = a->factor[i], now = set_step(a, i, next, c) / unit;
            if (now > 0 && now < fmin(gap[i], CLOSE)) {
                gap[i] = now;
                a->length[i] = now * unit;
            } else
                set_step(a, i, before, old);
        }
    }
}

fathom_status fathom_near_rows_open(fathom_near_rows *rows, const fathom_train_problem *problem, bool apart)
{
    const int64_t n = problem->n, d = problem->d;
    *rows = (fathom_near_rows){.problem = problem};
    rows->parent = fathom_memory_alloc(problem->context, n, sizeof *rows->parent);
    rows->factor = fathom_memory_alloc(problem->context, n * (d + 4), sizeof *rows->factor);
    if (!rows->parent || !rows->factor)
        return FATHOM_ERROR_MEMORY;
    rows->length = rows->factor + n;
    rows->step = rows->length + n;
    double *gap = rows->step + n * (d + 1);
    const double spread = problem->constant ? spread_of(problem) : 0;
    for (int64_t i = 0; i < n; i++) {
        set_step(rows, i, -1, 0);
        const double unit = problem->constant ? spread : problem->reach[i];
        rows->length[i] = unit > 0 ? unit : 1;
        gap[i] = 1;
    }
    if (apart)
        grow_tree(rows, gap, spread);
    return FATHOM_OK;
}

void fathom_near_rows_close(fathom_near_rows *rows)
{
    FATHOM_FREE(rows->problem->context, rows->parent, rows->factor);
}

void fathom_near_rows_apply(double *g, const fathom_near_rows *rows, const double *f)
{
    for (int64_t i = 0; i < rows->problem->n; i++) {
        const int64_t p = rows->parent[i];
        g[i] = (p < 0 ? f[i] : fma(-rows->factor[i], f[p], f[i])) / rows->length[i];
    }
}

void fathom_near_rows_neuron(double *g, const fathom_near_rows *rows, const double *neuron)
{
    const fathom_train_problem *t = rows->problem;
    const int64_t d = t->d;
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t p = rows->parent[i];
        const double here = long_dot(t->x + i * d, neuron, d, neuron[d]);
        const double there = p < 0 ? -1 : long_dot(t->x + p * d, neuron, d, neuron[d]);
        double rise = fmax(0, here) - rows->factor[i] * fmax(0, there);
        if (here > 0 && there > 0)
            rise = long_dot(rows->step + i * (d + 1), neuron, d, rows->step[i * (d + 1) + d] * neuron[d]);
        g[i] = rise / rows->length[i];
    }
}

void fathom_near_rows_transpose(double *v, const fathom_near_rows *rows, const double *w)
{
    for (int64_t i = 0; i < rows->problem->n; i++)
        v[i] = w[i] / rows->length[i];
    for (int64_t i = 0; i < rows->problem->n; i++)
        if (rows->parent[i] >= 0)
            v[rows->parent[i]] -= rows->factor[i] * (w[i] / rows->length[i]);
}
