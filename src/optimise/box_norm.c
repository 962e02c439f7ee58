/* SPDX-License-Identifier: Apache-2.0 */
/* The point of least norm over a box; problem and method in box_norm.h. */
#include "box_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"

enum { SWEEPS = 4 };

static double dot(const double *a, const double *b, int64_t r)
{
    double sum = 0;
    for (int64_t l = 0; l < r; l++)
        sum += a[l] * b[l];
    return sum;
}

/* w = g + sum_j x_j q_j. */
static void collect(double *w, const double *x, const fathom_box_norm *p)
{
    memcpy(w, p->g, (size_t)p->r * sizeof *w);
    for (int64_t j = 0; j < p->count; j++)
        for (int64_t l = 0; x[j] != 0 && l < p->r; l++)
            w[l] += x[j] * p->q[j][l];
}

/* One sweep of exact minimisation in each variable; returns the largest decrease of |w|^2 by one of them. */
static double sweep(double *x, double *w, const double *square, const fathom_box_norm *p)
{
    double largest = 0;
    for (int64_t j = 0; j < p->count; j++) {
        if (!(square[j] > 0))
            continue;
        const double wanted = x[j] - dot(p->q[j], w, p->r) / square[j];
        const double change = fmin(fmax(wanted, 0), p->upper[j]) - x[j];
        if (change == 0)
            continue;
        for (int64_t l = 0; l < p->r; l++)
            w[l] += change * p->q[j][l];
        x[j] += change;
        largest = fmax(largest, change * change * square[j]);
    }
    return largest;
}

/* H = sum q_j q_j' over the inner variables plus a little of the identity; false where there is none or no
 * factor. */
static bool factor_inner(double *h, const double *x, const fathom_box_norm *p)
{
    const int64_t r = p->r;
    bool any = false;
    double trace = 0;
    memset(h, 0, (size_t)(r * r) * sizeof *h);
    for (int64_t j = 0; j < p->count; j++) {
        if (!(x[j] > 0 && x[j] < p->upper[j]))
            continue;
        any = true;
        for (int64_t k = 0; k < r; k++)
            for (int64_t l = 0; l <= k; l++)
                h[k * r + l] += p->q[j][k] * p->q[j][l];
    }
    for (int64_t k = 0; k < r; k++)
        trace += h[k * r + k];
    for (int64_t k = 0; k < r; k++)
        h[k * r + k] += 1e-13 * trace;
    return any && trace > 0 && fathom_blas_cholesky(h, r, r) == 0;
}

/* The Newton step x_j -= q_j' H^-1 w on the inner variables, up to the first bound that it meets. */
static void newton(double *x, double *w, double *h, double *step, const fathom_box_norm *p)
{
    const int64_t r = p->r;
    double t = 1;
    if (!factor_inner(h, x, p))
        return;
    memcpy(step, w, (size_t)r * sizeof *step);
    fathom_blas_cholesky_solve(step, 1, h, r, r, 1);
    for (int64_t j = 0; j < p->count; j++) {
        if (!(x[j] > 0 && x[j] < p->upper[j]))
            continue;
        const double move = -dot(p->q[j], step, r);
        if (x[j] + t * move < 0)
            t = -x[j] / move;
        if (x[j] + t * move > p->upper[j])
            t = (p->upper[j] - x[j]) / move;
    }
    for (int64_t j = 0; j < p->count; j++)
        if (x[j] > 0 && x[j] < p->upper[j])
            x[j] = fmin(fmax(x[j] - t * dot(p->q[j], step, r), 0), p->upper[j]);
    collect(w, x, p);
}

/* Columns of the variables strictly inside, orthogonalised twice: basis (rank x r), factor (r x r, row k: the
 * coordinates of column k in the basis before it, then its length), index (r): whose column. Columns that
 * depend on those before stay where they are. */
typedef struct inner {
    double *basis, *factor, *index, *step, *rest;
    int64_t rank;
} inner;

static void add_column(inner *a, const fathom_box_norm *p, int64_t j, double length)
{
    const int64_t r = p->r;
    double *e = a->basis + a->rank * r, *row = a->factor + a->rank * r;
    if (a->rank == r || !(length > 0))
        return;
    memcpy(e, p->q[j], (size_t)r * sizeof *e);
    memset(row, 0, (size_t)r * sizeof *row);
    for (int twice = 0; twice < 2; twice++)
        for (int64_t k = 0; k < a->rank; k++) {
            const double part = dot(a->basis + k * r, e, r);
            row[k] += part;
            for (int64_t l = 0; l < r; l++)
                e[l] -= part * a->basis[k * r + l];
        }
    row[a->rank] = sqrt(dot(e, e, r));
    if (!(row[a->rank] > 1e-14 * length))
        return;
    for (int64_t l = 0; l < r; l++)
        e[l] /= row[a->rank];
    a->index[a->rank++] = (double)j;
}

/* The step of least |w + sum step_k q_k| over the columns of the basis, by back substitution. */
static void solve_inner(inner *a, const fathom_box_norm *p, const double *w)
{
    const int64_t r = p->r;
    for (int64_t k = a->rank - 1; k >= 0; k--) {
        double rest = -dot(a->basis + k * r, w, r);
        for (int64_t m = k + 1; m < a->rank; m++)
            rest -= a->factor[m * r + k] * a->step[m];
        a->step[k] = rest / a->factor[k * r + k];
    }
}

/* Takes the step up to the first bound that it meets, which its variable is then on; whether it met none. */
static bool take_step(double *x, const inner *a, const fathom_box_norm *p)
{
    double t = 1;
    int64_t first = -1;
    for (int64_t k = 0; k < a->rank; k++) {
        const int64_t j = (int64_t)a->index[k];
        const double room = a->step[k] < 0 ? -x[j] : p->upper[j] - x[j];
        if (fabs(a->step[k]) * t > fabs(room)) {
            t = room / a->step[k];
            first = k;
        }
    }
    for (int64_t k = 0; k < a->rank; k++) {
        const int64_t j = (int64_t)a->index[k];
        x[j] = fmin(fmax(x[j] + t * a->step[k], 0), p->upper[j]);
        if (k == first)
            x[j] = a->step[k] < 0 ? 0 : p->upper[j];
    }
    return first < 0;
}

/* What of w is orthogonal to the basis: where x is optimal inside w is, but for the rounding of long
 * columns. */
static const double *clear(const inner *a, const double *w, int64_t r)
{
    memcpy(a->rest, w, (size_t)r * sizeof *w);
    for (int64_t k = 0; k < 2 * a->rank; k++) {
        const double *e = a->basis + k % a->rank * r, part = dot(e, a->rest, r);
        for (int64_t l = 0; l < r; l++)
            a->rest[l] -= part * e[l];
    }
    return a->rest;
}

/* The variable on a bound that |w| pulls inside most, by the cosine of its column, and that has not been
 * tried at this |w|; -1 where none is by more than rounding. */
static int64_t pulled(const double *x, const double *w, const double *square, const double *tried,
                      const fathom_box_norm *p)
{
    const double norm = sqrt(dot(w, w, p->r));
    double most = 4 * (double)(p->r + 2) * DBL_EPSILON;
    int64_t best = -1;
    for (int64_t j = 0; j < p->count; j++) {
        const double slope = dot(p->q[j], w, p->r), inward = x[j] <= 0 ? -slope : slope;
        if (tried[j] > 0 || (x[j] > 0 && x[j] < p->upper[j]) || !(inward > most * norm * sqrt(square[j])))
            continue;
        most = inward / (norm * sqrt(square[j]));
        best = j;
    }
    return best;
}

/* Active sets with orthogonal factors, after Lawson and Hanson, from x: exact to the rounding of the columns
 * where these nearly depend on each other and a matrix of their products does. */
static void settle_active_set(double *x, double *w, const double *square, const fathom_box_norm *p,
                              double *work)
{
    const int64_t r = p->r;
    inner a = {.basis = work, .factor = work + r * r, .index = work + 2 * r * r};
    a.step = a.index + r;
    a.rest = a.step + r;
    double *best = a.rest + r, *tried = best + p->count, least = dot(w, w, r);
    memcpy(best, x, (size_t)p->count * sizeof *x);
    memset(tried, 0, (size_t)p->count * sizeof *tried);
    int64_t entered = -1;
    for (int64_t k = 0; k < 8 * (p->count + r) && least > p->enough * p->enough; k++) {
        a.rank = 0;
        if (entered >= 0)
            add_column(&a, p, entered, sqrt(square[entered]));
        for (int64_t j = 0; j < p->count; j++)
            if (j != entered && x[j] > 0 && x[j] < p->upper[j])
                add_column(&a, p, j, sqrt(square[j]));
        solve_inner(&a, p, w);
        const bool whole = take_step(x, &a, p);
        collect(w, x, p);
        const double norm = dot(w, w, r);
        if (norm < least * (1 - DBL_EPSILON))
            memset(tried, 0, (size_t)p->count * sizeof *tried);
        else if (entered >= 0)
            tried[entered] = 1;
        if (norm < least)
            memcpy(best, x, (size_t)p->count * sizeof *x);
        least = fmin(least, norm);
        entered = whole ? pulled(x, clear(&a, w, r), square, tried, p) : -1;
        if (whole && entered < 0)
            break;
    }
    memcpy(x, best, (size_t)p->count * sizeof *x);
    collect(w, x, p);
}

/* What active sets may cost: r^3 and r count for each of some count changes. */
static bool is_small(const fathom_box_norm *p)
{
    const double r = (double)p->r, count = (double)p->count;
    return p->patient && count * r * (r * r + count) <= 1e6;
}

int64_t fathom_box_norm_work(int64_t r, int64_t count) { return 2 * r * r + 3 * r + 3 * count; }

double fathom_box_norm_solve(double *x, double *w, const fathom_box_norm *p, double *work)
{
    double *square = work, *h = square + p->count, *step = h + p->r * p->r;
    for (int64_t j = 0; j < p->count; j++)
        square[j] = dot(p->q[j], p->q[j], p->r);
    collect(w, x, p);
    if (is_small(p))
        settle_active_set(x, w, square, p, h);
    double norm = dot(w, w, p->r);
    const double enough = p->enough * p->enough;
    for (int64_t round = 0; round < p->rounds && norm > enough; round++) {
        const double before = norm;
        double decrease = 0;
        for (int k = 0; k < SWEEPS && norm > enough; k++) {
            decrease = sweep(x, w, square, p);
            norm = dot(w, w, p->r);
            if (decrease <= 1e-17 * norm)
                break;
        }
        if (decrease > 1e-17 * norm && norm > enough) {
            newton(x, w, h, step, p);
            norm = dot(w, w, p->r);
        }
        /* hopeless: what rounds of this size could still gain does not reach the aim */
        if (!(before - norm > 1e-15 * norm) ||
            (!p->patient && enough > 0 && before - norm < 0.01 * (norm - enough)))
            break;
    }
    collect(w, x, p);
    return sqrt(dot(w, w, p->r));
}
