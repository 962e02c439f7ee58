/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers m 2^e, and arrays of them as integers on a common grid: sums and products there are exact. */
#include <math.h>

#include "checker.h"

dyadic dyadic_from(double value)
{
    int e;
    const double f = frexp(value, &e); /* finite: |f| in [1/2, 1) or 0 */
    int64_t m = (int64_t)ldexp(f, 53);
    if (m == 0)
        return (dyadic){0, 0};
    int64_t exponent = e - 53;
    for (; m % 2 == 0; m /= 2)
        exponent++;
    return (dyadic){m, exponent};
}

void grid_init(check *c, grid *g, int64_t count, int64_t e)
{
    g->count = count;
    g->e = e;
    g->z = check_alloc(c, count, sizeof *g->z);
    for (int64_t k = 0; k < count; k++)
        mpz_init(g->z[k]);
}

void grid_clear(check *c, grid *g)
{
    for (int64_t k = 0; k < g->count; k++)
        mpz_clear(g->z[k]);
    check_free(c, g->z);
    *g = (grid){0};
}

/* e = the least exponent among values other than 0. */
void grid_from(check *c, grid *g, const dyadic *values, int64_t count)
{
    int64_t e = INT64_MAX;
    for (int64_t k = 0; k < count; k++)
        if (values[k].m != 0 && values[k].e < e)
            e = values[k].e;
    grid_init(c, g, count, e == INT64_MAX ? 0 : e);
    for (int64_t k = 0; k < count; k++) {
        mpz_set_si(g->z[k], values[k].m);
        if (values[k].m != 0)
            mpz_mul_2exp(g->z[k], g->z[k], (mp_bitcnt_t)(values[k].e - g->e));
    }
}

void grid_from_doubles(check *c, grid *g, const double *values, int64_t count)
{
    dyadic *exact = check_alloc(c, count, sizeof *exact);
    for (int64_t k = 0; k < count; k++)
        exact[k] = dyadic_from(values[k]);
    grid_from(c, g, exact, count);
    check_free(c, exact);
}
