/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: every day of four centuries against a count of its own, ways of writing, what is none. */
#include "dataset_testing.h"

#include <math.h>

#include "date.h"

/* The month by its name, in several ways. */
static void in_words(double at, int year, int month, int day)
{
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    const char *name = names[month - 1];
    char text[5][40];
    double other;
    snprintf(text[0], sizeof *text, "%d %s %04d", day, name, year);
    snprintf(text[1], sizeof *text, "%s %d, %04d", name, day, year);
    snprintf(text[2], sizeof *text, "%02d-%.3s-%04d", day, name, year);
    snprintf(text[3], sizeof *text, "%d. %s %04d", day, name, year);
    snprintf(text[4], sizeof *text, "%d%.3s%04d", day, name, year);
    for (int k = 0; k < 5; k++)
        for (int order = 0; order < 2; order++)
            if (fathom_date_parse(&other, text[k], (fathom_date_order)order) != (k < 4) ||
                (k < 4 && other != at))
                fail_msg("'%s'", text[k]);
}

/* Years of two digits. */
static void in_two_digits(double at, int year, int month, int day)
{
    char text[32];
    double other;
    snprintf(text, sizeof text, "%d/%d/%02d", month, day, year % 100);
    assert_true(fathom_date_parse(&other, text, FATHOM_DATE_MONTH_FIRST) && other == at);
    snprintf(text, sizeof text, "%02d.%02d.%02d", day, month, year % 100);
    assert_true(fathom_date_parse(&other, text, FATHOM_DATE_MONTH_FIRST) && other == at);
    snprintf(text, sizeof text, "%02d-%02d-%02d", day, month, year % 100);
    assert_true(fathom_date_parse(&other, text, FATHOM_DATE_DAY_FIRST) && other == at);
}

static void every_day(void **state)
{
    (void)state;
    int year = 1800, month = 1, day = 1, weekday = 3; /* a Wednesday */
    double before = NAN;
    for (; year < 2200; weekday = weekday % 7 + 1) {
        const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        const int last = month == 2                                              ? 28 + leap
                         : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                                 : 31;
        char text[32];
        double at, other;
        snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
        assert_true(fathom_date_parse(&at, text, FATHOM_DATE_DAY_FIRST));
        snprintf(text, sizeof text, "%d.%d.%04d", day, month, year);
        assert_true(fathom_date_parse(&other, text, FATHOM_DATE_MONTH_FIRST) && other == at);
        snprintf(text, sizeof text, "%d/%d/%04d", month, day, year);
        assert_true(fathom_date_parse(&other, text, FATHOM_DATE_MONTH_FIRST) && other == at);
        in_words(at, year, month, day);
        if (year >= 1969 && year <= 2068)
            in_two_digits(at, year, month, day);
        assert_true(isnan(before) || at == before + 86400);
        assert_true(fathom_date_part_of(at, FATHOM_DATE_WEEKDAY) == weekday);
        assert_true(fathom_date_part_of(at + 3600, FATHOM_DATE_MONTH) == month);
        assert_true(floor(fathom_date_part_of(at + 86399, FATHOM_DATE_YEAR)) == year);
        before = at;
        if (++day > last) {
            day = 1;
            month = month % 12 + 1;
            year += month == 1;
        }
    }
    assert_true(fathom_date_part_of(0, FATHOM_DATE_YEAR) == 1970);
}

static void times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"1970-01-02", 86400},
                {"1970-01-01T01:30", 5400},
                {"1970/1/1 23:59:59.5", 86399.5},
                {"1970-01-01 12:05 AM", 300},
                {"01/01/1970 1:00 pm", 46800},
                {"1970-01-01T02:00:00+02:00", 0},
                {"1970-01-01T00:00:00Z", 0},
                {"1.1.1970 00:00:10", 10},
                {"1969-12-31", -86400},
                {"1970-01-01T00:00:00-0130", 5400}};
    static const char *const bad[] = {
        "",         "2020",     "2020-13-01",    "2020-02-30",  "31/31/2020",
        "1.2.20",   "2020-1",   "2020-01-01T",   "20200101",    "2020-01-01 25:00",
        "2021-2/3", "a-b-c",    "2020-01-011",   "2020-01-01x", "12345-1-1",
        "1-2-3",    "12 May",   "Mayor 5, 2020", "31 Feb 2020", "12 Mai 2020",
        "May 2020", "1 May 202"};
    double seconds;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_true(fathom_date_parse(&seconds, good[k].text, FATHOM_DATE_MONTH_FIRST));
        assert_true(seconds == good[k].seconds);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (fathom_date_parse(&seconds, bad[k], FATHOM_DATE_MONTH_FIRST))
            fail_msg("'%s' is a date", bad[k]);
    assert_false(fathom_date_parse(&seconds, "12/31/2020", FATHOM_DATE_DAY_FIRST));
    assert_true(fathom_date_part_of(5400, FATHOM_DATE_HOUR) == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_day), cmocka_unit_test(times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
