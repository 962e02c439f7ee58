/* SPDX-License-Identifier: Apache-2.0 */
/* Minimisers known in closed form, with and without bounds, in single precision. */
#include "testing.h"

#include <float.h>

#include "lbfgs_single.h"

enum { SIZE = 40, MEMORY = 6 };

/* 1/2 sum_k (k + 1) (x_k - c_k)^2, c_k = (-1)^k (k + 1): between 0 and 20 the minimiser is c cut off there.
 * */
static double bowl(void *user, float *g, const float *x)
{
    double value = 0;
    ++*(int64_t *)user;
    for (int64_t k = 0; k < SIZE; k++) {
        const double c = (k % 2 ? -1.0 : 1.0) * (double)(k + 1), weight = (double)(k + 1);
        g[k] = (float)(weight * ((double)x[k] - c));
        value += weight * ((double)x[k] - c) * ((double)x[k] - c) / 2;
    }
    return value;
}

static int64_t taken;
static void count_step(void *user)
{
    (void)user;
    taken++;
}

static void bounds_hold_and_bind(void **state)
{
    (void)state;
    int64_t calls = 0;
    float x[SIZE], lower[SIZE], upper[SIZE], g[SIZE], *work = test_malloc(sizeof *work * 2000);
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_true(fathom_lbfgs_single_work(SIZE, MEMORY) <= 2000);
    for (int k = 0; k < SIZE; k++) {
        x[k] = 3;
        lower[k] = 0;
        upper[k] = 20;
    }
    const fathom_lbfgs_single_options options = {400, MEMORY, 0, lower, upper, count_step};
    const double value = fathom_lbfgs_single_run(x, context, SIZE, bowl, &calls, &options, work);
    assert_true(value == bowl(&calls, g, x)); /* what is returned is what x has */
    assert_true(taken > 0 && taken < calls);
    for (int k = 0; k < SIZE; k++) {
        const double c = k % 2 ? 0 : k + 1 > 20 ? 20 : k + 1;
        assert_true(x[k] >= lower[k] && x[k] <= upper[k]);
        /* f is flat to rounding of its sum within this distance */
        assert_close((double)x[k], c, 4 * sqrt(UNIT_ROUNDOFF * value) + 64 * (double)FLT_EPSILON * c);
    }
    test_free(work);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_bind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
