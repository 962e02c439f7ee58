/* SPDX-License-Identifier: Apache-2.0 */
/* A schema's storage: made, copied, freed; its width and the names of the numbers that columns become. */
#include "inner/schema.h"
#include "schema_internal.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"

const char *fathom_column_kind_name(fathom_column_kind kind)
{
    static const char *const names[] = {"number", "category", "date", "identifier", "constant"};
    return names[kind];
}

fathom_status fathom_schema_create(fathom_schema **schema, fathom_context *context, int64_t columns)
{
    *schema = fathom_memory_zero(context, 1, sizeof **schema);
    if (!*schema)
        return FATHOM_ERROR_MEMORY;
    (*schema)->target = -1;
    (*schema)->column = fathom_memory_zero(context, columns, sizeof *(*schema)->column);
    if (!(*schema)->column)
        return FATHOM_ERROR_MEMORY;
    (*schema)->columns = columns;
    return FATHOM_OK;
}

static void free_texts(fathom_context *context, const char *const *text, int64_t count)
{
    for (int64_t k = 0; text && k < count; k++)
        fathom_memory_free(context, (void *)text[k]);
    fathom_memory_free(context, (void *)text);
}

void fathom_schema_free(fathom_context *context, fathom_schema *schema)
{
    if (!schema)
        return;
    for (int64_t k = 0; k < schema->columns; k++) {
        const fathom_column *column = &schema->column[k];
        FATHOM_FREE(context, (void *)column->name, (void *)column->use, (void *)column->unit);
        free_texts(context, column->category, column->categories);
    }
    free_texts(context, schema->missing_text, schema->missing_texts);
    FATHOM_FREE(context, (void *)schema->column, schema);
}

fathom_status fathom_schema_set_text(const char **member, fathom_context *context, const char *text)
{
    char *copy = fathom_memory_text(context, text);
    if (!copy)
        return FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, (void *)*member);
    *member = copy;
    return FATHOM_OK;
}

fathom_status fathom_schema_set_texts(const char *const **member, int64_t *count, fathom_context *context,
                                      const char *const *text, int64_t texts)
{
    const char **copy = fathom_memory_zero(context, texts, sizeof *copy);
    if (!copy)
        return FATHOM_ERROR_MEMORY;
    *member = copy;
    *count = texts;
    for (int64_t k = 0; k < texts; k++)
        if (fathom_schema_set_text(&copy[k], context, text[k]) != FATHOM_OK)
            return FATHOM_ERROR_MEMORY;
    return FATHOM_OK;
}

static fathom_status copy_column(fathom_column *to, fathom_context *context, const fathom_column *from)
{
    *to = *from;
    to->name = to->use = to->unit = NULL;
    to->category = NULL;
    to->categories = 0;
    FATHOM_TRY(fathom_schema_set_text(&to->name, context, from->name));
    FATHOM_TRY(fathom_schema_set_text(&to->use, context, from->use ? from->use : ""));
    if (from->unit)
        FATHOM_TRY(fathom_schema_set_text(&to->unit, context, from->unit));
    if (from->categories > 0)
        FATHOM_TRY(fathom_schema_set_texts(&to->category, &to->categories, context, from->category,
                                           from->categories));
    return FATHOM_OK;
}

fathom_status fathom_schema_copy(fathom_schema **copy, fathom_context *context, const fathom_schema *schema)
{
    fathom_status status = fathom_schema_create(copy, context, schema->columns);
    for (int64_t k = 0; k < schema->columns && status == FATHOM_OK; k++)
        status = copy_column(fathom_schema_column(*copy, k), context, &schema->column[k]);
    FATHOM_THEN(status, fathom_schema_set_texts(&(*copy)->missing_text, &(*copy)->missing_texts, context,
                                                schema->missing_text, schema->missing_texts));
    if (status == FATHOM_OK) {
        (*copy)->named = schema->named;
        (*copy)->target = schema->target;
        return FATHOM_OK;
    }
    fathom_schema_free(context, *copy);
    *copy = NULL;
    return status;
}

int64_t fathom_schema_width(const fathom_schema *schema)
{
    int64_t width = 0;
    for (int64_t k = 0; k < schema->columns; k++)
        width += schema->column[k].width;
    return width;
}

/* Number `place` of a column after its name: a part of a date, "=text" or "missing". */
static const char *ending(const fathom_column *column, int64_t place)
{
    static const char *const parts[] = {" (year)", " (month)", " (weekday)", " (hour)"};
    if (column->indicator && place == column->width - 1)
        return " (missing)";
    if (column->as == FATHOM_COLUMN_CATEGORY)
        return column->category[place];
    for (int p = 0; column->as == FATHOM_COLUMN_DATE && p < 4; p++)
        if ((column->parts & (1 << p)) && place-- == 0)
            return parts[p];
    return "";
}

fathom_status fathom_schema_names(char ***name, fathom_context *context, const fathom_schema *schema)
{
    int64_t place = 0;
    *name = fathom_memory_zero(context, fathom_schema_width(schema), sizeof **name);
    if (!*name)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < schema->columns; k++)
        for (int64_t j = 0; j < schema->column[k].width; j++, place++) {
            const fathom_column *column = &schema->column[k];
            const char *end = ending(column, j);
            const bool text = column->as == FATHOM_COLUMN_CATEGORY && j < column->categories;
            const size_t size = strlen(column->name) + strlen(end) + 2;
            char *joined = (*name)[place] = fathom_memory_alloc(context, (int64_t)size, 1);
            if (!joined)
                return FATHOM_ERROR_MEMORY;
            snprintf(joined, size, "%s%s%s", column->name, text ? "=" : "", end);
        }
    return FATHOM_OK;
}

/* Adds the texts of a list "A,B". */
static fathom_status add_listed(fathom_dictionary *texts, fathom_context *context, const char *list)
{
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && *list) {
        int64_t number;
        const size_t size = strcspn(list, ",");
        if (size > 0)
            status = fathom_dictionary_add(texts, context, &number, list, size);
        list += size + (list[size] == ',');
    }
    return status;
}

fathom_status fathom_schema_set_missing(fathom_schema *schema, fathom_context *context, const char *more)
{
    static const char usual[] = "NA,N/A,n/a,na,#N/A,<NA>,NaN,nan,NAN,NaT,null,NULL,Null,None,?,-";
    fathom_dictionary texts = {0};
    const bool only = more && *more == '=';
    fathom_status status = only ? FATHOM_OK : add_listed(&texts, context, usual);
    if (status == FATHOM_OK && more)
        status = add_listed(&texts, context, more + only);
    const char **text = fathom_memory_alloc(context, texts.count, sizeof *text);
    if (!text)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; status == FATHOM_OK && k < texts.count; k++)
        text[k] = fathom_dictionary_text(&texts, k);
    FATHOM_THEN(status, fathom_schema_set_texts(&schema->missing_text, &schema->missing_texts, context, text,
                                                texts.count));
    fathom_memory_free(context, text);
    fathom_dictionary_free(context, &texts);
    return status;
}
