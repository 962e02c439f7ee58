/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV and TSV files -> cells as texts.
 *
 * Whether the first record is a header is decided at the end, when all cells are there: it is one where a
 * text stands above numbers, or where it holds nothing but texts of which at least half are not found
 * again in their columns (a row of data has values that others have too). Names that the caller knows
 * decide first. Cost: one pass and one copy. Memory: the text of the file and 8 bytes a cell.
 */
#include "sheet.h"

#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "csv_internal.h"
#include "memory.h"

typedef struct cell_reader {
    csv_reader csv;
    fathom_sheet *sheet;
    int64_t text_size, text_capacity, start_capacity, line_capacity;
} cell_reader;

bool fathom_sheet_number(double *value, const char *text, char decimal)
{
    const csv_reader with = {.decimal = decimal};
    const size_t size = strlen(text);
    return size > 0 && (csv_number_parse(value, &with, text, size) == FATHOM_NUMBER_OK ||
                        csv_truth_parse(value, text, size));
}

void fathom_sheet_free(fathom_context *context, fathom_sheet *sheet)
{
    if (!sheet)
        return;
    fathom_dictionary_free(context, &sheet->names);
    FATHOM_FREE(context, sheet->text, sheet->start, sheet->line, sheet);
}

int64_t fathom_sheet_find(const fathom_sheet *sheet, const char *text)
{
    int64_t index = 0;
    const int64_t named = fathom_dictionary_find(&sheet->names, text, strlen(text));
    if (named >= 0)
        return named;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || index >= sheet->columns)
            return -1;
        index = 10 * index + (*c - '0');
    }
    return *text && index < sheet->columns ? index : -1;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Appends one cell. */
static fathom_status add_cell(cell_reader *reader, int64_t place, const csv_field *field)
{
    fathom_sheet *sheet = reader->sheet;
    fathom_context *context = reader->csv.context;
    void *text = sheet->text, *start = sheet->start;
    const int64_t size = reader->text_size + (int64_t)field->size + 1;
    if (memchr(field->text, 0, field->size))
        return fathom_text_error(&reader->csv.text, field->offset, "expected text, found a zero byte");
    fathom_status status = fathom_memory_grow(context, &text, &reader->text_capacity, size, 1);
    sheet->text = text;
    if (status == FATHOM_OK)
        status =
            fathom_memory_grow(context, &start, &reader->start_capacity, place + 1, sizeof *sheet->start);
    sheet->start = start;
    if (status != FATHOM_OK)
        return status;
    sheet->start[place] = reader->text_size;
    memcpy(sheet->text + reader->text_size, field->text, field->size);
    sheet->text[size - 1] = 0;
    reader->text_size = size;
    return FATHOM_OK;
}

/* Takes the record at the window's start; *more: the window ended first, and nothing was taken. */
static fathom_status take_record(cell_reader *reader, size_t *next, bool *more)
{
    csv_reader *csv = &reader->csv;
    fathom_sheet *sheet = reader->sheet;
    const int64_t before = reader->text_size;
    size_t offset = csv->text.start;
    int64_t count = 0;
    for (bool row_end = false; !row_end; count++) {
        csv_field field;
        fathom_status status = csv_field_read(csv, offset, &field, more);
        const bool beyond = status == FATHOM_OK && !*more && sheet->rows > 0 && count >= sheet->columns;
        if (beyond && csv_is_trailing(csv, &field)) {
            offset = field.next;
            break;
        }
        if (beyond)
            status = fathom_text_error(&csv->text, field.offset, "expected %lld columns, found more",
                                       (long long)sheet->columns);
        if (status == FATHOM_OK && !*more)
            status = add_cell(reader, sheet->rows * sheet->columns + count, &field);
        if (status != FATHOM_OK || *more) {
            reader->text_size = before;
            return status;
        }
        offset = field.next;
        row_end = field.row_end;
    }
    if (sheet->rows > 0 && count < sheet->columns) {
        const size_t end = offset - (csv->text.data[offset - 1] == '\n');
        return fathom_text_error(&csv->text, end, "expected %lld columns, found %lld",
                                 (long long)sheet->columns, (long long)count);
    }
    sheet->columns = count;
    *next = offset;
    return FATHOM_OK;
}

/* The record, and the line where it began. */
static fathom_status take_row(void *context, size_t *next, bool *more)
{
    cell_reader *reader = context;
    fathom_sheet *sheet = reader->sheet;
    fathom_status status = take_record(reader, next, more);
    if (status != FATHOM_OK || *more)
        return status;
    void *block = sheet->line;
    status = fathom_memory_grow(reader->csv.context, &block, &reader->line_capacity, sheet->rows + 1,
                                sizeof *sheet->line);
    sheet->line = block;
    if (status == FATHOM_OK)
        sheet->line[sheet->rows++] = reader->csv.text.line;
    return status;
}

static fathom_status read_records(cell_reader *reader)
{
    csv_reader *csv = &reader->csv;
    const fathom_status status = csv_records_read(csv, take_row, reader);
    if (status == FATHOM_OK && reader->sheet->rows == 0)
        return fathom_text_error(&csv->text, csv->text.start, "expected a header or numbers, found nothing");
    return status;
}

/* --- the header ----------------------------------------------------------------------------------------- */

static bool is_number(const fathom_sheet *sheet, int64_t row, int64_t column)
{
    double value;
    return fathom_sheet_number(&value, fathom_sheet_at(sheet, row, column), sheet->decimal);
}

/* Whether the text of row 0 stands in the column again. */
static bool comes_again(const fathom_sheet *sheet, int64_t column)
{
    for (int64_t i = 1; i < sheet->rows; i++)
        if (strcmp(fathom_sheet_at(sheet, 0, column), fathom_sheet_at(sheet, i, column)) == 0)
            return true;
    return false;
}

/* *likely: at least half of the names that the caller knows are in row 0. */
static fathom_status find_likely_names(bool *likely, const cell_reader *reader)
{
    const fathom_schema *schema = reader->csv.request->likely;
    fathom_dictionary known = {0};
    fathom_status status = FATHOM_OK;
    int64_t number, found = 0;
    for (int64_t k = 0; schema && k < schema->columns && status == FATHOM_OK; k++)
        status = fathom_dictionary_add(&known, reader->csv.context, &number, schema->column[k].name,
                                       strlen(schema->column[k].name));
    for (int64_t j = 0; j < reader->sheet->columns && known.count > 0; j++) {
        const char *text = fathom_sheet_at(reader->sheet, 0, j);
        found += fathom_dictionary_find(&known, text, strlen(text)) >= 0;
    }
    *likely = known.count > 0 && 2 * found >= known.count;
    fathom_dictionary_free(reader->csv.context, &known);
    return status;
}

/* Row 0 by itself and the others. */
static bool looks_like_header(const fathom_sheet *sheet)
{
    int64_t again = 0, empty = 0;
    for (int64_t j = 0; j < sheet->columns; j++) {
        const char *first = fathom_sheet_at(sheet, 0, j);
        if (*first && is_number(sheet, 0, j))
            return false;
        empty += *first == 0;
    }
    for (int64_t j = 0; j < sheet->columns; j++) {
        const char *first = fathom_sheet_at(sheet, 0, j);
        for (int64_t i = 1; *first && i < sheet->rows && i <= 20; i++)
            if (is_number(sheet, i, j))
                return true;
        again += *first && comes_again(sheet, j);
    }
    return empty <= 1 && 2 * again <= sheet->columns;
}

/* The second column of a name becomes "name (2)", the next one "name (3)". */
static fathom_status name_again(fathom_sheet *sheet, fathom_context *context, int64_t column,
                                const char *name)
{
    fathom_status status = FATHOM_OK;
    int64_t place = 0;
    char other[256];
    for (int k = 2; status == FATHOM_OK && sheet->names.count == column; k++) {
        snprintf(other, sizeof other, "%.200s (%d)", name, k);
        status = fathom_dictionary_add(&sheet->names, context, &place, other, strlen(other));
    }
    if (status == FATHOM_OK)
        fathom_log(context, FATHOM_LOG_WARNING,
                   "two columns have the name '%.80s': column %lld (from 0) is '%.90s'", name,
                   (long long)column, other);
    return status;
}

/* Names from row 0, or numbers. */
static fathom_status name_columns(cell_reader *reader)
{
    fathom_sheet *sheet = reader->sheet;
    fathom_context *context = reader->csv.context;
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < sheet->columns && status == FATHOM_OK; j++) {
        char number[40];
        int64_t place;
        snprintf(number, sizeof number, sheet->header ? "column %lld" : "%lld", (long long)j);
        const char *first = sheet->header ? fathom_sheet_at(sheet, 0, j) : "";
        first = *first ? first : number;
        status = fathom_dictionary_add(&sheet->names, context, &place, first, strlen(first));
        if (status == FATHOM_OK && place < j)
            status = name_again(sheet, context, j, first);
    }
    return status;
}

/* Whether the last column has neither a name nor a cell: every line ends in a separator. */
static bool last_is_empty(const fathom_sheet *sheet)
{
    for (int64_t i = 0; i < sheet->rows; i++)
        if (*fathom_sheet_at(sheet, i, sheet->columns - 1))
            return false;
    return sheet->columns > 2;
}

static void drop_empty_end(fathom_sheet *sheet, fathom_context *context)
{
    const int64_t before = sheet->columns;
    if (!last_is_empty(sheet))
        return;
    for (int64_t i = 1; i < sheet->rows; i++)
        memmove(sheet->start + i * (before - 1), sheet->start + i * before,
                (size_t)(before - 1) * sizeof *sheet->start);
    sheet->columns--;
    fathom_log(context, FATHOM_LOG_INFO, "every line ends in a separator: the empty last column is left out");
}

/* Whether row i, of those below the header, has the same texts as it; some name is no number. */
static bool repeats_header(const fathom_sheet *sheet, int64_t i)
{
    bool text = false;
    for (int64_t j = 0; j < sheet->columns; j++) {
        if (strcmp(fathom_sheet_at(sheet, 0, j), fathom_sheet_at(sheet, i, j)) != 0)
            return false;
        text = text || (*fathom_sheet_at(sheet, 0, j) && !is_number(sheet, 0, j));
    }
    return text;
}

/* Takes the header away, and rows that repeat it: files that were put one behind the other. */
static void drop_header(cell_reader *reader)
{
    fathom_sheet *sheet = reader->sheet;
    const int64_t columns = sheet->columns;
    int64_t rows = 1;
    for (int64_t i = 1; i < sheet->rows; i++) {
        if (repeats_header(sheet, i)) {
            reader->csv.head_lines++;
            continue;
        }
        if (rows < i)
            memcpy(sheet->start + rows * columns, sheet->start + i * columns,
                   (size_t)columns * sizeof *sheet->start);
        sheet->line[rows++] = sheet->line[i];
    }
    csv_say_head_lines(&reader->csv);
    sheet->rows = rows - 1;
    memmove(sheet->start, sheet->start + columns, (size_t)(sheet->rows * columns) * sizeof *sheet->start);
    memmove(sheet->line, sheet->line + 1, (size_t)sheet->rows * sizeof *sheet->line);
}

/* A header is no row. */
static fathom_status settle_header(cell_reader *reader)
{
    const int asked = reader->csv.request->header;
    fathom_sheet *sheet = reader->sheet;
    drop_empty_end(sheet, reader->csv.context);
    fathom_status status = find_likely_names(&sheet->header, reader);
    if (status == FATHOM_OK) {
        sheet->header = asked != 0 ? asked > 0 : sheet->header || looks_like_header(sheet);
        status = name_columns(reader);
        if (!sheet->header && asked == 0 && !reader->csv.request->likely)
            fathom_log(reader->csv.context, FATHOM_LOG_INFO,
                       "the first line has no names: columns are numbered from 0 (--header yes: it has)");
    }
    if (status != FATHOM_OK || !sheet->header)
        return status;
    drop_header(reader);
    return sheet->rows > 0 ? FATHOM_OK
                           : fathom_error_set_at(reader->csv.context, FATHOM_ERROR_INPUT,
                                                 fathom_bytes_name(reader->csv.text.bytes), 2, 1,
                                                 "expected rows under the names of the columns, found none");
}

fathom_status fathom_sheet_read(fathom_table *table, fathom_bytes *bytes, char separator,
                                const fathom_table_request *request)
{
    fathom_context *context = fathom_bytes_context(bytes);
    cell_reader reader = {.csv = {.context = context, .request = request, .table = table}};
    reader.sheet = table->sheet = fathom_memory_zero(context, 1, sizeof *table->sheet);
    if (!table->sheet)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = fathom_text_init(&reader.csv.text, context, bytes);
    FATHOM_THEN(status, csv_dialect_choose(&reader.csv, separator));
    if (status == FATHOM_OK) {
        reader.sheet->decimal = reader.csv.decimal;
        status = read_records(&reader);
    }
    FATHOM_THEN(status, settle_header(&reader));
    table->origin.other_dialect = true; /* what comes of cells is not what stands in the file */
    table->origin.header = reader.sheet->header;
    table->n = reader.sheet->rows;
    fathom_memory_free(context, reader.csv.scratch);
    fathom_text_free(&reader.csv.text);
    return status;
}
