/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates in the Gregorian calendar.
 *
 * Day 0 is 1970-01-01, a Thursday. Day number of January 1 of year y, with D(y) = 365 y + floor(y/4) -
 * floor(y/100) + floor(y/400) counting the days before the end of year y:  D(y-1) - D(1969).
 */
#include "date.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { DAY = 86400 };

static bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int64_t month_days(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static int64_t year_start(int64_t year)
{
    const int64_t y = year - 1, before = 1969;
    const int64_t first = 365 * before + before / 4 - before / 100 + before / 400;
    return 365 * y + y / 4 - y / 100 + y / 400 - first;
}

/* 1 to `most` digits at *text; how many. */
static int digits(int64_t *value, const char **text, int most)
{
    int count = 0;
    for (*value = 0; count < most && isdigit((unsigned char)**text); count++)
        *value = 10 * *value + (*(*text)++ - '0');
    return count;
}

/* The day of year, month and day in the calendar. */
static bool day_number(int64_t *number, int64_t year, int64_t month, int64_t day)
{
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > month_days(year, month))
        return false;
    *number = year_start(year) + day - 1;
    for (int64_t k = 1; k < month; k++)
        *number += month_days(year, k);
    return true;
}

/* A year of four digits, or of two: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068 (as strptime has it). */
static bool full_year(int64_t *year, int width)
{
    if (width == 2)
        *year += *year < 69 ? 2000 : 1900;
    return width == 2 || width == 4;
}

/* The month named at *text, in full or by its first three letters; 0: none is. */
static int64_t named_month(const char **text)
{
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    char word[12] = "";
    size_t size = 0;
    while (size < sizeof word - 1 && isalpha((unsigned char)(*text)[size])) {
        word[size] = (char)tolower((unsigned char)(*text)[size]);
        size++;
    }
    for (int64_t k = 0; k < 12; k++)
        if ((size == 3 && memcmp(word, names[k], 3) == 0) || strcmp(word, names[k]) == 0 ||
            (k == 8 && strcmp(word, "sept") == 0)) {
            *text += size;
            return k + 1;
        }
    return 0;
}

/* Between parts of a date with a word: a mark, spaces or both. */
static bool skip_between(const char **text)
{
    const char *from = *text;
    *text += **text != 0 && strchr("-/.,", **text) ? 1 : 0;
    *text += strspn(*text, " ");
    return *text > from;
}

/* 31 Dec 2020, 31-Dec-20, December 31, 2020: the month by its name. */
static bool parse_named_day(int64_t *number, const char **text)
{
    int64_t day, year, month = named_month(text);
    const bool first = month > 0;
    if ((first && !skip_between(text)) || digits(&day, text, 2) == 0)
        return false;
    if (!first) {
        skip_between(text);
        month = named_month(text);
    }
    if (month == 0 || !skip_between(text))
        return false;
    const int width = digits(&year, text, 4);
    return !isdigit((unsigned char)**text) && full_year(&year, width) && day_number(number, year, month, day);
}

/* Year, month and day as numbers at *text, which moves behind them. Years of two digits stand behind a bar, or where
 * day and month have two digits each. */
static bool parse_numbered_day(int64_t *number, const char **text, fathom_date_order order)
{
    int64_t part[3];
    int width[3];
    char mark = 0;
    for (int k = 0; k < 3; k++) {
        if (k > 0 && (!strchr("-/.", **text) || **text == 0 || (k == 2 && **text != mark)))
            return false;
        mark = k > 0 ? *(*text)++ : 0;
        width[k] = digits(&part[k], text, 4);
    }
    const bool year_first = width[0] == 4, two = width[2] == 2 && (mark == '/' || width[0] + width[1] == 4);
    if (width[0] == 0 || width[1] == 0 || width[1] > 2 || width[2] == 0 ||
        (year_first ? width[2] > 2 : width[0] > 2 || !(width[2] == 4 || two)) ||
        isdigit((unsigned char)**text) || !full_year(&part[year_first ? 0 : 2], width[year_first ? 0 : 2]))
        return false;
    const bool day_first = !year_first && (mark == '.' || order == FATHOM_DATE_DAY_FIRST);
    return day_number(number, part[year_first ? 0 : 2], part[day_first || year_first ? 1 : 0],
                      part[year_first  ? 2
                           : day_first ? 0
                                       : 1]);
}

static bool parse_day(int64_t *number, const char **text, fathom_date_order order)
{
    const char *from = *text;
    if (parse_numbered_day(number, text, order))
        return true;
    *text = from;
    return parse_named_day(number, text);
}

/* Z, +01:00, +0100 or nothing: seconds to take off. */
static bool parse_zone(double *offset, const char **text)
{
    int64_t hour, minute = 0;
    *offset = 0;
    if (**text == 'Z')
        (*text)++;
    if (**text != '+' && **text != '-')
        return true;
    const double sign = *(*text)++ == '+' ? 1 : -1;
    if (digits(&hour, text, 2) != 2)
        return false;
    *text += **text == ':';
    if (isdigit((unsigned char)**text) && digits(&minute, text, 2) != 2)
        return false;
    *offset = sign * (double)(3600 * hour + 60 * minute);
    return hour < 24 && minute < 60;
}

/* AM and PM of hours 1 to 12. */
static bool parse_half(int64_t *hour, const char **text)
{
    const char *at = *text + strspn(*text, " ");
    const char half = (char)toupper((unsigned char)*at);
    if ((half != 'A' && half != 'P') || toupper((unsigned char)at[1]) != 'M')
        return true;
    *text = at + 2;
    const bool right = *hour >= 1 && *hour <= 12;
    *hour = *hour % 12 + (half == 'P' ? 12 : 0);
    return right;
}

/* Hours, minutes and, where they are there, seconds with a share. */
static bool parse_time(double *seconds, const char **text)
{
    int64_t hour, minute, second = 0, share = 0;
    double unit = 1, offset;
    if (digits(&hour, text, 2) == 0 || *(*text)++ != ':' || digits(&minute, text, 2) != 2)
        return false;
    if (**text == ':') {
        (*text)++;
        if (digits(&second, text, 2) != 2)
            return false;
        if (**text == '.' && isdigit((unsigned char)(*text)[1])) {
            (*text)++;
            unit = pow(10, digits(&share, text, 15));
            *text += strspn(*text, "0123456789");
        }
    }
    if (!parse_half(&hour, text) || hour > 24 || minute > 59 || second > 60 || !parse_zone(&offset, text))
        return false;
    *seconds = (double)(3600 * hour + 60 * minute + second) + (double)share / unit - offset;
    return true;
}

bool fathom_date_parse(double *seconds, const char *text, fathom_date_order order)
{
    int64_t day;
    double time = 0;
    if (!isalnum((unsigned char)*text) || !parse_day(&day, &text, order))
        return false;
    if (*text == 'T' || *text == ' ') {
        text += *text == 'T' ? 1 : strspn(text, " ");
        if (!parse_time(&time, &text))
            return false;
    }
    *seconds = (double)DAY * (double)day + time;
    return *text == 0;
}

/* The year of a day. */
static int64_t year_of(int64_t day)
{
    int64_t year = 1970 + (int64_t)floor((double)day / 365.2425);
    while (year_start(year) > day)
        year--;
    while (year_start(year + 1) <= day)
        year++;
    return year;
}

double fathom_date_part_of(double seconds, fathom_date_part part)
{
    const double day = floor(seconds / DAY), time = seconds - DAY * day;
    if (part == FATHOM_DATE_HOUR)
        return time / 3600;
    if (part == FATHOM_DATE_WEEKDAY)
        return fmod(fmod(day + 3, 7) + 7, 7) + 1;
    const int64_t year = year_of((int64_t)day), first = year_start(year);
    if (part == FATHOM_DATE_YEAR)
        return (double)year + (seconds - DAY * (double)first) / (DAY * (is_leap(year) ? 366.0 : 365.0));
    int64_t month = 1;
    for (int64_t left = (int64_t)day - first; left >= month_days(year, month); month++)
        left -= month_days(year, month);
    return (double)month;
}
