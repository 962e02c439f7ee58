/* SPDX-License-Identifier: Apache-2.0 */
/* A schema as a member of model files, read back with everything checked; and its columns described in
 * results. */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "inner/json.h"
#include "inner/schema.h"
#include "json_internal.h"
#include "memory.h"
#include "schema_internal.h"

static const char *const part_names[] = {"year", "month", "weekday", "hour"};
static const char *const order_names[] = {"month-first", "day-first"};
enum { PARTS = 4, KINDS = 5 };

/* --- written -------------------------------------------------------------------------------------------- */

static fathom_status describe_column(fathom_json *object, const fathom_column *column)
{
    FATHOM_TRY(fathom_json_set_text(object, "name", column->name));
    FATHOM_TRY(fathom_json_set_text(object, "kind", fathom_column_kind_name(column->kind)));
    FATHOM_TRY(fathom_json_set_text(object, "use", column->use));
    FATHOM_TRY(fathom_json_set_integer(object, "missing", column->missing));
    return fathom_json_set_integer(object, "width", column->width);
}

static fathom_status write_date(fathom_json *object, const fathom_column *column)
{
    const char *part[PARTS];
    int64_t count = 0;
    for (int p = 0; p < PARTS; p++)
        if (column->parts & (1 << p))
            part[count++] = part_names[p];
    FATHOM_TRY(fathom_json_set_texts(object, "parts", part, count));
    return fathom_json_set_text(object, "order", order_names[column->order]);
}

static fathom_status write_column(fathom_json *object, const fathom_column *column)
{
    const bool category = column->as == FATHOM_COLUMN_CATEGORY;
    fathom_status status = describe_column(object, column);
    if (status != FATHOM_OK || column->width == 0)
        return status;
    status = fathom_json_set_text(object, "as", fathom_column_kind_name(column->as));
    FATHOM_THEN(status, fathom_json_set_bool(object, "indicator", column->indicator));
    if (status == FATHOM_OK && !category)
        status = fathom_json_set_real(object, "median", column->median);
    if (status == FATHOM_OK && column->unit)
        status = fathom_json_set_text(object, "unit", column->unit);
    if (status == FATHOM_OK && category)
        status = fathom_json_set_texts(object, "categories", column->category, column->categories);
    if (status == FATHOM_OK && category)
        status = fathom_json_set_bool(object, "spelled", column->spelled);
    if (status == FATHOM_OK && column->as == FATHOM_COLUMN_DATE)
        status = write_date(object, column);
    return status;
}

/* Sets `columns`, one object each. */
static fathom_status write_columns(fathom_json *object, const fathom_schema *schema,
                                   fathom_status (*write)(fathom_json *, const fathom_column *))
{
    fathom_json *list, *item;
    fathom_status status = fathom_json_set_list(object, "columns", &list);
    for (int64_t k = 0; k < schema->columns && status == FATHOM_OK; k++) {
        status = fathom_json_append_object(list, &item);
        FATHOM_THEN(status, write(item, &schema->column[k]));
    }
    return status;
}

fathom_status fathom_schema_describe(fathom_json *object, const fathom_schema *schema)
{
    return write_columns(object, schema, describe_column);
}

fathom_status fathom_schema_write(fathom_json *object, const fathom_schema *schema)
{
    FATHOM_TRY(fathom_json_set_bool(object, "named", schema->named));
    FATHOM_TRY(fathom_json_set_integer(object, "target", schema->target));
    FATHOM_TRY(fathom_json_set_texts(object, "missing_text", schema->missing_text, schema->missing_texts));
    return write_columns(object, schema, write_column);
}

/* --- read ----------------------------------------------------------------------------------------------- */

static fathom_status refuse(fathom_context *context, const char *member, const char *what)
{
    return fathom_error_set(context, FATHOM_ERROR_INPUT, "schema: %s: expected %s", member, what);
}

/* A word of a list. */
static fathom_status read_word(int *index, fathom_context *context, const fathom_json *object,
                               const char *member, const char *const *words, int count)
{
    const char *text;
    FATHOM_TRY(fathom_json_get_text(&text, object, member));
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], text) == 0)
            return FATHOM_OK;
    return refuse(context, member, "another word");
}

/* A list of texts as a member. */
static fathom_status read_texts(const char *const **member, int64_t *count, fathom_context *context,
                                const fathom_json *object, const char *name)
{
    const char **text = NULL;
    int64_t texts = 0;
    fathom_status status = fathom_json_get_count(&texts, object, name);
    if (status == FATHOM_OK) {
        text = fathom_memory_alloc(context, texts, sizeof *text);
        status = text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < texts && status == FATHOM_OK; k++)
        status = fathom_json_get_text_item(&text[k], object, name, k);
    FATHOM_THEN(status, fathom_schema_set_texts(member, count, context, text, texts));
    fathom_memory_free(context, text);
    return status;
}

static fathom_status read_categories(fathom_column *column, fathom_context *context,
                                     const fathom_json *object)
{
    fathom_status status = read_texts(&column->category, &column->categories, context, object, "categories");
    FATHOM_THEN(status, fathom_json_get_bool(&column->spelled, object, "spelled"));
    for (int64_t k = 1; k < column->categories && status == FATHOM_OK; k++)
        if (strcmp(column->category[k - 1], column->category[k]) >= 0)
            status = refuse(context, "categories", "texts in the order of their bytes");
    return status;
}

static fathom_status read_date(fathom_column *column, fathom_context *context, const fathom_json *object)
{
    int64_t count = 0;
    int order = 0;
    fathom_status status = read_word(&order, context, object, "order", order_names, 2);
    column->order = (fathom_date_order)order;
    FATHOM_THEN(status, fathom_json_get_count(&count, object, "parts"));
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        const char *text;
        int p = 0;
        status = fathom_json_get_text_item(&text, object, "parts", k);
        while (status == FATHOM_OK && p < PARTS && strcmp(part_names[p], text) != 0)
            p++;
        if (status == FATHOM_OK && (p == PARTS || (column->parts >> p) != 0))
            status = refuse(context, "parts", "year, month, weekday, hour in this order");
        if (status == FATHOM_OK)
            column->parts += 1 << p;
    }
    return status;
}

/* Numbers that a column becomes by what it is. */
static int64_t width_of(const fathom_column *column)
{
    int64_t width = column->as == FATHOM_COLUMN_NUMBER ? 1 : column->categories;
    for (int p = 0; p < PARTS; p++)
        width += (column->parts >> p) & 1;
    return width + column->indicator;
}

/* The unit of a number, where it has one. */
static fathom_status read_unit(fathom_column *column, fathom_context *context, const fathom_json *object)
{
    const char *text;
    if (column->as != FATHOM_COLUMN_NUMBER || !fathom_json_has(object, "unit"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_text(&text, object, "unit"));
    return fathom_schema_set_text(&column->unit, context, text);
}

static fathom_status read_use(fathom_column *column, fathom_context *context, const fathom_json *object)
{
    static const char *const uses[] = {"number", "category", "date"};
    int as;
    FATHOM_TRY(read_word(&as, context, object, "as", uses, 3));
    column->as = (fathom_column_kind)as;
    fathom_status status = fathom_json_get_bool(&column->indicator, object, "indicator");
    if (status == FATHOM_OK && column->as == FATHOM_COLUMN_CATEGORY)
        status = read_categories(column, context, object);
    else if (status == FATHOM_OK)
        status = fathom_json_get_real(&column->median, object, "median");
    if (status == FATHOM_OK && column->as == FATHOM_COLUMN_DATE)
        status = read_date(column, context, object);
    FATHOM_THEN(status, read_unit(column, context, object));
    if (status == FATHOM_OK &&
        (!isfinite(column->median) || (column->as == FATHOM_COLUMN_DATE && fabs(column->median) > 1e12)))
        status = refuse(context, "median", "a finite number");
    if (status == FATHOM_OK && width_of(column) != column->width)
        status = refuse(context, "width", "what the column becomes");
    return status;
}

static fathom_status read_column(fathom_column *column, fathom_context *context, const fathom_json *object)
{
    const char *kinds[KINDS], *text;
    int kind = 0;
    for (int k = 0; k < KINDS; k++)
        kinds[k] = fathom_column_kind_name((fathom_column_kind)k);
    fathom_status status = fathom_json_get_text(&text, object, "name");
    FATHOM_THEN(status, fathom_schema_set_text(&column->name, context, text));
    FATHOM_THEN(status, fathom_json_get_text(&text, object, "use"));
    FATHOM_THEN(status, fathom_schema_set_text(&column->use, context, text));
    FATHOM_THEN(status, read_word(&kind, context, object, "kind", kinds, KINDS));
    column->kind = (fathom_column_kind)kind;
    FATHOM_THEN(status, fathom_json_get_integer(&column->missing, object, "missing"));
    FATHOM_THEN(status, fathom_json_get_integer(&column->width, object, "width"));
    if (status == FATHOM_OK && column->width < 0)
        status = refuse(context, "width", "0 or more");
    return status == FATHOM_OK && column->width > 0 ? read_use(column, context, object) : status;
}

static fathom_status read_columns(fathom_schema **schema, fathom_context *context, fathom_json *object,
                                  int64_t width)
{
    fathom_json *list, *item;
    int64_t left = width;
    fathom_status status = fathom_json_get_list(&list, object, "columns");
    FATHOM_THEN(status, fathom_schema_create(schema, context, fathom_json_count(list)));
    for (int64_t k = 0; status == FATHOM_OK && k < (*schema)->columns; k++) {
        fathom_column *column = fathom_schema_column(*schema, k);
        status = fathom_json_get_item(&item, list, k);
        FATHOM_THEN(status, read_column(column, context, item));
        if (status == FATHOM_OK && column->width > left)
            status = refuse(context, "width", "no more numbers than the network takes");
        left -= column->width;
    }
    return status == FATHOM_OK && left != 0 ? refuse(context, "width", "as many numbers as the network takes")
                                            : status;
}

fathom_status fathom_schema_read(fathom_schema **schema, fathom_context *context, fathom_json *object,
                                 int64_t width)
{
    *schema = NULL;
    fathom_status status = read_columns(schema, context, object, width);
    FATHOM_THEN(status, fathom_json_get_bool(&(*schema)->named, object, "named"));
    FATHOM_THEN(status, fathom_json_get_integer(&(*schema)->target, object, "target"));
    if (status == FATHOM_OK && ((*schema)->target < -1 || (*schema)->target > (*schema)->columns))
        status = refuse(context, "target", "the place of a column");
    if (status == FATHOM_OK)
        status =
            read_texts(&(*schema)->missing_text, &(*schema)->missing_texts, context, object, "missing_text");
    if (status == FATHOM_OK)
        return FATHOM_OK;
    fathom_schema_free(context, *schema);
    *schema = NULL;
    return status;
}
