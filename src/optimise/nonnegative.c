/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Least norm under linear inequalities, by its dual over nonnegative multipliers [Lawson and Hanson 1974, Ch. 23].
 *
 *     minimise |x|^2 / 2,  Z x >= c          maximise c'l - |Z'l|^2 / 2,  l >= 0,          x = Z'l
 *
 * Z n x d. Method: a passive set P with G_PP l_P = c_P, G = ZZ'. The row that violates its constraint most enters; rows whose
 * multiplier would turn negative leave on the way. A row that depends on those of P takes the place of one of them, or
 * else proves that the constraints contradict each other. The dual value grows with every step: no cycles.
 *
 * Guarantee: D = c'l - |x|^2 / 2 at any l >= 0 gives |x*| >= sqrt(2 D); where all rows with c_i > 0 have <z_i, x> >= s c_i and
 * the others <z_i, x> >= -slack, |x*| <= |x| / s. Cost: n d per step, k^3 / 3 for k rows in P, k <= d.
 */
#include "nonnegative.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

static const double slack = 1e-12; /* violations below this, relative to |z_i| |x| + c_i, are rounding */

typedef struct passive_set {
    int64_t n, d, count;
    const double *z, *c;
    double *x, *multiplier; /* d; n */
    double *square;         /* n: |z_i|^2 */
    double *product;        /* n: Z x */
    double *factor, *trial; /* d x d, d */
    int64_t *row;           /* d: those in P */
    uint8_t *state;         /* n: 0 outside, 1 in P, 2 passed over */
} passive_set;

enum { OUTSIDE, INSIDE, PASSED };

/* x = Z_P' l_P and Z x. */
static void combine(passive_set *s)
{
    memset(s->x, 0, (size_t)s->d * sizeof(double));
    for (int64_t k = 0; k < s->count; k++)
        fathom_blas_axpy(s->x, s->multiplier[s->row[k]], s->z + s->row[k] * s->d, s->d);
    fathom_blas_gemv(s->product, s->n, s->d, 1, fathom_plain(s->z, s->d), s->x, 0);
}

/* trial <- G_PP^{-1} trial; false where the rows of P are dependent to rounding. */
static bool solve_gram(passive_set *s)
{
    const int64_t k = s->count;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++)
            s->factor[a * k + b] = fathom_blas_dot(s->z + s->row[a] * s->d, s->z + s->row[b] * s->d, s->d);
    if (fathom_blas_cholesky(s->factor, k, k) != 0)
        return false;
    for (int64_t a = 0; a < k; a++)
        if (s->factor[a * k + a] * s->factor[a * k + a] <= 1e-13 * s->square[s->row[a]])
            return false;
    fathom_blas_cholesky_solve(s->trial, 1, s->factor, k, k, 1);
    return true;
}

/* trial = G_PP^{-1} c_P. */
static bool solve(passive_set *s)
{
    for (int64_t a = 0; a < s->count; a++)
        s->trial[a] = s->c[s->row[a]];
    return solve_gram(s);
}

static void leave_row(passive_set *s, int64_t k)
{
    s->multiplier[s->row[k]] = 0;
    s->state[s->row[k]] = OUTSIDE;
    s->row[k] = s->row[--s->count];
}

/* The most violated row outside, or -1. */
static int64_t most_violated(const passive_set *s)
{
    const double norm = fathom_blas_norm(s->x, s->d);
    double worst = 0;
    int64_t best = -1;
    for (int64_t i = 0; i < s->n; i++) {
        const double length = sqrt(s->square[i]), gap = s->c[i] - s->product[i];
        if (s->state[i] != OUTSIDE || !(length > 0) || !(gap > slack * (length * norm + s->c[i])))
            continue;
        if (gap / length > worst) {
            worst = gap / length;
            best = i;
        }
    }
    return best;
}

/* From l towards the solution on P as far as it stays nonnegative; rows at 0 leave; until P's solution is positive. */
static void settle_multipliers(passive_set *s)
{
    while (s->count > 0) {
        double step = 1;
        int64_t first = -1;
        if (!solve(s))
            return;
        for (int64_t k = 0; k < s->count; k++) {
            const double l = s->multiplier[s->row[k]];
            if (s->trial[k] <= 0 && l / (l - s->trial[k]) < step) {
                step = l / (l - s->trial[k]);
                first = k;
            }
        }
        for (int64_t k = 0; k < s->count; k++) {
            double *l = s->multiplier + s->row[k];
            *l = fmax(0, *l + step * (s->trial[k] - *l));
        }
        if (first < 0)
            return;
        s->multiplier[s->row[first]] = 0;
        for (int64_t k = s->count - 1; k >= 0; k--)
            if (s->multiplier[s->row[k]] <= 0)
                leave_row(s, k);
    }
}

/* Row i = sum_k r_k z_k over P: l_i grows and l_P shrinks by r without moving x, until a row of P is free to leave for it.
 * False where none ever is: the constraints contradict each other, or rounding hides the dependence. */
static bool exchange(passive_set *s, int64_t i)
{
    double most = INFINITY;
    int64_t out = -1;
    for (int64_t k = 0; k < s->count; k++)
        s->trial[k] = fathom_blas_dot(s->z + s->row[k] * s->d, s->z + i * s->d, s->d);
    if (!solve_gram(s))
        return false;
    for (int64_t k = 0; k < s->count; k++)
        if (s->trial[k] > 1e-13 && s->multiplier[s->row[k]] / s->trial[k] < most) {
            most = s->multiplier[s->row[k]] / s->trial[k];
            out = k;
        }
    if (out < 0)
        return false;
    for (int64_t k = 0; k < s->count; k++)
        s->multiplier[s->row[k]] = fmax(0, s->multiplier[s->row[k]] - most * s->trial[k]);
    s->multiplier[i] = most;
    leave_row(s, out);
    s->row[s->count++] = i;
    return true;
}

/* Adds row i to P where it is independent of the rest. */
static bool append(passive_set *s, int64_t i)
{
    if (s->count == s->d)
        return false;
    s->row[s->count++] = i;
    if (solve(s) && s->trial[s->count - 1] > 0)
        return true;
    s->count--;
    return false;
}

/* Lets row i enter, or passes it over. */
static void enter(passive_set *s, int64_t i)
{
    s->state[i] = PASSED;
    if (!append(s, i) && !exchange(s, i))
        return;
    for (int64_t k = 0; k < s->n; k++)
        s->state[k] = s->state[k] == PASSED ? OUTSIDE : s->state[k];
    s->state[i] = INSIDE;
    settle_multipliers(s);
    combine(s);
}

/* Bounds of the least norm from x and l. */
static void certify(fathom_least_norm *result, const passive_set *s)
{
    const double square = fathom_blas_dot(s->x, s->x, s->d), norm = sqrt(square);
    const double dual = fathom_blas_dot(s->c, s->multiplier, s->n) - square / 2;
    double least = INFINITY;
    bool sides = true;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->c[i] > 0)
            least = fmin(least, s->product[i] / s->c[i]);
        else
            sides = sides && s->product[i] >= -1e-9 * sqrt(s->square[i]) * norm;
    }
    result->lower = dual > 0 ? sqrt(2 * dual) : 0;
    result->upper = least == INFINITY ? norm : sides && least > 0 ? norm / fmin(least, 1) : INFINITY;
    result->active = s->count;
    result->settled = result->upper <= result->lower * (1 + 1e-8);
}

static fathom_status create(passive_set *s, fathom_context *context)
{
    s->square = fathom_memory_zero(context, s->n, sizeof(double));
    s->product = fathom_memory_zero(context, s->n, sizeof(double));
    s->factor = fathom_memory_zero(context, s->d * s->d, sizeof(double));
    s->trial = fathom_memory_zero(context, s->d, sizeof(double));
    s->row = fathom_memory_zero(context, s->d, sizeof *s->row);
    s->state = fathom_memory_zero(context, s->n, 1);
    const bool ok = s->square && s->product && s->factor && s->trial && s->row && s->state;
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* P = the rows with positive multipliers, moved to their solution; where they are dependent, nothing. */
static void start_from(passive_set *s)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->multiplier[i] > 0 && s->count < s->d) {
            s->row[s->count++] = i;
            s->state[i] = INSIDE;
        } else
            s->multiplier[i] = 0;
    if (s->count > 0 && !solve(s))
        while (s->count > 0)
            leave_row(s, s->count - 1);
    settle_multipliers(s);
    combine(s);
}

fathom_status fathom_least_norm_continue(fathom_least_norm *result, double *x, double *multiplier,
                                         const double *z, int64_t n, int64_t d, const double *c,
                                         fathom_context *context)
{
    passive_set s = {.n = n, .d = d, .z = z, .c = c, .x = x, .multiplier = multiplier};
    const fathom_status status = create(&s, context);
    *result = (fathom_least_norm){false, 0, INFINITY, 0};
    if (status == FATHOM_OK) {
        for (int64_t i = 0; i < n; i++)
            s.square[i] = fathom_blas_dot(z + i * d, z + i * d, d);
        start_from(&s);
        int64_t i;
        for (int64_t step = 0; step < 20 * (n + d) && (i = most_violated(&s)) >= 0; step++)
            enter(&s, i);
        certify(result, &s);
    }
    FATHOM_FREE(context, s.square, s.product, s.factor, s.trial, s.row, s.state);
    return status;
}

fathom_status fathom_least_norm_solve(fathom_least_norm *result, double *x, double *multiplier,
                                      const double *z, int64_t n, int64_t d, const double *c,
                                      fathom_context *context)
{
    memset(multiplier, 0, (size_t)n * sizeof(double));
    return fathom_least_norm_continue(result, x, multiplier, z, n, d, c, context);
}
