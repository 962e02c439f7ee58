/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One field of a CSV file, in general:
 *
 *     field = *SP ( plain | '"' *( byte | '""' ) '"' ) *SP ( separator | LF | CR LF | end of file )
 *
 * with single quotes in place of double ones where the dialect says so.
 */
#include "csv_internal.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"

/* Copies the inside of quotes that open at `offset` to the scratch; *offset moves behind the closing
 * quote. */
static fathom_status read_quoted(csv_reader *csv, size_t *offset, csv_field *field, bool *more)
{
    const fathom_text *text = &csv->text;
    size_t k = *offset + 1, size = 0;
    for (;; k++) {
        if (k >= text->end) {
            if (text->last)
                return fathom_text_error(text, *offset, "expected a closing quote for this one");
            *more = true;
            return FATHOM_OK;
        }
        if (text->data[k] == csv->quote) {
            if (k + 1 >= text->end && !text->last) {
                *more = true;
                return FATHOM_OK;
            }
            if (text->data[k + 1] != csv->quote)
                break;
            k++;
        }
        void *block = csv->scratch;
        const fathom_status status =
            fathom_memory_grow(csv->context, &block, &csv->scratch_capacity, (int64_t)size + 1, 1);
        csv->scratch = block;
        if (status != FATHOM_OK)
            return status;
        csv->scratch[size++] = text->data[k];
    }
    field->text = size > 0 ? csv->scratch : ""; /* the scratch may not be there yet */
    field->size = size;
    *offset = k + 1;
    return FATHOM_OK;
}

/* White space around fields; a tab is that only where it does not separate. */
static bool is_space(const csv_reader *csv, char c)
{
    return c == ' ' || c == '\r' || (c == '\t' && csv->separator != '\t');
}

/* Whether the byte ends a plain field. */
static bool is_separator(const csv_reader *csv, char c)
{
    return c == csv->separator || (c == '\t' && csv->separator == ' ');
}

/* Skips white space and the byte that ends the field. */
static fathom_status read_end(csv_reader *csv, size_t offset, csv_field *field, bool *more)
{
    const fathom_text *text = &csv->text;
    while (offset < text->end && is_space(csv, text->data[offset]))
        offset++;
    if (offset >= text->end) {
        *more = !text->last;
        field->next = text->end;
        field->row_end = true;
        return FATHOM_OK;
    }
    field->row_end = text->data[offset] == '\n';
    field->next = offset + 1;
    if (csv->separator == ' ' && !field->row_end) { /* the white space was the separator */
        field->next = offset;
        return FATHOM_OK;
    }
    if (field->row_end || text->data[offset] == csv->separator)
        return FATHOM_OK;
    return fathom_text_error(text, offset,
                             "expected a separator or the end of the line after a closing quote");
}

/* A quote inside a plain field is a byte like any other. */
fathom_status csv_field_read(csv_reader *csv, size_t offset, csv_field *field, bool *more)
{
    const fathom_text *text = &csv->text;
    *more = false;
    while (offset < text->end && is_space(csv, text->data[offset]))
        offset++;
    field->offset = offset;
    if (offset < text->end && text->data[offset] == csv->quote) {
        const fathom_status status = read_quoted(csv, &offset, field, more);
        return status != FATHOM_OK || *more ? status : read_end(csv, offset, field, more);
    }
    size_t k = offset;
    while (k < text->end && !is_separator(csv, text->data[k]) && text->data[k] != '\n')
        k++;
    size_t size = k - offset;
    while (size > 0 && is_space(csv, text->data[offset + size - 1]))
        size--;
    field->text = text->data + offset;
    field->size = size;
    return read_end(csv, k, field, more);
}

const char *csv_column_text(char text[96], const csv_reader *csv, int64_t column)
{
    if (csv->header)
        snprintf(text, 96, "'%s'", fathom_dictionary_text(&csv->names, column));
    else
        snprintf(text, 96, "%lld (from 0)", (long long)column);
    return text;
}
