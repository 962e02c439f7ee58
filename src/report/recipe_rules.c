/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of recipes: a further column of a table, or a table with one row for each group of rows of another.
 *
 * Rows belong together where they agree in all columns under `by`; groups come in the order of their first
 * rows. Rows that have none of the columns are left out.
 */
#include <math.h>

#include "context_internal.h"
#include "expression.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"
#include "recipe.h"
#include "recipe_groups.h"

enum { COLUMNS = 8 };

/* A column with one number per row; a single number goes to all rows. */
static fathom_status derive_column(fathom_json *tables, fathom_json *rule, const char *table)
{
    const char *name, *text;
    fathom_json *rows, *row;
    double *values = NULL;
    int64_t count = 0;
    fathom_status status = fathom_json_get_text(&name, rule, "column");
    FATHOM_THEN(status, fathom_json_get_text(&text, rule, "value"));
    FATHOM_THEN(status, fathom_expression_evaluate(&values, &count, tables, NULL, text));
    FATHOM_THEN(status, fathom_json_get_list(&rows, tables, table));
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(rows); k++) {
        status = fathom_json_get_item(&row, rows, k);
        FATHOM_THEN(status, fathom_json_set_real(row, name,
                                                 count == 1  ? values[0]
                                                 : k < count ? values[k]
                                                             : NAN));
    }
    fathom_memory_free(fathom_json_context(tables), values);
    return status;
}

/* The values of a row under the columns `by`. */
static fathom_status copy_values(fathom_json *out, const fathom_json *sample, const char *const *by,
                                 int64_t count)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; status == FATHOM_OK && k < count; k++) {
        double value;
        const char *text;
        if (fathom_json_get_real(&value, sample, by[k]) == FATHOM_OK)
            status = fathom_json_set_real(out, by[k], value);
        else if (fathom_json_get_text(&text, sample, by[k]) == FATHOM_OK)
            status = fathom_json_set_text(out, by[k], text);
    }
    return status;
}

/* The numbers that the rule asks for, of one group. */
static fathom_status put_columns(fathom_json *out, fathom_json *tables, fathom_json *rule,
                                 const fathom_expression_scope *scope)
{
    fathom_json *columns, *column;
    const char *name, *text;
    fathom_status status = fathom_json_get_list(&columns, rule, "columns");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(columns); k++) {
        double value = NAN;
        status = fathom_json_get_item(&column, columns, k);
        FATHOM_THEN(status, fathom_json_get_text(&name, column, "column"));
        FATHOM_THEN(status, fathom_json_get_text(&text, column, "value"));
        FATHOM_THEN(status, fathom_expression_number(&value, tables, scope, text));
        FATHOM_THEN(status, fathom_json_set_real(out, name, value));
    }
    return status;
}

/* A row for each group, in the order of their first rows. */
static fathom_status put_groups(fathom_json *table, fathom_json *tables, fathom_json *rule, fathom_json *rows,
                                const char *const *by, int64_t count)
{
    fathom_context *context = fathom_json_context(tables);
    fathom_dictionary keys = {0};
    int64_t *group, seen = 0;
    const char *from;
    bool any;
    FATHOM_TRY(fathom_json_get_text(&from, rule, "from"));
    fathom_status status = fathom_recipe_groups(&group, &any, &keys, rows, by, count);
    fathom_expression_scope scope = {.tables = 1, .table = &from, .group = (const int64_t *const *)&group};
    for (int64_t k = 0; k < fathom_json_count(rows) && status == FATHOM_OK; k++) {
        fathom_json *out, *sample;
        if (group[k] < seen)
            continue;
        seen++;
        scope.at = group[k];
        status = fathom_json_append_object(table, &out);
        FATHOM_THEN(status, fathom_json_get_item(&sample, rows, k));
        FATHOM_THEN(status, copy_values(out, sample, by, count));
        FATHOM_THEN(status, put_columns(out, tables, rule, &scope));
    }
    fathom_dictionary_free(context, &keys);
    fathom_memory_free(context, group);
    return status;
}

static fathom_status derive_groups(fathom_json *tables, fathom_json *rule, const char *name)
{
    fathom_json *rows, *table;
    const char *from, *by[COLUMNS];
    int64_t count = 0;
    fathom_status status = fathom_json_get_text(&from, rule, "from");
    FATHOM_THEN(status, fathom_json_get_list(&rows, tables, from));
    FATHOM_THEN(status, fathom_json_get_count(&count, rule, "by"));
    count = count < COLUMNS ? count : COLUMNS;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        status = fathom_json_get_text_item(&by[k], rule, "by", k);
    FATHOM_THEN(status, fathom_json_set_list(tables, name, &table));
    return status == FATHOM_OK ? put_groups(table, tables, rule, rows, by, count) : status;
}

fathom_status fathom_recipe_rule(fathom_json *tables, fathom_json *rule)
{
    const char *table;
    FATHOM_TRY(fathom_json_get_text(&table, rule, "table"));
    return fathom_json_has(rule, "by") ? derive_groups(tables, rule, table)
                                       : derive_column(tables, rule, table);
}
