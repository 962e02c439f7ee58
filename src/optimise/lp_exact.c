/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear programs in rational arithmetic: a verdict that no rounding touches, for small programs.
 *
 *     min c'x,  l <= x <= u,  a <= A x <= b   becomes   min c'(o + S y),  B y = g >= 0,  y >= 0:
 *
 * x_k = l_k + y, or u_k - y, or y - y' where both bounds are infinite; every finite side of a row and every second bound of a
 * column is one equation with its slack; equations of negative right side change their sign. Phase one from a basis of
 * artificial variables, phase two without them; the dual of equation r is minus the reduced cost of its artificial.
 */
#include <math.h>

#include "context_internal.h"
#include "lp.h"
#include "memory.h"
#include "rational_tableau.h"

enum { MOST_CELLS = 40000 }; /* of the tableau: seconds */

#define at fathom_tableau_at

/* One equation: row or column `index` of the program, with the slack's sign (0: none). */
typedef struct equation {
    int64_t index;
    bool bound; /* of a column; else it is a row */
    int slack;
    double side;
    bool turned;
} equation;

typedef struct form {
    const fathom_lp *lp;
    fathom_tableau t;
    equation *equation;
    int64_t *first, *second;              /* columns of y for x_k; second -1 unless free */
    int64_t equations, variables, slacks; /* artificials follow from variables + slacks on */
} form;

static bool is_free(const fathom_lp *lp, int64_t k)
{
    return isinf(lp->column_low[k]) && isinf(lp->column_high[k]);
}

/* x_k = offset + sign y */
static double offset(const fathom_lp *lp, int64_t k)
{
    return isfinite(lp->column_low[k])    ? lp->column_low[k]
           : isfinite(lp->column_high[k]) ? lp->column_high[k]
                                          : 0;
}

static int sign_of(const fathom_lp *lp, int64_t k)
{
    return isinf(lp->column_low[k]) && isfinite(lp->column_high[k]) ? -1 : 1;
}

static void add_equation(form *f, int64_t index, bool bound, int slack, double side)
{
    f->equation[f->equations++] = (equation){index, bound, slack, side, false};
    f->slacks += slack != 0;
}

static fathom_status form_create(form *f, fathom_context *context, const fathom_lp *lp)
{
    *f = (form){.lp = lp, .t = {.context = context}};
    f->equation = fathom_memory_alloc(context, 2 * lp->rows + lp->columns, sizeof *f->equation);
    f->first = fathom_memory_alloc(context, 2 * lp->columns, sizeof *f->first);
    if (!f->equation || !f->first)
        return FATHOM_ERROR_MEMORY;
    f->second = f->first + lp->columns;
    for (int64_t k = 0; k < lp->columns; k++) {
        f->first[k] = f->variables++;
        f->second[k] = is_free(lp, k) ? f->variables++ : -1;
        if (isfinite(lp->column_low[k]) && isfinite(lp->column_high[k]))
            add_equation(f, k, true, 1, lp->column_high[k]);
    }
    for (int64_t i = 0; i < lp->rows; i++) {
        const bool equal = lp->row_low[i] == lp->row_high[i];
        if (isfinite(lp->row_low[i]))
            add_equation(f, i, false, equal ? 0 : -1, lp->row_low[i]);
        if (isfinite(lp->row_high[i]) && !equal)
            add_equation(f, i, false, 1, lp->row_high[i]);
    }
    return FATHOM_OK;
}

static void form_free(form *f)
{
    fathom_context *context = f->t.context;
    fathom_tableau_free(&f->t);
    FATHOM_FREE(context, f->equation, f->first);
}

/* Adds the coefficient of x_k to equation r, and moves its offset to the right side. */
static void add_term(form *f, int64_t r, int64_t k, double coefficient, mpq_t term)
{
    mpq_t *side = at(&f->t, r, f->t.columns - 1), factor;
    mpq_init(factor);
    mpq_set_d(factor, coefficient);
    mpq_set_d(term, offset(f->lp, k));
    mpq_mul(term, term, factor);
    mpq_sub(*side, *side, term);
    if (sign_of(f->lp, k) > 0)
        mpq_set(*at(&f->t, r, f->first[k]), factor);
    else
        mpq_neg(*at(&f->t, r, f->first[k]), factor);
    if (f->second[k] >= 0)
        mpq_neg(*at(&f->t, r, f->second[k]), factor);
    mpq_clear(factor);
}

/* Equations, artificial basis and the costs of phase one. */
static void fill(form *f)
{
    const fathom_lp *lp = f->lp;
    fathom_tableau *t = &f->t;
    const int64_t artificial = f->variables + f->slacks, last = t->columns - 1;
    int64_t slack = f->variables;
    mpq_t term;
    mpq_init(term);
    for (int64_t r = 0; r < f->equations; r++) {
        equation *e = f->equation + r;
        mpq_set_d(*at(t, r, last), e->side);
        if (e->bound)
            add_term(f, r, e->index, 1, term);
        for (int64_t k = 0; k < lp->columns && !e->bound; k++)
            if (lp->a[e->index * lp->columns + k] != 0)
                add_term(f, r, k, lp->a[e->index * lp->columns + k], term);
        if (e->slack)
            mpq_set_si(*at(t, r, slack++), e->slack, 1);
        e->turned = mpq_sgn(*at(t, r, last)) < 0;
        for (int64_t c = 0; c <= last && e->turned; c++)
            mpq_neg(*at(t, r, c), *at(t, r, c));
        for (int64_t c = 0; c <= last; c++) /* the sum of artificials is sum g - sum of rows */
            mpq_sub(*at(t, t->rows, c), *at(t, t->rows, c), *at(t, r, c));
        mpq_set_ui(*at(t, r, artificial + r), 1, 1);
        t->basic[r] = artificial + r;
    }
    mpq_clear(term);
}

/* Artificials that stayed basic, at 0, leave; where a row has nothing else it says 0 = 0. */
static void drive_out(form *f)
{
    const int64_t artificial = f->variables + f->slacks;
    for (int64_t r = 0; r < f->equations; r++)
        for (int64_t c = 0; c < artificial && f->t.basic[r] >= artificial; c++)
            if (mpq_sgn(*at(&f->t, r, c)) != 0)
                fathom_tableau_pivot(&f->t, r, c);
}

/* Reduced costs of c'x at the basis of phase one. */
static void set_costs(form *f)
{
    fathom_tableau *t = &f->t;
    mpq_t factor, term;
    mpq_inits(factor, term, NULL);
    for (int64_t c = 0; c < t->columns; c++)
        mpq_set_ui(*at(t, t->rows, c), 0, 1);
    for (int64_t k = 0; k < f->lp->columns; k++) {
        mpq_set_d(*at(t, t->rows, f->first[k]), sign_of(f->lp, k) * f->lp->cost[k]);
        if (f->second[k] >= 0)
            mpq_set_d(*at(t, t->rows, f->second[k]), -f->lp->cost[k]);
    }
    for (int64_t r = 0; r < t->rows; r++) {
        mpq_set(factor, *at(t, t->rows, t->basic[r]));
        for (int64_t c = 0; c < t->columns && mpq_sgn(factor) != 0; c++) {
            mpq_mul(term, factor, *at(t, r, c));
            mpq_sub(*at(t, t->rows, c), *at(t, t->rows, c), term);
        }
    }
    mpq_clears(factor, term, NULL);
}

/* value = c'x; x and dual as in lp.h. */
static void read_optimum(double *value, double *x, double *dual, const form *f)
{
    const fathom_tableau *t = &f->t;
    const fathom_lp *lp = f->lp;
    mpq_t each, sum, cost;
    mpq_inits(each, sum, cost, NULL);
    for (int64_t k = 0; k < lp->columns; k++) {
        mpq_set_d(each, offset(lp, k));
        for (int64_t r = 0; r < t->rows; r++) {
            const mpq_t *y = (const mpq_t *)at(t, r, t->columns - 1);
            if (t->basic[r] == f->first[k] && sign_of(lp, k) > 0)
                mpq_add(each, each, *y);
            else if (t->basic[r] == f->first[k] || t->basic[r] == f->second[k])
                mpq_sub(each, each, *y);
        }
        if (x)
            x[k] = mpq_get_d(each);
        mpq_set_d(cost, lp->cost[k]);
        mpq_mul(each, each, cost);
        mpq_add(sum, sum, each);
    }
    *value = mpq_get_d(sum);
    for (int64_t i = 0; i < lp->rows && dual; i++)
        dual[i] = 0;
    for (int64_t r = 0; r < t->rows && dual; r++)
        if (!f->equation[r].bound)
            dual[f->equation[r].index] +=
                (f->equation[r].turned ? 1 : -1) * mpq_get_d(*at(t, t->rows, f->variables + f->slacks + r));
    mpq_clears(each, sum, cost, NULL);
}

static fathom_status solve(fathom_lp_answer *answer, form *f)
{
    static const char *const WHAT = "the linear program was solved";
    const int64_t artificial = f->variables + f->slacks;
    bool bounded;
    fill(f);
    fathom_status status = fathom_tableau_run(&bounded, &f->t, artificial, WHAT);
    if (status == FATHOM_OK && mpq_sgn(*at(&f->t, f->t.rows, f->t.columns - 1)) != 0) {
        *answer = FATHOM_LP_INFEASIBLE;
        return FATHOM_OK;
    }
    if (status == FATHOM_OK) {
        drive_out(f);
        set_costs(f);
        status = fathom_tableau_run(&bounded, &f->t, artificial, WHAT);
    }
    if (status == FATHOM_OK)
        *answer = bounded ? FATHOM_LP_OPTIMAL : FATHOM_LP_UNBOUNDED;
    return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

fathom_status fathom_lp_exact(fathom_lp_answer *answer, double *value, double *x, double *dual,
                              fathom_context *context, const fathom_lp *lp)
{
    form f;
    *answer = FATHOM_LP_UNSOLVED;
    fathom_status status = form_create(&f, context, lp);
    const int64_t columns = f.variables + f.slacks + f.equations + 1;
    if (status == FATHOM_OK && (double)f.equations * (double)columns <= MOST_CELLS) {
        status = fathom_tableau_create(&f.t, context, f.equations, columns);
        FATHOM_THEN(status, solve(answer, &f));
        if (status == FATHOM_OK && *answer == FATHOM_LP_OPTIMAL)
            read_optimum(value, x, dual, &f);
    }
    form_free(&f);
    return status;
}
