/* SPDX-License-Identifier: Apache-2.0 */
/* Raw values from files: a table of src/io becomes a data set without copying. */
#include "source_internal.h"

#include <string.h>

#include "context_internal.h"
#include "schema_internal.h"

/* The byte that --separator names; 0: by the first lines. -1: it names none. */
static int separator_of(const char *name)
{
    static const char *const words[] = {"auto", "tab", "space"};
    static const char bytes[] = {0, '\t', ' '};
    for (int k = 0; name && k < 3; k++)
        if (strcmp(name, words[k]) == 0)
            return bytes[k];
    if (!name)
        return 0;
    return strlen(name) == 1 && !strchr("\"\r\n+-.0123456789", *name) ? *name : -1;
}

/* Columns that are looked at one by one, to fill in what is missing, are read. */
static bool may_map(const fathom_data_options *options, const data_likeness *like)
{
    return like ? like->preprocess->schema == NULL : options->missing == 0;
}

fathom_table_request fathom_source_request(const fathom_data_options *options, const data_likeness *like)
{
    fathom_table_request request = {
        .format = (fathom_format)options->format,
        .target = options->target,
        .weights = options->weights,
        .categorical = options->categorical,
        .columns = options->columns,
        .labels = options->labels,
        .map = may_map(options, like) ? options->map : 2,
        .separator = (char)separator_of(options->separator),
        .decimal = ".,"[options->decimal == 2],
        .header = options->header == 0   ? 0
                  : options->header == 1 ? 1
                                         : -1,
        .exclude = {options->exclude, options->drop},
        .no_target = like != NULL && options->features <= 0,
    };
    if (options->decimal == 0)
        request.decimal = 0;
    if (like ? like->preprocess->schema != NULL : fathom_data_is_as_is(options)) {
        request.as_is = true;
        request.likely = like && like->preprocess->schema->named ? like->preprocess->schema : NULL;
        return request;
    }
    if (like && options->features <= 0) {
        request.features = like->preprocess->columns;
        request.known = like->preprocess->name ? &like->known : NULL;
        request.categorical = request.categorical || (like->preprocess->name && like->preprocess->one_hot);
    }
    return request;
}

/* Moves a pointer out of the table. */
#define MOVE(field)             \
    data->field = table->field; \
    table->field = NULL

fathom_status fathom_source_take(fathom_data *data, fathom_table *table, const fathom_data_options *options,
                                 const data_likeness *like)
{
    if (table->sheet)
        return fathom_data_take_sheet(data, table, options, like);
    data->origin = table->origin;
    data->n = table->n;
    data->d = table->d;
    data->outputs = table->outputs;
    MOVE(x);
    MOVE(mapped);
    MOVE(row_start);
    MOVE(column);
    MOVE(value);
    MOVE(y);
    MOVE(weight);
    MOVE(name);
    MOVE(target_name);
    data->names = data->name ? data->d : 0;
    data->text = table->labels > 0;
    data->classes = table->labels;
    data->class_name = table->label;
    table->label = NULL;
    table->labels = 0;
    data->categorical = options->categorical;
    return FATHOM_OK;
}

/* The file named by the data set's source. */
fathom_status fathom_data_read_file(fathom_data *data, const fathom_data_options *options,
                                    const data_likeness *like)
{
    const fathom_table_request request = fathom_source_request(options, like);
    fathom_table *table;
    if (separator_of(options->separator) < 0)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "--separator takes auto, tab, space or one character, got '%.40s'",
                                options->separator);
    FATHOM_TRY(fathom_table_read(&table, data->context, data->source, &request));
    fathom_status status = fathom_source_take(data, table, options, like);
    fathom_table_free(data->context, table);
    return status;
}

fathom_status fathom_data_read_text(fathom_data *data, const fathom_data_options *options,
                                    const data_likeness *like, const data_text *text)
{
    fathom_table_request request = fathom_source_request(options, like);
    fathom_bytes *bytes;
    fathom_table *table;
    request.format = FATHOM_FORMAT_CSV;
    FATHOM_TRY(fathom_bytes_open_memory(&bytes, data->context, text->text, (size_t)text->size, data->source));
    fathom_status status = fathom_table_read_bytes(&table, bytes, &request);
    fathom_bytes_close(bytes);
    FATHOM_THEN(status, fathom_source_take(data, table, options, like));
    fathom_table_free(data->context, table);
    return status;
}
