/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of recipes: a further column of a table, or a table with one row for each group of rows of another.
 *
 * Rows belong together where they agree in all columns under `by`; groups come in the order of their first rows. Cost: rows
 * times groups comparisons.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "expression.h"
#include "json_internal.h"
#include "memory.h"
#include "recipe.h"

enum { KEY = 256 };

/* A column with one number per row; a single number goes to all rows. */
static fathom_status derive_column(fathom_json *tables, fathom_json *rule, const char *table)
{
    const char *name, *text;
    fathom_json *rows, *row;
    double *values = NULL;
    int64_t count = 0;
    fathom_status status = fathom_json_get_text(&name, rule, "column");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&text, rule, "value");
    if (status == FATHOM_OK)
        status = fathom_expression_evaluate(&values, &count, tables, text);
    if (status == FATHOM_OK)
        status = fathom_json_get_list(&rows, tables, table);
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(rows); k++) {
        status = fathom_json_get_item(&row, rows, k);
        if (status == FATHOM_OK)
            status = fathom_json_set_real(row, name, count == 1 ? values[0] : k < count ? values[k] : NAN);
    }
    fathom_memory_free(fathom_json_context(tables), values);
    return status;
}

/* What the row has in the columns under `by`, as one text. */
static fathom_status row_key(char key[KEY], const fathom_json *row, const fathom_json *rule)
{
    int64_t count;
    size_t length = 0;
    fathom_status status = fathom_json_get_count(&count, rule, "by");
    key[0] = '\0';
    for (int64_t k = 0; k < count && status == FATHOM_OK && length < KEY - 32; k++) {
        const char *name, *text;
        double value;
        status = fathom_json_get_text_item(&name, rule, "by", k);
        if (status != FATHOM_OK)
            return status;
        int more = 0;
        if (fathom_json_get_real(&value, row, name) == FATHOM_OK)
            more = snprintf(key + length, KEY - length, "%.17g|", value);
        else if (fathom_json_get_text(&text, row, name) == FATHOM_OK)
            more = snprintf(key + length, KEY - length, "%.60s|", text);
        length += more > 0 ? (size_t)more : 0;
    }
    return status;
}

/* scope.from = the rows with the key of row number `first`. */
static fathom_status gather(fathom_json *scope, fathom_json *rows, const char *from, char (*key)[KEY],
                            int64_t first)
{
    fathom_json *part, *row, *copy;
    fathom_status status = fathom_json_set_list(scope, from, &part);
    for (int64_t k = first; k < fathom_json_count(rows) && status == FATHOM_OK; k++) {
        if (strcmp(key[k], key[first]) != 0)
            continue;
        status = fathom_json_get_item(&row, rows, k);
        if (status == FATHOM_OK)
            status = fathom_json_append_object(part, &copy);
        if (status == FATHOM_OK)
            status = fathom_json_set_all(copy, row);
    }
    return status;
}

/* The row of a group: its values under `by`, and the numbers that the rule asks for. */
static fathom_status put_group(fathom_json *table, fathom_json *scope, fathom_json *rule,
                               const fathom_json *sample)
{
    fathom_json *out, *columns, *column;
    const char *name, *text;
    int64_t count;
    fathom_status status = fathom_json_append_object(table, &out);
    if (status == FATHOM_OK)
        status = fathom_json_get_count(&count, rule, "by");
    for (int64_t k = 0; status == FATHOM_OK && k < count; k++) {
        double value;
        status = fathom_json_get_text_item(&name, rule, "by", k);
        if (status == FATHOM_OK && fathom_json_get_real(&value, sample, name) == FATHOM_OK)
            status = fathom_json_set_real(out, name, value);
        else if (status == FATHOM_OK && fathom_json_get_text(&text, sample, name) == FATHOM_OK)
            status = fathom_json_set_text(out, name, text);
    }
    if (status == FATHOM_OK)
        status = fathom_json_get_list(&columns, rule, "columns");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(columns); k++) {
        double value = NAN;
        status = fathom_json_get_item(&column, columns, k);
        if (status == FATHOM_OK)
            status = fathom_json_get_text(&name, column, "column");
        if (status == FATHOM_OK)
            status = fathom_json_get_text(&text, column, "value");
        if (status == FATHOM_OK)
            status = fathom_expression_number(&value, scope, text);
        if (status == FATHOM_OK)
            status = fathom_json_set_real(out, name, value);
    }
    return status;
}

/* Keys of all rows. */
static fathom_status row_keys(char (*key)[KEY], fathom_json *rows, const fathom_json *rule)
{
    fathom_json *row;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(rows) && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&row, rows, k);
        if (status == FATHOM_OK)
            status = row_key(key[k], row, rule);
    }
    return status;
}

/* The group that begins with row number `first`, into the table. */
static fathom_status make_group(fathom_json *table, fathom_json *rows, fathom_json *rule, const char *from,
                                char (*key)[KEY], int64_t first)
{
    fathom_json *scope, *sample;
    fathom_status status = fathom_json_create(&scope, fathom_json_context(table));
    if (status != FATHOM_OK)
        return status;
    status = gather(scope, rows, from, key, first);
    if (status == FATHOM_OK)
        status = fathom_json_get_item(&sample, rows, first);
    if (status == FATHOM_OK)
        status = put_group(table, scope, rule, sample);
    fathom_json_free(scope);
    return status;
}

static fathom_status derive_groups(fathom_json *tables, fathom_json *rule, const char *name)
{
    fathom_context *context = fathom_json_context(tables);
    fathom_json *rows, *table;
    const char *from;
    fathom_status status = fathom_json_get_text(&from, rule, "from");
    if (status == FATHOM_OK)
        status = fathom_json_get_list(&rows, tables, from);
    if (status == FATHOM_OK)
        status = fathom_json_set_list(tables, name, &table);
    if (status != FATHOM_OK)
        return status;
    const int64_t count = fathom_json_count(rows);
    int64_t groups = 0;
    char(*key)[KEY] = fathom_memory_alloc(context, count + 1, sizeof *key);
    int64_t *first = fathom_memory_alloc(context, count + 1, sizeof *first);
    status = key && first ? row_keys(key, rows, rule) : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        int64_t g = 0;
        while (g < groups && strcmp(key[first[g]], key[k]) != 0)
            g++;
        if (g < groups)
            continue;
        first[groups++] = k;
        status = make_group(table, rows, rule, from, key, k);
    }
    fathom_memory_free(context, key);
    fathom_memory_free(context, first);
    return status;
}

fathom_status fathom_recipe_rule(fathom_json *tables, fathom_json *rule)
{
    const char *table;
    const fathom_status status = fathom_json_get_text(&table, rule, "table");
    if (status != FATHOM_OK)
        return status;
    return fathom_json_has(rule, "by") ? derive_groups(tables, rule, table)
                                       : derive_column(tables, rule, table);
}
