/* SPDX-License-Identifier: Apache-2.0 */
/* Certified prices: against all faces of tiny problems, reference values, hard cases, thread counts, limits. */
#include "testing.h"

#include <string.h>

#include "price.h"
#include "price_brute.h"
#include "random.h"

static fathom_context *make_context(void)
{
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    return context;
}

static const fathom_price_options tight = {FATHOM_PRICE_AUTO, 1e-10, 0, INFINITY, 0};

/* Numbers of problem `trial`: Gaussian, or small integers, which make ties, duplicates and zero rows. */
static void draw(double *x, double *v, int64_t n, int64_t d, uint32_t trial)
{
    fathom_random_normals(x, n * d, 11, FATHOM_STREAM_START, trial, 0);
    fathom_random_normals(v, n, 12, FATHOM_STREAM_START, trial, 0);
    for (int64_t k = 0; trial % 3 == 2 && k < n * d; k++)
        x[k] = round(x[k]);
    for (int64_t k = 0; trial % 3 == 2 && k < n; k++)
        v[k] = round(2 * v[k]);
}

/* sum_i |v_i| |x_i|_1: rounding is measured in this. */
static double size(const double *x, const double *v, int64_t n, int64_t d)
{
    double sum = 0;
    for (int64_t k = 0; k < n * d; k++)
        sum += fabs(v[k / d] * x[k]);
    return sum;
}

/* The bound is never below the true maximum, and both ends meet it to 1e-9. */
static void agrees_with_faces(int64_t n, int64_t d, int64_t trials, fathom_price_method method)
{
    fathom_context *context = make_context();
    double x[BRUTE_POINTS * BRUTE_DIM], v[BRUTE_POINTS], u[BRUTE_DIM];
    for (int64_t trial = 0; trial < trials; trial++) {
        draw(x, v, n, d, (uint32_t)(trial + 1000 * d));
        const double p = brute_price(n, d, x, v);
        const fathom_price_problem problem = {context, n, d, 1, x, v, false};
        fathom_price_options options = tight;
        fathom_price_result result;
        options.method = method;
        assert_ok(context, fathom_price_bound(&result, u, &problem, &options));
        const double room = 1e-9 * p + 4096 * UNIT_ROUNDOFF * size(x, v, n, d);
        if (!(result.upper >= p) || !(result.upper <= p + room) || !(result.lower >= p - room))
            print_error("n %d d %d trial %d: %.15g not in [%.15g, %.15g]\n", (int)n, (int)d, (int)trial, p,
                        result.lower, result.upper);
        assert_true(result.upper >= p);
        assert_true(result.upper <= p + room && result.lower >= p - room);
        assert_close(fabs(brute_value(n, d, x, v, u)), result.lower, 64 * UNIT_ROUNDOFF * size(x, v, n, d));
    }
    fathom_context_free(context);
}

static void faces_of_small_problems(void **state)
{
    (void)state;
    agrees_with_faces(5, 1, test_trials(300), FATHOM_PRICE_AUTO);
    agrees_with_faces(7, 2, test_trials(500), FATHOM_PRICE_AUTO);
    agrees_with_faces(7, 2, test_trials(200), FATHOM_PRICE_SUBDIVISION);
    agrees_with_faces(7, 3, test_trials(300), FATHOM_PRICE_AUTO);
    agrees_with_faces(7, 4, test_trials(60), FATHOM_PRICE_AUTO);
    agrees_with_faces(6, 5, test_trials(40), FATHOM_PRICE_AUTO);
    agrees_with_faces(2, 5, test_trials(100), FATHOM_PRICE_AUTO);
    agrees_with_faces(1, 3, test_trials(50), FATHOM_PRICE_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_of_small_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
