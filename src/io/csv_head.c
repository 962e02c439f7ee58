/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a CSV file: is there a header, and what is each column for?
 *
 * The first two records decide. The first is a header where some column has text above a number, or where
 * all of its fields are text. Roles: the target is the named column, else the last; a text column is the
 * labels where it is the target, a category where those were asked for, and otherwise an error that names
 * it.
 */
#include "csv_internal.h"

#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "near.h"
#include "number.h"

/* What the fields of a record look like. */
typedef enum { FIELD_EMPTY, FIELD_NUMBER, FIELD_TRUTH, FIELD_TEXT } field_look;

typedef struct {
    unsigned char *look; /* count field_looks */
    int64_t count, capacity;
} record_look;

/* nan and inf look like numbers: they are refused later, with their place, rather than taken for a header. */
static field_look look_at(const csv_reader *csv, const csv_field *field)
{
    double value;
    if (field->size == 0)
        return FIELD_EMPTY;
    if (csv_number_parse(&value, csv, field->text, field->size) != FATHOM_NUMBER_INVALID)
        return FIELD_NUMBER;
    return csv_truth_parse(&value, field->text, field->size) ? FIELD_TRUTH : FIELD_TEXT;
}

/* Moves *distance behind lines that are no records. */
static fathom_status skip_idle_lines(csv_reader *csv, size_t *distance)
{
    fathom_status status = FATHOM_OK;
    for (size_t next; status == FATHOM_OK;) {
        bool more;
        if (csv->text.start + *distance >= csv->text.end) {
            if (csv->text.last)
                break;
            status = fathom_text_more(&csv->text);
        } else if (csv_line_is_idle(csv, csv->text.start + *distance, &next, &more))
            *distance = next - csv->text.start;
        else if (more)
            status = fathom_text_more(&csv->text);
        else
            break;
    }
    return status;
}

/* Looks at the record that begins `*distance` bytes after the window's start, and moves *distance behind
 * it. The window grows until the record is in it. An empty rest of the file gives no fields. */
static fathom_status look_at_record(csv_reader *csv, size_t *distance, record_look *record)
{
    const fathom_status skipped = skip_idle_lines(csv, distance);
    size_t offset = *distance;
    bool row_end = skipped != FATHOM_OK;
    record->count = 0;
    while (!row_end) {
        csv_field field;
        bool more;
        if (record->count == 0 && csv->text.start + offset >= csv->text.end)
            return FATHOM_OK;
        fathom_status status = csv_field_read(csv, csv->text.start + offset, &field, &more);
        if (status == FATHOM_OK && more) {
            status = fathom_text_more(&csv->text);
            record->count = 0;
            offset = *distance;
        } else if (status == FATHOM_OK) {
            void *block = record->look;
            status = fathom_memory_grow(csv->context, &block, &record->capacity, record->count + 1, 1);
            record->look = block;
            if (status == FATHOM_OK)
                record->look[record->count++] = (unsigned char)look_at(csv, &field);
            offset = field.next - csv->text.start;
            row_end = field.row_end;
        }
        if (status != FATHOM_OK)
            return status;
    }
    *distance = offset;
    return skipped;
}

/* Text above a number, or nothing but text. An empty field is no text: a row of data may lack a value. */
static bool is_header(const csv_reader *csv, const record_look *first, const record_look *second)
{
    bool numbers = false;
    if (csv->request->header != 0)
        return csv->request->header > 0;
    for (int64_t k = 0; k < first->count; k++) {
        if (first->look[k] == FIELD_TEXT && k < second->count && second->look[k] == FIELD_NUMBER)
            return true;
        numbers = numbers || first->look[k] != FIELD_TEXT;
    }
    return !numbers;
}

/* Keeps the line of names, from the window's start to `end`, where some name is no number: it may come
 * again. */
static fathom_status keep_head(csv_reader *csv, size_t end)
{
    const char *line = csv->text.data + csv->text.start;
    size_t size = end - csv->text.start;
    bool text = false;
    double value;
    for (int64_t k = 0; k < csv->columns && !text; k++) {
        const char *name = fathom_dictionary_text(&csv->names, k);
        text = *name && csv_number_parse(&value, csv, name, strlen(name)) == FATHOM_NUMBER_INVALID;
    }
    while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r'))
        size--;
    if (!text)
        return FATHOM_OK;
    csv->head = fathom_memory_alloc(csv->context, (int64_t)size, 1);
    if (!csv->head)
        return FATHOM_ERROR_MEMORY;
    memcpy(csv->head, line, size);
    csv->head_size = size;
    return FATHOM_OK;
}

/* Takes the names from the record at the window's start and moves behind it. */
static fathom_status read_names(csv_reader *csv)
{
    size_t offset = csv->text.start;
    for (int64_t k = 0; k < csv->columns; k++) {
        csv_field field;
        bool more; /* never: look_at_record has made the record fit */
        int64_t number;
        /* unreachable: look_at_record has read the same fields */
        FATHOM_TRY(csv_field_read(csv, offset, &field, &more));
        fathom_status status = FATHOM_OK;
        if (memchr(field.text, 0, field.size))
            status = fathom_text_error(&csv->text, field.offset, "expected text, found a zero byte");
        FATHOM_THEN(status,
                    fathom_dictionary_add(&csv->names, csv->context, &number, field.text, field.size));
        if (status == FATHOM_OK && number < k)
            status = fathom_text_error(&csv->text, field.offset, "the column name '%.200s' appears twice",
                                       fathom_dictionary_text(&csv->names, number));
        if (status != FATHOM_OK)
            return status;
        offset = field.next;
    }
    FATHOM_TRY(keep_head(csv, offset));
    for (size_t k = csv->text.start; k < offset; k++)
        csv->text.line += csv->text.data[k] == '\n';
    csv->text.start = offset;
    return FATHOM_OK;
}

/* The column that `text` names, by the header or by its number from 0; -1 where there is none. */
static int64_t find_column(const csv_reader *csv, const char *text)
{
    const int64_t named = fathom_dictionary_find(&csv->names, text, strlen(text));
    if (named >= 0 || *text == 0)
        return named;
    int64_t index = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || index >= csv->columns)
            return -1;
        index = 10 * index + (*c - '0');
    }
    return index < csv->columns ? index : -1;
}

/* The option is wrong, not the file. */
static fathom_status no_column(const csv_reader *csv, const char *text)
{
    char list[FATHOM_NEAR_SIZE];
    fathom_near_list(list, text, &csv->names);
    return fathom_error_set_at(csv->context, FATHOM_ERROR_USAGE, fathom_bytes_name(csv->text.bytes), 0, 0,
                               "no column '%.200s' among the %lld columns%s", text, (long long)csv->columns,
                               list);
}

/* Columns of a list "A,B" are left out. */
static fathom_status exclude_columns(csv_reader *csv, const char *list)
{
    while (list && *list) {
        char name[1024];
        const size_t size = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", size < 1000 ? (int)size : 1000, list);
        const int64_t column = find_column(csv, name);
        if (column < 0)
            return no_column(csv, name);
        csv->kind[column] = CSV_SKIP;
        csv->table->origin.other_dialect = true;
        list += size + (list[size] == ',');
    }
    return FATHOM_OK;
}

/* The target column, or -1 where a file for prediction has none; see no_target in table.h. */
static fathom_status find_target(int64_t *target, const csv_reader *csv, int64_t weights)
{
    const fathom_table_request *request = csv->request;
    const int64_t others = csv->columns - (weights >= 0);
    *target = -1;
    if (csv->header && request->known && !request->target) {
        if (request->known->target)
            *target =
                fathom_dictionary_find(&csv->names, request->known->target, strlen(request->known->target));
        return FATHOM_OK;
    }
    if (request->no_target && request->features > 0 && others == request->features && !request->categorical)
        return FATHOM_OK;
    if (request->target) {
        *target = find_column(csv, request->target);
        return *target >= 0 || request->no_target ? FATHOM_OK : no_column(csv, request->target);
    }
    if (request->no_target && (request->features == 0 || request->categorical))
        return FATHOM_OK;
    if (request->no_target && others != request->features + 1)
        return fathom_text_error(
            &csv->text, csv->text.start,
            "expected %lld feature columns, with or without a target, found %lld columns",
            (long long)request->features, (long long)others);
    *target = csv->columns - 1;
    if (*target == weights)
        *target -= 1;
    return FATHOM_OK;
}

/* Fills kind[0..columns]. */
static fathom_status assign_kinds(csv_reader *csv, const record_look *row)
{
    int64_t target, weights = -1;
    if (csv->request->weights) {
        weights = find_column(csv, csv->request->weights);
        if (weights < 0)
            return no_column(csv, csv->request->weights);
    }
    FATHOM_TRY(find_target(&target, csv, weights));
    if (target >= 0 && target == weights)
        return fathom_error_set(csv->context, FATHOM_ERROR_USAGE,
                                "the target and the weights are the same column");
    csv->kind = fathom_memory_zero(csv->context, csv->columns + 1, 1); /* CSV_FEATURE */
    if (!csv->kind)
        return FATHOM_ERROR_MEMORY;
    csv->kind[csv->columns] = CSV_END;
    csv->table->origin.header = csv->header;
    csv->table->origin.decimal = true; /* until a number is not */
    csv->table->origin.target = target;
    csv->table->origin.weight = weights;
    for (int64_t k = 0; k < csv->columns && k < row->count; k++)
        if (row->look[k] == FIELD_TEXT && csv->request->categorical)
            csv->kind[k] = CSV_CATEGORY;
    if (csv->header && csv->request->known) {
        FATHOM_TRY(csv_columns_match(csv, target, weights));
    }
    for (int k = 0; k < 2 && !(csv->header && csv->request->known); k++) {
        FATHOM_TRY(exclude_columns(csv, csv->request->exclude[k]));
    }
    if (weights >= 0)
        csv->kind[weights] = CSV_WEIGHT;
    if (target >= 0)
        csv->kind[target] = target < row->count && row->look[target] >= FIELD_TRUTH ? CSV_LABEL : CSV_TARGET;
    return FATHOM_OK;
}

/* Room for the categories' texts, and the number of feature columns. */
static fathom_status count_kinds(csv_reader *csv)
{
    bool categories = false;
    for (int64_t k = 0; k < csv->columns; k++) {
        csv->table->d += csv->kind[k] == CSV_FEATURE || csv->kind[k] == CSV_CATEGORY;
        categories = categories || csv->kind[k] == CSV_CATEGORY;
        if (csv->kind[k] == CSV_TARGET || csv->kind[k] == CSV_LABEL)
            csv->table->outputs = 1;
    }
    if (csv->table->d == 0)
        return fathom_text_error(&csv->text, csv->text.start,
                                 "expected at least one column beside the target");
    if (!categories)
        return FATHOM_OK;
    csv->categories = fathom_memory_zero(csv->context, csv->columns, sizeof *csv->categories);
    return csv->categories ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Lets the window stand on the first record. */
static fathom_status skip_to_first(csv_reader *csv)
{
    size_t distance = 0;
    const fathom_status status = skip_idle_lines(csv, &distance);
    if (distance == 0 || csv->text.start + distance >= csv->text.end)
        return status;
    for (size_t k = csv->text.start; k < csv->text.start + distance; k++)
        csv->idle_lines += csv->text.data[k] == '\n';
    csv->text.line += csv->idle_lines;
    csv->text.start += distance;
    return status;
}

fathom_status csv_head_read(csv_reader *csv)
{
    record_look first = {0}, second = {0};
    size_t distance = 0;
    fathom_status status = skip_to_first(csv);
    /* unreachable: the choice of a dialect has brought the first row into the window */
    FATHOM_THEN(status, look_at_record(csv, &distance, &first));
    FATHOM_THEN(status, look_at_record(csv, &distance, &second));
    csv->columns = first.count;
    if (status == FATHOM_OK && (first.count == 0 || (first.count == 1 && first.look[0] == FIELD_EMPTY)))
        status =
            fathom_text_error(&csv->text, csv->text.start, "expected a header or numbers, found nothing");
    if (status == FATHOM_OK) {
        csv->header = is_header(csv, &first, &second);
        if (csv->header)
            status = read_names(csv);
    }
    FATHOM_THEN(status, assign_kinds(csv, csv->header ? &second : &first));
    FATHOM_THEN(status, count_kinds(csv));
    FATHOM_FREE(csv->context, first.look, second.look);
    return status;
}
