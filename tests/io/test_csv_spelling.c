/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in every spelling have their value; what is no number in a spelling is none; tables with titles, marks and rules
 * before their rows hold the numbers of the plain table. */
#include "io_testing.h"

#include <stdio.h>
#include <string.h>

#include "csv_internal.h"
#include "random.h"
#include "sheet.h"

static const char *const minus[] = {"-", "\xe2\x88\x92"};
static const char *const space[] = {"", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "'"};
enum { MINUSES = 2, SPACES = 6, TRIALS = 60 };

/* value = sign (whole + part/100), its groups of three set apart. */
static double write_number(char *text, uint64_t seed, int64_t trial, const char *sign, const char *group,
                           char decimal)
{
    const double u = fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 0, (uint64_t)trial);
    const long whole = (long)(u * (trial % 3 == 0   ? 1e3
                                   : trial % 3 == 1 ? 1e6
                                                    : 1e9)),
               part = (trial * 37) % 100;
    const bool negative = trial % 2 == 0;
    char digits[20], *out = text;
    const int count = snprintf(digits, sizeof digits, "%ld", whole);
    out += sprintf(out, "%s", negative ? sign : "");
    for (int k = 0; k < count; k++)
        out += sprintf(out, "%s%c", k > 0 && (count - k) % 3 == 0 ? group : "", digits[k]);
    sprintf(out, "%c%02ld", decimal, part);
    return (negative ? -1 : 1) * (double)(100 * whole + part) / 100;
}

static void numbers(void **state)
{
    (void)state;
    static const char *const percent[] = {"%", " %", "\xc2\xa0%"};
    for (int m = 0; m < MINUSES; m++)
        for (int s = 0; s < SPACES; s++)
            for (int64_t t = 0; t < TRIALS; t++) {
                char text[80], with[120], unit[FATHOM_UNIT_SIZE];
                double value;
                const char decimal = t % 4 < 2 ? '.' : ',';
                const double right = write_number(text, 5, t, minus[m], space[s], decimal);
                assert_true(fathom_sheet_number(&value, text, decimal));
                assert_true(value == right);
                for (int p = 0; p < 3; p++) {
                    snprintf(with, sizeof with, "%s%s", text, percent[p]);
                    assert_true(fathom_sheet_number(&value, with, decimal));
                    assert_true(value == right / 100);
                }
                snprintf(with, sizeof with, "%s%s\xe2\x82\xac", text, space[s][0] == '\'' ? "" : space[s]);
                assert_true(fathom_sheet_unit(unit, &value, with, decimal));
                assert_string_equal(unit, "\xe2\x82\xac");
                assert_true(value == right);
            }
}

/* Groups that are not of three, signs without a number, more than there is room for. */
static void no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"12 34",       "1234 567",     "1 2",           "+49 123456",
                                        "030 123 456", "\xe2\x88\x92", "\xc2\xa0",      "- 5",
                                        "1 %%",        " %",           "5\xe2\x88\x92", "\xe2\x88"};
    char unit[FATHOM_UNIT_SIZE], far[200];
    double value;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_false(fathom_sheet_number(&value, texts[k], '.'));
    memset(far, '1', sizeof far - 1);
    far[sizeof far - 1] = 0;
    far[4] = ' ';
    assert_false(fathom_sheet_number(&value, far, '.'));
    assert_false(fathom_sheet_unit(unit, &value, far, '.'));
    assert_false(fathom_sheet_unit(unit, &value, "5\xe2\x88\x92", '.'));
}

/* Every minute of a day in four spellings; what no clock shows. */
static void clocks(void **state)
{
    (void)state;
    char text[40], unit[FATHOM_UNIT_SIZE];
    double value;
    for (int minute = 0; minute < 24 * 60; minute++)
        for (int k = 0; k < 4; k++) {
            const int hour = minute / 60, of12 = hour % 12 ? hour % 12 : 12;
            const char *half = hour < 12 ? (k == 2 ? " am" : "AM") : (k == 2 ? " pm" : "PM");
            if (k < 2)
                snprintf(text, sizeof text, k ? "%d:%02d:30" : "%02d:%02d", hour, minute % 60);
            else
                snprintf(text, sizeof text, "%d:%02d%s", of12, minute % 60, half);
            assert_true(fathom_sheet_unit(unit, &value, text, '.'));
            assert_string_equal(unit, "hours");
            assert_true(value == hour + minute % 60 / 60.0 + (k == 1 ? 30 / 3600.0 : 0));
        }
    static const char *const others[] = {"24:00",  "8:60",    "8:5",       "8:",       ":30",
                                         "8:30:",  "8:30:60", "8:30:15:1", "13:00 pm", "0:30 am",
                                         "8:30 x", "8:30 ax", "8:30 amx",  "123:10",   "a8:30"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_false(csv_clock_parse(&value, others[k]));
}

/* A table of numbers behind lines of other kinds. */
static void before_rows(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        char mark;
        bool bars;
    } cases[] = {{"", ';', false},
                 {"sep=;\n", ';', false},
                 {"SEP=,\r\n", ',', false},
                 {"\"sep=;\"\r\n", ';', false},
                 {"sep=\t\n", '\t', false},
                 {"Report\n", ';', false},
                 {"Report;;\nof 2024;;\n\n", ';', false},
                 {"sep=;\nReport\n;;\n", ';', false},
                 {"\"A title, quoted\"\n\n", ',', false},
                 {"# comment\nReport\n", ',', false},
                 {"", '|', true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int end = 0; end < 2; end++) {
            char text[4000];
            fathom_table *table;
            const fathom_table_request request = {0};
            const char mark = cases[k].mark;
            int size = sprintf(text, "%sage%csize%ct%s", cases[k].head, mark, mark, end ? "\r\n" : "\n");
            if (cases[k].bars)
                size += sprintf(text + size, "---|:--|---\n");
            for (int i = 0; i < 20; i++)
                size += sprintf(text + size, "%d%c%d%c%d%s", i, mark, 3 * i - 7, mark, i * i,
                                end ? "\r\n" : "\n");
            assert_int_equal(read_bytes_as(&table, ".csv", text, (size_t)size, &request), FATHOM_OK);
            assert_int_equal(table->n, 20);
            assert_int_equal(table->d, 2);
            for (int i = 0; i < 20; i++) {
                assert_true(table->x[2 * i] == i);
                assert_true(table->x[2 * i + 1] == 3 * i - 7);
                assert_true(table->y[i] == i * i);
            }
            assert_true(table->origin.other_dialect || (!*cases[k].head && mark == ','));
            fathom_table_free(context, table);
        }
}

/* Rows without names lose none: a text beside nothing is no title where numbers or no names follow. */
static void no_titles(void **state)
{
    (void)state;
    static const char *const texts[] = {"a,\nb,2\nc,3\n", "a,b\nx,1\ny,2\nz,3\n", "a,\nb,c\nd,e\n"};
    static const int rows[] = {3, 3, 3};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        fathom_table *table;
        const fathom_table_request request = {.as_is = true};
        assert_int_equal(read_bytes_as(&table, ".csv", texts[k], strlen(texts[k]), &request), FATHOM_OK);
        assert_true(table->n >= rows[k] - 1 && table->n <= rows[k]);
        assert_true(table->sheet->line[0] <= 2);
        fathom_table_free(context, table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(no_numbers),
                                       cmocka_unit_test(clocks), cmocka_unit_test(before_rows),
                                       cmocka_unit_test(no_titles)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
