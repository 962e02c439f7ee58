/* SPDX-License-Identifier: Apache-2.0 */
/* Phase one of the simplex method on (a) of exact_neurons.h: inner products are summed in rational numbers, each neuron of a
 * given sign has a slack. */
#include "exact_neurons.h"

#include "rational_tableau.h"

#define at fathom_tableau_at

/* cell = y max(0, <b, x>). */
static void set_feature(mpq_t cell, mpq_t term, const double *b, const double *x, double y, int64_t d)
{
    mpq_t factor;
    mpq_init(factor);
    mpq_set_ui(cell, 0, 1);
    for (int64_t l = 0; l < d; l++) {
        mpq_set_d(term, b[l]);
        mpq_set_d(factor, x[l]);
        mpq_mul(term, term, factor);
        mpq_add(cell, cell, term);
    }
    if (mpq_sgn(cell) < 0)
        mpq_set_ui(cell, 0, 1);
    if (y < 0)
        mpq_neg(cell, cell);
    mpq_clear(factor);
}

/* Columns of the points, of the slacks (one for every neuron, 0 where there is none), then artificials and the right side. */
static void fill(fathom_tableau *t, const fathom_exact_neurons *p, const char *use)
{
    mpq_t term;
    mpq_init(term);
    for (int64_t k = 0; k < p->m; k++) {
        const double sign = p->sign ? p->sign[k] : 0;
        for (int64_t i = 0; i < p->n; i++)
            if (!use || use[i])
                set_feature(*at(t, k, i), term, p->b + k * p->d, p->x + i * p->d, p->y[i], p->d);
        if (sign != 0)
            mpq_set_si(*at(t, k, p->n + k), sign > 0 ? 1 : -1, 1);
    }
    for (int64_t i = 0; i < p->n; i++)
        mpq_set_si(*at(t, p->m, i), !use || use[i], 1);
    mpq_clear(term);
    fathom_tableau_begin(t, p->n + p->m);
}

fathom_status fathom_exact_neurons_decide(bool *zero, double *q, char **integer, fathom_context *context,
                                          const fathom_exact_neurons *p, const char *use)
{
    fathom_tableau t;
    bool bounded; /* the least sum of artificials is */
    *zero = false;
    fathom_status status = fathom_tableau_create(&t, context, p->m + 1, p->n + 2 * p->m + 2);
    if (status == FATHOM_OK) {
        fill(&t, p, use);
        status = fathom_tableau_run(&bounded, &t, p->n + p->m, "the exact decision whether the margin is 0");
    }
    if (status == FATHOM_OK) {
        *zero = mpq_sgn(*at(&t, t.rows, t.columns - 1)) == 0;
        for (int64_t i = 0; i < p->n && *zero; i++)
            q[i] = 0;
        status = *zero ? fathom_tableau_solution(q, integer, &t, p->n, NULL) : FATHOM_OK;
    }
    fathom_tableau_free(&t);
    return status;
}
