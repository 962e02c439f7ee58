/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of other data made to fit those that a model was trained on.
 *
 * Data with names is matched by them, one-hot coded data too ("colour=red"), of which each file has its
 * own set of texts. Without names the width must be the same; but sparse data may be narrower or wider:
 * LIBSVM files do not state theirs.
 */
#include <string.h>

#include "columns_internal.h"
#include "context_internal.h"
#include "dictionary.h"
#include "memory.h"
#include "schema_internal.h"

/* Drops sparse entries in columns from `columns` on; how many. */
static int64_t drop_columns(fathom_data *data, int64_t columns)
{
    int64_t kept = 0, dropped = 0;
    for (int64_t i = 0, k = 0; i < data->n; i++) {
        const int64_t end = data->row_start[i + 1];
        for (; k < end; k++) {
            if (data->column[k] >= columns) {
                dropped++;
                continue;
            }
            data->column[kept] = data->column[k];
            data->value[kept++] = data->value[k];
        }
        data->row_start[i + 1] = kept;
    }
    return dropped;
}

/* The same for dense rows, in place. */
static void narrow_rows(fathom_data *data, int64_t columns)
{
    for (int64_t i = 1; i < data->n; i++)
        memmove(data->x + i * columns, data->x + i * data->d, (size_t)columns * sizeof *data->x);
}

fathom_status fathom_data_keep_columns(fathom_data *data, int64_t columns)
{
    if (data->d <= columns)
        return FATHOM_OK;
    if (data->mapped)
        FATHOM_TRY(fathom_data_rebuild(data, columns, NULL));
    else if (data->x)
        narrow_rows(data, columns);
    else
        drop_columns(data, columns);
    for (int64_t k = columns; k < data->names; k++)
        fathom_memory_free(data->context, data->name[k]);
    data->names = data->names > columns ? columns : data->names;
    data->d = columns;
    return FATHOM_OK;
}

/* The model's names, to look them up. */
static fathom_status list_names(fathom_dictionary *names, const fathom_data *data,
                                const fathom_preprocess *preprocess)
{
    int64_t number;
    for (int64_t j = 0; j < preprocess->columns; j++)
        FATHOM_TRY(fathom_dictionary_add(names, data->context, &number, preprocess->name[j],
                                         strlen(preprocess->name[j])));
    if (names->count < preprocess->columns)
        FATHOM_TRY(fathom_error_set(data->context, FATHOM_ERROR_INPUT, "the model has a column name twice"));
    return FATHOM_OK;
}

/* place[j] = the model's column for own column j, -1 for a text that the model has not seen. ERROR_INPUT
 * where a numeric column is on one side only. */
static fathom_status place_columns(int64_t *place, const fathom_data *data,
                                   const fathom_preprocess *preprocess, const fathom_dictionary *names)
{
    int64_t numeric = 0;
    for (int64_t j = 0; j < preprocess->columns; j++)
        numeric += !preprocess->one_hot || !strchr(preprocess->name[j], '=');
    for (int64_t j = 0; j < data->d; j++) {
        place[j] = fathom_dictionary_find(names, data->name[j], strlen(data->name[j]));
        const bool category = preprocess->one_hot && strchr(data->name[j], '=') != NULL;
        if (place[j] < 0 && !category)
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                       "the model has no column '%.200s'", data->name[j]);
        if (place[j] < 0)
            fathom_log(data->context, FATHOM_LOG_WARNING,
                       "the model has not seen '%.200s': taken as none of its texts", data->name[j]);
        numeric -= !category;
    }
    if (numeric == 0)
        return FATHOM_OK;
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "%lld columns of the model are missing", (long long)numeric);
}

/* Moves own columns to the model's places; its other columns are 0. */
static fathom_status match_names(fathom_data *data, const fathom_preprocess *preprocess)
{
    fathom_context *context = data->context;
    const int64_t d = preprocess->columns;
    fathom_dictionary names = {0};
    int64_t *place = fathom_memory_alloc(context, data->d, sizeof *place);
    fathom_status status = place ? list_names(&names, data, preprocess) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, place_columns(place, data, preprocess, &names));
    fathom_dictionary_free(context, &names);
    double *x = NULL;
    if (status == FATHOM_OK) {
        x = fathom_memory_zero(context, data->n * d, sizeof *x);
        status = x ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++)
        for (int64_t j = 0; j < data->d; j++)
            if (place[j] >= 0)
                x[i * d + place[j]] = data->x[i * data->d + j];
    fathom_memory_free(context, place);
    if (status != FATHOM_OK)
        return status;
    fathom_memory_free(context, data->x);
    data->x = x;
    data->d = d;
    fathom_data_drop_names(data);
    return FATHOM_OK;
}

void fathom_data_drop_names(fathom_data *data)
{
    for (int64_t k = 0; k < data->names; k++)
        fathom_memory_free(data->context, data->name[k]);
    fathom_memory_free(data->context, data->name);
    data->name = NULL;
    data->names = 0;
}

void fathom_data_names_free(fathom_context *context, fathom_data_names *names)
{
    for (int64_t k = 0; k < names->count; k++)
        fathom_memory_free(context, names->name[k]);
    FATHOM_FREE(context, names->name, names->target);
    fathom_schema_free(context, names->schema);
    *names = (fathom_data_names){0};
}

fathom_status fathom_data_copy_names(fathom_data_names *names, const fathom_data *data)
{
    fathom_status status = FATHOM_OK;
    *names = (fathom_data_names){.categorical = data->categorical};
    if (data->name) {
        names->name = fathom_memory_zero(data->context, data->names, sizeof *names->name);
        names->count = names->name ? data->names : 0;
        status = names->name ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < names->count && status == FATHOM_OK; k++) {
        names->name[k] = fathom_memory_text(data->context, data->name[k]);
        status = names->name[k] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK && data->target_name) {
        names->target = fathom_memory_text(data->context, data->target_name);
        status = names->target ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    return status == FATHOM_OK && data->schema
               ? fathom_schema_copy(&names->schema, data->context, data->schema)
               : status;
}

void fathom_data_take_names(fathom_data *data, fathom_data_names *names)
{
    fathom_data_drop_names(data);
    fathom_memory_free(data->context, data->target_name);
    fathom_schema_free(data->context, data->schema);
    data->name = names->name;
    data->names = names->count;
    data->target_name = names->target;
    data->categorical = names->categorical;
    data->schema = names->schema;
    *names = (fathom_data_names){0};
}

/* By name where both sides have names; by width otherwise. */
fathom_status fathom_data_fit_columns(fathom_data *data, const fathom_preprocess *preprocess)
{
    const int64_t columns = preprocess->columns;
    if (preprocess->name && data->name && data->x)
        return match_names(data, preprocess);
    if (data->d == columns)
        return FATHOM_OK;
    if (data->x)
        return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                   "the data has %lld columns, the model expects %lld", (long long)data->d,
                                   (long long)columns);
    const int64_t dropped = data->d > columns ? drop_columns(data, columns) : 0;
    if (dropped > 0)
        fathom_log(data->context, FATHOM_LOG_WARNING,
                   "%lld values in columns that the model does not know (beyond %lld) were dropped",
                   (long long)dropped, (long long)columns);
    data->d = columns;
    return FATHOM_OK;
}
