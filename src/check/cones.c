/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are the listed gates all full-dimensional cones of the arrangement {x_i' u = 0}?
 *
 * Every gate is the pattern of a witness on no hyperplane (checked when it was read), so it is the pattern of a cone,
 * and distinct patterns belong to distinct cones. There are no others if their number is that of the cones, counted anew
 * by deletion and restriction [Zaslavsky 1975]: adding the k-th hyperplane H_k cuts exactly the cones that the earlier
 * ones cut out on H_k,
 *
 *     r(H_1..H_n) = 1 + sum_k r(H_1..H_{k-1} restricted to H_k),     r of m lines in the plane = 2 m.
 *
 * Hyperplanes are integer normals without common factor whose first entry is positive, so that equal ones are equal.
 * Work is limited: beyond it the answer is that the count is too long, never a guess.
 */
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>

#include "checker.h"

enum { LEAST = -1100 }; /* every double is a multiple of 2^LEAST */

static int64_t width; /* of what qsort compares */

static int by_entries(const void *left, const void *right)
{
    const fmpz *a = *(fmpz *const *)left, *b = *(fmpz *const *)right;
    int order = 0;
    for (int64_t k = 0; order == 0 && k < width; k++)
        order = fmpz_cmp(a + k, b + k);
    return order;
}

static int by_bytes(const void *left, const void *right) { return memcmp(left, right, (size_t)width); }

/* Normals without common factor, first entry positive; zero rows and repetitions are dropped. Returns how many are left. */
static int64_t settle(fmpz **row, int64_t count, int64_t d)
{
    int64_t kept = 0, distinct = 0;
    fmpz_t factor;
    fmpz_init(factor);
    for (int64_t k = 0; k < count; k++) {
        int64_t p = 0;
        while (p < d && fmpz_is_zero(row[k] + p))
            p++;
        if (p == d)
            continue;
        _fmpz_vec_content(factor, row[k], d);
        if (fmpz_sgn(row[k] + p) < 0)
            fmpz_neg(factor, factor);
        _fmpz_vec_scalar_divexact_fmpz(row[k], row[k], d, factor);
        row[kept++] = row[k];
    }
    fmpz_clear(factor);
    width = d;
    qsort(row, (size_t)kept, sizeof *row, by_entries);
    for (int64_t k = 0; k < kept; k++)
        if (k == 0 || by_entries(row + k, row + k - 1) != 0)
            row[distinct++] = row[k];
    return distinct;
}

/* The number of cones of distinct hyperplanes row[0..count) of d entries. */
static int64_t count_cones(check *c, fmpz **row, int64_t count, int64_t d, int64_t *work)
{
    *work += count + 1;
    if (*work > c->limits->steps)
        check_fail(c, 6, "the cones are too many to be counted here");
    if (count <= 1 || d <= 2)
        return count == 0 ? 1 : d == 1 ? 2 : 2 * count;
    int64_t total = 1;
    fmpz *inside = _fmpz_vec_init(count * d); /* the earlier ones on H_k, each without coordinate p */
    fmpz **list = flint_malloc((size_t)count * sizeof *list);
    for (int64_t k = 0; k < count; k++) {
        const fmpz *h = row[k];
        int64_t p = 0;
        while (fmpz_is_zero(h + p))
            p++;
        for (int64_t l = 0; l < k; l++) {
            fmpz *r = list[l] = inside + l * d;
            _fmpz_vec_scalar_mul_fmpz(r, row[l], d, h + p);
            _fmpz_vec_scalar_submul_fmpz(r, h, d, row[l] + p);
            fmpz_swap(r + p, r + d - 1);
        }
        total += count_cones(c, list, settle(list, k, d - 1), d - 1, work);
    }
    flint_free(list);
    _fmpz_vec_clear(inside, count * d);
    return total;
}

/* Row i of the data as integers, up to a power of 2. */
static void integers(fmpz *out, const check *c, int64_t i)
{
    for (int64_t k = 0; k < c->data.d; k++)
        arf_get_fmpz_fixed_si(out + k, c->data.point + i * (c->data.d + 1) + k, LEAST);
}

void check_all_cones(check *c)
{
    const gates *g = &c->gates;
    const int64_t n = c->data.n, d = c->data.d;
    int64_t work = 0;
    if (!g->inside)
        check_reject(c, "the gates are not witnesses of cones");
    unsigned char *sorted = memcpy(check_alloc(c, g->m, (size_t)n), g->open, (size_t)(g->m * n));
    width = n;
    qsort(sorted, (size_t)g->m, (size_t)n, by_bytes);
    for (int64_t j = 1; j < g->m; j++)
        if (by_bytes(sorted + j * n, sorted + (j - 1) * n) == 0)
            check_reject(c, "a cone is listed twice");
    fmpz *all = _fmpz_vec_init(n * d), **row = check_alloc(c, n, sizeof *row);
    for (int64_t i = 0; i < n; i++)
        integers(row[i] = all + i * d, c, i);
    const int64_t count = count_cones(c, row, settle(row, n, d), d, &work);
    _fmpz_vec_clear(all, n * d);
    if (count != g->m)
        check_reject(c, "%lld cones are listed, there are %lld", (long long)g->m, (long long)count);
}

/* The reduced row echelon form has count - 1 pivots, those of all columns but the last: l_r = - R_r,last / R_rr. */
bool check_relation(check *c, const int64_t *row, int64_t count)
{
    const int64_t d = c->data.d;
    fmpz *point = _fmpz_vec_init(d);
    fmpz_mat_t m;
    fmpz_t den;
    fmpz_mat_init(m, d, count);
    fmpz_init(den);
    for (int64_t j = 0; j < count; j++) {
        integers(point, c, row[j]);
        for (int64_t k = 0; k < d; k++)
            fmpz_set(fmpz_mat_entry(m, k, j), point + k);
    }
    bool good = fmpz_mat_rref(m, den, m) == count - 1;
    for (int64_t r = 0; good && r < count - 1; r++)
        good = fmpz_sgn(fmpz_mat_entry(m, r, r)) * fmpz_sgn(fmpz_mat_entry(m, r, count - 1)) < 0;
    fmpz_clear(den);
    fmpz_mat_clear(m);
    _fmpz_vec_clear(point, d);
    return good;
}

void check_claim_cones(check *c)
{
    const int64_t count = check_line_integer(c, "count", c->gates.m, c->gates.m);
    check_all_cones(c);
    c->verdict.upper = c->verdict.lower = (double)count;
}
