/* SPDX-License-Identifier: Apache-2.0 */
/* Phase one of the simplex method on (a) of exact_motzkin.h; where it ends above 0, its dual is (b). */
#include "exact_motzkin.h"

#include "rational_tableau.h"

#define at fathom_tableau_at

/* Columns of the vectors, then artificials, then the right side (0, 1). */
static void fill(fathom_tableau *t, int64_t k, int64_t d, const double *x, const signed char *sign,
                 const signed char *kind)
{
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < d && kind[j] >= 0; i++)
            mpq_set_d(*at(t, i, j), sign[j] * x[j * d + i]);
        mpq_set_si(*at(t, d, j), kind[j] > 0, 1);
    }
    fathom_tableau_begin(t, k);
}

fathom_status fathom_exact_motzkin(bool *solved, mpq_t *lambda, mpq_t *h, fathom_context *context, int64_t k,
                                   int64_t d, const double *x, const signed char *sign,
                                   const signed char *kind)
{
    fathom_tableau t;
    bool bounded; /* the least sum of artificials is */
    fathom_status status = fathom_tableau_create(&t, context, d + 1, k + d + 2);
    if (status == FATHOM_OK) {
        fill(&t, k, d, x, sign, kind);
        status = fathom_tableau_run(&bounded, &t, k, "the cone was decided");
    }
    if (status == FATHOM_OK) {
        *solved = mpq_sgn(*at(&t, t.rows, t.columns - 1)) == 0;
        for (int64_t j = 0; j < k; j++)
            mpq_set_ui(lambda[j], 0, 1);
        for (int64_t i = 0; i <= d && *solved; i++)
            if (t.basic[i] < k)
                mpq_set(lambda[t.basic[i]], *at(&t, i, t.columns - 1));
        for (int64_t i = 0; i < d && !*solved;
             i++) { /* the reduced cost of artificial i is 1 - y_i, h = -y */
            mpq_set_si(h[i], -1, 1);
            mpq_add(h[i], h[i], *at(&t, t.rows, k + i));
        }
    }
    fathom_tableau_free(&t);
    return status;
}
