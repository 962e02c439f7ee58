/* SPDX-License-Identifier: Apache-2.0 */
/* The point of least norm over a box; problem and method in box_norm.h. */
#include "box_norm.h"

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

/* H = sum q_j q_j' over the inner variables plus a little of the identity; false where there is none or no factor. */
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

int64_t fathom_box_norm_work(int64_t r, int64_t count) { return r * r + r + count; }

double fathom_box_norm_solve(double *x, double *w, const fathom_box_norm *p, double *work)
{
    double *h = work, *step = h + p->r * p->r, *square = step + p->r;
    for (int64_t j = 0; j < p->count; j++)
        square[j] = dot(p->q[j], p->q[j], p->r);
    collect(w, x, p);
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
