/* SPDX-License-Identifier: Apache-2.0 */
/* Least norm under inequalities: conditions of optimality recomputed from the rows; contradictions; degenerate rows. */
#include "testing.h"

#include "blas.h"
#include "nonnegative.h"
#include "random.h"

enum { N = 40, D = 7 };

static int setup(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

/* Rows with a known separator, some of them with c = 0 (sides): KKT to the rounding of the products. */
static void test_optimality(void **state)
{
    for (uint32_t trial = 0; trial < test_trials(50); trial++) {
        double z[N * D], c[N], x[D], l[N];
        fathom_least_norm result;
        fathom_random_normals(z, N * D, 7, FATHOM_STREAM_DATA, trial, 0);
        for (int64_t i = 0; i < N; i++) {
            z[i * D] = fabs(z[i * D]) + 0.1; /* e_1 separates */
            c[i] = i % 3 > 0;
        }
        assert_ok(*state, fathom_least_norm_solve(&result, x, l, z, N, D, c, *state));
        assert_true(result.settled);
        double mix[D] = {0}, total = 0;
        for (int64_t i = 0; i < N; i++) {
            const double p = fathom_blas_dot(z + i * D, x, D);
            const double room = 1e3 * N * UNIT_ROUNDOFF * (1 + fathom_blas_norm(x, D));
            assert_true(l[i] >= 0);
            assert_true(p >= c[i] - room);
            assert_close(l[i] * (p - c[i]), 0, 1e2 * room * fmax(1, l[i]));
            fathom_blas_axpy(mix, l[i], z + i * D, D);
            total += l[i] * c[i];
        }
        for (int k = 0; k < D; k++)
            assert_close(mix[k], x[k], 1e3 * UNIT_ROUNDOFF * (1 + total));
        assert_true(result.lower <= result.upper * (1 + 1e-12));
        assert_close(result.lower, fathom_blas_norm(x, D), 1e-8 * result.upper);
    }
}

/* Antipodal rows cannot both be positive. */
static void test_contradiction(void **state)
{
    const double z[] = {1, 2, -1, -2, 0.5, 0.25}, c[] = {1, 1, 1};
    double x[2], l[3];
    fathom_least_norm result;
    assert_ok(*state, fathom_least_norm_solve(&result, x, l, z, 3, 2, c, *state));
    assert_false(result.settled);
    assert_true(result.upper == INFINITY);
}

/* Duplicates and zero rows with c = 0; one dimension. */
static void test_degenerate(void **state)
{
    const double z[] = {2, 2, 4, 0}, c[] = {1, 1, 1, 0};
    double x[1], l[4];
    fathom_least_norm result;
    assert_ok(*state, fathom_least_norm_solve(&result, x, l, z, 4, 1, c, *state));
    assert_true(result.settled);
    assert_close(x[0], 0.5, 4 * UNIT_ROUNDOFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_optimality, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_contradiction, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_degenerate, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
