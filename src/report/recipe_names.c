/* SPDX-License-Identifier: Apache-2.0 */
/* Names that expressions may use. */
#include "recipe_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "expression.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"

enum { NAME = 256 };

fathom_status fathom_recipe_names_create(fathom_recipe_names *names, fathom_context *context)
{
    names->columns = NULL;
    FATHOM_TRY(fathom_json_create(&names->tables, context));
    return fathom_json_create(&names->columns, context);
}

void fathom_recipe_names_free(fathom_recipe_names *names)
{
    fathom_json_free(names->tables);
    fathom_json_free(names->columns);
}

bool fathom_recipe_names_known(const fathom_recipe_names *names, const char *table)
{
    return fathom_json_has(names->tables, table);
}

fathom_status fathom_recipe_names_table(fathom_recipe_names *names, const char *table)
{
    fathom_json *unused;
    if (fathom_recipe_names_known(names, table))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_set_list(names->tables, table, &unused));
    return fathom_json_set_object(names->columns, table, &unused);
}

fathom_status fathom_recipe_names_column(fathom_recipe_names *names, const char *table, const char *path)
{
    char name[NAME];
    fathom_json *columns;
    const fathom_status status = fathom_json_get_object(&columns, names->columns, table);
    snprintf(name, sizeof name, "%s", path);
    char *dot = strchr(name, '.');
    if (dot)
        *dot = '_';
    return status == FATHOM_OK ? fathom_json_set_null(columns, name) : status;
}

/* The column that follows a table in an expression, of a table whose columns are all known. */
static fathom_status check_column(const fathom_recipe_names *names, const char *table, const char *at)
{
    char column[FATHOM_EXPRESSION_NAME];
    size_t length = 0;
    fathom_json *columns;
    fathom_status status = fathom_json_get_object(&columns, names->columns, table);
    if (status != FATHOM_OK || fathom_json_has(columns, "*"))
        return status;
    while ((isalnum((unsigned char)at[length]) || at[length] == '_') && length + 1 < sizeof column)
        length++;
    memcpy(column, at, length);
    column[length] = '\0';
    return fathom_json_has(columns, column)
               ? FATHOM_OK
               : fathom_error_set(fathom_json_context(names->columns), FATHOM_ERROR_INPUT,
                                  "the table %s has no column %s", table, column);
}

fathom_status fathom_recipe_names_try(int64_t *count, const fathom_recipe_names *names, const char *text)
{
    char table[FATHOM_EXPRESSION_NAME];
    const char *at = text;
    double *values;
    FATHOM_TRY(fathom_expression_evaluate(&values, count, names->tables, NULL, text));
    fathom_status status = FATHOM_OK;
    fathom_memory_free(fathom_json_context(names->tables), values);
    while (status == FATHOM_OK && fathom_expression_table(table, &at))
        status = check_column(names, table, at + 1);
    return status;
}
