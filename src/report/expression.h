/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions over the columns of tables, with which recipes state derived columns and criteria.
 *
 *     max(abs(m.value * m.n * cos(pi / m.n) - 1))
 *
 * table.column is the column of that name, one number per row, NaN where a row has none. Operators + - * / ^
 * and the comparisons < <= == >= > (1 or 0) act number by number, a single number standing for as many as are
 * needed. Functions: abs sqrt exp log log10 cos sin floor sign; max min sum mean sd median count first last
 * of a column (NaN left out); quantile(a, q); share_low(a, c), share_high(a, c): bounds of the probability
 * that a number is not 0, median_low(a, c), median_high(a, c): bounds of the median, each at confidence c
 * (binomial.h); pick(a, b): those a whose b is neither 0 nor NaN; slope(x, y): of the least-squares line;
 * corr(x, y); change(a): the differences of neighbours, NaN first; shift(a, k): a moved by k rows, around the
 * end; pi.
 */
#ifndef FATHOM_EXPRESSION_H
#define FATHOM_EXPRESSION_H

#include "fathom/json.h"

enum { FATHOM_EXPRESSION_NAME = 64 };

/* Which rows an expression sees: of the tables named here those whose group is number `at`, of all others
 * all. */
typedef struct fathom_expression_scope {
    int64_t tables, at;
    const char *const *table;
    const int64_t *const *group; /* of each such table: one number per row */
} fathom_expression_scope;

/* Gives the values of an expression; `tables` is an object whose members are lists of objects; scope NULL:
 * all rows. ERROR_INPUT says what is wrong and at which letter. Free the values with fathom_memory_free. */
fathom_status fathom_expression_evaluate(double **values, int64_t *count, fathom_json *tables,
                                         const fathom_expression_scope *scope, const char *text);

/* The same for expressions that give one number. */
fathom_status fathom_expression_number(double *value, fathom_json *tables,
                                       const fathom_expression_scope *scope, const char *text);

/* The next table that the text at *at names, and *at after it; false: no further one. */
bool fathom_expression_table(char name[FATHOM_EXPRESSION_NAME], const char **at);

#endif
