/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simplex tableaus in rational arithmetic.
 *
 * Bland's rule: the first column of negative reduced cost enters; of the rows with the least ratio the one with the least
 * basic column leaves. No basis comes twice, so that the run ends. Cost: rows x columns rational operations per pivot.
 * [Bland 1977]
 */
#include "rational_tableau.h"

#include "context_internal.h"
#include "memory.h"

#define at fathom_tableau_at

fathom_status fathom_tableau_create(fathom_tableau *t, fathom_context *context, int64_t rows, int64_t columns)
{
    *t = (fathom_tableau){.context = context, .rows = rows, .columns = columns};
    const int64_t cells = (rows + 1) * columns;
    t->basic = fathom_memory_alloc(context, rows, sizeof *t->basic);
    mpq_t *cell = fathom_memory_alloc(context, cells, sizeof *cell);
    if (!t->basic || !cell) {
        fathom_memory_free(context, cell);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t c = 0; c < cells; c++)
        mpq_init(cell[c]);
    t->cell = cell;
    return FATHOM_OK;
}

void fathom_tableau_free(fathom_tableau *t)
{
    if (t->cell)
        for (int64_t c = 0; c < (t->rows + 1) * t->columns; c++)
            mpq_clear(t->cell[c]);
    FATHOM_FREE(t->context, t->cell, t->basic);
}

void fathom_tableau_begin(fathom_tableau *t, int64_t k)
{
    mpq_t *cost = fathom_tableau_at(t, t->rows, 0);
    for (int64_t i = 0; i < t->rows; i++) {
        mpq_set_ui(*fathom_tableau_at(t, i, k + i), 1, 1);
        t->basic[i] = k + i;
        for (int64_t c = 0; c < k; c++) /* 0 - sum of rows */
            mpq_sub(cost[c], cost[c], *fathom_tableau_at(t, i, c));
    }
    mpq_set_ui(*fathom_tableau_at(t, t->rows - 1, t->columns - 1), 1, 1);
    mpq_set_si(cost[t->columns - 1], -1, 1);
}

void fathom_tableau_pivot(fathom_tableau *t, int64_t row, int64_t column)
{
    mpq_t factor, term;
    mpq_inits(factor, term, NULL);
    mpq_inv(factor, *at(t, row, column));
    for (int64_t c = 0; c < t->columns; c++)
        mpq_mul(*at(t, row, c), *at(t, row, c), factor);
    for (int64_t i = 0; i <= t->rows; i++) {
        if (i == row || mpq_sgn(*at(t, i, column)) == 0)
            continue;
        mpq_set(factor, *at(t, i, column));
        for (int64_t c = 0; c < t->columns; c++)
            if (mpq_sgn(*at(t, row, c)) != 0) {
                mpq_mul(term, factor, *at(t, row, c));
                mpq_sub(*at(t, i, c), *at(t, i, c), term);
            }
    }
    t->basic[row] = column;
    mpq_clears(factor, term, NULL);
}

/* The row that leaves for this column: least ratio, ties by the least basic column; -1 where none limits. */
static int64_t leaving_row(const fathom_tableau *t, int64_t column)
{
    int64_t best = -1;
    mpq_t ratio, least;
    mpq_inits(ratio, least, NULL);
    for (int64_t i = 0; i < t->rows; i++) {
        if (mpq_sgn(*at(t, i, column)) <= 0)
            continue;
        mpq_div(ratio, *at(t, i, t->columns - 1), *at(t, i, column));
        const int order = best < 0 ? -1 : mpq_cmp(ratio, least);
        if (order < 0 || (order == 0 && t->basic[i] < t->basic[best])) {
            best = i;
            mpq_set(least, ratio);
        }
    }
    mpq_clears(ratio, least, NULL);
    return best;
}

fathom_status fathom_tableau_run(bool *bounded, fathom_tableau *t, int64_t entering, const char *what)
{
    *bounded = true;
    for (int64_t iteration = 1;; iteration++) {
        int64_t column = 0;
        while (column < entering && mpq_sgn(*at(t, t->rows, column)) >= 0)
            column++;
        if (column == entering)
            return FATHOM_OK;
        const int64_t row = leaving_row(t, column);
        *bounded = row >= 0;
        if (!*bounded)
            return FATHOM_OK;
        fathom_tableau_pivot(t, row, column);
        if (fathom_context_stop_reason(t->context) != FATHOM_STOP_NONE)
            return fathom_error_set(t->context, FATHOM_ERROR_STOPPED, "stopped before %s (%lld pivots)", what,
                                    (long long)iteration);
    }
}

/* The value of row i where the variable that is basic in it is one of the first k and > 0, else NULL. */
static mpq_t *positive(const fathom_tableau *t, int64_t i, int64_t k)
{
    mpq_t *value = at(t, i, t->columns - 1);
    return t->basic[i] < k && mpq_sgn(*value) > 0 ? value : NULL;
}

fathom_status fathom_tableau_solution(double *lambda, char **integer, const fathom_tableau *t, int64_t k,
                                      const int64_t *chosen)
{
    fathom_status status = FATHOM_OK;
    mpz_t multiple, each;
    mpz_init_set_ui(multiple, 1);
    mpz_init(each);
    for (int64_t i = 0; i < t->rows; i++)
        if (positive(t, i, k)) {
            lambda[chosen ? chosen[t->basic[i]] : t->basic[i]] = mpq_get_d(*positive(t, i, k));
            mpz_lcm(multiple, multiple, mpq_denref(*positive(t, i, k)));
        }
    for (int64_t i = 0; i < t->rows && integer && status == FATHOM_OK; i++)
        if (positive(t, i, k)) {
            mpz_divexact(each, multiple, mpq_denref(*positive(t, i, k)));
            mpz_mul(each, each, mpq_numref(*positive(t, i, k)));
            char *text = fathom_memory_alloc(t->context, (int64_t)mpz_sizeinbase(each, 16) + 2, 1);
            integer[chosen ? chosen[t->basic[i]] : t->basic[i]] = text ? mpz_get_str(text, 16, each) : NULL;
            status = text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
        }
    mpz_clears(multiple, each, NULL);
    return status;
}
