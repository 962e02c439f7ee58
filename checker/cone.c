/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cone {u : <x_i, u> > 0 for the active rows, <= 0 for the others}.
 *
 * Empty: l >= 0 with sum over active rows of l_i x_i = sum over the others, some active l_i > 0 [Motzkin]. A
 * point u of the cone would give 0 = sum_active l_i <x_i, u> - sum_others l_i <x_i, u> > 0.
 *
 * Of dimension k: a point z of it, F = the rows other than 0 with <x_i, z> = 0, and l > 0 on F alone with
 * sum l_i x_i = 0. On the cone all terms of sum l_i <x_i, u> = 0 are <= 0, so F vanishes there; around z
 * nothing else is asked for. So k = d - rank F.
 */
#include <flint/fmpz_mat.h>

#include "checker.h"

/* l_i >= 0, and the sum of s_i l_i x_i is 0, s_i = -1 for rows that are not active where `sides`. */
static const num *read_weights(check *c, const unsigned char *active, bool sides)
{
    const dataset *a = &c->data;
    const num *l = check_numbers(c, "weights", a->n);
    num *sum = check_alloc(c, a->d, sizeof *sum), square = {0};
    for (int64_t i = 0; i < a->n; i++) {
        need(c, num_sign(l[i]) >= 0, "weight %lld (from 0) is negative", (long long)i);
        for (int64_t k = 0; k < a->d; k++)
            num_mul_to(sum + k, num_times(l[i], sides && !active[i] ? -1 : 1), a->point[i * (a->d + 1) + k]);
    }
    num_dot(&square, sum, sum, a->d);
    need(c, num_sign(square) == 0, "the weights do not combine the rows to 0");
    return l;
}

static void check_empty(check *c, const unsigned char *active)
{
    const num *l = read_weights(c, active, true);
    bool some = false;
    for (int64_t i = 0; i < c->data.n; i++)
        some = some || (active[i] && num_sign(l[i]) > 0);
    need(c, some, "no active row has a weight");
    c->verdict.upper = c->verdict.lower = -1;
}

/* The rank of the rows for which flag[i]. */
static int64_t rank_of(check *c, const unsigned char *flag, int64_t count)
{
    const dataset *a = &c->data;
    fmpz_mat_t rows;
    int64_t r = 0;
    fmpz_mat_init(rows, count, a->d);
    for (int64_t i = 0; i < a->n; i++)
        if (flag[i]) {
            for (int64_t k = 0; k < a->d; k++)
                arf_get_fmpz_fixed_si(fmpz_mat_entry(rows, r, k), arb_midref(a->point + i * (a->d + 1) + k),
                                      LEAST);
            r++;
        }
    const double least = (double)(count < a->d ? count : a->d);
    check_work(c, (double)(count * a->d) * least * least * check_words(rows));
    const int64_t rank = fmpz_mat_rank(rows);
    fmpz_mat_clear(rows);
    return rank;
}

static void check_point(check *c, const unsigned char *active)
{
    const dataset *a = &c->data;
    const num *z = check_numbers(c, "point", a->d), *l = read_weights(c, active, false);
    unsigned char *forced = check_alloc(c, a->n, 1);
    int64_t count = 0;
    num t = {0};
    for (int64_t i = 0; i < a->n; i++) {
        const num *x = a->point + i * (a->d + 1);
        num_dot(&t, x, z, a->d);
        const int side = num_sign(t);
        need(c, active[i] ? side > 0 : side <= 0, "the point is on the wrong side of row %lld (from 0)",
             (long long)i);
        num_dot(&t, x, x, a->d);
        forced[i] = side == 0 && num_sign(t) > 0;
        need(c, forced[i] == (num_sign(l[i]) > 0),
             "row %lld (from 0) vanishes at the point or has a weight, not both", (long long)i);
        count += forced[i];
    }
    c->verdict.upper = c->verdict.lower = (double)(a->d - rank_of(c, forced, count));
}

void check_claim_cone(check *c)
{
    const int64_t n = c->data.n;
    const bool empty = check_choice(c, "cone", "empty point") == 0;
    unsigned char *active = check_alloc(c, n, 1);
    char *text = check_alloc(c, n + 1, 1);
    check_pattern(c, NULL, active);
    for (int64_t i = 0; i < n; i++)
        text[i] = active[i] ? '+' : '-';
    c->claim->pattern = text;
    (empty ? check_empty : check_point)(c, active);
}
