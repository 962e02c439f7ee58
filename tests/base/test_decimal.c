/* SPDX-License-Identifier: Apache-2.0 */
/* Double to decimal: reads back as the same bits, and shorter texts do not. */
#include "testing.h"

#include <string.h>

#include "decimal.h"
#include "random.h"

static void is(double value, const char *expected)
{
    char text[FATHOM_DECIMAL_SIZE];
    assert_int_equal(fathom_decimal_format(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void chosen(void **state)
{
    (void)state;
    is(0, "0");
    is(-0.0, "-0");
    is(1, "1");
    is(-17, "-17");
    is(0.1, "0.1");
    is(1.0 / 3, "0.3333333333333333");
    is(0.1 + 0.2, "0.30000000000000004");
    is(1e300, "1e+300");
    is(5e-324, "4.94065645841247e-324"); /* the shortest by trial from 15 digits on */
    is(NAN, "nan");
    is(-INFINITY, "-inf");
}

static void round_trips(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < (uint64_t)test_trials(20000); k++) {
        const double u = fathom_random_uniform(1, FATHOM_STREAM_SAMPLE, 0, 2 * k) - 0.5;
        const double e = fathom_random_uniform(1, FATHOM_STREAM_SAMPLE, 0, 2 * k + 1);
        const double value = ldexp(u, (int)(2090 * e) - 1070);
        char text[FATHOM_DECIMAL_SIZE];
        assert_true(fathom_decimal_format(text, value) < FATHOM_DECIMAL_SIZE);
        const double back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen), cmocka_unit_test(round_trips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
