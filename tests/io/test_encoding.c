/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: every character by every road to the same UTF-8, in pieces of every size; tables in every encoding. */
#include "io_testing.h"

#include "encoding.h"
#include "utf32.h"

/* One character as UTF-16; its size. */
static size_t put_utf16(unsigned char *out, uint32_t c, bool big)
{
    uint16_t unit[2] = {(uint16_t)c, 0};
    const int count = c >= 0x10000 ? 2 : 1;
    if (count == 2) {
        unit[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
        unit[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
    }
    for (int k = 0; k < count; k++) {
        out[2 * k + (big ? 0 : 1)] = (unsigned char)(unit[k] >> 8);
        out[2 * k + (big ? 1 : 0)] = (unsigned char)unit[k];
    }
    return 2 * (size_t)count;
}

static void characters(void **state)
{
    (void)state;
    for (uint32_t c = 1; c < 0x110000; c += c < 0x3000 ? 1 : 97) {
        char expected[4], found[12];
        unsigned char raw[4];
        size_t used;
        if (c >= 0xd800 && c < 0xe000)
            continue;
        const size_t size = (size_t)fathom_utf32_put(expected, c);
        for (int big = 0; big < 2; big++) {
            const fathom_encoding encoding = big ? FATHOM_ENCODING_UTF16_BIG : FATHOM_ENCODING_UTF16_LITTLE;
            const size_t units = put_utf16(raw, c, big);
            assert_int_equal(fathom_encoding_convert(found, &used, encoding, raw, units, false), size);
            assert_int_equal(used, units);
            assert_memory_equal(found, expected, size);
            for (size_t cut = 1; cut < units; cut++) { /* waits for the rest */
                assert_int_equal(fathom_encoding_convert(found, &used, encoding, raw, cut, false), 0);
                assert_int_equal(used, 0);
                assert_true(fathom_encoding_convert(found, &used, encoding, raw, cut, true) > 0);
                assert_int_equal(used, cut);
            }
        }
        bool ascii;
        assert_true(fathom_encoding_is_utf8(&ascii, (const unsigned char *)expected, size));
        assert_int_equal(ascii, c < 0x80);
    }
}

static void broken_text(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\x80",      "abc\xff",  "\xc3(",
                                        "\xe2\x82(", "\xc0\x80", "\xf5\x80\x80\x80"};
    bool ascii;
    char out[16];
    size_t used;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_false(fathom_encoding_is_utf8(&ascii, (const unsigned char *)wrong[k], strlen(wrong[k])));
    assert_true(fathom_encoding_is_utf8(&ascii, (const unsigned char *)"caf\xc3", 4)); /* cut short */
    const unsigned char half[] = {0x00, 0xdc, 0x00,
                                  0xd8, 0x41, 0x00}; /* a low surrogate; a high one before A */
    assert_int_equal(fathom_encoding_convert(out, &used, FATHOM_ENCODING_UTF16_LITTLE, half, 6, true), 7);
    assert_memory_equal(out,
                        "\xef\xbf\xbd\xef\xbf\xbd"
                        "A",
                        7);
    const unsigned char windows[] = {0x80, 0x81, 0xe9, 'x'};
    assert_int_equal(fathom_encoding_convert(out, &used, FATHOM_ENCODING_WINDOWS, windows, 4, true), 9);
    assert_memory_equal(out, "\xe2\x82\xac\xef\xbf\xbd\xc3\xa9x", 9);
}

/* n rows "number,label" whose labels are written with an e acute, first in row `from`. */
static void tables(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    unsigned char *bytes = malloc(64 * (size_t)ROWS);
    for (int form = 0; form < 4; form++) {
        for (int from = 0; from < ROWS; from += ROWS - 10) {
            size_t size = 0;
            if (form > 1)
                size += put_utf16(bytes, 0xfeff, form == 3);
            for (int i = 0; i < ROWS; i++) {
                char line[64];
                snprintf(line, sizeof line, "%d,%s\n", i, i >= from ? "caf#" : "the");
                for (const char *c = line; *c; c++) {
                    const uint32_t character = *c == '#' ? 0xe9 : (unsigned char)*c;
                    if (form > 1)
                        size += put_utf16(bytes + size, character, form == 3);
                    else if (form == 1)
                        bytes[size++] = (unsigned char)character;
                    else
                        size += (size_t)fathom_utf32_put((char *)bytes + size, character);
                }
            }
            fathom_table *table;
            assert_ok(context, read_bytes_as(&table, ".csv", bytes, size, &(fathom_table_request){0}));
            assert_int_equal(table->n, ROWS);
            assert_int_equal(table->labels, from == 0 ? 1 : 2);
            assert_string_equal(table->label[0], "caf\xc3\xa9");
            assert_int_equal(table->origin.other_dialect, form > 0);
            for (int i = 0; i < ROWS; i += 997)
                assert_true(table->x[i] == i && table->y[i] == (i >= from ? 0 : 1));
            fathom_table_free(context, table);
        }
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(broken_text),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
