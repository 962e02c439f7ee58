/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include "exact_dot.h"
#include "random.h"

/* Cancellation, overflow and underflow that plain sums get wrong. */
static void test_known_signs(void **state)
{
    (void)state;
    const double big = 0x1.fffffffffffffp1023, tiny = 0x1p-1074;
    const double a[][3] = {
        {big, -big, tiny}, {big, -big, 0}, {1, 0x1p-60, -1}, {0.1, 0.2, -0.3}, {-tiny, 0, 0}};
    const double b[][3] = {{big, big, tiny}, {big, big, big}, {1, -1, 1}, {1, 1, 1}, {tiny, 1, 1}};
    const int expected[] = {1, 0, -1, 1, -1}; /* 0.1 + 0.2 > 0.3 as doubles: by 2^-55 */
    for (int k = 0; k < 5; k++)
        assert_int_equal(fathom_exact_dot_sign(3, a[k], b[k]), expected[k]);
    assert_int_equal(fathom_exact_dot_sign(0, a[0], b[0]), 0);
}

/* <(a, b), (b, -a)> = 0 exactly, and moving one entry by one ulp decides the sign. */
static void test_rotated_pairs(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < (uint64_t)test_trials(1000); k++) {
        const double a = fathom_random_normal(3, FATHOM_STREAM_DATA, 0, 2 * k);
        const double b = fathom_random_normal(3, FATHOM_STREAM_DATA, 0, 2 * k + 1);
        const double x[2] = {a, b};
        const double y[2] = {b, -a}, up[2] = {nextafter(b, INFINITY), -a};
        assert_int_equal(fathom_exact_dot_sign(2, x, y), 0);
        assert_int_equal(fathom_exact_dot_sign(2, x, up), a > 0 ? 1 : -1);
        const int32_t column[2] = {1, 0};
        const double swapped[2] = {b, a}, value[2] = {-a, b};
        assert_int_equal(fathom_exact_sparse_dot_sign(2, column, value, x), 0);
        assert_int_equal(fathom_exact_sparse_dot_sign(2, column, swapped, x), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_signs),
                                       cmocka_unit_test(test_rotated_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
