/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hinge on the line in rational arithmetic: which outputs optimal networks have.
 *
 *     minimise  sum_i c_i xi_i + beta sum_j (r_j + r'_j + l_j + l'_j)   over nonnegative variables and c,
 *     y_i f_i + xi_i - s_i = 1,   f_i = c + sum_j (r_j - r'_j) (x_i - x_j)_+ + (l_j - l'_j) (x_j - x_i)_+
 *
 * over the places x_j: the linear program of [001, Thm 5.2], one row for each place and label, xi = 1 its
 * first basis. At the optimum, columns of positive reduced cost are 0 in every solution (complementary
 * slackness with the dual solution at hand), and those that are left describe all of them; each output is
 * made as small and as large as they allow. As the norm of a network is at least that of the spline through
 * its outputs, which has these columns, nothing is lost. Simplex steps by Bland's rule, exact throughout.
 */
#include "line_hinge.h"

#include <math.h>

#include "memory.h"
#include "rational_tableau.h"

#define at fathom_tableau_at

/* Columns: r_j, r'_j, l_j, l'_j for every place, c, c', then s_i and xi_i. */
typedef struct program {
    const fathom_line_hinge *p;
    fathom_tableau t;
    int64_t places, rows;
    int64_t place[FATHOM_LINE_HINGE_MOST];
    int label[FATHOM_LINE_HINGE_MOST];
    mpq_t cost[FATHOM_LINE_HINGE_MOST]; /* sum of the weights of a row */
    bool *fixed;                        /* columns that are 0 in every solution */
} program;

static int64_t neurons(const program *q) { return 4 * q->places + 2; }

/* The share of column k in the output at a place. */
static void share(mpq_t out, const program *q, int64_t k, int64_t place)
{
    const mpq_t *x = q->p->line->x;
    mpq_set_ui(out, 0, 1);
    if (k >= neurons(q))
        return;
    if (k >= 4 * q->places) {
        mpq_set_si(out, k % 2 ? -1 : 1, 1);
        return;
    }
    const int64_t j = k / 4;
    if (k % 4 < 2 ? place > j : place < j)
        mpq_sub(out, x[k % 4 < 2 ? place : j], x[k % 4 < 2 ? j : place]);
    if (k % 2)
        mpq_neg(out, out);
}

/* Rows of one place and label are one row; false where they are too many. */
static bool gather(program *q)
{
    const fathom_line_hinge *p = q->p;
    mpq_t weight;
    mpq_init(weight);
    bool fits = true;
    for (int64_t i = 0; i < p->n && fits; i++) {
        int64_t k = 0, place = 0;
        const int label = p->y[i] > 0 ? 1 : -1;
        while (place < q->places && p->line->place[place] < p->x[i])
            place++;
        while (k < q->rows && !(q->place[k] == place && q->label[k] == label))
            k++;
        fits = k < FATHOM_LINE_HINGE_MOST;
        if (fits && k == q->rows) {
            q->place[k] = place;
            q->label[k] = label;
            mpq_init(q->cost[q->rows++]);
        }
        mpq_set_d(weight, p->weight ? p->weight[i] : 1);
        if (fits)
            mpq_add(q->cost[k], q->cost[k], weight);
    }
    mpq_clear(weight);
    return fits;
}

/* The program in the basis xi = 1. */
static void fill(program *q)
{
    fathom_tableau *t = &q->t;
    const int64_t first = neurons(q), last = t->columns - 1;
    mpq_t term;
    mpq_init(term);
    for (int64_t k = 0; k < 4 * q->places; k++)
        mpq_set_d(*at(t, q->rows, k), q->p->beta);
    for (int64_t i = 0; i < q->rows; i++) {
        for (int64_t k = 0; k < first; k++) {
            share(*at(t, i, k), q, k, q->place[i]);
            if (q->label[i] < 0)
                mpq_neg(*at(t, i, k), *at(t, i, k));
        }
        mpq_set_si(*at(t, i, first + i), -1, 1);
        mpq_set_ui(*at(t, i, first + q->rows + i), 1, 1);
        mpq_set_ui(*at(t, i, last), 1, 1);
        t->basic[i] = first + q->rows + i;
        for (int64_t k = 0; k <= last; k++) { /* reduced costs; those of xi are 0 */
            if (k == t->basic[i])
                continue;
            mpq_mul(term, q->cost[i], *at(t, i, k));
            mpq_sub(*at(t, q->rows, k), *at(t, q->rows, k), term);
        }
    }
    mpq_clear(term);
}

/* Columns of positive reduced cost leave the program. */
static void keep_face(program *q)
{
    fathom_tableau *t = &q->t;
    for (int64_t k = 0; k < t->columns - 1; k++) {
        q->fixed[k] = mpq_sgn(*at(t, q->rows, k)) > 0;
        for (int64_t i = 0; i <= q->rows && q->fixed[k]; i++)
            mpq_set_ui(*at(t, i, k), 0, 1);
    }
}

/* Reduced costs of sign times the output at a place. */
static void aim(program *q, int64_t place, int sign)
{
    fathom_tableau *t = &q->t;
    mpq_t part, term;
    mpq_inits(part, term, NULL);
    for (int64_t k = 0; k < t->columns; k++) {
        if (k == t->columns - 1 || q->fixed[k])
            mpq_set_ui(*at(t, q->rows, k), 0, 1);
        else
            share(*at(t, q->rows, k), q, k, place);
        if (sign < 0)
            mpq_neg(*at(t, q->rows, k), *at(t, q->rows, k));
    }
    for (int64_t i = 0; i < q->rows; i++) {
        share(part, q, t->basic[i], place);
        if (sign < 0)
            mpq_neg(part, part);
        for (int64_t k = 0; k < t->columns && mpq_sgn(part) != 0; k++) {
            mpq_mul(term, part, *at(t, i, k));
            mpq_sub(*at(t, q->rows, k), *at(t, q->rows, k), term);
        }
    }
    mpq_clears(part, term, NULL);
}

/* The least and the largest output at every place. */
static fathom_status find_ranges(double *range, mpq_t *value, program *q)
{
    fathom_tableau *t = &q->t;
    mpq_t end[2];
    mpq_inits(end[0], end[1], NULL);
    fathom_status status = FATHOM_OK;
    for (int64_t place = 0; place < q->places && status == FATHOM_OK; place++) {
        bool bounded = true;
        for (int side = 0; side < 2 && status == FATHOM_OK; side++) {
            aim(q, place, side ? -1 : 1);
            status = fathom_tableau_run(&bounded, t, t->columns - 1, "all minimisers were known");
            mpq_neg(end[side], *at(t, q->rows, t->columns - 1));
            if (side)
                mpq_neg(end[side], end[side]);
            range[2 * place + side] = bounded ? mpq_get_d(end[side]) : side ? INFINITY : -INFINITY;
        }
        if (bounded && isfinite(range[2 * place]) && mpq_equal(end[0], end[1]))
            mpq_set(value[place], end[0]);
        else if (range[2 * place] == range[2 * place + 1]) /* they differ by less than doubles do */
            range[2 * place + 1] = nextafter(range[2 * place + 1], INFINITY);
    }
    mpq_clears(end[0], end[1], NULL);
    return status;
}

fathom_status fathom_line_hinge_ranges(double *range, mpq_t *value, bool *found, const fathom_line_hinge *p)
{
    fathom_context *context = p->line->context;
    program q = {.p = p, .places = p->line->count};
    fathom_status status = FATHOM_OK;
    bool bounded;
    *found = gather(&q);
    if (*found) {
        status = fathom_tableau_create(&q.t, context, q.rows, neurons(&q) + 2 * q.rows + 1);
        q.fixed = fathom_memory_zero(context, neurons(&q) + 2 * q.rows, sizeof *q.fixed);
        if (status == FATHOM_OK && !q.fixed)
            status = FATHOM_ERROR_MEMORY;
        if (status == FATHOM_OK) {
            fill(&q);
            status = fathom_tableau_run(&bounded, &q.t, q.t.columns - 1, "the optimum was known");
        }
        if (status == FATHOM_OK) {
            keep_face(&q);
            status = find_ranges(range, value, &q);
        }
        fathom_tableau_free(&q.t);
        fathom_memory_free(context, q.fixed);
    }
    for (int64_t k = 0; k < q.rows; k++)
        mpq_clear(q.cost[k]);
    return status;
}
