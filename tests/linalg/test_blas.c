/* SPDX-License-Identifier: Apache-2.0 */
/* The adapter against plain loops. Bound: a dot product of k terms errs by at most k u sum |x_i y_i|. */
#include "testing.h"

#include "blas.h"
#include "random.h"

static void fill(double *x, int64_t count, uint32_t sub)
{
    fathom_random_normals(x, count, 1, FATHOM_STREAM_DATA, sub, 0);
}

static double entry(fathom_operand a, int64_t i, int64_t j)
{
    return a.transposed ? a.a[j * a.ld + i] : a.a[i * a.ld + j];
}

enum { LD = 13, SIDE = 12 };

static void gemm_equals_loops(void **state)
{
    (void)state;
    double a[LD * LD], b[LD * LD], c[LD * LD], was[LD * LD];
    fill(a, LD * LD, 1), fill(b, LD * LD, 2);
    for (int trial = 0; trial < 4 * SIDE; trial++) {
        const int64_t rows = 1 + trial % 5, columns = 1 + trial % 7, inner = trial % SIDE;
        const fathom_operand oa = {a, LD, trial & 1}, ob = {b, LD, trial & 2};
        const double beta = trial % 3 - 1;
        fill(c, LD * LD, 3);
        for (int k = 0; k < LD * LD; k++)
            was[k] = c[k];
        fathom_blas_gemm(c, LD, rows, columns, inner, 0.5, oa, ob, beta);
        for (int64_t i = 0; i < LD; i++)
            for (int64_t j = 0; j < LD; j++) {
                double sum = 0, size = 0;
                for (int64_t k = 0; k < inner && i < rows && j < columns; k++) {
                    sum += entry(oa, i, k) * entry(ob, k, j);
                    size += fabs(entry(oa, i, k) * entry(ob, k, j));
                }
                const bool inside = i < rows && j < columns;
                const double expected = inside ? 0.5 * sum + beta * was[i * LD + j] : was[i * LD + j];
                assert_close(c[i * LD + j], expected,
                             inside ? (double)(2 * inner + 4) * UNIT_ROUNDOFF * (size + fabs(was[i * LD + j]))
                                    : 0);
            }
    }
}

static void zero_beta_ignores_nan(void **state)
{
    (void)state;
    double a[4] = {1, 2, 3, 4}, c[4] = {NAN, NAN, NAN, NAN}, y[2] = {NAN, NAN};
    fathom_blas_gemm(c, 2, 2, 2, 2, 1, fathom_plain(a, 2), fathom_plain(a, 2), 0);
    assert_true(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
    fathom_blas_gemv(y, 2, 2, 1, fathom_plain(a, 2), a, 0);
    assert_true(y[0] == 5 && y[1] == 11);
    fathom_blas_gemv(y, 2, 2, 1, fathom_transposed(a, 2), a, 0);
    assert_true(y[0] == 7 && y[1] == 10);
    fathom_blas_gemv(y, 2, 0, 1, fathom_plain(a, 2), a, 0);
    assert_true(y[0] == 0 && y[1] == 0);
}

static void syrk_is_symmetric(void **state)
{
    (void)state;
    double a[LD * LD], c[LD * LD], expected[LD * LD];
    fill(a, LD * LD, 4);
    for (int trial = 0; trial < 2; trial++) {
        const fathom_operand oa = {a, LD, trial == 1}, transposed = {a, LD, trial == 0};
        fathom_blas_syrk(c, LD, SIDE, 7, 2, oa, 0);
        fathom_blas_gemm(expected, LD, SIDE, SIDE, 7, 2, oa, transposed, 0);
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                assert_true(c[i * LD + j] == c[j * LD + i]);
                const double size = sqrt(expected[i * LD + i] * expected[j * LD + j]);
                assert_close(c[i * LD + j], expected[i * LD + j], 14 * UNIT_ROUNDOFF * size);
            }
    }
}

static void vectors(void **state)
{
    (void)state;
    double x[3] = {3, 4, 0}, y[3] = {1, -2, 5}, a[6] = {0};
    assert_true(fathom_blas_dot(x, y, 3) == -5);
    assert_true(fathom_blas_sum_abs(y, 3) == 8);
    assert_close(fathom_blas_norm(x, 3), 5, 10 * UNIT_ROUNDOFF);
    const double huge[2] = {3e200, 4e200};
    assert_close(fathom_blas_norm(huge, 2), 5e200, 5e200 * 8 * UNIT_ROUNDOFF);
    fathom_blas_axpy(y, 2, x, 3);
    assert_true(y[0] == 7 && y[1] == 6 && y[2] == 5);
    fathom_blas_scale(y, -1, 3);
    assert_true(y[0] == -7 && y[2] == -5);
    fathom_blas_ger(a, 3, 2, 3, 2, x, y);
    assert_true(a[0] == -42 && a[5] == -40);
    assert_true(fathom_blas_dot(x, y, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_equals_loops),
        cmocka_unit_test(zero_beta_ignores_nan),
        cmocka_unit_test(syrk_is_symmetric),
        cmocka_unit_test(vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
