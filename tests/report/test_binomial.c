/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from k of n draws: closed forms, coverage by enumeration, ranks of the median by counting. */
#include "testing.h"

#include "binomial.h"

enum { COVERED = 25 };

/* C(n, k) p^k (1 - p)^(n - k) by products. */
static double term(int64_t k, int64_t n, double p)
{
    double value = 1;
    for (int64_t j = 1; j <= k; j++)
        value *= p * (double)(n - k + j) / (double)j;
    for (int64_t j = 0; j < n - k; j++)
        value *= 1 - p;
    return value;
}

static void test_distribution(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 30; n++)
        for (int i = 0; i <= 20; i++) {
            double sum = 0;
            const double p = i / 20.;
            for (int64_t k = 0; k <= n; k++) {
                sum += term(k, n, p);
                assert_close(fathom_binomial_below(k, n, p), fmin(sum, 1), 2000 * UNIT_ROUNDOFF);
            }
        }
    assert_true(fathom_binomial_below(-1, 5, 0.3) == 0 && fathom_binomial_below(5, 5, 0.3) == 1);
}

/* All draws met: low^n = 1 - confidence; none: (1 - high)^n is. No draws say nothing. */
static void test_ends(void **state)
{
    (void)state;
    double low, high;
    for (int64_t n = 1; n <= 200; n += 7) {
        fathom_binomial_bounds(&low, &high, n, n, 0.95);
        assert_true(high == 1 && low < pow(0.05, 1 / (double)n) + 1e-12);
        assert_close(pow(low, (double)n), 0.05, 1e-9);
        const double share = low;
        fathom_binomial_bounds(&low, &high, 0, n, 0.95);
        assert_true(low == 0);
        assert_close(high, 1 - share, 4 * UNIT_ROUNDOFF);
    }
    fathom_binomial_bounds(&low, &high, 0, 0, 0.95);
    assert_true(low == 0 && high == 1);
    fathom_binomial_bounds(&low, &high, 32, 40, 0.95); /* the 8 of 40 draws that miss 002:fig2 */
    assert_true(low > 0.66 && low < 0.67 && high > 0.89 && high < 0.9);
}

/* Whatever p is, each bound is on the wrong side with a probability of at most 1 - confidence. */
static void test_coverage(void **state)
{
    (void)state;
    const double level[] = {0.6, 0.95, 0.999};
    for (int l = 0; l < 3; l++)
        for (int64_t n = 1; n <= COVERED; n += 4) {
            double low[COVERED + 1], high[COVERED + 1];
            for (int64_t k = 0; k <= n; k++)
                fathom_binomial_bounds(&low[k], &high[k], k, n, level[l]);
            for (int i = 0; i <= 100; i++) {
                const double p = i / 100.;
                double above = 0, below = 0;
                for (int64_t k = 0; k <= n; k++) {
                    above += low[k] > p ? term(k, n, p) : 0;
                    below += high[k] < p ? term(k, n, p) : 0;
                }
                assert_true(above <= 1 - level[l] + 1e-9 && below <= 1 - level[l] + 1e-9);
            }
        }
}

static void test_median_rank(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 40; n++) {
        double sum = 0;
        int64_t rank = 0;
        while (rank < n && (sum += term(rank, n, 0.5)) <= 0.05)
            rank++;
        assert_int_equal(fathom_binomial_median_rank(n, 0.95), rank);
    }
    assert_int_equal(fathom_binomial_median_rank(4, 0.95), 0);
    assert_int_equal(fathom_binomial_median_rank(5, 0.95), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distribution), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_coverage), cmocka_unit_test(test_median_rank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
