/* SPDX-License-Identifier: Apache-2.0 */
/* Families given by formulas, against their definitions. */
#include "dataset_testing.h"

#include "generate_internal.h"

/* c is the nearest double to 1/sqrt(d): (c - u)^2 d < 1 < (c + u)^2 d for half a unit u in the last place, in exact
 * integer arithmetic on 64 + 64 bits (c = m 2^e, 2m - 1 and 2m + 1 squared). */
static void inverse_root_is_rounded_once(void **state)
{
    (void)state;
    for (uint64_t d = 1; d <= 2000; d++) {
        int exponent;
        const double c = fathom_generate_inverse_root((double)d);
        const uint64_t m = (uint64_t)ldexp(frexp(c, &exponent), 53); /* c = m 2^(exponent - 53) */
        const int shift = 2 * (53 - exponent) + 2;                   /* (2m +- 1)^2 d against 2^shift */
        const unsigned __int128 low = (unsigned __int128)(2 * m - 1) * (2 * m - 1);
        const unsigned __int128 high = (unsigned __int128)(2 * m + 1) * (2 * m + 1);
        const unsigned __int128 one = (unsigned __int128)1 << shift;
        assert_true(shift < 128 && low <= one / d && high >= one / d);
    }
}

static void circle(void **state)
{
    for (int64_t n = 1; n <= 60; n++) {
        char spec[40];
        snprintf(spec, sizeof spec, "gen:circle,n=%lld", (long long)n);
        fathom_data *data = open_plain(*state, spec);
        const fathom_data_view v = fathom_data_look(data);
        assert_true(v.n == n && v.d == 2 && v.outputs == 1);
        for (int64_t k = 1; k <= n; k++) {
            const double *x = v.x + 2 * (k - 1), angle = 2 * M_PI * (double)k / (double)n;
            /* The reference angle carries an error of 3 roundings of up to 2 pi. */
            assert_close(x[0], cos(angle), (6 * M_PI + 1) * UNIT_ROUNDOFF);
            assert_close(x[1], sin(angle), (6 * M_PI + 1) * UNIT_ROUNDOFF);
            assert_true(v.y[k - 1] == (k % 2 ? -1 : 1));
            if (4 * k % n == 0)
                assert_true((fabs(x[0]) == 1 && x[1] == 0) || (x[0] == 0 && fabs(x[1]) == 1));
            if (n % 2 == 0 && k <= n / 2) {
                const double negative[2] = {-x[0], -x[1]};
                assert_memory_equal(negative, x + n, sizeof negative);
            }
        }
        fathom_data_free(data);
    }
}

static void cube_and_parity(void **state)
{
    fathom_data *cube = open_plain(*state, "gen:cube,d=5"),
                *parity = open_plain(*state, "gen:parity,d=5,all=1,bits=5");
    const fathom_data_view v = fathom_data_look(cube), w = fathom_data_look(parity);
    assert_true(v.n == 32 && v.d == 5 && w.n == 32 && w.d == 5);
    int seen[32] = {0};
    for (int64_t i = 0; i < 32; i++) {
        double product = 1;
        int number = 0;
        for (int64_t j = 0; j < 5; j++) {
            assert_true(fabs(v.x[5 * i + j]) == 1);
            product *= v.x[5 * i + j];
            number = 2 * number + (v.x[5 * i + j] > 0);
            assert_true(w.x[5 * i + j] == v.x[5 * i + j] * fathom_generate_inverse_root(5));
        }
        seen[number]++;
        assert_true(v.y[i] == product && w.y[i] == product);
    }
    for (int k = 0; k < 32; k++)
        assert_int_equal(seen[k], 1);
    fathom_data_free(cube);
    fathom_data_free(parity);
}

/* Signs are numbers i d + j of the stream of noise; the label is the product of the first `bits`. */
static void random_parity(void **state)
{
    fathom_context_set_seed(*state, 5);
    fathom_data *data = open_plain(*state, "gen:parity,d=6,n=50,bits=3");
    const fathom_data_view v = fathom_data_look(data);
    for (int64_t i = 0; i < 50; i++) {
        double product = 1;
        for (int64_t j = 0; j < 6; j++) {
            const double sign = fathom_random_sign(5, FATHOM_STREAM_DATA, 0, (uint64_t)(6 * i + j));
            assert_true(v.x[6 * i + j] == sign * fathom_generate_inverse_root(6));
            product *= j < 3 ? sign : 1;
        }
        assert_true(v.y[i] == product);
    }
    fathom_data_free(data);
}

static void small_examples(void **state)
{
    fathom_data *line = open_plain(*state, "gen:line1d"), *kkt = open_plain(*state, "gen:badkkt");
    const fathom_data_view v = fathom_data_look(line), w = fathom_data_look(kkt);
    const double x[5] = {-2, -1, 0, 1, 2}, y[5] = {1, -1, 1, 1, -1};
    assert_memory_equal(v.x, x, sizeof x);
    assert_memory_equal(v.y, y, sizeof y);
    const double degree[7] = {159, 160, 161, 19, 20, 21, -13.2608295};
    assert_true(w.n == 7 && w.d == 2 && w.classes == 1);
    for (int i = 0; i < 7; i++) {
        assert_close(w.x[2 * i], cos(degree[i] * M_PI / 180), 10 * UNIT_ROUNDOFF);
        assert_close(w.x[2 * i + 1], sin(degree[i] * M_PI / 180), 10 * UNIT_ROUNDOFF);
        assert_true(w.y[i] == 1);
    }
    fathom_data_free(line);
    fathom_data_free(kkt);
}

static void grid(void **state)
{
    fathom_data *data = open_plain(*state, "gen:grid,d=2,n=3,reach=2");
    const fathom_data_view v = fathom_data_look(data);
    const double x[18] = {-2, -2, -2, 0, -2, 2, 0, -2, 0, 0, 0, 2, 2, -2, 2, 0, 2, 2};
    assert_true(v.n == 9 && v.d == 2);
    assert_memory_equal(v.x, x, sizeof x);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(inverse_root_is_rounded_once),
        data_test(circle),
        data_test(cube_and_parity),
        data_test(random_parity),
        data_test(small_examples),
        data_test(grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
