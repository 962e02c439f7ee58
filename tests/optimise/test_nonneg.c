/* SPDX-License-Identifier: Apache-2.0 */
/* Quadratic programs in nonnegative variables: optimality recomputed, singular Hessians, bounded only by x >= 0. */
#include <string.h>

#include "nonneg.h"
#include "random.h"
#include "with_context.h"

enum { K = 24 };

/* x >= 0, gradient >= 0, and gradient_j = 0 where x_j > 0, to `tolerance` of the terms. */
static void check_optimal(const double *x, int64_t k, const double *h, const double *slope, const double *e,
                          double tolerance)
{
    for (int64_t j = 0; j < k; j++) {
        double gradient = slope[j], size = fabs(slope[j]);
        for (int64_t l = 0; l < k; l++) {
            gradient += h[j * k + l] * (x[l] - e[l]);
            size += fabs(h[j * k + l]) * (x[l] + e[l]);
        }
        assert_true(x[j] >= 0 && gradient >= -tolerance * size);
        if (x[j] > 0)
            assert_close(gradient, 0, tolerance * size);
    }
}

/* H = A A' of every rank; slope = beta - A g as in training, so that the program is bounded by x >= 0 alone. */
static void test_optimal_for_every_rank(void **state)
{
    (void)state;
    double a[K * K], g[K], h[K * K], slope[K], e[K], x[K];
    for (uint32_t trial = 0; trial < test_trials(300); trial++) {
        const int64_t k = 1 + trial % K, rank = 1 + trial % 7;
        fathom_random_normals(a, k * rank, 5, FATHOM_STREAM_DATA, trial, 0);
        fathom_random_normals(g, rank, 5, FATHOM_STREAM_LABEL, trial, 0);
        fathom_random_normals(e, k, 5, FATHOM_STREAM_START, trial, 0);
        for (int64_t j = 0; j < k; j++) {
            e[j] = trial % 3 == 0 ? 0 : fmax(0, e[j]);
            slope[j] = 0.3;
            for (int64_t l = 0; l < rank; l++)
                slope[j] -= 3 * a[j * rank + l] * g[l];
            for (int64_t l = 0; l < k; l++) {
                h[j * k + l] = 0;
                for (int64_t r = 0; r < rank; r++)
                    h[j * k + l] += a[j * rank + r] * a[l * rank + r];
            }
        }
        /* the gradient at e belongs to slope; at 0 it is slope - H e, which must stay bounded by beta > 0 */
        double shifted[K];
        for (int64_t j = 0; j < k; j++) {
            shifted[j] = slope[j];
            for (int64_t l = 0; l < k; l++)
                shifted[j] += h[j * k + l] * e[l];
        }
        assert_ok(context, fathom_nonneg_solve(x, context, k, h, shifted, e));
        check_optimal(x, k, h, shifted, e, 1e5 * UNIT_ROUNDOFF);
    }
}

/* Equal columns, and a column of zeros with a positive slope. */
static void test_dependent_columns(void **state)
{
    (void)state;
    const double h[] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, slope[] = {-1, -2, 1}, e[] = {0, 0, 0};
    double x[3];
    assert_ok(context, fathom_nonneg_solve(x, context, 3, h, slope, e));
    assert_close(x[1], 2, 4 * UNIT_ROUNDOFF);
    assert_true(x[0] == 0 && x[2] == 0);
    const double start[] = {5, 1, 0}, there[] = {5, 4, 1}; /* the same program seen from (5, 1, 0) */
    assert_ok(context, fathom_nonneg_solve(x, context, 3, h, there, start));
    assert_close(x[1], 2, 64 * UNIT_ROUNDOFF);
    assert_true(x[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimal_for_every_rank),
        cmocka_unit_test(test_dependent_columns),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
