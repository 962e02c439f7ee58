/* SPDX-License-Identifier: Apache-2.0 */
/* Minimisers known in closed form, with and without bounds. */
#include "testing.h"

#include "lbfgs.h"

/* sum_k 100 (x_{k+1} - x_k^2)^2 + (1 - x_k)^2, minimum 0 at ones. */
static double rosenbrock(void *user, double *g, const double *x)
{
    const int64_t size = *(const int64_t *)user;
    double value = 0;
    for (int64_t k = 0; k < size; k++)
        g[k] = 0;
    for (int64_t k = 0; k + 1 < size; k++) {
        const double a = x[k + 1] - x[k] * x[k], b = 1 - x[k];
        value += 100 * a * a + b * b;
        g[k] += -400 * a * x[k] - 2 * b;
        g[k + 1] += 200 * a;
    }
    return value;
}

static void finds_the_minimum_of_a_curved_valley(void **state)
{
    (void)state;
    int64_t size = 10;
    double x[10] = {-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1}, value;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const fathom_lbfgs_options options = {1000, 10, 0, NULL, NULL, NULL};
    assert_ok(context, fathom_lbfgs_minimize(x, &value, context, size, rosenbrock, &size, &options));
    for (int64_t k = 0; k < size; k++)
        assert_close(x[k], 1, 1e-6);
    fathom_context_free(context);
}

/* 1/2 sum_k (k + 1) (x_k - c_k)^2, c_k = (-1)^k (k + 1): with x >= 0 the minimiser is max(c, 0). */
static double bowl(void *user, double *g, const double *x)
{
    const int64_t size = *(const int64_t *)user;
    double value = 0;
    for (int64_t k = 0; k < size; k++) {
        const double c = (k % 2 ? -1.0 : 1.0) * (double)(k + 1), weight = (double)(k + 1);
        g[k] = weight * (x[k] - c);
        value += weight * (x[k] - c) * (x[k] - c) / 2;
    }
    return value;
}

static void bounds_hold_and_bind(void **state)
{
    (void)state;
    int64_t size = 30;
    double x[30], lower[30], value;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 30; k++) {
        x[k] = 3;
        lower[k] = 0;
    }
    const fathom_lbfgs_options options = {300, 10, 0, lower, NULL, NULL};
    assert_ok(context, fathom_lbfgs_minimize(x, &value, context, size, bowl, &size, &options));
    for (int k = 0; k < 30; k++) {
        assert_true(x[k] >= 0);
        /* f is flat to rounding within this distance */
        assert_close(x[k], k % 2 ? 0 : k + 1, 4 * sqrt(UNIT_ROUNDOFF * value));
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_minimum_of_a_curved_valley),
        cmocka_unit_test(bounds_hold_and_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
