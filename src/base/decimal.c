/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest decimal by trial: an integer below 2^53 is its own digits; otherwise 15 digits (which every decimal of
 * 15 digits survives), then 16, then 17 (which every double survives).
 */
#include "decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* The locale's decimal point, one byte or several, becomes a dot. */
static size_t to_dot(char *text)
{
    size_t length = 0;
    for (const char *c = text; *c; c++) {
        if ((*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e' || *c == '.')
            text[length++] = *c;
        else if (length > 0 && text[length - 1] != '.')
            text[length++] = '.';
    }
    text[length] = 0;
    return length;
}

size_t fathom_decimal_format(char text[FATHOM_DECIMAL_SIZE], double value)
{
    if (!isfinite(value)) {
        strcpy(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return strlen(text);
    }
    if (fabs(value) < 1e15 && value == floor(value) && !(value == 0 && signbit(value)))
        return (size_t)snprintf(text, FATHOM_DECIMAL_SIZE, "%lld", (long long)value);
    size_t length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        size_t end;
        snprintf(text, FATHOM_DECIMAL_SIZE, "%.*g", digits, value);
        length = to_dot(text);
        if (digits == 17 ||
            (fathom_number_parse(&back, &end, text, length) == FATHOM_NUMBER_OK && back == value))
            break;
    }
    return length;
}

/* A decimal as its digits without zeros at either end, and the exponent of the first. */
typedef struct digits {
    char digit[FATHOM_DECIMAL_SIZE];
    size_t count;
    long exponent;
} digits;

/* False where there are more than 17. */
static bool split(digits *out, const char *text, size_t length)
{
    size_t k = 0, zeros = 0;
    long place = 0;
    bool fraction = false;
    *out = (digits){.count = 0};
    for (; k < length && text[k] != 'e' && text[k] != 'E'; k++) {
        if (text[k] == '.')
            fraction = true;
        if (text[k] < '0' || text[k] > '9')
            continue;
        if (text[k] == '0' && out->count == 0) {
            place -= fraction;
            continue;
        }
        if (out->count == 0)
            out->exponent = place;
        place -= fraction;
        out->exponent += !fraction;
        if (text[k] == '0') {
            zeros++;
            continue;
        }
        if (out->count + zeros >= 17)
            return false;
        for (; zeros > 0; zeros--)
            out->digit[out->count++] = '0';
        out->digit[out->count++] = text[k];
    }
    if (k < length && out->count > 0)
        out->exponent += strtol(text + k + 1, NULL, 10); /* what follows the number is no digit */
    return true;
}

bool fathom_decimal_is_shortest(double value, const char *text, size_t length)
{
    char own[FATHOM_DECIMAL_SIZE];
    digits given, shortest;
    if (length <= 15)
        return true;
    return split(&given, text, length) && split(&shortest, own, fathom_decimal_format(own, value)) &&
           given.count == shortest.count && memcmp(given.digit, shortest.digit, given.count) == 0 &&
           (given.count == 0 || given.exponent == shortest.exponent);
}
