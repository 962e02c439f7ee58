/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows to keep: a range A:B or a list of row numbers (0-based).
 *
 * A strictly ascending list is applied in place (row k comes from a row >= k, so moving forward never
 * overwrites what is still needed); any other list is gathered into new arrays. Cost: one pass over the kept
 * rows. Rows of weight 0 are left out next: they are as though they were not there, for statistics of
 * columns, classes and all that follows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "memory.h"

/* The same rows of an n x width array: *array becomes count x width. */
static fathom_status gather(fathom_context *context, double **array, int64_t width, const int64_t *row,
                            int64_t count, bool in_place)
{
    if (!*array || width == 0)
        return FATHOM_OK;
    const double bytes = in_place ? 0 : 8 * (double)count * (double)width;
    FATHOM_TRY(fathom_context_require(context, bytes, "the list of rows"));
    double *out = in_place ? *array : fathom_memory_alloc(context, count * width, sizeof *out);
    if (!out)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        if (out + k * width != *array + row[k] * width)
            memcpy(out + k * width, *array + row[k] * width, (size_t)width * sizeof *out);
    if (in_place)
        return fathom_memory_resize(context, (void **)array, count * width, sizeof *out);
    fathom_memory_free(context, *array);
    *array = out;
    return FATHOM_OK;
}

/* The same rows of the sparse matrix, gathered into new arrays. */
static fathom_status gather_sparse(fathom_data *data, const int64_t *row, int64_t count)
{
    fathom_context *context = data->context;
    int64_t *start = fathom_memory_alloc(context, count + 1, sizeof *start);
    if (!start)
        return FATHOM_ERROR_MEMORY;
    start[0] = 0;
    for (int64_t k = 0; k < count; k++)
        start[k + 1] = start[k] + data->row_start[row[k] + 1] - data->row_start[row[k]];
    int32_t *column = fathom_memory_alloc(context, start[count], sizeof *column);
    double *value = fathom_memory_alloc(context, start[count], sizeof *value);
    if (!column || !value) {
        FATHOM_FREE(context, start, column, value);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = data->row_start[row[k]], length = start[k + 1] - start[k];
        memcpy(column + start[k], data->column + from, (size_t)length * sizeof *column);
        memcpy(value + start[k], data->value + from, (size_t)length * sizeof *value);
    }
    FATHOM_FREE(context, data->row_start, data->column, data->value);
    data->row_start = start;
    data->column = column;
    data->value = value;
    return FATHOM_OK;
}

/* X, y and weights move together. */
fathom_status fathom_data_take_rows(fathom_data *data, const int64_t *row, int64_t count)
{
    bool ascending = true;
    for (int64_t k = 1; k < count && ascending; k++)
        ascending = row[k] > row[k - 1];
    fathom_status status = data->mapped ? fathom_data_rebuild_rows(data, row, count)
                           : data->x    ? gather(data->context, &data->x, data->d, row, count, ascending)
                                        : gather_sparse(data, row, count);
    FATHOM_THEN(status, gather(data->context, &data->y, data->outputs, row, count, ascending));
    FATHOM_THEN(status, gather(data->context, &data->weight, 1, row, count, ascending));
    data->n = count;
    return status;
}

fathom_status fathom_data_count_rows(fathom_data *data)
{
    int64_t idle = 0;
    for (int64_t i = 0; i < data->n; i++)
        idle += data->weight[i] == 0;
    data->counts = idle > 0 ? fathom_memory_alloc(data->context, data->n, sizeof *data->counts) : NULL;
    if (idle > 0 && !data->counts)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < data->n && idle > 0; i++)
        data->counts[i] = data->weight[i] != 0;
    return FATHOM_OK;
}

fathom_status fathom_data_leave_out(fathom_data *data)
{
    int64_t *row = fathom_memory_alloc(data->context, data->n, sizeof *row), count = 0;
    if (!row)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < data->n; i++)
        if (data->weight[i] != 0)
            row[count++] = i;
    const int64_t idle = data->n - count;
    const fathom_status status =
        idle > 0 && count > 0 ? fathom_data_take_rows(data, row, count) : FATHOM_OK; /* all: refused later */
    if (status == FATHOM_OK && idle > 0 && count > 0 && data->outputs > 0)
        fathom_log(data->context, FATHOM_LOG_INFO, "rows of weight 0, which are left out: %lld",
                   (long long)idle);
    fathom_memory_free(data->context, row);
    return status;
}

/* Whether the text has the form of a range rather than of a file name. */
static bool is_range(const char *text)
{
    return strchr(text, ':') && strspn(text, "0123456789:+-") == strlen(text);
}

/* A decimal bound that ends at `stop`; empty text gives `preset`. False where it is no row number. */
static bool parse_bound(int64_t *bound, const char *text, char stop, int64_t preset)
{
    char *end;
    *bound = preset;
    if (*text == stop)
        return true;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (number < 0 || end == text || *end != stop)
        return false;
    *bound = number; /* LLONG_MAX on overflow: out of range later on */
    return true;
}

/* A:B, half-open, 0 <= A < B <= n. */
static fathom_status select_range(fathom_data *data, const char *text)
{
    int64_t first, end;
    const char *colon = strchr(text, ':');
    if (!parse_bound(&first, text, ':', 0) || !parse_bound(&end, colon + 1, 0, data->n))
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "--rows takes A:B with 0 <= A < B, or a file of row numbers, not '%s'", text);
    if (first >= end || end > data->n)
        return fathom_error_set_at(
            data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
            "rows %s are not there: the data has rows 0:%lld, and at least one must be kept", text,
            (long long)data->n);
    int64_t *row = fathom_memory_alloc(data->context, end - first, sizeof *row);
    if (!row)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < end - first; k++)
        row[k] = first + k;
    const fathom_status status = fathom_data_take_rows(data, row, end - first);
    fathom_memory_free(data->context, row);
    return status;
}

/* A list of row numbers as it is read; positions are those of the current number. */
typedef struct row_list {
    const fathom_data *data;
    const char *file;
    int64_t *row;
    int64_t count, capacity;
    int64_t line, column; /* of the next byte, from 1 */
    int64_t number;       /* the digits so far, -1 between numbers; stays above n once it is there */
    int64_t start;        /* column of its first digit */
} row_list;

/* Ends the number that is being read, if any. */
static fathom_status end_number(row_list *list)
{
    if (list->number < 0)
        return FATHOM_OK;
    fathom_context *context = list->data->context;
    if (list->number >= list->data->n)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, list->file, list->line, list->start,
                                   "a row number from 0 to %lld was expected",
                                   (long long)(list->data->n - 1));
    const fathom_status status =
        fathom_memory_grow(context, (void **)&list->row, &list->capacity, list->count + 1, sizeof *list->row);
    if (status == FATHOM_OK)
        list->row[list->count++] = list->number;
    list->number = -1;
    return status;
}

/* Digits make numbers; white space and commas separate them. */
static fathom_status take_byte(row_list *list, char byte)
{
    fathom_status status = FATHOM_OK;
    if (byte >= '0' && byte <= '9') {
        if (list->number < 0) {
            list->number = 0;
            list->start = list->column;
        }
        if (list->number <= list->data->n)
            list->number = 10 * list->number + (byte - '0');
    } else if (byte && strchr(" \t\r\n,", byte)) {
        status = end_number(list);
    } else {
        status =
            fathom_error_set_at(list->data->context, FATHOM_ERROR_INPUT, list->file, list->line, list->column,
                                "a row number from 0 to %lld was expected", (long long)(list->data->n - 1));
    }
    list->column = byte == '\n' ? 1 : list->column + 1;
    list->line += byte == '\n';
    return status;
}

/* Byte by byte, so that the position is exact and a hostile file costs no more memory than its numbers. */
static fathom_status read_list(row_list *list, fathom_bytes *bytes)
{
    char buffer[4096];
    size_t got;
    fathom_status status;
    do {
        status = fathom_bytes_read(bytes, buffer, sizeof buffer, &got);
        for (size_t k = 0; status == FATHOM_OK && k < got; k++)
            status = take_byte(list, buffer[k]);
    } while (status == FATHOM_OK && got == sizeof buffer);
    FATHOM_THEN(status, end_number(list));
    if (status == FATHOM_OK && list->count == 0)
        status = fathom_error_set_at(list->data->context, FATHOM_ERROR_INPUT, list->file, 0, 0,
                                     "a list of row numbers was expected");
    return status;
}

/* Which numbers of a list count: those from `first` to `end`, or all but those. */
typedef struct list_part {
    bool given, without;
    int64_t first, end;
} list_part;

/* Keeps the part of the list that is asked for. */
static fathom_status cut_list(row_list *list, const list_part *part)
{
    int64_t kept = 0;
    if (!part->given)
        return FATHOM_OK;
    if (part->first >= part->end || part->end > list->count)
        return fathom_error_set_at(list->data->context, FATHOM_ERROR_INPUT, list->file, 0, 0,
                                   "numbers %lld:%lld of the list are not there: it has %lld",
                                   (long long)part->first, (long long)part->end, (long long)list->count);
    for (int64_t k = 0; k < list->count; k++)
        if ((k >= part->first && k < part->end) != part->without)
            list->row[kept++] = list->row[k];
    list->count = kept;
    return kept > 0 ? FATHOM_OK
                    : fathom_error_set_at(list->data->context, FATHOM_ERROR_INPUT, list->file, 0, 0,
                                          "no row is left of the list");
}

static fathom_status select_listed(fathom_data *data, fathom_bytes *bytes, const list_part *part)
{
    row_list list = {.data = data, .file = fathom_bytes_name(bytes), .line = 1, .column = 1, .number = -1};
    fathom_status status = read_list(&list, bytes);
    FATHOM_THEN(status, cut_list(&list, part));
    FATHOM_THEN(status, fathom_data_take_rows(data, list.row, list.count));
    fathom_memory_free(data->context, list.row);
    return status;
}

fathom_status fathom_data_select_listed(fathom_data *data, fathom_bytes *bytes)
{
    return select_listed(data, bytes, &(list_part){false, false, 0, 0});
}

/* FILE:A:B, numbers A to B of the list, or FILE!A:B, all but those: *length of FILE, all of the text where there is no such end. */
static list_part parse_part(size_t *length, const char *text, int64_t n)
{
    list_part part = {false, false, 0, 0};
    const char *colon = strrchr(text, ':'), *at = colon;
    *length = strlen(text);
    if (!colon || !parse_bound(&part.end, colon + 1, 0, n))
        return part;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at == colon || at < text + 2 || (at[-1] != ':' && at[-1] != '!') ||
        !parse_bound(&part.first, at, ':', 0))
        return part;
    *length = (size_t)(at - 1 - text);
    part.given = true;
    part.without = at[-1] == '!';
    return part;
}

static fathom_status select_file(fathom_data *data, const char *text)
{
    size_t length;
    const list_part part = parse_part(&length, text, data->n);
    fathom_bytes *bytes;
    char *path = fathom_memory_text(data->context, text);
    if (!path)
        return FATHOM_ERROR_MEMORY;
    path[length] = '\0';
    fathom_status status = fathom_bytes_open(&bytes, data->context, path);
    if (status == FATHOM_OK) {
        status = select_listed(data, bytes, &part);
        fathom_bytes_close(bytes);
    }
    fathom_memory_free(data->context, path);
    return status;
}

fathom_status fathom_data_select_rows(fathom_data *data, const char *rows)
{
    return is_range(rows) ? select_range(data, rows) : select_file(data, rows);
}
