/* SPDX-License-Identifier: Apache-2.0 */
/* Prices found by ascent: known maxima, one of them on a kink, where the plain fixed point fails. */
#include "testing.h"

#include "ascent.h"
#include "blas.h"
#include "random.h"

static const double points[6][2] = {{1, 2}, {2, -1}, {-1, 1}, {-2, -1}, {0.5, -2}, {1, 0.7}};

/* The best of 400 starts on both sides. */
static double best_price(const fathom_ascent *problem, fathom_context *context)
{
    double u[400 * 5], value[400], sign[400], best = 0;
    fathom_random_normals(u, 400 * problem->d, 1, FATHOM_STREAM_START, 0, 0);
    for (int k = 0; k < 400; k++)
        sign[k] = k % 2 ? -1 : 1;
    assert_ok(context, fathom_ascent_run(u, value, sign, 400, problem, context));
    for (int k = 0; k < 400; k++) {
        assert_close(fathom_ascent_value(problem, u + k * problem->d, sign[k]), value[k],
                     64 * UNIT_ROUNDOFF * 100);
        best = fmax(best, value[k]);
    }
    return best;
}

/* Reference values to 1e-12; the third maximiser has a point on its kink. */
static void known_prices(void **state)
{
    (void)state;
    const double v[3][6] = {{1, -1, 2, 0.5, -1.5, 1}, {1, 1, 1, 1, 1, 1}, {-1, 2, -3, 4, -5, 6}};
    const double price[3] = {4.8541219597369, 4.50998891351187, 8.77978962631525};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 3; k++) {
        const fathom_ascent problem = {.n = 6, .d = 2, .x = points[0], .v = v[k]};
        assert_close(best_price(&problem, context), price[k], 1e-9 * price[k]);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
