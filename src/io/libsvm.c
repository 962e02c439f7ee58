/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LIBSVM text -> compressed sparse rows.
 *
 *     line = label *( SP index ':' value ) [ '#' comment ] LF      index from 1, ascending, below 2^31
 *
 * A token `qid:number` after the label is skipped. Entry k of row i: column[k], value[k], row_start[i] <= k <
 * row_start[i+1]; explicit zeros are kept. Memory: 12 bytes per entry and 16 per row, for as many as the bytes read so
 * far say there will be. Cost: one pass.
 */
#include "libsvm.h"

#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "number.h"
#include "text.h"

typedef struct {
    fathom_context *context;
    fathom_text text;
    fathom_table *table;
    int64_t columns; /* asked for, or 0 */
    int64_t widest;  /* largest index so far */
    int64_t entries; /* of all finished rows */
    int64_t entry_capacity, row_capacity;
    int64_t blank_line;
} svm_reader;

/* --- room ------------------------------------------------------------------------------------------------- */

/* Resizes the array whose pointer lies at `array`, whatever its element type. */
static fathom_status resize(fathom_context *context, void *array, int64_t count, size_t size)
{
    void *block;
    memcpy(&block, array, sizeof block);
    const fathom_status status = fathom_memory_resize(context, &block, count, size);
    memcpy(array, &block, sizeof block);
    return status;
}

/* Columns and values share one capacity. */
static fathom_status resize_entries(svm_reader *svm, int64_t count)
{
    FATHOM_TRY(fathom_context_require(svm->context, 12.0 * (double)count, "the sparse matrix"));
    FATHOM_TRY(resize(svm->context, &svm->table->column, count, sizeof *svm->table->column));
    FATHOM_TRY(resize(svm->context, &svm->table->value, count, sizeof *svm->table->value));
    svm->entry_capacity = count;
    return FATHOM_OK;
}

/* Row starts (one more) and labels. */
static fathom_status resize_rows(svm_reader *svm, int64_t rows)
{
    FATHOM_TRY(resize(svm->context, &svm->table->row_start, rows + 1, sizeof(int64_t)));
    FATHOM_TRY(resize(svm->context, &svm->table->y, rows, sizeof(double)));
    svm->row_capacity = rows;
    return FATHOM_OK;
}

static fathom_status reserve_row(svm_reader *svm)
{
    if (svm->table->n < svm->row_capacity)
        return FATHOM_OK;
    const int64_t rows = fathom_text_predict(&svm->text, svm->table->n);
    return resize_rows(svm, rows < 64 ? 64 : rows);
}

/* Room for the entry `k`; the prediction rests on the finished rows. */
static fathom_status reserve_entry(svm_reader *svm, int64_t k)
{
    if (k < svm->entry_capacity)
        return FATHOM_OK;
    int64_t count = fathom_text_predict(&svm->text, svm->entries);
    if (count < k + k / 8 + 256)
        count = k + k / 8 + 256;
    return resize_entries(svm, count);
}

/* --- one line --------------------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static size_t skip_spaces(const fathom_text *text, size_t offset)
{
    while (is_space(text->data[offset]))
        offset++;
    return offset;
}

/* A finite number that white space, a comment or the line's end follows. */
static fathom_status read_number(double *value, const svm_reader *svm, size_t *offset, const char *what)
{
    const fathom_text *text = &svm->text;
    size_t size;
    const fathom_number_outcome outcome =
        fathom_number_parse(value, &size, text->data + *offset, text->end - *offset);
    const char ender = text->data[*offset + size];
    const bool ended = is_space(ender) || ender == '\n' || ender == '#' || *offset + size >= text->end;
    if (outcome == FATHOM_NUMBER_OK && ended) {
        svm->table->origin.decimal = svm->table->origin.decimal && size <= 15;
        *offset += size;
        return FATHOM_OK;
    }
    return fathom_text_error(text, *offset, "expected %s%s", what,
                             outcome == FATHOM_NUMBER_SPECIAL    ? ", a finite number"
                             : outcome == FATHOM_NUMBER_OVERFLOW ? ", a number below 1.8e308"
                                                                 : ", a number");
}

/* `index:` with index > previous; *offset moves behind the colon. */
static fathom_status read_index(int64_t *index, const svm_reader *svm, size_t *offset, int64_t previous)
{
    const fathom_text *text = &svm->text;
    size_t k = *offset;
    int64_t value = 0;
    for (; text->data[k] >= '0' && text->data[k] <= '9' && value <= INT32_MAX; k++)
        value = 10 * value + (text->data[k] - '0');
    if (k == *offset || (value <= INT32_MAX && text->data[k] != ':'))
        return fathom_text_error(text, *offset, "expected index:value");
    if (value < 1 || value > INT32_MAX)
        return fathom_text_error(text, *offset, "expected an index from 1 to 2147483647");
    if (value <= previous)
        return fathom_text_error(text, *offset, "expected an index above %lld (indices ascend)",
                                 (long long)previous);
    if (svm->columns > 0 && value > svm->columns)
        return fathom_text_error(text, *offset, "expected an index up to %lld, the number of columns",
                                 (long long)svm->columns);
    *index = value;
    *offset = k + 1;
    return FATHOM_OK;
}

/* The entries of the line from *offset on; *entries counts on from those of the rows before. */
static fathom_status read_entries(svm_reader *svm, size_t *offset, int64_t *entries)
{
    const fathom_text *text = &svm->text;
    int64_t index = 0;
    for (;;) {
        *offset = skip_spaces(text, *offset);
        const char c = text->data[*offset];
        if (c == '\n' || c == '#' || *offset >= text->end)
            break;
        double value = 0;
        fathom_status status = read_index(&index, svm, offset, index);
        FATHOM_THEN(status, read_number(&value, svm, offset, "a value"));
        FATHOM_THEN(status, reserve_entry(svm, *entries));
        if (status != FATHOM_OK)
            return status;
        svm->table->column[*entries] = (int32_t)(index - 1);
        svm->table->value[(*entries)++] = value;
    }
    if (index > svm->widest)
        svm->widest = index;
    return FATHOM_OK;
}

/* A token qid:number after the label says nothing about features. */
static fathom_status skip_query(const svm_reader *svm, size_t *offset)
{
    double query;
    *offset = skip_spaces(&svm->text, *offset);
    if (strncmp(svm->text.data + *offset, "qid:", 4) != 0)
        return FATHOM_OK;
    *offset += 4;
    return read_number(&query, svm, offset, "a query number");
}

/* The line at the window's start, which is whole. */
static fathom_status read_line(svm_reader *svm)
{
    fathom_text *text = &svm->text;
    size_t offset = skip_spaces(text, text->start);
    const char first = text->data[offset];
    if (first == '\n' || offset >= text->end) {
        svm->blank_line = svm->blank_line ? svm->blank_line : text->line;
        return FATHOM_OK;
    }
    if (first == '#')
        return FATHOM_OK;
    if (svm->blank_line)
        return fathom_error_set_at(svm->context, FATHOM_ERROR_INPUT, fathom_bytes_name(text->bytes),
                                   svm->blank_line, 1, "expected a label, found a blank line");
    int64_t entries = svm->entries;
    FATHOM_TRY(reserve_row(svm));
    FATHOM_TRY(read_number(svm->table->y + svm->table->n, svm, &offset, "a label"));
    FATHOM_TRY(skip_query(svm, &offset));
    FATHOM_TRY(read_entries(svm, &offset, &entries));
    svm->table->row_start[svm->table->n++] = svm->entries;
    svm->entries = entries;
    return FATHOM_OK;
}

/* --- the file --------------------------------------------------------------------------------------------- */

/* Each line is whole in the window before it is read, so that reading never has to begin again. */
static fathom_status read_lines(svm_reader *svm)
{
    fathom_text *text = &svm->text;
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && (text->start < text->end || !text->last)) {
        const char *line_end = memchr(text->data + text->start, '\n', text->end - text->start);
        if (!line_end && !text->last) {
            status = fathom_text_more(text);
            continue;
        }
        status = read_line(svm);
        text->start = line_end ? (size_t)(line_end - text->data) + 1 : text->end;
        text->line++;
    }
    return status;
}

/* The width, the last row start, and arrays of exactly their length. */
static fathom_status finish(svm_reader *svm)
{
    fathom_table *table = svm->table;
    if (table->n == 0)
        return fathom_text_error(&svm->text, svm->text.start,
                                 "expected lines of label index:value, found none");
    table->d = svm->columns > 0 ? svm->columns : svm->widest;
    if (table->d == 0)
        return fathom_text_error(&svm->text, svm->text.start, "expected at least one index:value");
    table->outputs = 1;
    FATHOM_TRY(resize_rows(svm, table->n));
    FATHOM_TRY(resize_entries(svm, svm->entries));
    table->row_start[table->n] = svm->entries;
    return FATHOM_OK;
}

fathom_status fathom_libsvm_read(fathom_table *table, fathom_bytes *bytes, int64_t columns)
{
    svm_reader svm = {.context = fathom_bytes_context(bytes), .table = table, .columns = columns};
    table->origin.decimal = true; /* until a number is long */
    fathom_status status = fathom_text_init(&svm.text, svm.context, bytes);
    FATHOM_THEN(status, read_lines(&svm));
    FATHOM_THEN(status, finish(&svm));
    table->origin.other_dialect = svm.text.encoding != FATHOM_ENCODING_UTF8 || svm.text.returns;
    fathom_text_free(&svm.text);
    return status;
}

/* The first line that has more than a label decides. */
bool fathom_libsvm_starts(const unsigned char *data, size_t size)
{
    const char *p = (const char *)data, *end = p + size;
    while (p < end) {
        double value;
        size_t used;
        if (fathom_number_parse(&value, &used, p, (size_t)(end - p)) == FATHOM_NUMBER_INVALID)
            return false;
        p += used;
        while (p < end && is_space(*p))
            p++;
        const char *index = p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        if (p < end && p > index)
            return *p == ':';
        if (p < end && (*p == 'q' || *p == '#'))
            return true;
        if (p < end && *p++ != '\n')
            return false;
    }
    return false;
}
