/* SPDX-License-Identifier: Apache-2.0 */
/* Options to lines of text and back, through their table. */
#include "option_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "inner/options.h"
#include "memory.h"

enum { VALUE = 64 };

/* The value of a field as text, `room` (VALUE bytes) or the field's own; NULL where it is at its default. */
static const char *value_of(char *room, const void *options, const void *defaults, const fathom_option *row)
{
    const char *field = (const char *)options + row->offset, *preset = (const char *)defaults + row->offset;
    switch (row->type) {
    case FATHOM_OPTION_FLAG:
        return *(const bool *)field ? "true" : NULL;
    case FATHOM_OPTION_INTEGER:
        snprintf(room, VALUE, "%lld", (long long)*(const int64_t *)field);
        return *(const int64_t *)field != *(const int64_t *)preset ? room : NULL;
    case FATHOM_OPTION_UNSIGNED:
        snprintf(room, VALUE, "%llu", (unsigned long long)*(const uint64_t *)field);
        return *(const uint64_t *)field != *(const uint64_t *)preset ? room : NULL;
    case FATHOM_OPTION_REAL: {
        const double value = *(const double *)field, other = *(const double *)preset;
        fathom_decimal_format(room, value);
        return isnan(value) || value == other ? NULL : room;
    }
    case FATHOM_OPTION_CHOICE:
        return *(const int *)field != *(const int *)preset &&
                       fathom_option_choice(row, *(const int *)field, room, VALUE)
                   ? room
                   : NULL;
    case FATHOM_OPTION_TEXT:
    case FATHOM_OPTION_INPUT:
    case FATHOM_OPTION_OUTPUT:
        break;
    }
    const char *text = *(const char *const *)field, *other = *(const char *const *)preset;
    return text && (!other || strcmp(text, other) != 0) ? text : NULL;
}

/* Appends the lines to `text` (NULL: counts only); returns how many bytes they take. */
static size_t append(char *text, const void *options, const void *defaults, const fathom_option_table *table)
{
    char room[VALUE];
    size_t used = 0;
    for (int64_t k = 0; k < table->count; k++) {
        const fathom_option *row = table->rows + k;
        const char *value = value_of(room, options, defaults, row);
        if (!value)
            continue;
        const size_t name = strlen(row->name), length = strlen(value);
        if (text) {
            memcpy(text + used, row->name, name);
            text[used + name] = ' ';
            memcpy(text + used + name + 1, value, length);
            text[used + name + 1 + length] = '\n';
        }
        used += name + length + 2;
    }
    return used;
}

fathom_status fathom_option_lines_write(char **text, fathom_context *context, const void *options,
                                        const fathom_option_table *table)
{
    void *defaults = fathom_memory_zero(context, 1, table->size);
    *text = NULL;
    if (!defaults)
        return FATHOM_ERROR_MEMORY;
    fathom_options_init(defaults, table);
    const size_t size = append(NULL, options, defaults, table);
    *text = fathom_memory_zero(context, (int64_t)size + 1, 1);
    if (*text)
        append(*text, options, defaults, table);
    fathom_memory_free(context, defaults);
    return *text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_option_lines_read(fathom_context *context, void *options,
                                       const fathom_option_table *table, char *text)
{
    while (*text) {
        char *end = text + strcspn(text, "\n"), *value = text + strcspn(text, " \n");
        const bool last = *end == 0;
        *end = 0;
        if (*value != 0)
            *value++ = 0;
        const fathom_option *row = fathom_options_find(table, text);
        if (!row)
            return fathom_error_set(context, FATHOM_ERROR_USAGE, "there is no option %s", text);
        const fathom_status status = fathom_options_set(context, options, row, value);
        if (status != FATHOM_OK || last)
            return status;
        text = end + 1;
    }
    return FATHOM_OK;
}
