/* SPDX-License-Identifier: Apache-2.0 */
/* Options read from text, defaulted and range-checked through their table. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "nearest.h"
#include "number.h"
#include "fathom/options.h"
#include "inner/options.h"

static void *field_of(void *options, const fathom_option *row) { return (char *)options + row->offset; }

static const void *const_field_of(const void *options, const fathom_option *row)
{
    return (const char *)options + row->offset;
}

/* Number of the choice spelled `text` in "a|b|c:name"; -1 where there is none. "c:5" is c with the option `name` 5. */
static int choice_index(const char *values, const char *text)
{
    const size_t length = strcspn(text, ":");
    int index = 0;
    for (const char *at = values;; index++) {
        const char *bar = strchr(at, '|');
        const size_t size = strcspn(at, ":|");
        if (size == length && memcmp(at, text, size) == 0)
            return text[length] && at[size] != ':' ? -1 : index;
        if (!bar)
            return -1;
        at = bar + 1;
    }
}

bool fathom_option_choice(const fathom_option *row, int index, char *text, size_t size)
{
    const char *at = row->values;
    for (; index > 0 && at; index--) {
        at = strchr(at, '|');
        at = at ? at + 1 : NULL;
    }
    if (!at || index < 0)
        return false;
    const size_t length = strcspn(at, ":|");
    if (length >= size)
        return false;
    memcpy(text, at, length);
    text[length] = 0;
    return true;
}

/* A whole decimal number and nothing else. */
static bool parse_real(double *value, const char *text)
{
    size_t end;
    const size_t length = strlen(text);
    return fathom_number_parse(value, &end, text, length) == FATHOM_NUMBER_OK && end == length;
}

static bool parse_integer(int64_t *value, const char *text)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end)
        return false;
    *value = number;
    return true;
}

static bool parse_unsigned(uint64_t *value, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno || end == text || *end || strchr(text, '-'))
        return false;
    *value = number;
    return true;
}

static bool parse_flag(bool *value, const char *text)
{
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return false;
    *value = !text || strcmp(text, "true") == 0;
    return true;
}

/* Parses text into the field; false where it is not of the row's form or, for numbers, out of range. */
static bool assign(void *field, const fathom_option *row, const char *text)
{
    switch (row->type) {
    case FATHOM_OPTION_FLAG:
        return parse_flag(field, text);
    case FATHOM_OPTION_INTEGER: {
        int64_t number;
        if (!parse_integer(&number, text) || !((double)number >= row->low && (double)number <= row->high))
            return false;
        *(int64_t *)field = number;
        return true;
    }
    case FATHOM_OPTION_UNSIGNED:
        return parse_unsigned(field, text);
    case FATHOM_OPTION_REAL: {
        double number;
        if (!parse_real(&number, text) || !(number >= row->low && number <= row->high))
            return false;
        *(double *)field = number;
        return true;
    }
    case FATHOM_OPTION_CHOICE: {
        const int index = choice_index(row->values, text);
        if (index < 0)
            return false;
        *(int *)field = index;
        return true;
    }
    case FATHOM_OPTION_TEXT:
    case FATHOM_OPTION_INPUT:
    case FATHOM_OPTION_OUTPUT:
        *(const char **)field = text;
        return true;
    }
    return false;
}

/* A choice that is none, with the one that may have been meant. */
static fathom_status refuse_choice(fathom_context *context, const fathom_option *row, const char *text)
{
    char hint[FATHOM_HINT_SIZE];
    fathom_nearest nearest = fathom_nearest_begin(text, strlen(text));
    for (const char *at = row->values; *at; at += strspn(at, "|")) {
        const size_t length = strcspn(at, "|");
        fathom_nearest_try(&nearest, at, length);
        at += length;
    }
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s takes one of %s, not '%s'%s", row->name,
                            row->values, text, fathom_nearest_hint(hint, &nearest, ""));
}

/* "--gap takes a number from 0 to 1, not 'x'"; ends beyond 1e15 are no ends that anybody meets. */
static fathom_status refuse_number(fathom_context *context, const fathom_option *row, const char *text)
{
    const char *kind = row->type == FATHOM_OPTION_INTEGER ? "whole number" : "number";
    char low[FATHOM_DECIMAL_SIZE], high[FATHOM_DECIMAL_SIZE];
    fathom_decimal_format(low, row->low);
    fathom_decimal_format(high, row->high);
    if (row->low < -1e15)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s takes a %s, not '%s'", row->name, kind,
                                text);
    if (row->high > 1e15)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s takes a %s from %s on, not '%s'",
                                row->name, kind, low, text);
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s takes a %s from %s to %s, not '%s'", row->name,
                            kind, low, high, text);
}

static fathom_status refuse(fathom_context *context, const fathom_option *row, const char *text)
{
    const fathom_status code = FATHOM_ERROR_USAGE;
    switch (row->type) {
    case FATHOM_OPTION_INTEGER:
    case FATHOM_OPTION_REAL:
        return refuse_number(context, row, text);
    case FATHOM_OPTION_UNSIGNED:
        return fathom_error_set(context, code, "--%s takes a whole number from 0 to 2^64 - 1, not '%s'",
                                row->name, text);
    case FATHOM_OPTION_CHOICE:
        return refuse_choice(context, row, text);
    case FATHOM_OPTION_FLAG:
    case FATHOM_OPTION_TEXT:
    case FATHOM_OPTION_INPUT:
    case FATHOM_OPTION_OUTPUT:
        break;
    }
    return fathom_error_set(context, code, "--%s does not take '%s'", row->name, text);
}

void fathom_options_init(void *options, const fathom_option_table *table)
{
    memset(options, 0, table->size);
    for (int64_t k = 0; k < table->count; k++) {
        const fathom_option *row = table->rows + k;
        if (row->preset)
            assign(field_of(options, row), row, row->preset);
        else if (row->type == FATHOM_OPTION_REAL)
            *(double *)field_of(options, row) = NAN;
    }
}

const fathom_option *fathom_options_find(const fathom_option_table *table, const char *name)
{
    for (int64_t k = 0; k < table->count; k++)
        if (strcmp(table->rows[k].name, name) == 0)
            return table->rows + k;
    return NULL;
}

/* The option that a choice "word:name" names; it stands behind the choice's row. */
static const fathom_option *named_by(const fathom_option *row, const char *text)
{
    const size_t length = strcspn(text, ":");
    const char *at = row->values;
    while (!(strncmp(at, text, length) == 0 && at[length] == ':'))
        at = strchr(at, '|') + 1;
    at += length + 1;
    const size_t size = strcspn(at, "|");
    do
        row++;
    while (strlen(row->name) != size || memcmp(row->name, at, size) != 0);
    return row;
}

fathom_status fathom_options_set(fathom_context *context, void *options, const fathom_option *row,
                                 const char *text)
{
    if (!text && row->type != FATHOM_OPTION_FLAG)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s needs a value (%s)", row->name,
                                row->values);
    if (!assign(field_of(options, row), row, text))
        return refuse(context, row, text);
    const char *number = row->type == FATHOM_OPTION_CHOICE ? strchr(text, ':') : NULL;
    return number ? fathom_options_set(context, options, named_by(row, text), number + 1) : FATHOM_OK;
}

/* An unset field (NaN, or 0 for an INTEGER without default) passes. */
static bool field_in_range(const void *field, const fathom_option *row)
{
    char text[64];
    switch (row->type) {
    case FATHOM_OPTION_INTEGER: {
        const double number = (double)*(const int64_t *)field;
        return (!row->preset && number == 0) || (number >= row->low && number <= row->high);
    }
    case FATHOM_OPTION_REAL: {
        const double number = *(const double *)field;
        return (!row->preset && isnan(number)) || (number >= row->low && number <= row->high);
    }
    case FATHOM_OPTION_CHOICE:
        return fathom_option_choice(row, *(const int *)field, text, sizeof text);
    case FATHOM_OPTION_FLAG:
    case FATHOM_OPTION_UNSIGNED:
    case FATHOM_OPTION_TEXT:
    case FATHOM_OPTION_INPUT:
    case FATHOM_OPTION_OUTPUT:
        return true;
    }
    return false;
}

fathom_status fathom_options_check(fathom_context *context, const void *options,
                                   const fathom_option_table *table)
{
    for (int64_t k = 0; k < table->count; k++)
        if (!field_in_range(const_field_of(options, table->rows + k), table->rows + k))
            return fathom_error_set(context, FATHOM_ERROR_USAGE, "option %s is out of range (%s)",
                                    table->rows[k].name, table->rows[k].doc);
    return FATHOM_OK;
}
