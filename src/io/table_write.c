/* SPDX-License-Identifier: Apache-2.0 */
/* Tables written: the format by the extension, each file whole or not at all. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "file_write.h"
#include "memory.h"
#include "npy_internal.h"
#include "npz.h"
#include "platform.h"
#include "table.h"

/* --- rows, dense or sparse ------------------------------------------------------------------------------ */

/* The features of row i; a sparse row is spread over `room` (d numbers). */
static const double *dense_row(const fathom_table *table, int64_t i, double *room)
{
    if (table->x)
        return table->x + i * table->d;
    memset(room, 0, (size_t)table->d * sizeof *room);
    for (int64_t k = table->row_start[i]; k < table->row_start[i + 1]; k++)
        room[table->column[k]] = table->value[k];
    return room;
}

/* --- text ----------------------------------------------------------------------------------------------- */

/* A text field, in quotes where it needs them. */
static void write_text(fathom_file *file, const char *text, char separator)
{
    const bool quotes = *text == 0 || *text == ' ' || text[strlen(text) - 1] == ' ' ||
                        strchr(text, separator) || strpbrk(text, "\"\r\n\t");
    if (!quotes) {
        fathom_file_write(file, text, strlen(text));
        return;
    }
    fathom_file_write(file, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fathom_file_write(file, c, 1);
        fathom_file_write(file, c, 1);
    }
    fathom_file_write(file, "\"", 1);
}

/* Column names, x1..xd where there are none, then weight, then target. */
static void write_header(fathom_file *file, const fathom_table *table, char separator)
{
    for (int64_t j = 0; j < table->d; j++) {
        if (j > 0)
            fathom_file_write(file, &separator, 1);
        if (table->name)
            write_text(file, table->name[j], separator);
        else
            fathom_file_print(file, "x%lld", (long long)(j + 1));
    }
    if (table->weight)
        fathom_file_print(file, "%cweight", separator);
    if (table->outputs) {
        fathom_file_write(file, &separator, 1);
        write_text(file, table->target_name ? table->target_name : "y", separator);
    }
    fathom_file_write(file, "\n", 1);
}

/* One line: features, weight, target (a class by its text). */
static void write_row(fathom_file *file, const fathom_table *table, int64_t i, const double *x,
                      char separator)
{
    for (int64_t j = 0; j < table->d; j++) {
        if (j > 0)
            fathom_file_write(file, &separator, 1);
        fathom_file_write_number(file, x[j]);
    }
    if (table->weight) {
        fathom_file_write(file, &separator, 1);
        fathom_file_write_number(file, table->weight[i]);
    }
    if (table->outputs) {
        fathom_file_write(file, &separator, 1);
        if (table->labels)
            write_text(file, table->label[(int64_t)table->y[i]], separator);
        else
            fathom_file_write_number(file, table->y[i]);
    }
    fathom_file_write(file, "\n", 1);
}

/* Failures of single writes stay in the file and come out of its commit. */
/* Whether the file still takes anything: rows after a failure would be made for nothing. */
static bool goes_on(fathom_file *file) { return fathom_file_write(file, "", 0) == FATHOM_OK; }

static fathom_status write_csv(const fathom_table *table, fathom_context *context, const char *path,
                               char separator)
{
    fathom_file *file;
    if (table->outputs > 1)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a CSV file has one target column; write %lld outputs as .npz",
                                (long long)table->outputs);
    double *room = fathom_memory_alloc(context, table->x ? 0 : table->d, sizeof *room);
    if (!room)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = fathom_file_create(&file, context, path);
    if (status == FATHOM_OK) {
        write_header(file, table, separator);
        for (int64_t i = 0; i < table->n && goes_on(file); i++)
            write_row(file, table, i, dense_row(table, i, room), separator);
        status = fathom_file_commit(file);
    }
    fathom_memory_free(context, room);
    return status;
}

static void write_entry(fathom_file *file, int64_t column, double value)
{
    fathom_file_print(file, " %lld:", (long long)(column + 1));
    fathom_file_write_number(file, value);
}

/* Dense tables write their non-zeros, and the last column always, so that the width survives. */
static fathom_status write_libsvm(const fathom_table *table, fathom_context *context, const char *path)
{
    fathom_file *file;
    if (table->outputs != 1 || table->weight)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a LIBSVM file has one target and no weights; write this as .csv or .npz");
    FATHOM_TRY(fathom_file_create(&file, context, path));
    for (int64_t i = 0; i < table->n && goes_on(file); i++) {
        fathom_file_write_number(file, table->y[i]);
        if (table->x) {
            const double *x = table->x + i * table->d;
            for (int64_t j = 0; j < table->d; j++)
                if (x[j] != 0 || (i == 0 && j == table->d - 1))
                    write_entry(file, j, x[j]);
        } else {
            for (int64_t k = table->row_start[i]; k < table->row_start[i + 1]; k++)
                write_entry(file, table->column[k], table->value[k]);
        }
        fathom_file_write(file, "\n", 1);
    }
    return fathom_file_commit(file);
}

/* --- binary --------------------------------------------------------------------------------------------- */

/* Shape of the targets: a vector, or n x outputs. */
static int target_shape(int64_t shape[2], const fathom_table *table)
{
    shape[0] = table->n;
    shape[1] = table->outputs;
    return table->outputs == 1 ? 1 : 2;
}

static fathom_status write_npy_file(fathom_context *context, const char *path, const double *values, int rank,
                                    const int64_t *shape, int64_t ld)
{
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, context, path));
    fathom_npy_append(file, values, rank, shape, ld);
    return fathom_file_commit(file);
}

/* What an array file cannot hold is refused rather than dropped or blown up. */
static fathom_status needs_dense(const fathom_table *table, fathom_context *context)
{
    if (table->weight)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "NPY and NPZ files have no weights; write this as .csv");
    if (!table->x)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "NPY and NPZ files are dense; write sparse data as .svm or .csv");
    return FATHOM_OK;
}

/* DATA.npy, and the targets in DATA.labels.npy. */
static fathom_status write_npy(const fathom_table *table, fathom_context *context, const char *path)
{
    int64_t shape[2] = {table->n, table->d};
    char labels[PATH_MAX];
    const int bare = (int)strlen(path) - 4;
    fathom_status status = needs_dense(table, context);
    if (snprintf(labels, sizeof labels, "%.*s.labels.npy", bare, path) >= (int)sizeof labels)
        return fathom_error_set_at(context, FATHOM_ERROR_RUNTIME, path, 0, 0, "the name is too long");
    if (status == FATHOM_OK && table->outputs > 0 && !fathom_platform_exists(path) &&
        fathom_platform_exists(labels))
        return fathom_error_set_at(context, FATHOM_ERROR_USAGE, labels, 0, 0,
                                   "is there already without its data; it would be lost: give another name");
    FATHOM_THEN(status, write_npy_file(context, path, table->x, 2, shape, table->d));
    if (status != FATHOM_OK || table->outputs == 0)
        return status;
    const int rank = target_shape(shape, table);
    return write_npy_file(context, labels, table->y, rank, shape, table->outputs);
}

static fathom_status write_npz(const fathom_table *table, fathom_context *context, const char *path)
{
    fathom_npz_writer *writer;
    int64_t shape[2] = {table->n, table->d};
    FATHOM_TRY(needs_dense(table, context));
    FATHOM_TRY(fathom_npz_create(&writer, context, path));
    fathom_npz_add(writer, "X", table->x, 2, shape, table->d);
    if (table->outputs > 0) {
        const int rank = target_shape(shape, table);
        fathom_npz_add(writer, "y", table->y, rank, shape, table->outputs);
    }
    return fathom_npz_commit(writer);
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t size = strlen(name), length = strlen(ending);
    return size > length && strcasecmp(name + size - length, ending) == 0;
}

fathom_status fathom_table_write(const fathom_table *table, fathom_context *context, const char *path)
{
    if (ends_in(path, ".csv") || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return write_csv(table, context, path, ',');
    if (ends_in(path, ".tsv"))
        return write_csv(table, context, path, '\t');
    if (ends_in(path, ".svm") || ends_in(path, ".libsvm"))
        return write_libsvm(table, context, path);
    if (ends_in(path, ".npy"))
        return write_npy(table, context, path);
    if (ends_in(path, ".npz"))
        return write_npz(table, context, path);
    return fathom_error_set_at(context, FATHOM_ERROR_USAGE, path, 0, 0,
                               "expected a name ending in .csv, .tsv, .svm, .libsvm, .npy or .npz");
}
