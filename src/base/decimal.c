/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest decimal by trial: an integer below 2^53 is its own digits; otherwise 15 digits (which every decimal of
 * 15 digits survives), then 16, then 17 (which every double survives).
 */
#include "decimal.h"

#include <math.h>
#include <stdio.h>
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
