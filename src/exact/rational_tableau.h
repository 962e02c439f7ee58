/* SPDX-License-Identifier: Apache-2.0 */
/* Simplex tableaus in rational arithmetic: what the exact decisions and the exact linear program share. */
#ifndef FATHOM_RATIONAL_TABLEAU_H
#define FATHOM_RATIONAL_TABLEAU_H

#include <gmp.h>

#include "fathom/context.h"

/* Rows 0..rows-1 are equations in the basic variables, row `rows` holds the reduced costs of a minimum; the last column is
 * the right side. */
typedef struct fathom_tableau {
    fathom_context *context;
    int64_t rows, columns;
    mpq_t *cell;    /* (rows + 1) x columns */
    int64_t *basic; /* rows: the column that is basic in each */
} fathom_tableau;

static inline mpq_t *fathom_tableau_at(const fathom_tableau *t, int64_t row, int64_t column)
{
    return &t->cell[row * t->columns + column];
}

/* All cells 0. To be freed also after a failure. */
fathom_status fathom_tableau_create(fathom_tableau *t, fathom_context *context, int64_t rows,
                                    int64_t columns);
void fathom_tableau_free(fathom_tableau *t);

/* Phase 1 of { A c = (0, ..., 0, 1), c >= 0 } with the k columns of A in place: one artificial variable for
 * each row, all of them basic, and the reduced costs of their sum. */
void fathom_tableau_begin(fathom_tableau *t, int64_t k);

/* Makes `column` basic in `row`, whose cell there is not 0. */
void fathom_tableau_pivot(fathom_tableau *t, int64_t row, int64_t column);

/* Pivots by Bland's rule, which cannot cycle, until no reduced cost among the first `entering` columns is negative; *bounded is
 * false where one may fall for ever. ERROR_STOPPED on the context's limits: `what` was not finished. */
fathom_status fathom_tableau_run(bool *bounded, fathom_tableau *t, int64_t entering, const char *what);

/* Of a finished tableau the first k variables that are positive: lambda, each rounded once, and integer (texts, NULL before; or
 * NULL), times the least common multiple of their denominators, hexadecimal. Variable j goes to chosen[j], or j where that is
 * NULL. The caller frees the texts, also after a failure. */
fathom_status fathom_tableau_solution(double *lambda, char **integer, const fathom_tableau *t, int64_t k,
                                      const int64_t *chosen);

#endif
