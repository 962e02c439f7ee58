/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data sets to files, by extension: .csv and .tsv (one header line, weights before the target), .svm and .libsvm.
 *
 * Every number is written so that reading it back gives the same double; text labels are written as texts. What is
 * written is the data as it stands, after all steps.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "data_internal.h"
#include "file_write.h"

static bool ends_in(const char *text, const char *ending)
{
    const size_t size = strlen(text), length = strlen(ending);
    return size >= length && strcasecmp(text + size - length, ending) == 0;
}

/* A text field, in quotes where it holds a separator, a quote or a line end. */
static void write_text(fathom_file *file, const char *text, char separator)
{
    const char special[] = {separator, '"', '\n', '\r', ' ', 0};
    if (!strpbrk(text, special) && *text) {
        fathom_file_write(file, text, strlen(text));
        return;
    }
    fathom_file_write(file, "\"", 1);
    for (; *text; text++) {
        if (*text == '"')
            fathom_file_write(file, "\"", 1);
        fathom_file_write(file, text, 1);
    }
    fathom_file_write(file, "\"", 1);
}

/* Target k of row i: a label where there are texts. */
static void write_target(fathom_file *file, const fathom_data *data, int64_t i, int64_t k, char separator)
{
    const double y = data->y[i * data->outputs + k];
    if (data->text)
        write_text(file, data->class_name[(int64_t)y], separator);
    else
        fathom_file_write_number(file, y);
}

/* Names of the columns: those of the source, or x1, x2, ...; then weight and y (y1, y2, ...). */
static void write_header(fathom_file *file, const fathom_data *data, char separator)
{
    for (int64_t j = 0; j < data->d; j++) {
        if (j > 0)
            fathom_file_write(file, &separator, 1);
        if (j == data->raw_columns)
            write_text(file, "bias", separator);
        else if (data->name && j < data->names)
            write_text(file, data->name[j], separator);
        else
            fathom_file_print(file, "x%lld", (long long)j + 1);
    }
    if (data->weight)
        fathom_file_print(file, "%cweight", separator);
    for (int64_t k = 0; k < data->outputs; k++) {
        fathom_file_write(file, &separator, 1);
        if (data->outputs > 1)
            fathom_file_print(file, "y%lld", (long long)k + 1);
        else
            write_text(file, data->target_name ? data->target_name : "y", separator);
    }
    fathom_file_write(file, "\n", 1);
}

/* Row i of the matrix with all its zeros. */
static void write_dense_row(fathom_file *file, const fathom_data *data, int64_t i, char separator)
{
    int64_t k = data->x ? 0 : data->row_start[i];
    for (int64_t j = 0; j < data->d; j++) {
        double value = data->x ? data->x[i * data->d + j] : 0;
        if (!data->x && k < data->row_start[i + 1] && data->column[k] == j)
            value = data->value[k++];
        if (j > 0)
            fathom_file_write(file, &separator, 1);
        fathom_file_write_number(file, value);
    }
}

static void write_table(fathom_file *file, const fathom_data *data, char separator)
{
    write_header(file, data, separator);
    for (int64_t i = 0; i < data->n; i++) {
        write_dense_row(file, data, i, separator);
        if (data->weight) {
            fathom_file_write(file, &separator, 1);
            fathom_file_write_number(file, data->weight[i]);
        }
        for (int64_t k = 0; k < data->outputs; k++) {
            fathom_file_write(file, &separator, 1);
            write_target(file, data, i, k, separator);
        }
        fathom_file_write(file, "\n", 1);
    }
}

static void write_entry(fathom_file *file, int64_t column, double value)
{
    fathom_file_print(file, " %lld:", (long long)column + 1);
    fathom_file_write_number(file, value);
}

/* "label index:value ...", zeros left out. */
static void write_libsvm(fathom_file *file, const fathom_data *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        fathom_file_write_number(file, data->y ? data->y[i] : 0);
        for (int64_t j = 0; data->x && j < data->d; j++)
            if (data->x[i * data->d + j] != 0)
                write_entry(file, j, data->x[i * data->d + j]);
        for (int64_t k = data->x ? 0 : data->row_start[i]; !data->x && k < data->row_start[i + 1]; k++)
            write_entry(file, data->column[k], data->value[k]);
        fathom_file_write(file, "\n", 1);
    }
}

fathom_status fathom_data_write(const fathom_data *data, const char *path)
{
    const bool libsvm = ends_in(path, ".svm") || ends_in(path, ".libsvm");
    const bool tsv = ends_in(path, ".tsv");
    if (!libsvm && !tsv && !ends_in(path, ".csv") && strcmp(path, "-") != 0)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "data is written as .csv, .tsv, .svm or .libsvm, not as '%.200s'", path);
    if (libsvm && (data->outputs > 1 || data->weight))
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "a LIBSVM file has one target and no weights: write '%.200s' as CSV", path);
    fathom_file *file;
    const fathom_status status = fathom_file_create(&file, data->context, path);
    if (status != FATHOM_OK)
        return status;
    if (libsvm)
        write_libsvm(file, data);
    else
        write_table(file, data, tsv ? '\t' : ',');
    return fathom_file_commit(file);
}
