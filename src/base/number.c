/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Length of nan, inf or infinity (any case, after the sign) at the start of text; 0 where there is none. */
static size_t special_length(const char *text, size_t length)
{
    static const char *const names[] = {"infinity", "inf", "nan"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const size_t size = strlen(names[k]);
        if (length >= size && strncasecmp(text, names[k], size) == 0)
            return size;
    }
    return 0;
}

/* Length of the longest decimal number at the start of text; 0 where there is none. */
static size_t decimal_length(const char *text, size_t length)
{
    size_t k = 0, digits = 0;
    if (k < length && (text[k] == '+' || text[k] == '-'))
        k++;
    for (; k < length && is_digit(text[k]); k++)
        digits++;
    if (k < length && text[k] == '.')
        for (k++; k < length && is_digit(text[k]); k++)
            digits++;
    if (digits == 0)
        return 0;
    size_t e = k;
    if (e < length && (text[e] == 'e' || text[e] == 'E')) {
        e++;
        if (e < length && (text[e] == '+' || text[e] == '-'))
            e++;
        if (e < length && is_digit(text[e])) {
            while (e < length && is_digit(text[e]))
                e++;
            k = e;
        }
    }
    return k;
}

fathom_number_outcome fathom_number_parse(double *value, size_t *end, const char *text, size_t length)
{
    const size_t sign = length > 0 && (text[0] == '+' || text[0] == '-');
    const size_t special = special_length(text + sign, length - sign);
    const size_t size = special ? sign + special : decimal_length(text, length);
    *end = size;
    if (size == 0)
        return FATHOM_NUMBER_INVALID;
    char buffer[512];
    if (size >= sizeof buffer)
        return FATHOM_NUMBER_INVALID;
    memcpy(buffer, text, size);
    buffer[size] = 0;
    *value = strtod(buffer, NULL);
    if (special)
        return FATHOM_NUMBER_SPECIAL;
    return isinf(*value) ? FATHOM_NUMBER_OVERFLOW : FATHOM_NUMBER_OK;
}
