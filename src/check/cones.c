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

#include "checker.h"

enum { WORK = 30000000 };

/* count normals of d integers. */
typedef struct normals {
    int64_t count, d;
    grid g;
    mpz_t **row; /* count pointers into g */
} normals;

static void normals_open(check *c, normals *a, int64_t count, int64_t d)
{
    a->count = count;
    a->d = d;
    grid_init(c, &a->g, count * d, 0);
    a->row = check_alloc(c, count, sizeof *a->row);
    for (int64_t k = 0; k < count; k++)
        a->row[k] = a->g.z + k * d;
}

static void normals_close(check *c, normals *a)
{
    grid_clear(c, &a->g);
    check_free(c, a->row);
}

/* Divides by the greatest common factor and makes the first entry other than 0 positive; false for the zero vector. */
static bool reduce(mpz_t *row, int64_t d)
{
    mpz_t factor;
    int sign = 0;
    mpz_init(factor);
    for (int64_t k = 0; k < d; k++) {
        mpz_gcd(factor, factor, row[k]);
        if (sign == 0)
            sign = mpz_sgn(row[k]);
    }
    if (sign < 0)
        mpz_neg(factor, factor);
    for (int64_t k = 0; k < d && sign != 0; k++)
        mpz_divexact(row[k], row[k], factor);
    mpz_clear(factor);
    return sign != 0;
}

static int64_t width; /* of the rows that qsort compares */

static int by_entries(const void *left, const void *right)
{
    mpz_t *const a = *(mpz_t *const *)left, *const b = *(mpz_t *const *)right;
    for (int64_t k = 0; k < width; k++) {
        const int order = mpz_cmp(a[k], b[k]);
        if (order)
            return order;
    }
    return 0;
}

/* Drops zero rows and repetitions. */
static void settle(normals *a)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < a->count; k++)
        if (reduce(a->row[k], a->d))
            a->row[kept++] = a->row[k];
    width = a->d;
    qsort(a->row, (size_t)kept, sizeof *a->row, by_entries);
    a->count = 0;
    for (int64_t k = 0; k < kept; k++)
        if (a->count == 0 || by_entries(a->row + k, a->row + a->count - 1) != 0)
            a->row[a->count++] = a->row[k];
}

/* The first `count` normals within the hyperplane of normal h: coordinate p, h_p != 0, is eliminated. */
static void restrict_to(check *c, normals *out, const normals *a, int64_t count, mpz_t *h)
{
    int64_t p = 0;
    mpz_t one;
    while (mpz_sgn(h[p]) == 0)
        p++;
    normals_open(c, out, count, a->d - 1);
    mpz_init(one);
    for (int64_t k = 0; k < count; k++)
        for (int64_t l = 0, at = 0; l < a->d; l++) {
            if (l == p)
                continue;
            mpz_mul(one, a->row[k][l], h[p]);
            mpz_submul(one, a->row[k][p], h[l]);
            mpz_set(out->row[k][at++], one);
        }
    mpz_clear(one);
    settle(out);
}

/* The number of cones of distinct hyperplanes, which is below 2^62 within the work allowed. */
static int64_t count_cones(check *c, const normals *a, int64_t *work)
{
    *work += a->count + 1;
    if (*work > WORK)
        check_fail(c, 6, "the cones are too many to be counted here");
    if (a->count <= 1 || a->d <= 2)
        return a->count == 0 ? 1 : a->d == 1 ? 2 : 2 * a->count;
    int64_t total = 1;
    for (int64_t k = 0; k < a->count; k++) {
        normals inside;
        restrict_to(c, &inside, a, k, a->row[k]);
        total += count_cones(c, &inside, work);
        normals_close(c, &inside);
    }
    return total;
}

static int64_t words; /* of the patterns that qsort compares */

static int by_bits(const void *left, const void *right)
{
    return memcmp(left, right, (size_t)words * sizeof(uint64_t));
}

void check_all_cones(check *c, int64_t claimed)
{
    const gates *g = &c->gates;
    normals all;
    int64_t work = 0;
    if (!g->full || g->m != claimed)
        check_fail(c, 4, "line %lld: the gates are not %lld witnesses of cones", (long long)c->line,
                   (long long)claimed);
    uint64_t *sorted = check_alloc(c, g->m, (size_t)g->words * sizeof *sorted);
    words = g->words;
    memcpy(sorted, g->bits, (size_t)(g->m * words) * sizeof *sorted);
    qsort(sorted, (size_t)g->m, (size_t)words * sizeof *sorted, by_bits);
    for (int64_t j = 1; j < g->m; j++)
        if (by_bits(sorted + j * words, sorted + (j - 1) * words) == 0)
            check_fail(c, 4, "line %lld: a cone is listed twice", (long long)c->line);
    check_free(c, sorted);
    normals_open(c, &all, c->data.n, c->data.d);
    for (int64_t k = 0; k < c->x.count; k++)
        mpz_set(all.g.z[k], c->x.z[k]);
    settle(&all);
    const int64_t count = count_cones(c, &all, &work);
    normals_close(c, &all);
    if (count != claimed)
        check_fail(c, 4, "line %lld: %lld cones are listed, there are %lld", (long long)c->line,
                   (long long)claimed, (long long)count);
}

void check_claim_cones(check *c)
{
    check_next_line(c, "count");
    const int64_t count = check_integer(c, 1, INT64_C(1) << 52);
    check_line_end(c);
    check_all_cones(c, count);
    c->verdict.upper = c->verdict.lower = (double)count;
}
