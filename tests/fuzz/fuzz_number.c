/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a number: the value and the end that strtod finds. */
#include "fuzzing.h"

#include <ctype.h>
#include <string.h>

#include "decimal.h"
#include "number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *stop;
    must_hold(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    double value = 0, back;
    size_t end, length;
    const fathom_number_outcome outcome = fathom_number_parse(&value, &end, (const char *)data, size);
    must_hold(end <= size);
    if (outcome == FATHOM_NUMBER_OK || outcome == FATHOM_NUMBER_OVERFLOW) {
        text[end] = 0;
        const double expected = strtod(text, &stop);
        must_hold(stop == text + end);
        must_hold(memcmp(&value, &expected, sizeof value) == 0);
    }
    if (outcome == FATHOM_NUMBER_OK) {
        char shortest[FATHOM_DECIMAL_SIZE];
        length = fathom_decimal_format(shortest, value);
        must_hold(fathom_number_parse(&back, &end, shortest, length) == FATHOM_NUMBER_OK && end == length);
        must_hold(memcmp(&value, &back, sizeof value) == 0);
    }
    if (outcome == FATHOM_NUMBER_INVALID) { /* white space and hexadecimal are strtod's, not ours */
        const double expected = strtod(text, &stop);
        must_hold(stop == text || isspace((unsigned char)text[0]) || isnan(expected));
    }
    free(text);
    return 0;
}
