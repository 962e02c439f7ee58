/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 and UTF-32: every character of every length survives, and what is not UTF-8 becomes the replacement. */
#include "io_testing.h"

#include "utf32.h"

static void becomes(const char *text, int64_t length, const char *expected)
{
    unsigned char data[4 * 64];
    assert_int_equal(fathom_utf32_length(text), length);
    fathom_utf32_encode(data, 64, text);
    char *back = fathom_utf32_decode(context, data, 64, false);
    assert_string_equal(back, expected);
    fathom_memory_free(context, back);
}

static void texts(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xef\xbf\xbd",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        becomes(good[k], k > 0, good[k]);
    becomes("a\xc3\xbc"
            "b\xe2\x82\xac",
            4,
            "a\xc3\xbc"
            "b\xe2\x82\xac");
    becomes("\xff", 1, "\xef\xbf\xbd");
    becomes("\x80x", 2, "\xef\xbf\xbdx");
    becomes("\xc3", 1, "\xef\xbf\xbd");
    becomes("\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd");
    becomes("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    becomes("\xf8\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    const unsigned char big[] = {0, 0, 0, 'a', 0, 0, 0x20, 0xac, 0, 0x7f, 0, 0, 0, 0, 0, 0};
    char *back = fathom_utf32_decode(context, big, 4, true);
    assert_string_equal(back, "a\xe2\x82\xac\xef\xbf\xbd");
    fathom_memory_free(context, back);
}

static void validity(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a\xff", "\xc3", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x80\x80\x80"};
    assert_true(fathom_utf32_valid(""));
    assert_true(fathom_utf32_valid("a\xef\xbf\xbd\xed\x9f\xbf\xee\x80\x80"));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(fathom_utf32_valid(bad[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(validity)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
