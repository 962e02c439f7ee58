/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether rows exclude every network that interpolates, decided exactly for the numbers in memory.
 *
 * Without a free bias f(c x) = c f(x) for c > 0 and f(0) = 0, for every network: rows in one direction need
 * targets in the ratio of their lengths, a zero row needs the target 0. With a free bias equal rows need
 * equal targets. x_j = c x_i is x_ik x_jl = x_il x_jk for all k, l: products of two doubles, compared exactly
 * by their rounded value and its error (fma). Targets are refused where y_j x_il and y_i x_jl, l the first
 * entry that is not 0, differ by more than NOISE of the largest target explains: targets that a computation
 * left carry errors of that size, and are fitted to it.
 *
 * Without a free bias relu(t) - relu(-t) = t makes f(x) - f(-x) linear in x: where x_j = -c x_i, c > 0, for
 * some pairs, any relation sum_a q_a x_a = 0 between their first rows needs sum_a q_a g_a = 0, g_a = y_i -
 * y_j / c. Relations are found by elimination in rational arithmetic, each as one pair in terms of
 * independent ones. Nothing else excludes a network: sum_i v_i relu(<x_i, u>) = 0 for all u only where v is
 * a sum of such relations, since |<a, u>| are independent functions for different lines a
 * (arrangement/null_vector.c has the same of kernels).
 *
 * O(n^2 d) in the worst case, as rows that differ do so at the first entries; O(d^2 pairs) rational
 * operations.
 */
#include <math.h>
#include <stdio.h>

#include "context_internal.h"
#include "memory.h"
#include "merge_rows.h"
#include "rational_tableau.h"
#include "train_relu.h"

/* Rational operations that elimination may take, and pairs that a message names. */
enum { MOST_WORK = 400000, MOST_NAMED = 8 };

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

/* x_j = -c x_i, c > 0. */
typedef struct antipodes {
    int64_t i, j;
    double inverse; /* 1 / c */
} antipodes;

/* Whether row j = -c times row i, c > 0; l is the first entry of row i that is not 0. */
static bool opposite(const fathom_train_problem *p, int64_t i, int64_t j, int64_t l)
{
    const double *x = p->x + i * p->d, *q = p->x + j * p->d;
    if (l == p->d || fathom_row_first_entry(q, p->d) != l || (x[l] > 0) == (q[l] > 0))
        return false;
    for (int64_t k = l + 1; k < p->d; k++)
        if (!fathom_products_equal(x[k], q[l], x[l], q[k]))
            return false;
    return true;
}

/* pair: one for each line with rows on both rays, at most n / 2. Returns how many. */
static int64_t find_pairs(antipodes *pair, bool *met, const fathom_train_problem *p)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t l = fathom_row_first_entry(p->x + i * p->d, p->d);
        for (int64_t j = i + 1; j < p->n && !met[i]; j++)
            if (!met[j] && opposite(p, i, j, l)) {
                pair[count++] = (antipodes){i, j, -p->x[i * p->d + l] / p->x[j * p->d + l]};
                met[i] = met[j] = true;
            }
    }
    return count;
}

/* Whether pair a = sum_r cell(r, a) pair basic[r] and the targets contradict it; cells of rows that are not
 * basic are 0. */
static bool contradicts(const fathom_train_problem *p, const fathom_tableau *t, const antipodes *pair,
                        int64_t a, double largest)
{
    double room = 1 + pair[a].inverse;
    for (int64_t r = 0; r < t->rows; r++)
        if (t->basic[r] >= 0)
            room += fabs(mpq_get_d(*fathom_tableau_at(t, r, a))) * (1 + pair[t->basic[r]].inverse);
    for (int64_t k = 0; k < p->outputs; k++) {
        const double *y = p->y + k * p->n;
        double rest = y[pair[a].i] - pair[a].inverse * y[pair[a].j];
        for (int64_t r = 0; r < t->rows; r++) {
            const antipodes *b = t->basic[r] >= 0 ? pair + t->basic[r] : NULL;
            if (b)
                rest -= mpq_get_d(*fathom_tableau_at(t, r, a)) * (y[b->i] - b->inverse * y[b->j]);
        }
        if (!(fabs(rest) <= NOISE * largest * room))
            return true;
    }
    return false;
}

/* The pairs of one relation, named. */
static fathom_status refuse_relation(const fathom_train_problem *p, const fathom_tableau *t,
                                     const antipodes *pair, int64_t a)
{
    char text[MOST_NAMED * 48];
    int length = snprintf(text, sizeof text, "%lld and %lld", (long long)pair[a].i, (long long)pair[a].j);
    int64_t named = 1, more = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        if (t->basic[r] < 0 || mpq_sgn(*fathom_tableau_at(t, r, a)) == 0)
            continue;
        const antipodes *b = pair + t->basic[r];
        if (named++ < MOST_NAMED)
            length += snprintf(text + length, sizeof text - (size_t)length, ", %lld and %lld",
                               (long long)b->i, (long long)b->j);
        else
            more++;
    }
    return fathom_error_set(
        p->context, FATHOM_ERROR_INPUT,
        "no network takes these targets: rows %s%s point in opposite directions; f(x) - f(-x) is "
        "linear in x for every network without a bias, and their targets are not",
        text, more > 0 ? " and further pairs" : "");
}

/* Elimination: every pair becomes basic in a row of its own or is a combination of those that are. */
static fathom_status look_for_relations(const fathom_train_problem *p, const antipodes *pair, int64_t count,
                                        double largest)
{
    fathom_tableau t;
    fathom_status status = fathom_tableau_create(&t, p->context, p->d, count);
    for (int64_t r = 0; r < p->d && status == FATHOM_OK; r++) {
        t.basic[r] = -1;
        for (int64_t a = 0; a < count; a++)
            mpq_set_d(*fathom_tableau_at(&t, r, a), p->x[pair[a].i * p->d + r]);
    }
    for (int64_t a = 0; a < count && status == FATHOM_OK; a++) {
        int64_t row = 0;
        while (row < p->d && (t.basic[row] >= 0 || mpq_sgn(*fathom_tableau_at(&t, row, a)) == 0))
            row++;
        if (row < p->d)
            fathom_tableau_pivot(&t, row, a);
        else if (contradicts(p, &t, pair, a, largest))
            status = refuse_relation(p, &t, pair, a);
        if (status == FATHOM_OK && fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
            break;
    }
    fathom_tableau_free(&t);
    return status;
}

static fathom_status check_antipodes(const fathom_train_problem *p, double largest)
{
    antipodes *pair = fathom_memory_alloc(p->context, p->n, sizeof *pair);
    bool *met = fathom_memory_zero(p->context, p->n, sizeof *met);
    fathom_status status = pair && met ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const int64_t count = find_pairs(pair, met, p);
        if (count > 1 && p->d <= MOST_WORK / p->d / count)
            status = look_for_relations(p, pair, count, largest);
    }
    FATHOM_FREE(p->context, met, pair);
    return status;
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
    return p->constant ? FATHOM_OK : check_antipodes(p, largest);
}
