/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables from files: which format, then the reader for it.
 *
 * The format is the one asked for, else that of the extension (after .gz, .xz, .bz2 or .zst), else that of the
 * first bytes: NPY, zip and IDX magic, then LIBSVM text (label, then index:value), then CSV.
 */
#include "table.h"

#include <string.h>
#include <strings.h>

#include "array.h"
#include "sheet.h"
#include "cifar.h"
#include "context_internal.h"
#include "csv.h"
#include "libsvm.h"
#include "memory.h"
#include "npz.h"

void fathom_table_free(fathom_context *context, fathom_table *table)
{
    if (!table)
        return;
    for (int64_t k = 0; table->label && k < table->labels; k++)
        fathom_memory_free(context, table->label[k]);
    for (int64_t k = 0; table->name && k < table->d; k++)
        fathom_memory_free(context, table->name[k]);
    fathom_sheet_free(context, table->sheet);
    if (table->mapped)
        table->x = NULL;
    fathom_mapped_close(table->mapped);
    FATHOM_FREE(context, table->label, table->name, table->target_name, table->x, table->row_start,
                table->column, table->value, table->y, table->weight, table);
}

/* name[0..size) ends in `ending`, in any case. */
static bool ends_in(const char *name, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size >= length && strncasecmp(name + size - length, ending, length) == 0;
}

/* Length of the name without .gz, .xz, .bz2 or .zst. */
static size_t bare_length(const char *name)
{
    const size_t size = strlen(name);
    if (ends_in(name, size, ".gz") || ends_in(name, size, ".xz"))
        return size - 3;
    return ends_in(name, size, ".bz2") || ends_in(name, size, ".zst") ? size - 4 : size;
}

/* The first known ending wins; a9a.gz has none and stays AUTO. */
static fathom_format format_by_name(const char *name)
{
    static const struct {
        const char *ending;
        fathom_format format;
    } known[] = {{".csv", FATHOM_FORMAT_CSV},    {".tsv", FATHOM_FORMAT_TSV},
                 {".svm", FATHOM_FORMAT_LIBSVM}, {".libsvm", FATHOM_FORMAT_LIBSVM},
                 {".npy", FATHOM_FORMAT_NPY},    {".npz", FATHOM_FORMAT_NPZ},
                 {"ubyte", FATHOM_FORMAT_IDX},   {".bin", FATHOM_FORMAT_CIFAR}};
    const size_t size = bare_length(name);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (ends_in(name, size, known[k].ending))
            return known[k].format;
    return FATHOM_FORMAT_AUTO;
}

/* Binary formats by their magic bytes, text by the shape of its first lines. */
static fathom_status format_by_bytes(fathom_format *format, fathom_bytes *bytes)
{
    const unsigned char *data;
    size_t size;
    FATHOM_TRY(fathom_bytes_peek(bytes, &data, &size));
    const unsigned char *end = memchr(data, '\n', size);
    const size_t line = end ? (size_t)(end - data) : size;
    if (fathom_npy_starts(data, size))
        *format = FATHOM_FORMAT_NPY;
    else if (size >= 4 && memcmp(data, "PK\3\4", 4) == 0)
        *format = FATHOM_FORMAT_NPZ;
    else if (fathom_idx_starts(data, size))
        *format = FATHOM_FORMAT_IDX;
    else if (fathom_libsvm_starts(data, size))
        *format = FATHOM_FORMAT_LIBSVM;
    else
        *format =
            memchr(data, '\t', line) && !memchr(data, ',', line) ? FATHOM_FORMAT_TSV : FATHOM_FORMAT_CSV;
    return FATHOM_OK;
}

/* Targets from a file of their own: an NPY or IDX array. */
static fathom_status read_labels(fathom_table *table, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    fathom_array array = {0};
    const unsigned char *data;
    size_t size;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_bytes_peek(bytes, &data, &size);
    if (status == FATHOM_OK)
        status =
            fathom_npy_starts(data, size) ? fathom_npy_read(&array, bytes) : fathom_idx_read(&array, bytes);
    FATHOM_THEN(status, fathom_array_to_targets(table, context, &array, fathom_bytes_name(bytes)));
    fathom_array_free(context, &array);
    fathom_bytes_close(bytes);
    return status;
}

/* NPY or IDX features, with targets from a second file where one is named. */
static fathom_status read_array(fathom_table *table, fathom_bytes *bytes, fathom_format format,
                                const fathom_table_request *request)
{
    fathom_context *context = fathom_bytes_context(bytes);
    fathom_array array = {0};
    fathom_status status = format == FATHOM_FORMAT_NPY
                               ? fathom_npy_read_or_map(&array, &table->mapped, bytes, request)
                               : fathom_idx_read(&array, bytes);
    FATHOM_THEN(status, fathom_array_to_features(table, context, &array, fathom_bytes_name(bytes)));
    if (!table->mapped)
        fathom_array_free(context, &array);
    return status == FATHOM_OK && request->labels ? read_labels(table, context, request->labels) : status;
}

/* X, and y where it is there. */
static fathom_status read_npz(fathom_table *table, fathom_bytes *bytes)
{
    fathom_context *context = fathom_bytes_context(bytes);
    fathom_array array = {0};
    fathom_npz *npz;
    fathom_status status = fathom_npz_open_bytes(&npz, bytes);
    FATHOM_THEN(status, fathom_npz_get(&array, npz, "X"));
    FATHOM_THEN(status, fathom_array_to_features(table, context, &array, fathom_bytes_name(bytes)));
    fathom_array_free(context, &array);
    if (status == FATHOM_OK && fathom_npz_has(npz, "y")) {
        status = fathom_npz_get(&array, npz, "y");
        FATHOM_THEN(status, fathom_array_to_targets(table, context, &array, fathom_bytes_name(bytes)));
        fathom_array_free(context, &array);
    }
    fathom_npz_close(npz);
    return status;
}

/* An option that the format has no use for must not be dropped in silence. */
static fathom_status check_request(fathom_context *context, fathom_format format,
                                   const fathom_table_request *request)
{
    const bool text = format == FATHOM_FORMAT_CSV || format == FATHOM_FORMAT_TSV;
    const bool array = format == FATHOM_FORMAT_NPY || format == FATHOM_FORMAT_IDX;
    if (request->weights && !text)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "weights are a column of a CSV or TSV file");
    if ((request->exclude[0] || request->exclude[1]) && !text)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "columns are left out of CSV and TSV files");
    if (request->labels && !array)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a file of labels belongs to an NPY or IDX file");
    return FATHOM_OK;
}

/* The reader of a format. */
static fathom_status read_bytes(fathom_table *table, fathom_bytes *bytes, fathom_format format,
                                const fathom_table_request *request)
{
    switch (format) {
    case FATHOM_FORMAT_LIBSVM:
        return fathom_libsvm_read(table, bytes, request->columns);
    case FATHOM_FORMAT_NPY:
    case FATHOM_FORMAT_IDX:
        return read_array(table, bytes, format, request);
    case FATHOM_FORMAT_NPZ:
        return read_npz(table, bytes);
    case FATHOM_FORMAT_CIFAR:
        return fathom_cifar_read(table, bytes);
    default:
        return (request->as_is ? fathom_sheet_read : fathom_csv_read)(
            table, bytes, format == FATHOM_FORMAT_TSV ? '\t' : 0, request);
    }
}

fathom_status fathom_table_read_bytes(fathom_table **table, fathom_bytes *bytes,
                                      const fathom_table_request *request)
{
    fathom_context *context = fathom_bytes_context(bytes);
    fathom_format format = request->format;
    fathom_status status = FATHOM_OK;
    *table = NULL;
    if (format == FATHOM_FORMAT_AUTO)
        format = format_by_name(fathom_bytes_name(bytes));
    if (format == FATHOM_FORMAT_AUTO)
        status = format_by_bytes(&format, bytes);
    FATHOM_THEN(status, check_request(context, format, request));
    fathom_table *t = status == FATHOM_OK ? fathom_memory_zero(context, 1, sizeof *t) : NULL;
    FATHOM_THEN(status, t ? read_bytes(t, bytes, format, request) : FATHOM_ERROR_MEMORY);
    if (status == FATHOM_OK) {
        t->origin.format = format;
        t->origin.compressed = fathom_bytes_total(bytes) < 0;
        *table = t;
    } else {
        fathom_table_free(context, t);
    }
    return status;
}

fathom_status fathom_table_read(fathom_table **table, fathom_context *context, const char *path,
                                const fathom_table_request *request)
{
    fathom_bytes *bytes;
    fathom_table_request asked = *request;
    *table = NULL;
    if (strcmp(path, "-") == 0 && asked.format == FATHOM_FORMAT_AUTO)
        asked.format = FATHOM_FORMAT_CSV;
    asked.path = path;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_table_read_bytes(table, bytes, &asked);
    fathom_bytes_close(bytes);
    return status;
}
