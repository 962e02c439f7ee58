/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables from files: which format, then the reader for it.
 *
 * The format is the one asked for, else that of the extension (after .gz, .xz or .bz2), else that of the first bytes:
 * NPY, zip and IDX magic, then LIBSVM text (label, then index:value), then CSV.
 */
#include "table.h"

#include <string.h>
#include <strings.h>

#include "csv.h"
#include "memory.h"

void fathom_table_free(fathom_context *context, fathom_table *table)
{
    if (!table)
        return;
    for (int64_t k = 0; table->label && k < table->labels; k++)
        fathom_memory_free(context, table->label[k]);
    for (int64_t k = 0; table->name && k < table->d; k++)
        fathom_memory_free(context, table->name[k]);
    fathom_memory_free(context, table->label);
    fathom_memory_free(context, table->name);
    fathom_memory_free(context, table->target_name);
    fathom_memory_free(context, table->x);
    fathom_memory_free(context, table->row_start);
    fathom_memory_free(context, table->column);
    fathom_memory_free(context, table->value);
    fathom_memory_free(context, table->y);
    fathom_memory_free(context, table->weight);
    fathom_memory_free(context, table);
}

/* name[0..size) ends in `ending`, in any case. */
static bool ends_in(const char *name, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size >= length && strncasecmp(name + size - length, ending, length) == 0;
}

/* Length of the name without .gz, .xz or .bz2. */
static size_t bare_length(const char *name)
{
    const size_t size = strlen(name);
    if (ends_in(name, size, ".gz") || ends_in(name, size, ".xz"))
        return size - 3;
    return ends_in(name, size, ".bz2") ? size - 4 : size;
}

static fathom_format format_by_name(const char *name)
{
    static const struct {
        const char *ending;
        fathom_format format;
    } known[] = {{".csv", FATHOM_FORMAT_CSV}, {".tsv", FATHOM_FORMAT_TSV}};
    const size_t size = bare_length(name);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (ends_in(name, size, known[k].ending))
            return known[k].format;
    return FATHOM_FORMAT_AUTO;
}

static fathom_status read_bytes(fathom_table *table, fathom_bytes *bytes, const fathom_table_request *request)
{
    fathom_format format = request->format;
    if (format == FATHOM_FORMAT_AUTO)
        format = format_by_name(fathom_bytes_name(bytes));
    return fathom_csv_read(table, bytes, format == FATHOM_FORMAT_TSV ? '\t' : ',', request);
}

fathom_status fathom_table_read(fathom_table **table, fathom_context *context, const char *path,
                                const fathom_table_request *request)
{
    fathom_bytes *bytes;
    *table = NULL;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status != FATHOM_OK)
        return status;
    fathom_table *t = fathom_memory_zero(context, 1, sizeof *t);
    status = t ? read_bytes(t, bytes, request) : FATHOM_ERROR_MEMORY;
    fathom_bytes_close(bytes);
    if (status == FATHOM_OK)
        *table = t;
    else
        fathom_table_free(context, t);
    return status;
}
