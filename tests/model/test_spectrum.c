/* SPDX-License-Identifier: Apache-2.0 */
/* Proven ends of spectra on matrices whose eigenvalues are known. */
#include "with_context.h"

#include <string.h>

#include "fathom/kernel.h"
#include "random.h"

/* Asserts that the intervals hold the true ends and are as narrow as spectrum.c says (8 times its half-widths). */
static void check(double *a, int64_t n, double smallest, double largest)
{
    double *copy = malloc((size_t)(n * n) * sizeof *copy);
    memcpy(copy, a, (size_t)(n * n) * sizeof *copy);
    fathom_spectrum s;
    assert_ok(context, fathom_spectrum_compute(&s, a, n, n, context));
    assert_memory_equal(copy, a, (size_t)(n * n) * sizeof *copy);
    assert_true(s.lambda_min_lower <= smallest && smallest <= s.lambda_min_upper);
    assert_true(s.lambda_max_lower <= largest && largest <= s.lambda_max_upper);
    assert_true(s.lambda_min_lower <= s.lambda_min && s.lambda_min <= s.lambda_min_upper);
    double trace = 0, row_sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += fabs(a[i * n + j]);
        row_sum = fmax(row_sum, sum);
        trace += fabs(a[i * n + i]) + fabs(smallest);
    }
    const double u = (double)(3 * n + 8) * UNIT_ROUNDOFF;
    assert_close(s.lambda_min_upper, s.lambda_min_lower, 8 * u * (trace + row_sum) + 0x1p-990);
    assert_close(s.lambda_max_upper, s.lambda_max_lower,
                 8 * u * ((double)n + 1) * (row_sum + fabs(largest)) + 0x1p-990);
    assert_close(s.trace, trace - (double)n * fabs(smallest), u * trace);
    free(copy);
}

/* diag(v) + b b' with 1'-like structure: J_n + c I has eigenvalues c (n - 1 times) and c + n. Exact in double. */
static void ones_plus_identity(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 8, 100, 384, 385, 700};
    const double shift[] = {0, 1, 0x1p-20, -0.5};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t c = 0; c < 4; c++) {
            const int64_t n = sizes[k];
            double *a = malloc((size_t)(n * n) * sizeof *a);
            for (int64_t i = 0; i < n * n; i++)
                a[i] = 1 + (i % (n + 1) == 0 ? shift[c] : 0);
            check(a, n, n == 1 ? 1 + shift[c] : shift[c], shift[c] + (double)n);
            free(a);
        }
}

/* The second-difference matrix: eigenvalues 2 - 2 cos(k pi / (n + 1)), clustered at both ends. */
static void second_differences(void **state)
{
    (void)state;
    const int64_t sizes[] = {3, 50, 500};
    for (size_t k = 0; k < 3; k++) {
        const int64_t n = sizes[k];
        double *a = calloc((size_t)(n * n), sizeof *a);
        for (int64_t i = 0; i < n; i++) {
            a[i * n + i] = 2;
            if (i + 1 < n)
                a[i * n + i + 1] = a[(i + 1) * n + i] = -1;
        }
        const double half = acos(-1) / (2 * (double)(n + 1));
        check(a, n, 4 * sin(half) * sin(half), 4 * cos(half) * cos(half));
        free(a);
    }
}

static void zero_and_infinite_matrices(void **state)
{
    (void)state;
    double zero[9] = {0}, bad[4] = {1, NAN, NAN, 1};
    check(zero, 3, 0, 0);
    fathom_spectrum s;
    assert_int_equal(fathom_spectrum_compute(&s, bad, 2, 2, context), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_spectrum_compute(&s, zero, 0, 0, context), FATHOM_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ones_plus_identity),
        cmocka_unit_test(second_differences),
        cmocka_unit_test(zero_and_infinite_matrices),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
