/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers written with a unit: 12 kg, 3.5cm, $1,200, 80 EUR.
 *
 * A unit behind a number is a word or sign without digits; one in front of it is a sign that is no letter of
 * ASCII ($, or a character such as the euro's) or a code of a currency, since letters before a number name
 * things (room 5, A17). Brackets around all of it, ($1,200), are a minus sign. A time of day, 17:30, is a number
 * of hours.
 */
#include <ctype.h>
#include <string.h>

#include "csv_internal.h"
#include "sheet.h"

/* Whether the text, without spaces around it and without digits, may be a unit of a number that it stands before or behind. */
static bool is_unit(const char *text, size_t size, bool before)
{
    static const char *const codes[] = {"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "Rs", "Rs.", "US$"};
    bool letters = false;
    if (size == 0 || size >= FATHOM_UNIT_SIZE)
        return false;
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (strlen(codes[k]) == size && memcmp(text, codes[k], size) == 0)
            return true;
    for (size_t k = 0; k < size; k++) {
        const unsigned char c = (unsigned char)text[k];
        if (iscntrl(c) || strchr("+-.,'\"()[]<>=#:;_@!?&|*", c))
            return false;
        letters = letters || isalpha(c);
    }
    return !(before && letters) && text[0] != '/';
}

/* The longest end of text[0..size) that is the number, from `from` on; its unit is what stands before. */
static size_t number_start(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && !isdigit((unsigned char)text[at]) && !strchr("+-.,", text[at]))
        at++;
    return at;
}

static size_t number_end(const char *text, size_t size)
{
    size_t end = size;
    while (end > 0 && !isdigit((unsigned char)text[end - 1]))
        end--;
    return end;
}

/* text[from..to) without spaces around it. */
static void trim(const char *text, size_t *from, size_t *to)
{
    while (*from < *to && text[*from] == ' ')
        ++*from;
    while (*to > *from && text[*to - 1] == ' ')
        --*to;
}

/* A part of a text as a number. */
static bool part_is_number(double *value, const char *text, size_t from, size_t to, char decimal)
{
    char number[64];
    trim(text, &from, &to);
    if (to - from >= sizeof number || to == from)
        return false;
    memcpy(number, text + from, to - from);
    number[to - from] = 0;
    return fathom_sheet_number(value, number, decimal);
}

bool fathom_sheet_unit(char unit[FATHOM_UNIT_SIZE], double *value, const char *text, char decimal)
{
    char inside[64], spelled[CSV_SPELLED];
    if (csv_clock_parse(value, text)) {
        memcpy(unit, "hours", sizeof "hours");
        return true;
    }
    if (csv_is_spelled(text, strlen(text))) {
        if (!csv_respell(spelled, text, strlen(text)))
            return false;
        text = spelled;
    }
    const size_t length = strlen(text);
    if (length > 2 && length < sizeof inside && text[0] == '(' && text[length - 1] == ')' && text[1] != '(') {
        memcpy(inside, text + 1, length - 2);
        inside[length - 2] = 0;
        const bool found = inside[0] != '-' && fathom_sheet_unit(unit, value, inside, decimal);
        *value = found ? -*value : *value;
        return found;
    }
    const size_t size = strlen(text), start = number_start(text, size), end = number_end(text, size);
    size_t from = 0, to = start;
    const bool negative = size > 1 && text[0] == '-' && !isdigit((unsigned char)text[1]); /* -$5 */
    if (start == 0 && !negative) {
        from = end;
        to = size;
    } else if (negative) {
        from = 1;
        to = 1 + number_start(text + 1, size - 1);
    }
    const bool before = to < size;
    if (!part_is_number(value, text, before ? to : 0, before ? size : from, decimal))
        return false;
    *value = negative ? -*value : *value;
    trim(text, &from, &to);
    if (!is_unit(text + from, to - from, before))
        return false;
    memcpy(unit, text + from, to - from);
    unit[to - from] = 0;
    return true;
}

bool fathom_sheet_quantity(double *value, const char *text, char decimal, const char *unit)
{
    char found[FATHOM_UNIT_SIZE];
    if (fathom_sheet_number(value, text, decimal))
        return true;
    return unit && fathom_sheet_unit(found, value, text, decimal) && strcmp(found, unit) == 0;
}
