/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wolfe's minimum-norm-point algorithm with an updated Cholesky factor: see min_norm.h.
 *
 * The corral is a set of affinely independent points whose affine hull has its nearest point inside their convex hull.
 * Major step: the point with the least <x, p_j> enters (p_j = b_j - q). Minor step: towards the affine minimiser until
 * a weight is 0, whose point leaves. The affine minimiser is a / sum(a) with (s 11' + P P') a = 1 for any s > 0; here
 * s = reach^2, so that the matrix is well scaled. Its factor gains a row by a triangular solve and loses one by Givens
 * rotations, O(k^2) each. |x| decreases strictly, no corral returns, so the algorithm is finite in exact arithmetic;
 * in floating point it stops where the least product no longer tells, with the bounds that hold then.
 */
#include "min_norm.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

/* Steps per dimension after which the bounds at hand are returned. */
enum { STEPS_PER_DIMENSION = 64, STEPS_LEAST = 1000 };

fathom_status fathom_min_norm_open(fathom_min_norm *w, fathom_context *context, int64_t points, int64_t d)
{
    const int64_t most = d + 1;
    *w = (fathom_min_norm){.context = context, .d = d, .most = most};
    w->index = fathom_memory_alloc(context, most, sizeof *w->index);
    w->weight = fathom_memory_alloc(context, 3 * most + d + points, sizeof *w->weight);
    w->point = fathom_memory_alloc(context, most * d, sizeof *w->point);
    w->factor = fathom_memory_zero(context, most * most, sizeof *w->factor);
    if (!w->index || !w->weight || !w->point || !w->factor)
        return FATHOM_ERROR_MEMORY;
    w->affine = w->weight + most;
    w->row = w->affine + most;
    w->x = w->row + most;
    w->product = w->x + d;
    return FATHOM_OK;
}

void fathom_min_norm_close(fathom_min_norm *w)
{
    if (!w->context)
        return;
    FATHOM_FREE(w->context, w->index, w->weight, w->point, w->factor);
    *w = (fathom_min_norm){0};
}

double fathom_min_norm_zero(int64_t d, double reach) { return 64 * (double)(d + 8) * 0x1p-53 * reach; }

/* Lets point b_j enter with weight 0; false where it depends on the corral affinely, to rounding. */
static bool enter(fathom_min_norm *w, int64_t j, const double *b, const double *q, double s)
{
    const int64_t k = w->count, d = w->d;
    if (k == w->most)
        return false;
    double *p = w->point + k * d;
    for (int64_t c = 0; c < d; c++)
        p[c] = b[c] - q[c];
    for (int64_t i = 0; i < k; i++)
        w->row[i] = s + fathom_blas_dot(w->point + i * d, p, d);
    const double full = s + fathom_blas_dot(p, p, d);
    if (k > 0)
        fathom_blas_triangular_solve(w->row, 1, fathom_plain(w->factor, w->most), true, k, 1);
    const double left = full - (k > 0 ? fathom_blas_dot(w->row, w->row, k) : 0);
    if (!(left > 8 * (double)(d + 8) * 0x1p-53 * full))
        return false;
    memcpy(w->factor + k * w->most, w->row, (size_t)k * sizeof *w->row);
    w->factor[k * w->most + k] = sqrt(left);
    w->index[k] = j;
    w->weight[k] = 0;
    w->count = k + 1;
    return true;
}

/* Point r of the corral leaves: its row of L goes, and rotations of columns c, c+1 make L triangular again. */
static void leave_corral(fathom_min_norm *w, int64_t r)
{
    const int64_t k = w->count - 1, ld = w->most;
    for (int64_t i = r; i < k; i++) {
        memcpy(w->factor + i * ld, w->factor + (i + 1) * ld, (size_t)(i + 2) * sizeof *w->factor);
        memcpy(w->point + i * w->d, w->point + (i + 1) * w->d, (size_t)w->d * sizeof *w->point);
        w->weight[i] = w->weight[i + 1];
        w->index[i] = w->index[i + 1];
    }
    for (int64_t c = r; c < k; c++) {
        double *top = w->factor + c * ld + c;
        const double length = hypot(top[0], top[1]), cosine = top[0] / length, sine = top[1] / length;
        for (int64_t i = c; i < k; i++) {
            double *pair = w->factor + i * ld + c;
            const double left = pair[0], right = pair[1];
            pair[0] = cosine * left + sine * right;
            pair[1] = cosine * right - sine * left;
        }
    }
    w->count = k;
}

/* The affine minimiser's weights. */
static void solve_affine(fathom_min_norm *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->count; i++)
        w->affine[i] = 1;
    fathom_blas_cholesky_solve(w->affine, 1, w->factor, w->most, w->count, 1);
    for (int64_t i = 0; i < w->count; i++)
        sum += w->affine[i];
    fathom_blas_scale(w->affine, 1 / sum, w->count);
}

/* Minor steps: moves to the affine minimiser, dropping points whose weight vanishes on the way. */
static void settle_weights(fathom_min_norm *w)
{
    for (;;) {
        double step = 1;
        int64_t first = -1;
        solve_affine(w);
        for (int64_t i = 0; i < w->count; i++)
            if (w->affine[i] <= 0 && w->weight[i] <= step * (w->weight[i] - w->affine[i])) {
                step = w->weight[i] > 0 ? w->weight[i] / (w->weight[i] - w->affine[i]) : 0;
                first = i;
            }
        for (int64_t i = 0; i < w->count; i++)
            w->weight[i] += step * (w->affine[i] - w->weight[i]);
        if (first < 0 || w->count == 1)
            return;
        leave_corral(w, first);
    }
}

/* x from the weights; |x|. */
static double place(fathom_min_norm *w)
{
    fathom_blas_gemv(w->x, w->d, w->count, 1, fathom_transposed(w->point, w->d), w->weight, 0);
    return fathom_blas_norm(w->x, w->d);
}

/* The point with the least <x, b_j - q>, and that product. */
static int64_t least(double *value, fathom_min_norm *w, const double *b, int64_t n, const double *q,
                     int64_t skip)
{
    int64_t best = -1;
    fathom_blas_gemv(w->product, n, w->d, 1, fathom_plain(b, w->d), w->x, 0);
    for (int64_t j = 0; j < n; j++)
        if (j != skip && (best < 0 || w->product[j] < w->product[best]))
            best = j;
    *value = w->product[best] - fathom_blas_dot(q, w->x, w->d);
    return best;
}

static bool in_corral(const fathom_min_norm *w, int64_t j)
{
    for (int64_t i = 0; i < w->count; i++)
        if (w->index[i] == j)
            return true;
    return false;
}

void fathom_min_norm_solve(fathom_min_norm *w, const double *b, int64_t n, const double *q, int64_t skip,
                           double reach)
{
    const double zero = fathom_min_norm_zero(w->d, reach), s = reach > 0 ? reach * reach : 1;
    const int64_t most = STEPS_LEAST + STEPS_PER_DIMENSION * w->d;
    /* <x, b_j> and <x, q> are each within (d + 1) 2^-53 |x| reach, and |x| and the quotient within a few units. */
    const double rounding = 2 * (double)(w->d + 8) * 0x1p-53 * reach;
    double value;
    w->count = 0;
    w->upper = INFINITY;
    w->lower = 0;
    if (n < 1 + (skip >= 0)) { /* nothing is infinitely far away */
        memset(w->x, 0, (size_t)w->d * sizeof *w->x);
        w->lower = INFINITY;
        w->steps = 0;
        return;
    }
    enter(w, skip == 0 ? 1 : 0, b + (skip == 0 ? w->d : 0), q, s);
    w->weight[0] = 1;
    for (w->steps = 1; w->steps <= most; w->steps++) {
        const double before = w->upper;
        w->upper = fmin(place(w), before);
        if (w->upper <= zero || w->upper == before)
            return;
        const int64_t j = least(&value, w, b, n, q, skip);
        w->lower = fmax(w->lower, value / w->upper * (1 - 0x1p-50) - rounding);
        if (value >= w->upper * (w->upper - zero) || in_corral(w, j) || !enter(w, j, b + j * w->d, q, s))
            return;
        settle_weights(w);
    }
}
