/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs that printers and spreadsheets put in numbers: U+2212 for a minus, spaces (also unbreakable and thin ones)
 * between groups of digits and before a percent sign; times of day as hours.
 */
#include <ctype.h>
#include <string.h>

#include "csv_internal.h"

/* The sign at text[0..left) that stands for another, and its bytes; 0 where there is none. */
static size_t read_sign(char *sign, const char *text, size_t left)
{
    static const struct {
        const char *bytes;
        char sign;
    } signs[] = {{"\xe2\x88\x92", '-'}, {"\xc2\xa0", ' '}, {"\xe2\x80\xaf", ' '}, {"\xe2\x80\x89", ' '}};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t size = strlen(signs[k].bytes);
        if (left >= size && memcmp(text, signs[k].bytes, size) == 0) {
            *sign = signs[k].sign;
            return size;
        }
    }
    return 0;
}

bool csv_is_spelled(const char *text, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (text[k] == ' ' || (unsigned char)text[k] >= 0x80)
            return true;
    return false;
}

size_t csv_respell(char plain[CSV_SPELLED], const char *text, size_t size)
{
    size_t used = 0;
    for (size_t k = 0; k < size; used++) {
        if (used + 1 >= CSV_SPELLED)
            return 0;
        plain[used] = text[k];
        const size_t bytes = read_sign(plain + used, text + k, size - k);
        k += bytes > 0 ? bytes : 1;
    }
    for (size_t k = 1; k + 1 < used; k++)
        if (plain[k] == ' ' && isdigit((unsigned char)plain[k - 1]) && isdigit((unsigned char)plain[k + 1]))
            plain[k] = '\'';
    for (; used > 1 && plain[used - 1] == '%' && plain[used - 2] == ' '; used--)
        plain[used - 2] = '%';
    plain[used] = 0;
    return used;
}

/* Two digits below 60 behind a colon. */
static bool read_sixtieth(double *value, const char **text)
{
    const char *t = *text;
    if (t[0] != ':' || t[1] < '0' || t[1] > '5' || !isdigit((unsigned char)t[2]))
        return false;
    *value = 10 * (t[1] - '0') + (t[2] - '0');
    *text += 3;
    return true;
}

/* Behind an hour: nothing, or am and pm, which change it. */
static bool read_half(int *hour, const char *text)
{
    text += *text == ' ';
    if (!*text)
        return true;
    const int half = tolower((unsigned char)text[0]);
    if ((half != 'a' && half != 'p') || tolower((unsigned char)text[1]) != 'm' || text[2] || *hour < 1 ||
        *hour > 12)
        return false;
    *hour = *hour % 12 + (half == 'p' ? 12 : 0);
    return true;
}

bool csv_clock_parse(double *hours, const char *text)
{
    double minutes, seconds = 0;
    int hour = 0, digits = 0;
    for (; digits < 2 && isdigit((unsigned char)*text); digits++)
        hour = 10 * hour + (*text++ - '0');
    if (digits == 0 || hour > 23 || !read_sixtieth(&minutes, &text))
        return false;
    if (*text == ':' && !read_sixtieth(&seconds, &text))
        return false;
    if (!read_half(&hour, text))
        return false;
    *hours = hour + minutes / 60 + seconds / 3600;
    return true;
}
