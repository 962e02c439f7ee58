/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal to double: equal to the C library's correctly rounded strtod on every text. */
#include "testing.h"

#include <locale.h>
#include <string.h>

#include "decimal.h"
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
                                        "1e-342",
                                        "9e-330",
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

/* Texts that lie on or next to the midpoint of two doubles, from published collections of hard cases, and halves of
 * the smallest and largest doubles. */
static void hard_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "9007199254740991.4999999999999999999999999999999995",
        "9007199254740992.5000000000000000000000000000000001",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000000000000000000001",
        "2.2250738585072012e-308",
        "2.2250738585072013e-308",
        "2."
        "2250738585072011360574097967091319759348195463516456480234261097248222220210769455165295239081350879"
        "1414915891303962110687008643869459464552765720740782062174337998814106326732925355228688137214901298"
        "1122451451889849057222307285255133155755015914397476397983411801999323962548289017107081850690630666"
        "6559949382757725720157630626906633326475653000092458883164330377797918696120494973903778297049050510"
        "8060994073026293712895895000358379996720725430436028407889577179615094551674824347103070260914462157"
        "2289880258182545180325707018860872113128079512233426288368622321503775666622503982534335974568884423"
        "9002654981983854879482922068947216898310996983658468140228542433306603398508864458040010349339704275"
        "67186443383770486037861622771738545623065874679014086723327636718751234567890123456789012345678901e-"
        "308",
        "1448997445238699",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.50000000000000000000000000000001",
        "7.8459735791271921e65",
        "3.571e266",
        "3.08984926168550152811e-32",
        "4503599627370496.5",
        "4503599627475353.5",
        "1090544144181609348671888949248",
        "1090544144181609348835077142190",
        "6929495644600919.5",
        "3.2378839133029012895883524125015321748630094231828e-245",
        "5.0946775383495297e-25",
        "1.7976931348623158e308",
        "1.797693134862315807e308",
        "2.4703282292062328e-324",
        "7.4109846876186982e-324",
        "8.5e-324",
        "123456789012345678901234567890e-30",
        "00000000000000000000000000000000000012345.678900000000000000000000000000000",
        "1e-9999999999999999999999",
        "0e9999999999999999999999",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        parses(texts[k]);
}

/* m 2^e exactly, for an odd 54-bit m: the decimal of a midpoint, then a little above and below it. glibc prints it
 * exactly through long double, whose 64 bits hold m. */
static void midpoints(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < (uint64_t)test_trials(5000); k++) {
        const double u = fathom_random_uniform(5, FATHOM_STREAM_SAMPLE, 0, 2 * k);
        const int e = (int)(300 * fathom_random_uniform(5, FATHOM_STREAM_SAMPLE, 0, 2 * k + 1)) - 200;
        const long double middle = ldexpl((long double)((uint64_t)ldexp(1 + u, 53) | 1), e);
        char text[700];
        const int size = snprintf(text, sizeof text - 2, "%.*Lf", e < 0 ? -e : 0, middle);
        parses(text);
        text[size] = e < 0 ? '1' : '.';
        strcpy(text + size + 1, e < 0 ? "" : "1");
        parses(text);
        text[size] = 0;
        for (int j = size - 1; text[j] != '.' && j > 0; j--)
            if (text[j] != '0') {
                text[j]--;
                break;
            }
        parses(text);
    }
}

/* Digit strings longer than any buffer: a rest of zeros changes nothing, a one at the far end breaks the tie. */
static void long_texts(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    static char text[SIZE + 64];
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', SIZE);
    text[SIZE] = 0;
    parses(text);
    text[SIZE - 1] = '1';
    parses(text);
    memset(text, '0', SIZE);
    text[1] = '.';
    strcpy(text + SIZE, "12345678901234567891e100000");
    parses(text);
    memset(text, '7', SIZE);
    strcpy(text + SIZE, "e-99990");
    parses(text);
}

/* A comma as the decimal point changes nothing. */
/* Just above the middle of two doubles, by digits beyond those that are kept; just above the largest double. */
static void far_digits(void **state)
{
    (void)state;
    char text[900];
    double value;
    size_t end;
    const int head = snprintf(text, sizeof text, "9007199254740993.");
    memset(text + head, '0', 800);
    snprintf(text + head + 800, sizeof text - (size_t)head - 800, "11");
    parses(text);
    for (int k = 0; k < 2; k++) {
        const char *large = k ? "-1.8e308" : "1.7976931348623159e308";
        assert_int_equal(fathom_number_parse(&value, &end, large, strlen(large)), FATHOM_NUMBER_OVERFLOW);
        assert_true(end == strlen(large) && isinf(value) && signbit(value) == (k ? signbit(-1.0) : 0));
    }
}

static void locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *found = NULL;
    for (size_t k = 0; k < sizeof names / sizeof names[0] && !found; k++)
        found = setlocale(LC_NUMERIC, names[k]);
    if (!found) {
        print_message("no locale with a decimal comma: skipped\n");
        skip();
    }
    double value;
    size_t end;
    assert_int_equal(fathom_number_parse(&value, &end, "1.5,2", 5), FATHOM_NUMBER_OK);
    const char *exact = "0.500000000000000166533453693773481063544750213623046875";
    char text[FATHOM_DECIMAL_SIZE];
    assert_true(value == 1.5 && end == 3);
    assert_int_equal(fathom_number_parse(&value, &end, exact, strlen(exact)), FATHOM_NUMBER_OK);
    assert_true(value == 0x1.0000000000002p-1);
    fathom_decimal_format(text, 0.1);
    assert_string_equal(text, "0.1");
    setlocale(LC_NUMERIC, "C");
}

/* No byte beyond the length is looked at, whatever stands there. */
static void not_terminated(void **state)
{
    (void)state;
    double value;
    size_t end;
    for (size_t length = 1; length < 20; length++) {
        char *text = malloc(length);
        memset(text, '1', length);
        assert_int_equal(fathom_number_parse(&value, &end, text, length), FATHOM_NUMBER_OK);
        assert_int_equal(end, length);
        free(text);
    }
    assert_int_equal(fathom_number_parse(&value, &end, "1.5e7", 4), FATHOM_NUMBER_OK);
    assert_true(end == 3 && value == 1.5);
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
        cmocka_unit_test(chosen_texts), cmocka_unit_test(random_doubles), cmocka_unit_test(hard_texts),
        cmocka_unit_test(midpoints),    cmocka_unit_test(long_texts),     cmocka_unit_test(far_digits),
        cmocka_unit_test(locale),       cmocka_unit_test(not_terminated), cmocka_unit_test(not_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
