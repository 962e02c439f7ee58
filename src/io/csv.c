/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV and TSV files -> tables.
 *
 * The file streams through a window; numbers go straight to their final place x[i][j], y[i] or weight[i].
 * The fast path of a field is number, then separator or line end; everything else (quotes, spaces,
 * carriage returns, texts, the end of the window) takes the general path, which may ask for more text and
 * begin the row again. Cost: one pass. Memory: the rows for which the bytes read so far say there is room
 * in the file, else growth by half; a row's text; distinct labels.
 */
#include "csv.h"

#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "csv_internal.h"
#include "decimal.h"
#include "memory.h"
#include "number.h"

enum { LONG_NUMBERS = 1000000 };

/* --- room ----------------------------------------------------------------------------------------------- */

static fathom_status resize_doubles(fathom_context *context, double **array, int64_t count)
{
    void *block = *array;
    const fathom_status status = fathom_memory_resize(context, &block, count, sizeof **array);
    *array = block;
    return status;
}

/* Gives all columns of the table room for exactly this many rows; an overflow fails as too much memory. */
static fathom_status resize_rows(csv_reader *csv, int64_t rows)
{
    fathom_table *table = csv->table;
    int64_t count;
    /* unreachable: so many bytes were refused before */
    if (__builtin_mul_overflow(rows, table->d, &count))
        count = INT64_MAX;
    FATHOM_TRY(resize_doubles(csv->context, &table->x, count));
    if (table->outputs)
        FATHOM_TRY(resize_doubles(csv->context, &table->y, rows));
    if (csv->request->weights)
        FATHOM_TRY(resize_doubles(csv->context, &table->weight, rows));
    csv->capacity = rows;
    return FATHOM_OK;
}

/* Room for one more row. */
static fathom_status reserve_row(csv_reader *csv)
{
    const fathom_table *table = csv->table;
    if (table->n < csv->capacity)
        return FATHOM_OK;
    int64_t rows = fathom_text_predict(&csv->text, table->n);
    if (csv->capacity == 0) { /* a field takes two bytes or more */
        const int64_t total = fathom_bytes_total(csv->text.bytes), most = total / 2 / csv->columns + 1;
        rows = table->d < 65536 ? 65536 / table->d : 1;
        if (total >= 0 && most < rows)
            rows = most;
    }
    if (rows <= table->n)
        rows = table->n + 1;
    FATHOM_TRY(
        fathom_context_require(csv->context, 8.0 * (double)rows * (double)(table->d + 2), "the data matrix"));
    return resize_rows(csv, rows);
}

/* --- fields --------------------------------------------------------------------------------------------- */

/* A row with another number of fields; `found` may be one more than wanted where there are several more. */
static fathom_status want_columns(const csv_reader *csv, size_t offset, int64_t found)
{
    if (found > csv->columns)
        return fathom_text_error(&csv->text, offset, "expected %lld columns, found more",
                                 (long long)csv->columns);
    return fathom_text_error(&csv->text, offset, "expected %lld columns, found %lld", (long long)csv->columns,
                             (long long)found);
}

/* The usual words for a missing cell, for messages alone. */
static bool is_missing_text(const csv_field *field)
{
    static const char *const words[] = {"na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none", "?", "-"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == field->size && strncasecmp(words[k], field->text, field->size) == 0)
            return true;
    return false;
}

/* Says what stands where a number belongs. */
static fathom_status not_a_number(const csv_reader *csv, const csv_field *field, int64_t column,
                                  fathom_number_outcome outcome)
{
    char name[96];
    const int size = field->size < 40 ? (int)field->size : 40;
    csv_column_text(name, csv, column);
    const char *way = csv->request->no_target ? "" : " (missing cells: --missing impute)";
    if (field->size == 0)
        return fathom_text_error(&csv->text, field->offset, "expected a number in column %s, found nothing%s",
                                 name, way);
    if (is_missing_text(field))
        return fathom_text_error(&csv->text, field->offset,
                                 "expected a finite number in column %s, found '%.*s'%s", name, size,
                                 field->text, way);
    if (outcome == FATHOM_NUMBER_OVERFLOW)
        return fathom_text_error(&csv->text, field->offset,
                                 "expected a number below 1.8e308 in column %s, found '%.*s'", name, size,
                                 field->text);
    const bool finite = outcome != FATHOM_NUMBER_SPECIAL;
    return fathom_text_error(
        &csv->text, field->offset, "expected a %snumber in column %s, found '%.*s'%s",
        finite ? "" : "finite ", name, size, field->text,
        finite && csv->kind[column] == CSV_FEATURE && csv->table->n == 0
            ? " (text columns: --categorical, or --missing impute for tables as they are)"
            : "");
}

/* Notes where a number is not the shortest decimal of its double. Numbers of many digits cost time: the
 * first LONG_NUMBERS of them are looked at, after which the file counts as one of doubles. */
static void note_digits(csv_reader *csv, double value, const char *text, size_t size)
{
    fathom_table_origin *origin = &csv->table->origin;
    if (size > 15 && origin->decimal)
        origin->decimal =
            ++csv->long_numbers <= LONG_NUMBERS && fathom_decimal_is_shortest(value, text, size);
}

/* The field as a number. */
static fathom_status field_number(double *value, csv_reader *csv, const csv_field *field, int64_t column)
{
    const fathom_number_outcome outcome = csv_number_parse(value, csv, field->text, field->size);
    const bool truth = outcome == FATHOM_NUMBER_INVALID && csv_truth_parse(value, field->text, field->size);
    if (outcome != FATHOM_NUMBER_OK && !truth)
        return not_a_number(csv, field, column, outcome);
    const bool rewritten = field->text[0] == '(' || field->text[field->size - 1] == '%' ||
                           csv_is_spelled(field->text, field->size) ||
                           csv_has_thousands(field->text, field->size, csv->decimal);
    if (truth || rewritten)
        csv->table->origin.other_dialect = true;
    if (rewritten)
        csv->table->origin.decimal = false;
    else if (!truth && csv->decimal == '.')
        note_digits(csv, *value, field->text, field->size);
    else if (!truth && field->size > 15)
        csv->table->origin.decimal = false; /* not looked into */
    if (csv->kind[column] == CSV_WEIGHT && !(*value >= 0))
        return fathom_text_error(&csv->text, field->offset, "expected a weight of 0 or more");
    return FATHOM_OK;
}

/* The number of a text among the distinct ones of its column. */
static fathom_status field_code(double *value, csv_reader *csv, const csv_field *field, int64_t column)
{
    fathom_dictionary *texts = csv->kind[column] == CSV_LABEL ? &csv->labels : &csv->categories[column];
    char name[96];
    int64_t number;
    if (field->size == 0)
        return fathom_text_error(&csv->text, field->offset, "expected a text in column %s, found nothing%s",
                                 csv_column_text(name, csv, column),
                                 csv->request->no_target ? "" : " (missing cells: --missing impute)");
    if (memchr(field->text, 0, field->size))
        return fathom_text_error(&csv->text, field->offset, "expected text, found a zero byte");
    const fathom_status status =
        fathom_dictionary_add(texts, csv->context, &number, field->text, field->size);
    *value = (double)number;
    return status;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Puts a value where it belongs; *feature is the place of the row's next feature. */
static inline void put(const csv_reader *csv, int64_t column, double value, double **feature)
{
    const csv_kind kind = csv->kind[column];
    if (kind == CSV_FEATURE || kind == CSV_CATEGORY)
        *(*feature)++ = value;
    else if (kind == CSV_WEIGHT)
        csv->table->weight[csv->table->n] = value;
    else
        csv->table->y[csv->table->n] = value;
}

/* The general path: one field, from *offset on. */
static fathom_status read_field(csv_reader *csv, size_t *offset, int64_t column, double **feature,
                                bool *row_end, bool *more)
{
    csv_field field;
    double value;
    fathom_status status = csv_field_read(csv, *offset, &field, more);
    if (status != FATHOM_OK || *more)
        return status;
    const csv_kind kind = csv->kind[column];
    *offset = field.next;
    *row_end = field.row_end;
    if (kind == CSV_SKIP)
        return FATHOM_OK;
    if (kind == CSV_END && csv_is_trailing(csv, &field))
        return FATHOM_OK;
    if (kind == CSV_END)
        return want_columns(csv, field.offset, column + 1);
    status = kind == CSV_LABEL || kind == CSV_CATEGORY ? field_code(&value, csv, &field, column)
                                                       : field_number(&value, csv, &field, column);
    if (status == FATHOM_OK)
        put(csv, column, value, feature);
    return status;
}

/* Reads the row at the window's start. *more: the window ended first. */
static fathom_status read_row(csv_reader *csv, size_t *next, bool *more)
{
    const fathom_text *text = &csv->text;
    const char separator = csv->separator;
    const bool plain = separator != ' ' && csv->decimal == '.';
    double *feature = csv->table->x + csv->table->n * csv->table->d;
    size_t offset = text->start;
    int64_t column = 0;
    bool row_end = false;
    *more = false;
    for (; !row_end; column++) {
        double value;
        size_t size;
        while (text->data[offset] == ' ')
            offset++;
        const fathom_number_outcome outcome =
            fathom_number_parse(&value, &size, text->data + offset, text->end - offset);
        if (text->data[offset + size] == '\r' && text->data[offset + size + 1] == '\n')
            size++;
        const char ender = text->data[offset + size];
        if (outcome == FATHOM_NUMBER_OK && (ender == separator || ender == '\n') && plain &&
            csv->kind[column] <= CSV_TARGET) {
            note_digits(csv, value, text->data + offset, size);
            put(csv, column, value, &feature);
            offset += size + 1;
            row_end = ender == '\n';
        } else {
            const fathom_status status = read_field(csv, &offset, column, &feature, &row_end, more);
            if (status != FATHOM_OK || *more)
                return status;
        }
    }
    *next = offset;
    const size_t end = offset - (text->data[offset - 1] == '\n');
    return column >= csv->columns ? FATHOM_OK : want_columns(csv, end, column); /* beyond them is nothing */
}

/* The row at the window's start, into the table. */
static fathom_status take_row(void *reader, size_t *next, bool *more)
{
    csv_reader *csv = reader;
    FATHOM_TRY(reserve_row(csv));
    FATHOM_TRY(read_row(csv, next, more));
    if (!*more)
        csv->table->n++;
    return FATHOM_OK;
}

/* All rows to the end of the file, then the arrays shrink to what is used. */
static fathom_status read_rows(csv_reader *csv)
{
    const fathom_status status = csv_records_read(csv, take_row, csv);
    if (status == FATHOM_OK && csv->table->n == 0)
        return fathom_text_error(&csv->text, csv->text.start, "expected rows of numbers, found none");
    if (csv->text.encoding != FATHOM_ENCODING_UTF8 || csv->text.returns)
        csv->table->origin.other_dialect = true;
    return status == FATHOM_OK ? resize_rows(csv, csv->table->n) : status;
}

/* Everything but the table, which belongs to the caller. */
static void release(csv_reader *csv)
{
    if (csv->categories)
        for (int64_t k = 0; k < csv->columns; k++)
            fathom_dictionary_free(csv->context, &csv->categories[k]);
    fathom_memory_free(csv->context, csv->categories);
    fathom_dictionary_free(csv->context, &csv->labels);
    fathom_dictionary_free(csv->context, &csv->names);
    FATHOM_FREE(csv->context, csv->kind, csv->scratch, csv->head);
    fathom_text_free(&csv->text);
}

fathom_status fathom_csv_read(fathom_table *table, fathom_bytes *bytes, char separator,
                              const fathom_table_request *request)
{
    csv_reader csv = {.context = fathom_bytes_context(bytes), .request = request, .table = table};
    fathom_status status = fathom_text_init(&csv.text, csv.context, bytes);
    FATHOM_THEN(status, csv_dialect_choose(&csv, separator));
    FATHOM_THEN(status, csv_head_read(&csv));
    FATHOM_THEN(status, read_rows(&csv));
    FATHOM_THEN(status, csv_finish(&csv));
    release(&csv);
    return status;
}
