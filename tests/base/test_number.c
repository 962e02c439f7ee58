/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal to double: equal to the C library's correctly rounded strtod on every text. */
#include "testing.h"

#include <string.h>

#include "number.h"
#include "random.h"

static void parses(const char *text)
{
    double value;
    size_t end;
    assert_int_equal(fathom_number_parse(&value, &end, text, strlen(text)), FATHOM_NUMBER_OK);
    assert_int_equal(end, strlen(text));
    const double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0) {
        print_error("'%s' gave %.17g, expected %.17g\n", text, value, expected);
        fail();
    }
}

static void chosen_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "1e5",
                                        "1E-5",
                                        "1e+5",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "2.2250738585072011e-308",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "1.7976931348623157e308",
                                        "1e-400",
                                        "0e999",
                                        "8.98846567431158e307",
                                        "0.000000000000000000000000000000000000001",
                                        "1e22",
                                        "1e23",
                                        "5e-324"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        parses(texts[k]);
}

static void random_doubles(void **state)
{
    (void)state;
    static const char *const formats[] = {"%.17g", "%.18e", "%.6g", "%.16f", "%.3e"};
    for (uint64_t k = 0; k < (uint64_t)test_trials(20000); k++) {
        const double u = fathom_random_uniform(1, FATHOM_STREAM_SAMPLE, 0, 2 * k);
        const double e = fathom_random_uniform(1, FATHOM_STREAM_SAMPLE, 0, 2 * k + 1);
        char text[400];
        snprintf(text, sizeof text, formats[k % 5], ldexp(u - 0.5, (int)(40 * e)));
        parses(text);
        snprintf(text, sizeof text, "%.17g", ldexp(u, (int)(2000 * e) - 1020));
        if (!strchr(text, 'i'))
            parses(text);
    }
}

static void not_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "+", "-", ".", "e5", "abc", "-.", "--1", " 1"};
    double value;
    size_t end;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        assert_int_equal(fathom_number_parse(&value, &end, texts[k], strlen(texts[k])),
                         FATHOM_NUMBER_INVALID);
    assert_int_equal(fathom_number_parse(&value, &end, "1e999", 5), FATHOM_NUMBER_OVERFLOW);
    assert_int_equal(fathom_number_parse(&value, &end, "-inf", 4), FATHOM_NUMBER_SPECIAL);
    assert_int_equal(fathom_number_parse(&value, &end, "NaN", 3), FATHOM_NUMBER_SPECIAL);
    assert_int_equal(fathom_number_parse(&value, &end, "1e+x", 4), FATHOM_NUMBER_OK);
    assert_int_equal(end, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_texts),
        cmocka_unit_test(random_doubles),
        cmocka_unit_test(not_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
