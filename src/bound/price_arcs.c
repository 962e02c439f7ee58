/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices in the plane, exactly: between two neighbouring kinks (directions orthogonal to a row) the open rows are fixed and
 *
 *     sum_i weight_i (a_i'u)_+ = G u,     G (outputs x 2) = sum over open rows of weight_i a_i'
 *
 * so the norm is largest at the top right singular vector of G where that lies on the arc, else at an end of it. The 2m kinks
 * are sorted by angle; G changes by one row at each and is summed afresh every 64 kinks. O(m log m).
 *
 * Rounding. Angles are off by at most 8 u and a row on the wrong side of its kink by that angle counts at most 8 u |a_i|; sums
 * by (m + 64) u. All of it is Lipschitz with the constant `reach`. [convex.md b]
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "price_internal.h"

enum { REFRESH = 64 };

typedef struct kink {
    double angle;
    int64_t row;
    double turn; /* +1 where the row opens, -1 where it closes */
} kink;

static int by_angle(const void *left, const void *right)
{
    const kink *a = left, *b = right;
    return a->angle < b->angle ? -1 : a->angle > b->angle ? 1 : (a->row > b->row) - (a->row < b->row);
}

static const double turn = 6.283185307179586, quarter = 1.5707963267948966;

/* Row i opens at its angle - pi/2 and closes at its angle + pi/2; angles in [0, 2 pi). */
static int64_t list_kinks(kink *kinks, const fathom_price_rows *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows->m; i++) {
        const double angle = atan2(rows->a[2 * i + 1], rows->a[2 * i]);
        for (int k = 0; k < 2; k++) {
            double at = angle + (k ? quarter : -quarter);
            if (at < 0)
                at += turn;
            kinks[count++] = (kink){at < turn ? at : at - turn, i, k ? -1 : 1};
        }
    }
    qsort(kinks, (size_t)count, sizeof *kinks, by_angle);
    return count;
}

static void add_row(double *g, const fathom_price_rows *rows, int64_t i, double times)
{
    for (int64_t k = 0; k < rows->outputs; k++) {
        const double weight = times * rows->weight[i * rows->outputs + k];
        g[2 * k] += weight * rows->a[2 * i];
        g[2 * k + 1] += weight * rows->a[2 * i + 1];
    }
}

/* G summed over the open rows. */
static void sum_open(double *g, const fathom_price_rows *rows, const bool *open)
{
    memset(g, 0, (size_t)(2 * rows->outputs) * sizeof *g);
    for (int64_t i = 0; i < rows->m; i++)
        if (open[i])
            add_row(g, rows, i, 1);
}

static double norm_at(const double *g, int64_t outputs, double angle)
{
    const double c = cos(angle), s = sin(angle);
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++) {
        const double value = g[2 * k] * c + g[2 * k + 1] * s;
        sum += value * value;
    }
    return sqrt(sum);
}

/* Offers the largest |G u| over the arc [from, to]: its top singular direction, up to sign, where inside, else the ends. */
static void offer_arc(double *top, double *where, const double *g, int64_t outputs, double from, double to)
{
    double xx = 0, xy = 0, yy = 0;
    for (int64_t k = 0; k < outputs; k++) {
        xx += g[2 * k] * g[2 * k];
        xy += g[2 * k] * g[2 * k + 1];
        yy += g[2 * k + 1] * g[2 * k + 1];
    }
    double angle = atan2(2 * xy, xx - yy) / 2; /* top eigenvector of G'G */
    angle += turn / 2 * ceil((from - angle) / (turn / 2));
    const double at[3] = {from, to, angle <= to ? angle : from};
    for (int k = 0; k < 3; k++) {
        const double value = norm_at(g, outputs, at[k]);
        if (value > *top) {
            *top = value;
            *where = at[k];
        }
    }
}

/* All arcs; g (outputs x 2) and open (m) are workspace. Before the first kink a row is open where it closes first. */
static double walk(double *where, const kink *kinks, int64_t count, const fathom_price_rows *rows, double *g,
                   bool *open)
{
    double top = 0;
    for (int64_t k = count - 1; k >= 0; k--)
        open[kinks[k].row] = kinks[k].turn < 0;
    for (int64_t k = 0; k < count; k++) {
        const double from = kinks[k].angle, to = k + 1 < count ? kinks[k + 1].angle : kinks[0].angle + turn;
        open[kinks[k].row] = kinks[k].turn > 0;
        if (k % REFRESH == 0)
            sum_open(g, rows, open);
        else
            add_row(g, rows, kinks[k].row, kinks[k].turn);
        offer_arc(&top, where, g, rows->outputs, from, to);
    }
    return top;
}

fathom_status fathom_price_arcs(double *upper, fathom_price_best *best, int64_t *arcs,
                                const fathom_price_rows *rows, fathom_context *context)
{
    double sign, where = 0;
    kink *kinks = fathom_memory_alloc(context, 2 * rows->m, sizeof *kinks);
    double *g = fathom_memory_alloc(context, 2 * rows->outputs, sizeof *g);
    bool *open = fathom_memory_alloc(context, rows->m, sizeof *open);
    const fathom_status status = kinks && g && open ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        *arcs = list_kinks(kinks, rows);
        *upper = walk(&where, kinks, *arcs, rows, g, open);
        const double u[2] = {cos(where), sin(where)};
        const double value = fathom_price_value(&sign, rows, u);
        if (value > best->value) {
            best->value = value;
            best->sign = sign;
            memcpy(best->u, u, sizeof u);
        }
        *upper += (double)(rows->m + 256) * DBL_EPSILON * rows->reach;
    }
    FATHOM_FREE(context, open, g, kinks);
    return status;
}
