/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the matrix A of the rows x_i spike-free: is every (Au)_+, |u| <= 1, equal to Av for some |v| <= 1?
 *
 * No: a point u and a combination c with <c, (Au)_+> > |A'c||u|. Were (Au)_+ = Av with |v| <= |u|, then
 * <c, Av> = <A'c, v> <= |A'c||u|. Yes: of the rows other than 0 one of each set of positive multiples, R:
 * they are independent, and (RR')^{-1} has no positive entry off its diagonal (docs/explanation/geometry.md).
 * Rows are taken as integers without common factor: scaling them by positive numbers changes no sign of the
 * inverse.
 */
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>

#include "checker.h"

static void check_spike(check *c)
{
    const dataset *a = &c->data;
    const num *u = check_numbers(c, "point", a->d), *v = check_numbers(c, "combination", a->n);
    num *sum = check_alloc(c, a->d, sizeof *sum), t = {0}, value = {0}, square = {0}, length = {0};
    for (int64_t i = 0; i < a->n; i++) {
        const num *x = a->point + i * (a->d + 1);
        num_dot(&t, x, u, a->d);
        if (num_sign(t) > 0)
            num_mul_to(&value, v[i], t);
        for (int64_t k = 0; k < a->d; k++)
            num_mul_to(sum + k, v[i], x[k]);
    }
    num_dot(&square, sum, sum, a->d);
    num_dot(&length, u, u, a->d);
    const num most = num_mul(square, length), gained = num_mul(value, value);
    need(c, num_sign(value) > 0 && num_sign(num_sub(gained, most)) > 0,
         "the point and the combination show no spike");
    c->claim->norm = num_sign(most) > 0 ? num_end(num_root(num_div(gained, most)), -1) : 0;
    c->verdict.upper = c->verdict.lower = 0;
}

/* Row i becomes the next one of R, without common factor. */
static void add_row(const check *c, fmpz_mat_t rows, int64_t to, int64_t i)
{
    const int64_t d = c->data.d;
    fmpz *row = fmpz_mat_entry(rows, to, 0);
    fmpz_t factor;
    fmpz_init(factor);
    for (int64_t k = 0; k < d; k++)
        arf_get_fmpz_fixed_si(row + k, arb_midref(c->data.point + i * (d + 1) + k), LEAST);
    _fmpz_vec_content(factor, row, d);
    _fmpz_vec_scalar_divexact_fmpz(row, row, d, factor);
    fmpz_clear(factor);
}

/* R (at most d rows, more are dependent). */
static int64_t find_rows(check *c, fmpz_mat_t rows)
{
    const dataset *a = &c->data;
    int64_t *kept = check_alloc(c, a->n, sizeof *kept), m = 0;
    for (int64_t i = 0; i < a->n; i++) {
        bool fresh = check_parallel(c, i, i) > 0;
        check_work(c, 0);
        for (int64_t k = 0; k < m && fresh; k++)
            fresh = check_parallel(c, i, kept[k]) <= 0;
        if (fresh)
            kept[m++] = i;
        need(c, m <= a->d, "there are more directions of rows than columns");
    }
    fmpz_mat_init(rows, m, a->d);
    for (int64_t k = 0; k < m; k++)
        add_row(c, rows, k, kept[k]);
    return m;
}

static void check_free(check *c)
{
    fmpz_mat_t rows, turned, gram;
    fmpz_t factor;
    const int64_t m = find_rows(c, rows);
    fmpz_init(factor);
    fmpz_mat_init(turned, c->data.d, m);
    fmpz_mat_init(gram, m, m);
    check_work(c, (double)(m * m) * (double)(m * m + c->data.d) * 2 * check_words(rows));
    fmpz_mat_transpose(turned, rows);
    fmpz_mat_mul(gram, rows, turned);
    need(c, fmpz_mat_inv(gram, factor, gram), "the rows are dependent");
    for (int64_t i = 0; i < m * m; i++)
        need(c, i / m == i % m || fmpz_sgn(fmpz_mat_entry(gram, i / m, i % m)) * fmpz_sgn(factor) <= 0,
             "the inverse of the Gram matrix has a positive entry off its diagonal");
    c->verdict.upper = c->verdict.lower = 1;
}

void check_claim_spike(check *c)
{
    const int free = check_choice(c, "spike", "shown free");
    (free ? check_free : check_spike)(c);
}
