/* SPDX-License-Identifier: Apache-2.0 */
/* Sums against long double (64-bit significand on x86; where it is no wider, the bounds still hold). */
#include "testing.h"

#include "dispatch.h"
#include "random.h"
#include "sum.h"

static void within_their_bounds(void **state)
{
    (void)state;
    static double x[5000];
    for (int64_t count = 0; count <= 5000; count = count * 3 / 2 + 1) {
        fathom_random_normals(x, count, 1, FATHOM_STREAM_DATA, (uint32_t)count, 0);
        long double sum = 0, size = 0;
        for (int64_t k = 0; k < count; k++) {
            sum += x[k];
            size += fabsl(x[k]);
        }
        const double n = (double)count, u = UNIT_ROUNDOFF, total = (double)sum;
        assert_close(fathom_sum(x, count), total, (log2(n + 1) + 8) * u * (double)size);
    }
}

/* Terms up to 1e16 times the sum cancel in pairs: what is left is the start and one product, to about
 * 2^-100 of the terms. */
static void long_products(void **state)
{
    (void)state;
    enum { N = 40 };
    double x[2 * N + 1], y[2 * N + 1], low;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fathom_random_normals(x, N + 1, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, N + 1, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int k = 0; k < N; k++) {
            x[k] *= 1e8;
            y[k] *= 1e8;
        }
        const double product = x[N] * y[N], error = fma(x[N], y[N], -product);
        for (int k = 0; k < N; k++) {
            x[2 * N - k] = -x[k];
            y[2 * N - k] = y[k];
        }
        const double value = fathom_dot_long(&low, x, y, 2 * N + 1, 0);
        assert_close(value, product, UNIT_ROUNDOFF * fabs(product) + 1e16 * 0x1p-90);
        assert_close((value - product) + low, error, 1e16 * 0x1p-90);
    }
}

static void logarithms(void **state)
{
    (void)state;
    const double x[] = {-1000, -1000, -1e9}, one[] = {5}, none[] = {-INFINITY, -INFINITY};
    assert_close(fathom_sum_log(x, NULL, 3), -1000 + log(2), 2000 * UNIT_ROUNDOFF);
    assert_true(fathom_sum_log(one, NULL, 1) == 5);
    assert_true(fathom_sum_log(none, NULL, 2) == -INFINITY);
    assert_true(fathom_sum_log(x, NULL, 0) == -INFINITY);
    const double weight[] = {3, 0, 0}, hidden[] = {2, 900, NAN};
    assert_close(fathom_sum_log(hidden, weight, 2), 2 + log(3), 8 * UNIT_ROUNDOFF);
    assert_true(isnan(fathom_sum_log(hidden, NULL, 3)));
}

/* a d - c b, by the instructions of every loop that is dispatched. */
FATHOM_DISPATCH static void determinants_dispatched(double *out, const double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        out[k] = x[4 * k] * x[4 * k + 3] - x[4 * k + 2] * x[4 * k + 1];
}

/*
 * Products are rounded before they are added, with and without wider instructions: proportional rows have
 * determinant 0, which fused they have not (the rounding error of one product would be left).
 */
static void nothing_is_fused(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static double x[4 * COUNT], out[COUNT];
    fathom_random_normals(x, 4 * COUNT, 2, FATHOM_STREAM_DATA, 0, 0);
    for (int64_t k = 0; k < COUNT; k++)
        for (int64_t c = 0; c < 2; c++)
            x[4 * k + 2 + c] = ldexp(x[4 * k + c], (int)(k % 21) - 10);
    determinants_dispatched(out, x, COUNT);
    for (int64_t k = 0; k < COUNT; k++) {
        assert_true(out[k] == 0);
        assert_true(x[4 * k] * x[4 * k + 3] - x[4 * k + 2] * x[4 * k + 1] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_their_bounds),
        cmocka_unit_test(long_products),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(nothing_is_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
