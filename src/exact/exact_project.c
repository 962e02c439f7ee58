/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest point of a cone {u : s_i <x_i, u> >= 0} to p = sum_i c_i x_i, in rational arithmetic.
 *
 *     u = p + sum_i mu_i s_i x_i,   mu >= 0,   s_i <x_i, u> >= 0,   mu_i <x_i, u> = 0
 *
 * [Moreau; Lawson and Hanson 1974]: the most violated row enters the tight ones, the multipliers that make
 * them hold with equality are approached until one is 0, whose row leaves. A violated row is independent of
 * the tight ones, on which u vanishes, so that every system has one solution, and as |u| falls strictly no
 * set returns. All is said in inner products of rows, which are made once.
 *
 * For rows far from the origin, |p| and the mu_i x_i exceed |u| by the ratio of offset and spread, and a
 * projection in doubles cannot tell which rows are violated; the multipliers themselves may be rounded:
 * every mu >= 0 bounds max { <p, u> : u in the cone, |u| <= 1 } by |p + sum_i mu_i s_i x_i|, which is
 * computed for the rounded ones. O(n^2 + k^3) operations on rationals for each row that enters or leaves.
 */
#include "exact_project.h"

#include <gmp.h>
#include <math.h>

#include "context_internal.h"
#include "memory.h"

struct fathom_exact_rows {
    fathom_context *context;
    int64_t n, d, count, rationals;
    mpq_t *gram;   /* n x n */
    mpq_t *a, *mu; /* n: u = sum_i a_i x_i; multipliers */
    mpq_t *slack;  /* n: s_i <x_i, u> */
    mpq_t *cell;   /* d x (d + 1): the system of the tight rows */
    mpq_t t, best;
    int64_t *tight; /* d + 1 */
};

static mpq_t *take_room(fathom_exact_rows *rows, int64_t count)
{
    mpq_t *list = rows->gram + rows->rationals;
    rows->rationals += count;
    return list;
}

fathom_status fathom_exact_rows_open(fathom_exact_rows **rows, fathom_context *context, int64_t n, int64_t d,
                                     const double *x)
{
    fathom_exact_rows *r = *rows = fathom_memory_zero(context, 1, sizeof *r);
    const int64_t all = n * n + 3 * n + d * (d + 1);
    if (!r)
        return FATHOM_ERROR_MEMORY;
    *r = (fathom_exact_rows){.context = context, .n = n, .d = d};
    r->gram = fathom_memory_zero(context, all, sizeof *r->gram);
    r->tight = fathom_memory_zero(context, d + 1, sizeof *r->tight);
    if (!r->gram || !r->tight) {
        FATHOM_FREE(context, r->gram, r->tight, r);
        *rows = NULL;
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < all; k++)
        mpq_init(r->gram[k]);
    mpq_inits(r->t, r->best, NULL);
    take_room(r, n * n);
    r->a = take_room(r, n);
    r->mu = take_room(r, n);
    r->slack = take_room(r, n);
    r->cell = take_room(r, d * (d + 1));
    for (int64_t k = 0; k < n * n * d; k++) {
        mpq_set_d(r->t, x[k / d / n * d + k % d]);
        mpq_set_d(r->best, x[k / d % n * d + k % d]);
        mpq_mul(r->t, r->t, r->best);
        mpq_add(r->gram[k / d], r->gram[k / d], r->t);
    }
    return FATHOM_OK;
}

void fathom_exact_rows_close(fathom_exact_rows *rows)
{
    if (!rows)
        return;
    for (int64_t k = 0; k < rows->rationals; k++)
        mpq_clear(rows->gram[k]);
    mpq_clears(rows->t, rows->best, NULL);
    FATHOM_FREE(rows->context, rows->gram, rows->tight, rows);
}

static bool is_tight(const fathom_exact_rows *r, int64_t i)
{
    for (int64_t k = 0; k < r->count; k++)
        if (r->tight[k] == i)
            return true;
    return false;
}

/* a = c + mu s, and the products of all rows with u. */
static void place(fathom_exact_rows *r, const double *c, const double *s)
{
    for (int64_t i = 0; i < r->n; i++) {
        mpq_set_d(r->a[i], c[i]);
        (s[i] > 0 ? mpq_add : mpq_sub)(r->a[i], r->a[i], r->mu[i]);
    }
    for (int64_t i = 0; i < r->n; i++) {
        mpq_set_ui(r->slack[i], 0, 1);
        for (int64_t j = 0; j < r->n; j++) {
            mpq_mul(r->t, r->gram[i * r->n + j], r->a[j]);
            mpq_add(r->slack[i], r->slack[i], r->t);
        }
        if (s[i] < 0)
            mpq_neg(r->slack[i], r->slack[i]);
    }
}

/* The row with the least s_i <x_i, u> < 0, or -1. */
static int64_t violated(fathom_exact_rows *r)
{
    int64_t worst = -1;
    for (int64_t i = 0; i < r->n; i++)
        if (mpq_sgn(r->slack[i]) < 0 && !is_tight(r, i) &&
            (worst < 0 || mpq_cmp(r->slack[i], r->slack[worst]) < 0))
            worst = i;
    return worst;
}

/* cell = G mu' = -slack of the tight rows, by elimination: the last column becomes what their multipliers
 * lack. G is positive definite. */
static void solve(fathom_exact_rows *r, const double *s)
{
    const int64_t k = r->count, width = r->d + 1;
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++) {
            mpq_set(r->cell[a * width + b], r->gram[r->tight[a] * r->n + r->tight[b]]);
            if (s[r->tight[a]] * s[r->tight[b]] < 0)
                mpq_neg(r->cell[a * width + b], r->cell[a * width + b]);
        }
        mpq_neg(r->cell[a * width + k], r->slack[r->tight[a]]);
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            if (b == a)
                continue;
            mpq_div(r->best, r->cell[b * width + a], r->cell[a * width + a]);
            for (int64_t c = a; c <= k; c++) {
                mpq_mul(r->t, r->best, r->cell[a * width + c]);
                mpq_sub(r->cell[b * width + c], r->cell[b * width + c], r->t);
            }
        }
    for (int64_t a = 0; a < k; a++)
        mpq_div(r->cell[a * width + k], r->cell[a * width + k], r->cell[a * width + a]);
}

/* One step of the multipliers towards those that the tight rows ask for; a row whose multiplier becomes 0
 * leaves. Returns whether none did. */
static bool step(fathom_exact_rows *r)
{
    const int64_t k = r->count, width = r->d + 1;
    int64_t first = -1;
    mpq_set_ui(r->best, 1, 1);
    for (int64_t a = 0; a < k; a++) { /* mu + t lack >= 0 */
        if (mpq_sgn(r->cell[a * width + k]) >= 0)
            continue;
        mpq_div(r->t, r->mu[r->tight[a]], r->cell[a * width + k]);
        mpq_neg(r->t, r->t);
        if (mpq_cmp(r->t, r->best) < 0) {
            mpq_set(r->best, r->t);
            first = a;
        }
    }
    for (int64_t a = 0; a < k; a++) {
        mpq_mul(r->t, r->best, r->cell[a * width + k]);
        mpq_add(r->mu[r->tight[a]], r->mu[r->tight[a]], r->t);
    }
    if (first < 0)
        return true;
    mpq_set_ui(r->mu[r->tight[first]], 0, 1);
    for (int64_t a = first; a + 1 < k; a++)
        r->tight[a] = r->tight[a + 1];
    r->count = k - 1;
    return false;
}

/* At least |u|. */
static double length_of(fathom_exact_rows *r, const double *s)
{
    mpq_set_ui(r->best, 0, 1);
    for (int64_t i = 0; i < r->n; i++) { /* sum_i a_i <x_i, u> */
        mpq_mul(r->t, r->a[i], r->slack[i]);
        (s[i] > 0 ? mpq_add : mpq_sub)(r->best, r->best, r->t);
    }
    return sqrt(mpq_get_d(r->best) * (1 + 0x1p-50)) * (1 + 0x1p-50);
}

/* The multipliers as doubles, of which u is what is told. */
static void round_off(double *mu, int64_t *tight, fathom_exact_rows *r)
{
    for (int64_t a = 0; a < r->count; a++) {
        tight[a] = r->tight[a];
        mu[a] = mpq_get_d(r->mu[tight[a]]);
        mpq_set_d(r->mu[tight[a]], mu[a]);
    }
}

fathom_status fathom_exact_project(double *length, int64_t *count, int64_t *tight, double *mu,
                                   fathom_exact_rows *rows, const double *c, const double *s)
{
    fathom_exact_rows *r = rows;
    int64_t enters;
    r->count = 0;
    for (int64_t i = 0; i < r->n; i++)
        mpq_set_ui(r->mu[i], 0, 1);
    for (place(r, c, s); (enters = violated(r)) >= 0; place(r, c, s)) {
        if (fathom_context_stop_reason(r->context) != FATHOM_STOP_NONE)
            return fathom_error_set(r->context, FATHOM_ERROR_STOPPED, "stopped in an exact projection");
        r->tight[r->count++] = enters;
        for (bool whole = false; !whole; place(r, c, s)) {
            solve(r, s);
            whole = step(r);
        }
    }
    round_off(mu, tight, r);
    *count = r->count;
    place(r, c, s);
    *length = length_of(r, s);
    return FATHOM_OK;
}
