/* SPDX-License-Identifier: Apache-2.0 */
/* Lanczos on diagonal operators, whose spectrum is known. */
#include "testing.h"

#include "lanczos.h"

enum { N = 500 };

static void scale_entries(double *y, const double *x, void *user)
{
    const double *value = user;
    for (int64_t i = 0; i < N; i++)
        y[i] = value[i] * x[i];
}

static double largest_of(double *value, double *vector)
{
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double theta = 0;
    assert_ok(context, fathom_lanczos_largest(&theta, vector, scale_entries, value, N, 120, 1e-10, context));
    fathom_context_free(context);
    return theta;
}

/* A residual of 1e-10 and a gap of 0.1 leave an error near 1e-19: rounding decides, N u |A| at most. */
static void separated_end_is_found(void **state)
{
    (void)state;
    double value[N], vector[N];
    for (int64_t i = 0; i < N; i++)
        value[i] = sin((double)i);
    value[123] = 1.1;
    assert_close(largest_of(value, vector), 1.1, N * UNIT_ROUNDOFF);
    assert_close(fabs(vector[123]), 1, N * UNIT_ROUNDOFF + 1e-10 / 0.1);
}

/* Two distinct eigenvalues: the Krylov space is exhausted after two steps. */
static void exhausted_space_ends_early(void **state)
{
    (void)state;
    double value[N], vector[N];
    for (int64_t i = 0; i < N; i++)
        value[i] = i % 2 ? 3 : -5;
    assert_close(largest_of(value, vector), 3, 5 * N * UNIT_ROUNDOFF);
    for (int64_t i = 0; i < N; i++)
        value[i] = 0;
    assert_true(largest_of(value, vector) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separated_end_is_found),
        cmocka_unit_test(exhausted_space_ends_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
