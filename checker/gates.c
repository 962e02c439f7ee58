/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: patterns D_ij = 1[<x_i, v_j> > 0] of listed orientations v_j, decided exactly, or listed themselves.
 *
 * Are they all full-dimensional cones of the arrangement {x_i' u = 0}? An orientation on no hyperplane is
 * the witness of a cone, and distinct patterns belong to distinct cones. There are no others if their
 * number is that of the cones, counted anew by deletion and restriction [Zaslavsky 1975]: adding the k-th
 * hyperplane H_k cuts exactly the cones that the earlier ones cut out on H_k,
 *
 *     r(H_1..H_n) = 1 + sum_k r(H_1..H_{k-1} restricted to H_k),     r of m lines in the plane = 2 m.
 *
 * Hyperplanes are integer normals without common factor whose first entry is positive, so that equal ones
 * are equal. Work is limited: beyond it the answer is that the count is too long, never a guess.
 */
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz_vec.h>

#include "checker.h"

static void read_orientation(check *c, int64_t j)
{
    const dataset *a = &c->data;
    const num *v = check_numbers(c, "gate", a->d);
    num t = {0};
    memcpy(c->gates.orientation + j * a->d, v, (size_t)a->d * sizeof *v);
    for (int64_t i = 0; i < a->n; i++) {
        const num *x = a->point + i * (a->d + 1);
        num_dot(&t, x, v, a->d);
        const int side = num_sign(t);
        c->gates.open[j * a->n + i] = side > 0;
        num_dot(&t, x, x, a->d); /* a row of zeros is no hyperplane */
        c->gates.inside &= side != 0 || num_sign(t) == 0;
    }
}

/* One hexadecimal digit for four points, the first in its lowest bit. */
void check_pattern(check *c, const char *keyword, unsigned char *open)
{
    const char *word = check_word(c, keyword);
    const int64_t n = c->data.n, digits = (int64_t)strlen(word);
    need(c, digits == (n + 3) / 4, "a pattern of %lld digits was expected", (long long)(n + 3) / 4);
    for (int64_t i = 0; i < 4 * digits; i++) {
        const int value = check_hex(word[i / 4]), bit = value >> (i % 4) & 1;
        need(c, value >= 0 && (i < n || !bit), "a pattern of 0-9, a-f was expected");
        if (i < n)
            open[i] = (unsigned char)bit;
    }
}

void check_gates(check *c)
{
    gates *g = &c->gates;
    const bool patterns = check_choice(c, "gates", "orientations patterns");
    g->m = check_integer(c, NULL, 0, (int64_t)strlen(c->rest) / 7); /* "gate 0\n" */
    g->open = check_alloc(c, g->m, (size_t)c->data.n);
    g->inside = !patterns;
    g->orientation = patterns ? NULL : check_alloc(c, g->m, (size_t)c->data.d * sizeof(num));
    for (int64_t j = 0; j < g->m; j++)
        if (patterns)
            check_pattern(c, "gate", g->open + j * c->data.n);
        else
            read_orientation(c, j);
}

void check_gate_sum(num *sum, const check *c, const num *v, int64_t j)
{
    const dataset *a = &c->data;
    for (int64_t l = 0; l < a->outputs * a->d; l++) {
        arb_zero(sum + l);
        for (int64_t i = 0; i < a->n; i++)
            if (c->gates.open[j * a->n + i])
                num_mul_to(sum + l, v[l / a->d * a->n + i], a->point[i * (a->d + 1) + l % a->d]);
    }
}

static int64_t compared; /* bytes or entries of what is sorted now: qsort passes nothing along */

static int by_bytes(const void *left, const void *right) { return memcmp(left, right, (size_t)compared); }

static int by_entries(const void *left, const void *right)
{
    const fmpz *a = *(fmpz *const *)left, *b = *(fmpz *const *)right;
    int order = 0;
    for (int64_t k = 0; order == 0 && k < compared; k++)
        order = fmpz_cmp(a + k, b + k);
    return order;
}

/* Of a row that is not 0. */
static int64_t first_entry(const fmpz *row)
{
    int64_t p = 0;
    while (fmpz_is_zero(row + p))
        p++;
    return p;
}

/* Normals without common factor, first entry positive; zero rows and repetitions are dropped. Returns how
 * many are left. */
static int64_t settle(fmpz **row, int64_t count, int64_t d)
{
    int64_t kept = 0, distinct = 0;
    fmpz_t factor;
    fmpz_init(factor);
    for (int64_t k = 0; k < count; k++) {
        _fmpz_vec_content(factor, row[k], d);
        if (fmpz_is_zero(factor))
            continue;
        if (fmpz_sgn(row[k] + first_entry(row[k])) < 0)
            fmpz_neg(factor, factor);
        _fmpz_vec_scalar_divexact_fmpz(row[k], row[k], d, factor);
        row[kept++] = row[k];
    }
    fmpz_clear(factor);
    compared = d;
    qsort(row, (size_t)kept, sizeof *row, by_entries);
    for (int64_t k = 0; k < kept; k++)
        if (k == 0 || by_entries(row + k, row + k - 1) != 0)
            row[distinct++] = row[k];
    return distinct;
}

/* The length of a row: all its entries at that of the longest. */
static double words_of(const fmpz *row, int64_t d)
{
    const slong bits = _fmpz_vec_max_bits(row, d);
    return (double)d * (1 + (double)(bits < 0 ? -bits : bits) / 64);
}

/* The number of cones of distinct hyperplanes row[0..count) of d entries. */
static int64_t count_cones(check *c, fmpz **row, int64_t count, int64_t d, int64_t *work)
{
    *work += count + 1;
    check_that(c, 6, *work <= c->limits->steps, "the cones are too many to be counted here");
    if (count <= 1 || d <= 2)
        return count == 0 ? 1 : 2 * count;
    int64_t total = 1;
    double words = 0;                         /* of the rows so far */
    fmpz *inside = _fmpz_vec_init(count * d); /* the earlier ones on H_k, each without coordinate p */
    fmpz **list = flint_malloc((size_t)count * sizeof *list);
    for (int64_t k = 0; k < count; k++) {
        const int64_t p = first_entry(row[k]);
        const double size = words_of(row[k], d);
        check_work(c, 6 * words * size / (double)d); /* products, and their common factors */
        words += size;
        for (int64_t l = 0; l < k; l++) {
            fmpz *r = list[l] = inside + l * d;
            _fmpz_vec_scalar_mul_fmpz(r, row[l], d, row[k] + p);
            _fmpz_vec_scalar_submul_fmpz(r, row[k], d, row[l] + p);
            fmpz_swap(r + p, r + d - 1);
        }
        total += count_cones(c, list, settle(list, k, d - 1), d - 1, work);
    }
    flint_free(list);
    _fmpz_vec_clear(inside, count * d);
    return total;
}

void check_all_cones(check *c)
{
    const gates *g = &c->gates;
    int64_t n = c->data.n, d = c->data.d, work = 0;
    need(c, g->inside, "the gates are not witnesses of cones");
    unsigned char *sorted = memcpy(check_alloc(c, g->m, (size_t)n), g->open, (size_t)(g->m * n));
    compared = n;
    qsort(sorted, (size_t)g->m, (size_t)n, by_bytes);
    for (int64_t j = 1; j < g->m; j++)
        need(c, memcmp(sorted + j * n, sorted + (j - 1) * n, (size_t)n) != 0, "a cone is listed twice");
    fmpz *all = _fmpz_vec_init(n * d), **row = check_alloc(c, n, sizeof *row);
    for (int64_t i = 0; i < n; i++)
        row[i] = all + i * d;
    for (int64_t k = 0; k < n * d; k++)
        arf_get_fmpz_fixed_si(all + k, arb_midref(c->data.point + k / d * (d + 1) + k % d), LEAST);
    const int64_t count = count_cones(c, row, settle(row, n, d), d, &work);
    _fmpz_vec_clear(all, n * d);
    need(c, count == g->m, "%lld cones are listed, there are %lld", (long long)g->m, (long long)count);
}
