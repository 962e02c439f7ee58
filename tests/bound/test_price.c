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

/* Known prices: convex-oracles.json, vector_price (pv5, pv7, pv6), to 1e-12 of what was printed there. */
static void several_outputs_in_the_plane(void **state)
{
    (void)state;
    static const double x5[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2};
    static const double v5[] = {0.3, -0.5, 0.1, 0.2, -0.4, -0.2, 0.4, 0.6, -0.3, 0.1};
    static const double x7[] = {1.68, -1.01, -0.52, -0.06, -0.82, -1.43, -0.82,
                                1.17, -0.77, -0.95, -0.29, 2.62,  -1.3,  0.4};
    static const double v7[] = {0.09,  0.48, -1.19, -1.67, -1.33, 0.99, 0.27,  1.14,  0.67, 0.9,  -1.95,
                                -0.26, 0.94, 0.02,  2.36,  -0.57, 0.87, -0.35, -1.42, 1.6,  -0.89};
    static const double x6[] = {0.39, 1.06,  -1.08, -0.29, -0.08, -1.0,
                                0.49, -0.97, -0.95, -1.81, 0.88,  -2.36};
    static const double v6[] = {-0.2, 0.8, -3.59, 0.12, -0.32, -1.78, 0.21, -0.75, -0.15, 0.76, -2.52, -1.33};
    const struct {
        int64_t n, outputs;
        const double *x, *v;
        double price;
    } known[] = {
        {5, 2, x5, v5, 2.04377448004146}, {7, 3, x7, v7, 5.39988741884665}, {6, 2, x6, v6, 10.8714281046266}};
    fathom_context *context = make_context();
    for (int k = 0; k < 3; k++) {
        double u[2];
        fathom_price_result result;
        const fathom_price_problem problem = {context,    known[k].n, 2,    known[k].outputs,
                                              known[k].x, known[k].v, false};
        assert_ok(context, fathom_price_bound(&result, u, &problem, &tight));
        assert_close(result.lower, known[k].price, 1e-12 * known[k].price);
        assert_close(result.upper, known[k].price, 1e-12 * known[k].price);
        assert_true(result.closed);
    }
    fathom_context_free(context);
}

/* With a free bias the price is the largest over the kinks, and no neuron exceeds it; in one dimension against all kinks. */
static void free_biases(void **state)
{
    (void)state;
    fathom_context *context = make_context();
    for (uint32_t trial = 0; trial < test_trials(60); trial++) {
        const int64_t n = 6, d = 1 + trial % 3;
        double x[6 * 3], v[6], shifted[6 * 3], neuron[4], p = 0, mean = 0;
        fathom_price_result result;
        draw(x, v, n, d, trial);
        for (int64_t i = 0; i < n; i++)
            mean += v[i] / (double)n;
        for (int64_t i = 0; i < n; i++)
            v[i] -= mean;
        for (int64_t k = 0; k < n; k++) {
            for (int64_t t = 0; t < n * d; t++)
                shifted[t] = x[t] - x[k * d + t % d];
            p = fmax(p, brute_price(n, d, shifted, v));
        }
        const fathom_price_problem problem = {context, n, d, 1, x, v, true};
        assert_ok(context, fathom_price_bound(&result, neuron, &problem, &tight));
        const double room = 1e-9 * p + 65536 * UNIT_ROUNDOFF * (size(x, v, n, d) + fabs(p));
        assert_true(result.upper >= p * (1 - 1e-14));
        assert_close(result.upper, p, room);
        assert_close(result.lower, p, room);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double t = neuron[d];
            for (int64_t l = 0; l < d; l++)
                t += x[i * d + l] * neuron[l];
            sum += t > 0 ? v[i] * t : 0;
        }
        assert_close(result.sign * sum, result.lower, room);
    }
    fathom_context_free(context);
}

static void trained_size(double *x, double *v, int64_t n, int64_t d)
{
    fathom_random_normals(x, n * d, 31, FATHOM_STREAM_START, 0, 0);
    fathom_random_normals(v, n, 32, FATHOM_STREAM_START, 0, 0);
}

/* The same bits for one and two threads; both ends hold when the run is cut short, and the bound is better after more nodes. */
static void threads_and_limits(void **state)
{
    (void)state;
    enum { N = 80, DIM = 4 };
    double x[N * DIM], v[N], u[DIM], upper[3];
    trained_size(x, v, N, DIM);
    for (int k = 0; k < 3; k++) {
        fathom_context *context = make_context();
        fathom_context_set_threads(context, k == 1 ? 2 : 1);
        const fathom_price_problem problem = {context, N, DIM, 1, x, v, false};
        fathom_price_options options = {FATHOM_PRICE_AUTO, 1e-8, 0, INFINITY, k == 2 ? 100 : 0};
        fathom_price_result result;
        assert_ok(context, fathom_price_bound(&result, u, &problem, &options));
        assert_close(fabs(brute_value(N, DIM, x, v, u)), result.lower,
                     256 * UNIT_ROUNDOFF * size(x, v, N, DIM));
        assert_true(result.closed == (k < 2));
        upper[k] = result.upper;
        fathom_context_free(context);
    }
    assert_true(upper[0] == upper[1]);
    assert_true(upper[2] >= upper[0]);
}

/* Interrupted before it begins: valid, if weak. */
static void interruption(void **state)
{
    (void)state;
    double x[40 * 4], v[40], u[4];
    trained_size(x, v, 40, 4);
    fathom_context *context = make_context();
    const fathom_price_problem problem = {context, 40, 4, 1, x, v, false};
    fathom_price_result result, full;
    assert_ok(context, fathom_price_bound(&full, u, &problem, &tight));
    fathom_context_interrupt(context);
    assert_ok(context, fathom_price_bound(&result, u, &problem, &tight));
    assert_true(result.upper >= full.lower);
    fathom_context_free(context);
}

/* Zero rows, zero weights, huge and tiny scales. */
static void odd_data(void **state)
{
    (void)state;
    fathom_context *context = make_context();
    const double x[] = {0, 0, 3, 4, -3, -4, 3, 4, 6, 8, 1, -1}, v[] = {5, 1, 1, 0, -0.25, 2};
    static const double scales[] = {1, 1e150, 1e-150, 1e9};
    double u[2], base = 0;
    for (int k = 0; k < 4; k++) {
        double scaled[12];
        fathom_price_result result;
        for (int t = 0; t < 12; t++)
            scaled[t] = scales[k] * x[t];
        const fathom_price_problem problem = {context, 6, 2, 1, scaled, v, false};
        assert_ok(context, fathom_price_bound(&result, u, &problem, &tight));
        base = k == 0 ? result.upper : base;
        assert_close(result.upper / scales[k], base, 1e-12 * base);
    }
    const double zero[6] = {0};
    const fathom_price_problem nothing = {context, 6, 2, 1, x, zero, false};
    fathom_price_result result;
    assert_ok(context, fathom_price_bound(&result, u, &nothing, &tight));
    assert_true(result.upper == 0 && result.lower == 0);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_of_small_problems),
        cmocka_unit_test(several_outputs_in_the_plane),
        cmocka_unit_test(free_biases),
        cmocka_unit_test(threads_and_limits),
        cmocka_unit_test(interruption),
        cmocka_unit_test(odd_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
