/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation on the line in closed form, and the family of all minimisers.
 *
 * The norm R of spline.h at s_k = (y_{k+1} - y_k) / (x_{k+1} - x_k). Proof from below by the dual point with
 * prices
 *     G_1 = 0,  G_j = g_j - e,  G_N = -2 e,      g_j = sign(J_j), e = 0                            where |s_1
 *       + s_{N-1}| <= TV
 *                                                g_j = sign(J_j) / 2, e = sign(s_1 + s_{N-1}) / 2  otherwise:
 * v'y = sum_j g_j J_j + e (s_1 + s_{N-1}) = R and p(v) = 1. It is kept as V_j = v_1 + ... + v_j = (G_{j+1} -
 * G_j) / h_j, in doubles, so that 1'v = 0 whatever the rounding of V; p and v'y of these doubles are then
 * evaluated with error bounds.
 *
 * Minimisers [001, Prop. 3.1]: between two neighbouring data points whose jumps have the same sign, f may be
 * any convex (concave) curve that the spline continued from both sides encloses, a triangle over the interval
 * with its apex where the two continuations meet. Where E = s_1 + s_{N-1} has |E| > TV the norm is (TV + |E|)
 * / 2, and a first slope that differs from s_1 by t towards 0 of E adds t to TV and takes t from |E|, up to t
 * = (|E| - TV) / 2 at both ends together: kinks outside the data are free, and so is the first interval where
 * J_2 has the sign of E, the last where J_{N-1} has the other one. Everywhere else f is the spline
 * (docs/explanation/line.md). O(n log n).
 */
#include "spline_interpolate.h"

#include <float.h>
#include <math.h>

#include "memory.h"

fathom_status fathom_spline_interpolate(fathom_spline *spline, const fathom_spline_points *points)
{
    const int64_t count = points->count;
    FATHOM_TRY(fathom_spline_reserve(spline, points->context, count));
    spline->count = count;
    for (int64_t k = 0; k < count; k++) {
        spline->knot[k] = k;
        spline->z[k] = points->y[k];
        spline->jump[k] = 0;
        if (k + 1 < count)
            spline->s[k] = (double)(((long double)points->y[k + 1] - points->y[k]) /
                                    (((long double)points->place[k + 1] - points->place[k]) * points->scale));
        if (k > 0 && k + 1 < count)
            spline->jump[k] = spline->s[k] - spline->s[k - 1];
    }
    return FATHOM_OK;
}

/* G_j as above. */
static double intended_price(const fathom_spline *spline, int64_t j, bool outer, double e)
{
    if (j == 0)
        return 0;
    if (j == spline->count - 1)
        return -2 * e;
    const double jump = spline->jump[j], g = jump > 0 ? 1 : jump < 0 ? -1 : 0;
    return (outer ? g / 2 : g) - e;
}

double fathom_spline_interpolate_bound(const fathom_spline *spline, const fathom_spline_points *points,
                                       double excess)
{
    double tv, ends;
    fathom_spline_norm(&tv, &ends, spline);
    const bool outer = fabs(ends) > tv;
    const double e = outer ? copysign(0.5, ends) : 0;
    long double g = 0, top = 0, bottom = 0, product = 0, size = 0, length = 0, mass = 0;
    double before = 0, here = 0;
    for (int64_t k = 0; k + 1 < points->count; k++) {
        const long double h = (long double)points->place[k + 1] - points->place[k];
        const long double dy = (long double)points->y[k + 1] - points->y[k];
        const double next = intended_price(spline, k + 1, outer, e);
        const double v = (double)((next - here) / h);
        here = next;
        g += v * h;
        top = g > top ? g : top;
        bottom = g < bottom ? g : bottom;
        product -= v * dy;
        size += fabsl(v * dy);
        length += fabsl(v * h);
        mass += fabs(v - before);
        before = v;
    }
    mass += fabs(before);
    const long double largest = fmaxl(fmaxl(top, -bottom), fmaxl(top - g, g - bottom));
    const long double terms = (long double)points->count + 8;
    const long double price = largest + 4 * LDBL_EPSILON * (terms * fmaxl(top, -bottom) + length) +
                              (long double)excess * mass * (1 + 0x1p-20L);
    const long double value = product - 4 * LDBL_EPSILON * (terms * fabsl(product) + terms * size);
    return price > 0 && value > 0 ? (double)(value / price) * (1 - 4 * DBL_EPSILON) : 0;
}

/* Interval k with its apex: f leaves its left end with the slope `before` and reaches its right end with
 * `after`. */
static void put_interval(double interval[4], const fathom_spline *spline, const fathom_spline_points *points,
                         int64_t k, double before, double after)
{
    const double x0 = points->place[spline->knot[k]], x1 = points->place[spline->knot[k + 1]];
    const double left = spline->s[k] - before, right = after - spline->s[k]; /* of one sign */
    const double ahead = (x1 - x0) * (right / (left + right));
    interval[0] = x0;
    interval[1] = x1;
    interval[2] = x0 + ahead;
    interval[3] = spline->z[k] + points->shift + before * points->scale * ahead;
}

void fathom_spline_interpolate_dual(double *v, const fathom_spline *spline,
                                    const fathom_spline_points *points)
{
    double tv, ends, before = 0, here = 0;
    fathom_spline_norm(&tv, &ends, spline);
    const bool outer = fabs(ends) > tv;
    const double e = outer ? copysign(0.5, ends) : 0;
    for (int64_t k = 0; k + 1 < points->count; k++) {
        const double next = intended_price(spline, k + 1, outer, e);
        const double sum = (double)((next - here) / ((long double)points->place[k + 1] - points->place[k]));
        v[k] = sum - before;
        before = sum;
        here = next;
    }
    v[points->count - 1] = -before;
}

int64_t fathom_spline_free_intervals(double (*interval)[4], int64_t most, const fathom_spline *spline,
                                     const fathom_spline_points *points)
{
    const int64_t last = spline->count - 2; /* interval */
    int64_t count = 0;
    double tv, ends;
    fathom_spline_norm(&tv, &ends, spline);
    /* how far the slopes at the ends may move, and where to */
    const double t = fabs(ends) > tv ? copysign((fabs(ends) - tv) / 2, ends) : 0;
    for (int64_t k = 0; k <= last && last > 0; k++) {
        const double before = k > 0 ? spline->s[k - 1] : spline->s[0] - t;
        const double after = k < last ? spline->s[k + 1] : spline->s[last] - t;
        if (spline->knot[k + 1] != spline->knot[k] + 1 ||
            !((spline->s[k] - before) * (after - spline->s[k]) > 0))
            continue;
        if (count < most)
            put_interval(interval[count], spline, points, k, before, after);
        count++;
    }
    return count;
}
