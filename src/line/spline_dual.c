/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dual points on the line, balanced exactly, and their exact price.
 *
 * With a free constant the bound takes 1'v = 0 in real arithmetic: v goes on a grid of spacing unit = 2^-52 max |v|, its sum
 * is an exact integer, and what is left of it is taken off again unit by unit. Then with V_j = v_1 + ... + v_j (exact)
 *     G_{j+1} = G_j + V_j (x_{j+1} - x_j),   p(v) = max_j max(|G_j|, |G_j - G_N|)
 * in long double. A term is off by at most 3 e |V_j| h_j and each of the N sums by e |G_j|, e the epsilon of long double,
 * so that p is off by at most 2 e (N max |G| + 3 sum_j |V_j| h_j). O(n).
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "spline.h"

fathom_status fathom_spline_dual_open(fathom_spline_dual *dual, const fathom_spline_points *points)
{
    *dual = (fathom_spline_dual){0};
    dual->q = fathom_memory_alloc(points->context, points->n, sizeof *dual->q);
    dual->v = fathom_memory_alloc(points->context, points->n, sizeof *dual->v);
    dual->g = fathom_memory_alloc(points->context, points->count, sizeof *dual->g);
    return dual->q && dual->v && dual->g ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_spline_dual_close(fathom_spline_dual *dual, fathom_context *context)
{
    FATHOM_FREE(context, dual->q, dual->v, dual->g);
    *dual = (fathom_spline_dual){0};
}

/* Takes `left` units off evenly. */
static void spread(int64_t *q, int64_t n, __int128 left)
{
    const __int128 each = left / n, rest = left % n, count = rest < 0 ? -rest : rest;
    for (int64_t i = 0; i < n; i++)
        q[i] -= (int64_t)each;
    for (__int128 k = 0; k < count; k++)
        q[(int64_t)(k * n / count)] -= rest < 0 ? -1 : 1;
}

/* Takes `left` units off the entries of its sign, the largest of which has more: signs and bounds survive. */
static void shrink(int64_t *q, int64_t n, __int128 left)
{
    while (left != 0) {
        int64_t largest = 0;
        for (int64_t i = 1; i < n; i++)
            if (left > 0 ? q[i] > q[largest] : q[i] < q[largest])
                largest = i;
        const __int128 have = q[largest],
                       take = llabs((long long)q[largest]) < (left < 0 ? -left : left) ? have : left;
        if (take == 0 || (take > 0) != (left > 0))
            return;
        q[largest] -= (int64_t)take;
        left -= take;
    }
}

/* v on the grid, rounded towards zero, with sum 0. */
static void balance(fathom_spline_dual *dual, const fathom_spline_points *points)
{
    const fathom_objective problem = fathom_spline_problem(points, 1);
    double largest = 0;
    int exponent;
    fathom_objective_balance(dual->v, &problem);
    for (int64_t i = 0; i < points->n; i++)
        largest = fmax(largest, fabs(dual->v[i]));
    frexp(largest, &exponent);
    dual->unit = ldexp(1, exponent - 52);
    const double inverse = ldexp(1, 52 - exponent);
    __int128 sum = 0;
    for (int64_t i = 0; i < points->n; i++) {
        dual->q[i] = (int64_t)(dual->v[i] * inverse);
        sum += dual->q[i];
    }
    if (points->loss == FATHOM_LOSS_SQUARED)
        spread(dual->q, points->n, sum);
    else
        shrink(dual->q, points->n, sum);
    for (int64_t i = 0; i < points->n; i++)
        dual->v[i] = (double)dual->q[i] * dual->unit;
}

void fathom_spline_dual_price(fathom_spline_dual *dual, const fathom_spline_points *points)
{
    const int64_t count = points->count;
    __int128 sum = 0;
    long double g = 0, size = 0, top = 0, bottom = 0;
    balance(dual, points);
    for (int64_t k = 0; k < count; k++) {
        dual->g[k] = (double)(g * dual->unit);
        top = g > top ? g : top;
        bottom = g < bottom ? g : bottom;
        if (k + 1 == count)
            break;
        for (int64_t i = points->first[k]; i < points->first[k + 1]; i++)
            sum += dual->q[i];
        const long double term = (long double)sum * ((long double)points->place[k + 1] - points->place[k]);
        g += term;
        size += fabsl(term);
    }
    for (int64_t k = 0; k < count; k++)
        dual->g[k] -= (double)(g * dual->unit) / 2;
    dual->half = (double)(fabsl(g) * dual->unit) / 2;
    const long double largest = fmaxl(fmaxl(top, -bottom), fmaxl(top - g, g - bottom));
    const long double error = 2 * LDBL_EPSILON * ((long double)(count + 4) * fmaxl(top, -bottom) + 4 * size);
    dual->price = (double)((largest + error) * dual->unit) * (1 + 2 * DBL_EPSILON);
}
