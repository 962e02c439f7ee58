/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text tables as they are become data sets.
 *
 * Roles of columns first: target, weights, and the rest. y and weights are taken at once; X is the number
 * of each row until rows have been chosen, then the design of what is left, so that medians and categories
 * are those of the chosen rows alone.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "columns_internal.h"
#include "context_internal.h"
#include "inner/schema.h"
#include "memory.h"
#include "near.h"
#include "schema_internal.h"

bool fathom_data_is_as_is(const fathom_data_options *options)
{
    return options->missing == 1 || options->as_category || options->keep;
}

/* --- roles ---------------------------------------------------------------------------------------------- */

/* The option is wrong, not the file. */
static fathom_status no_column(const fathom_data *data, const char *name, size_t size)
{
    char text[200], list[FATHOM_NEAR_SIZE];
    snprintf(text, sizeof text, "%.*s", size < 190 ? (int)size : 190, name);
    fathom_near_list(list, text, &data->sheet->names);
    return fathom_error_set_at(data->context, FATHOM_ERROR_USAGE, data->source, 0, 0, "no column '%.100s'%s",
                               text, list);
}

/* The column of an option. */
static fathom_status find_role(int64_t *column, const fathom_data *data, const char *name)
{
    *column = fathom_sheet_find(data->sheet, name);
    return *column >= 0 ? FATHOM_OK : no_column(data, name, strlen(name));
}

/* The target of a table for a model; -1 where it has none. */
static int64_t known_target(const fathom_data *data, const data_likeness *like, int64_t weights)
{
    const fathom_schema *schema = like->preprocess->schema;
    const char *name = like->preprocess->target;
    if (schema->named && data->sheet->header)
        return name ? fathom_dictionary_find(&data->sheet->names, name, strlen(name)) : -1;
    return data->sheet->columns - (weights >= 0) > schema->columns ? schema->target : -1;
}

static fathom_status find_roles(fathom_data *data, const fathom_data_options *options,
                                const data_likeness *like)
{
    int64_t target = data->sheet->columns - 1, weights = -1;
    fathom_status status = FATHOM_OK;
    if (options->weights)
        status = find_role(&weights, data, options->weights);
    if (target == weights)
        target--;
    if (like)
        target = known_target(data, like, weights);
    if (status == FATHOM_OK && options->target)
        status = find_role(&target, data, options->target);
    if (status == FATHOM_OK && target >= 0 && target == weights)
        status = fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                  "the target and the weights are the same column");
    if (status == FATHOM_OK && target >= data->sheet->columns)
        status = fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                     "the model's target is column %lld (from 0) of tables without names",
                                     (long long)target);
    data->origin.target = target;
    data->origin.weight = weights;
    return status;
}

/* An empty schema that knows the texts for missing cells. */
static fathom_status begin_schema(fathom_data *data, int64_t columns, const fathom_data_options *options)
{
    FATHOM_TRY(fathom_schema_create(&data->schema, data->context, columns));
    return fathom_schema_set_missing(data->schema, data->context, options->missing_text);
}

fathom_status fathom_data_take_sheet(fathom_data *data, fathom_table *table,
                                     const fathom_data_options *options, const data_likeness *like)
{
    fathom_cell_view view = {0};
    data->sheet = table->sheet;
    table->sheet = NULL;
    data->origin = table->origin;
    data->n = data->sheet->rows;
    data->d = 1;
    fathom_status status = find_roles(data, options, like);
    const int64_t used = (data->origin.target >= 0) + (data->origin.weight >= 0);
    if (status == FATHOM_OK && data->sheet->columns <= used)
        status = fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, data->sheet->line[0], 1,
                                     "expected at least one column beside the target");
    FATHOM_THEN(status, like ? fathom_schema_copy(&data->schema, data->context, like->preprocess->schema)
                             : begin_schema(data, data->sheet->columns - used, options));
    FATHOM_THEN(status, fathom_cell_view_open(&view, data->context, data->schema, data->sheet));
    if (status == FATHOM_OK && data->origin.target >= 0)
        status = fathom_data_take_target(data, &view, options, like);
    if (status == FATHOM_OK && data->origin.weight >= 0)
        status = fathom_data_take_weights(data, &view);
    fathom_dictionary_free(data->context, &view.missing);
    data->x = fathom_memory_alloc(data->context, data->n, sizeof *data->x);
    if (status == FATHOM_OK && !data->x)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++)
        data->x[i] = (double)i;
    return status;
}

/* --- rows without a target ------------------------------------------------------------------------------ */

/* Training leaves them out; for a model they are predicted and have no part in the score. */
static fathom_status settle_targets(fathom_data *data, const data_likeness *like)
{
    int64_t count = 0;
    int64_t *row = fathom_memory_alloc(data->context, data->n, sizeof *row);
    if (!row)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < data->n; i++)
        if (data->outputs == 0 || !isnan(data->y[i]))
            row[count++] = i;
    fathom_status status = FATHOM_OK;
    const int64_t none = data->n - count;
    if (none > 0 && count == 0) {
        if (like)
            fathom_data_drop_targets(data);
        else
            status = fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                         "the target is missing in all rows");
    } else if (none > 0 && !like) {
        fathom_log(data->context, FATHOM_LOG_WARNING, "%lld row%s without a target: left out",
                   (long long)none, none == 1 ? "" : "s");
        status = fathom_data_take_rows(data, row, count);
    } else if (none > 0) {
        const bool weighted = data->weight != NULL;
        fathom_log(data->context, FATHOM_LOG_WARNING, "%lld row%s without a target: not scored",
                   (long long)none, none == 1 ? "" : "s");
        data->weight =
            weighted ? data->weight : fathom_memory_alloc(data->context, data->n, sizeof *data->weight);
        status = data->weight ? FATHOM_OK : FATHOM_ERROR_MEMORY;
        const double some = data->y[row[0]];
        for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++) {
            data->weight[i] = isnan(data->y[i]) ? 0 : weighted ? data->weight[i] : 1;
            data->y[i] = isnan(data->y[i]) ? some : data->y[i];
        }
    }
    fathom_memory_free(data->context, row);
    return status;
}

/* --- the design ----------------------------------------------------------------------------------------- */

/* Marks the columns of a list "A,B": wish[column] |= bit. */
static fathom_status mark_listed(unsigned char *wish, const fathom_data *data, const char *list,
                                 unsigned char bit)
{
    while (list && *list) {
        char name[4096];
        const size_t size = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", size < 4000 ? (int)size : 4000, list);
        const int64_t column = fathom_sheet_find(data->sheet, name);
        if (column < 0)
            return no_column(data, list, size);
        wish[column] |= bit;
        list += size + (list[size] == ',');
    }
    return FATHOM_OK;
}

enum { AS_CATEGORY = 1, KEEP = 2, EXCLUDE = 4 };

/* What the options say about each column of the sheet. */
static fathom_status read_wishes(unsigned char **wish, const fathom_data *data,
                                 const fathom_data_options *options)
{
    *wish = fathom_memory_zero(data->context, data->sheet->columns, 1);
    if (!*wish)
        return FATHOM_ERROR_MEMORY;
    FATHOM_TRY(mark_listed(*wish, data, options->as_category, AS_CATEGORY));
    FATHOM_TRY(mark_listed(*wish, data, options->keep, KEEP));
    FATHOM_TRY(mark_listed(*wish, data, options->exclude, EXCLUDE));
    return mark_listed(*wish, data, options->drop, EXCLUDE);
}

/* --missing refuse: the first missing cell of a column that is used is an error. */
static fathom_status refuse_missing(const fathom_data *data, const fathom_cell_view *view,
                                    const fathom_column *column, int64_t place)
{
    if (column->missing == 0 || column->width == 0)
        return FATHOM_OK;
    for (int64_t i = 0; i < view->n; i++)
        if (!fathom_cell_view_at(view, i, place))
            return fathom_error_set_at(
                data->context, FATHOM_ERROR_INPUT, data->source, data->sheet->line[view->row[i]], 0,
                "the cell in column '%.80s' is missing (--missing impute)", column->name);
    return FATHOM_OK;
}

/* place[k]: the sheet's column of column k of the schema. */
static void place_features(int64_t *place, const fathom_data *data)
{
    for (int64_t j = 0, k = 0; j < data->sheet->columns; j++)
        if (j != data->origin.target && j != data->origin.weight)
            place[k++] = j;
}

/* Kinds of all columns; a table of which nothing would be left keeps what it has. */
static fathom_status judge_columns(fathom_data *data, const fathom_data_options *options,
                                   const fathom_cell_view *view, const int64_t *place)
{
    fathom_schema *schema = data->schema;
    unsigned char *wish = NULL;
    fathom_status status = read_wishes(&wish, data, options);
    schema->named = data->sheet->header;
    schema->target = data->origin.target;
    for (int round = 0; round < 2 && status == FATHOM_OK && fathom_schema_width(schema) == 0; round++)
        for (int64_t k = 0; k < schema->columns && status == FATHOM_OK; k++) {
            fathom_column *column = fathom_schema_column(schema, k);
            const unsigned char w = wish[place[k]];
            status = fathom_schema_set_text(&column->name, data->context,
                                            fathom_sheet_name(data->sheet, place[k]));
            column->missing = 0;
            FATHOM_THEN(status,
                        fathom_schema_judge(schema, data->context, k, view, place[k],
                                            (fathom_column_wish){w & AS_CATEGORY, (w & KEEP) || round > 0,
                                                                 (w & EXCLUDE) != 0}));
            if (status == FATHOM_OK && options->missing == 0)
                status = refuse_missing(data, view, column, place[k]);
        }
    if (status == FATHOM_OK && fathom_schema_width(schema) == 0)
        status = fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                     "no column is left beside the target");
    if (status == FATHOM_OK)
        fathom_schema_say(schema, data->context);
    fathom_memory_free(data->context, wish);
    return status;
}

/* A column of the model that the table lacks. */
static fathom_status refuse_table(const fathom_data *data, const char *name)
{
    char list[FATHOM_NEAR_SIZE];
    fathom_near_list(list, name, &data->sheet->names);
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 1, 1,
                               "the model's column '%.100s' is missing%s", name, list);
}

/* Columns of the table that the model does not know. */
static void say_unknown(const fathom_data *data, const int64_t *place)
{
    char list[FATHOM_NEAR_SIZE];
    fathom_dictionary known = {0}, other = {0};
    fathom_status status = FATHOM_OK;
    int64_t number;
    for (int64_t k = 0; k < data->schema->columns && status == FATHOM_OK; k++)
        if (place[k] >= 0)
            status = fathom_dictionary_add(&known, data->context, &number, data->schema->column[k].name,
                                           strlen(data->schema->column[k].name));
    for (int64_t j = 0; j < data->sheet->columns && status == FATHOM_OK; j++) {
        const char *name = fathom_sheet_name(data->sheet, j);
        if (j != data->origin.target && j != data->origin.weight &&
            fathom_dictionary_find(&known, name, strlen(name)) < 0)
            status = fathom_dictionary_add(&other, data->context, &number, name, strlen(name));
    }
    fathom_near_list(list, NULL, &other);
    if (status == FATHOM_OK && other.count > 0)
        fathom_log(data->context, FATHOM_LOG_INFO, "columns that the model does not know are left out%s",
                   list);
    fathom_dictionary_free(data->context, &known);
    fathom_dictionary_free(data->context, &other);
}

/* Columns of a table for a model: by name where both have names, else by their place. */
static fathom_status match_columns(int64_t *place, const fathom_data *data)
{
    const fathom_schema *schema = data->schema;
    const fathom_sheet *sheet = data->sheet;
    const int64_t features = sheet->columns - (data->origin.target >= 0) - (data->origin.weight >= 0);
    if (!(schema->named && sheet->header)) {
        if (features != schema->columns)
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                       "the table has %lld columns beside the target, the model expects %lld",
                                       (long long)features, (long long)schema->columns);
        place_features(place, data);
        return FATHOM_OK;
    }
    for (int64_t k = 0; k < schema->columns; k++) {
        place[k] =
            fathom_dictionary_find(&sheet->names, schema->column[k].name, strlen(schema->column[k].name));
        if (place[k] < 0 && schema->column[k].width > 0)
            return refuse_table(data, schema->column[k].name);
    }
    say_unknown(data, place);
    return FATHOM_OK;
}

/* X and the names of its columns. */
static fathom_status fill_design(fathom_data *data, const fathom_cell_view *view, const int64_t *place,
                                 bool known)
{
    const int64_t d = fathom_schema_width(data->schema);
    fathom_status status =
        fathom_context_require(data->context, 8.0 * (double)view->n * (double)d, "the table as numbers");
    double *x = status == FATHOM_OK ? fathom_memory_zero(data->context, view->n * d, sizeof *x) : NULL;
    if (status == FATHOM_OK && !x)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t k = 0, to = 0; status == FATHOM_OK && k < data->schema->columns; k++) {
        status = fathom_schema_fill(x + to, d, data->context, data->schema, k, view, place[k], known);
        to += data->schema->column[k].width;
    }
    fathom_memory_free(data->context, data->x);
    data->x = x;
    data->d = d;
    FATHOM_THEN(status, fathom_schema_names(&data->name, data->context, data->schema));
    data->names = data->name ? d : 0;
    return status;
}

/* The rows that are left, as numbers of rows of the sheet. */
static fathom_status design_rows(fathom_data *data, const fathom_data_options *options,
                                 const data_likeness *like, const int64_t *row)
{
    fathom_cell_view view;
    int64_t *place = fathom_memory_alloc(data->context, data->schema->columns, sizeof *place);
    fathom_status status = fathom_cell_view_open(&view, data->context, data->schema, data->sheet);
    view.row = row;
    view.n = data->n;
    if (!place)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && like)
        status = match_columns(place, data);
    if (status == FATHOM_OK && !like) {
        place_features(place, data);
        status = judge_columns(data, options, &view, place);
    }
    FATHOM_THEN(status, fill_design(data, &view, place, like != NULL));
    fathom_dictionary_free(data->context, &view.missing);
    fathom_memory_free(data->context, place);
    return status;
}

/* Rows of a sheet. */
static fathom_status design_sheet(fathom_data *data, const fathom_data_options *options,
                                  const data_likeness *like)
{
    fathom_status status = FATHOM_OK;
    int64_t *row = fathom_memory_alloc(data->context, data->n, sizeof *row);
    if (!row)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++)
        row[i] = (int64_t)data->x[i];
    FATHOM_THEN(status, design_rows(data, options, like, row));
    fathom_memory_free(data->context, row);
    fathom_sheet_free(data->context, data->sheet);
    data->sheet = NULL;
    return status;
}

/* A schema of numbers alone, for arrays in which NaN is a missing cell. */
static fathom_status judge_array(fathom_data *data)
{
    fathom_status status = fathom_schema_create(&data->schema, data->context, data->d);
    FATHOM_THEN(status, fathom_schema_set_missing(data->schema, data->context, NULL));
    for (int64_t k = 0; k < data->d && status == FATHOM_OK; k++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)k);
        status = fathom_schema_set_text(&fathom_schema_column(data->schema, k)->name, data->context,
                                        data->name ? data->name[k] : name);
        if (status == FATHOM_OK)
            status =
                fathom_schema_judge_numbers(data->schema, data->context, k, data->x + k, data->n, data->d);
    }
    return status;
}

/* A schema of numbers alone, of as many columns. */
static fathom_status match_array(fathom_data *data, const data_likeness *like)
{
    const fathom_schema *schema = like->preprocess->schema;
    for (int64_t k = 0; k < schema->columns; k++)
        if (schema->column[k].width > 0 && schema->column[k].as != FATHOM_COLUMN_NUMBER)
            return fathom_error_set_at(
                data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                "the model's column '%.80s' is a %s: it takes tables, not arrays of numbers",
                schema->column[k].name, fathom_column_kind_name(schema->column[k].as));
    if (!data->x || data->d != schema->columns)
        return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                   "the data has %lld columns, the model expects %lld", (long long)data->d,
                                   (long long)schema->columns);
    return fathom_schema_copy(&data->schema, data->context, schema);
}

/* Numbers of an array, NaN where missing. */
static fathom_status design_array(fathom_data *data, const data_likeness *like)
{
    fathom_status status = like ? match_array(data, like) : judge_array(data);
    const int64_t d = status == FATHOM_OK ? fathom_schema_width(data->schema) : 0;
    if (status == FATHOM_OK)
        status =
            fathom_context_require(data->context, 8.0 * (double)data->n * (double)d, "the table as numbers");
    double *x = status == FATHOM_OK ? fathom_memory_zero(data->context, data->n * d, sizeof *x) : NULL;
    if (!x)
        return status == FATHOM_OK ? FATHOM_ERROR_MEMORY : status;
    for (int64_t k = 0, to = 0; k < data->schema->columns; to += data->schema->column[k++].width)
        fathom_schema_fill_numbers(x + to, d, &data->schema->column[k], data->x + k, data->n, data->d);
    fathom_memory_free(data->context, data->x);
    data->x = x;
    data->d = d;
    fathom_data_drop_names(data);
    status = fathom_schema_names(&data->name, data->context, data->schema);
    data->names = data->name ? d : 0;
    return status;
}

bool fathom_data_may_miss(const fathom_data *data, const fathom_data_options *options,
                          const data_likeness *like)
{
    return data->sheet || (data->x && (like ? like->preprocess->schema != NULL : options->missing == 1));
}

fathom_status fathom_data_design(fathom_data *data, const fathom_data_options *options,
                                 const data_likeness *like)
{
    if (!fathom_data_may_miss(data, options, like))
        return FATHOM_OK;
    if (options->features > 0)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "--features does not go with tables as they are (--exclude does)");
    fathom_status status = data->outputs <= 1 ? settle_targets(data, like) : FATHOM_OK;
    FATHOM_THEN(status, data->sheet ? design_sheet(data, options, like) : design_array(data, like));
    if (status == FATHOM_OK && data->d == 0)
        status =
            fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0, "no column is left");
    data->origin.decimal = false; /* no longer the numbers of the file */
    return status == FATHOM_OK ? fathom_data_check(data) : status;
}
