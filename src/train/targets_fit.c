/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two rows exclude every network that interpolates, decided exactly for the numbers in memory.
 *
 * Without a free bias f(c x) = c f(x) for c > 0 and f(0) = 0, for every network: rows in one direction need
 * targets in the ratio of their lengths, a zero row needs the target 0. With a free bias equal rows need
 * equal targets. x_j = c x_i is x_ik x_jl = x_il x_jk for all k, l: products of two doubles, compared exactly
 * by their rounded value and its error (fma). Targets are refused where y_j x_il and y_i x_jl, l the first
 * entry that is not 0, differ by more than NOISE of the largest target explains: targets that a computation
 * left carry errors of that size, and are fitted to it.
 *
 * O(n^2 d) in the worst case; rows that differ do so at the first entries.
 */
#include <math.h>

#include "context_internal.h"
#include "merge_rows.h"
#include "train_relu.h"

/* Errors of sums in the targets, relative to the largest of them: thousands of roundings. */
static const double NOISE = 0x1p-40;

/* z x and y q differ by more than the noise of targets up to `largest` explains. */
static bool differ(double z, double x, double y, double q, double largest)
{
    return !(fabs(z * x - y * q) <= NOISE * largest * (fabs(x) + fabs(q)));
}

/* Whether rows i and j exclude each other's targets. */
static bool exclude(const fathom_train_problem *p, int64_t i, int64_t j, int64_t l, double largest)
{
    const double *x = p->x + i * p->d, *q = p->x + j * p->d;
    if (p->constant ? !fathom_rows_same(x, q, p->d) : !fathom_rows_same_direction(x, q, p->d, l))
        return false;
    for (int64_t k = 0; k < p->outputs; k++) {
        const double y = p->y[k * p->n + i], z = p->y[k * p->n + j];
        if (p->constant ? y != z : differ(z, x[l], y, q[l], largest))
            return true;
    }
    return false;
}

static fathom_status refuse_zero_row(const fathom_train_problem *p, int64_t i)
{
    for (int64_t k = 0; k < p->outputs; k++)
        if (p->y[k * p->n + i] != 0)
            return fathom_error_set(p->context, FATHOM_ERROR_INPUT,
                                    "no network takes these targets: row %lld is 0, where every network "
                                    "without a bias is 0, and its target is %.17g",
                                    (long long)i, p->y[k * p->n + i]);
    return FATHOM_OK;
}

fathom_status fathom_targets_fit(const fathom_train_problem *p)
{
    double largest = 0;
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        largest = fmax(largest, fabs(p->y[i]));
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t l = fathom_row_first_entry(p->x + i * p->d, p->d);
        if (l == p->d && !p->constant) {
            FATHOM_TRY(refuse_zero_row(p, i));
            continue;
        }
        for (int64_t j = i + 1; j < p->n; j++)
            if (exclude(p, i, j, l, largest))
                return fathom_error_set(
                    p->context, FATHOM_ERROR_INPUT, "no network takes these targets: rows %lld and %lld %s",
                    (long long)i, (long long)j,
                    p->constant ? "are equal and have other targets"
                                : "point in one direction, and their targets are not in the ratio of their "
                                  "lengths");
    }
    return FATHOM_OK;
}
