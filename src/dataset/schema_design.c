/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From cells to the numbers that a schema makes of them:
 *
 *   number    its value, the median where it is missing; then, with an indicator, 1 where it is missing, else 0
 *   date      its parts, those of the median where it is missing; then the indicator
 *   category  1 in the place of its text, 0 in all others; a text without a place has no 1. Missing: the indicator, or no 1
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "date.h"
#include "memory.h"
#include "schema_internal.h"

fathom_status fathom_cell_view_open(fathom_cell_view *view, fathom_context *context,
                                    const fathom_schema *schema, const fathom_sheet *sheet)
{
    fathom_status status = FATHOM_OK;
    int64_t number;
    *view = (fathom_cell_view){.sheet = sheet, .n = sheet->rows};
    for (int64_t k = 0; k < schema->missing_texts && status == FATHOM_OK; k++)
        status = fathom_dictionary_add(&view->missing, context, &number, schema->missing_text[k],
                                       strlen(schema->missing_text[k]));
    return status;
}

const char *fathom_cell_view_at(const fathom_cell_view *view, int64_t i, int64_t column)
{
    const char *text = fathom_sheet_at(view->sheet, view->row ? view->row[i] : i, column);
    return *text && fathom_dictionary_find(&view->missing, text, strlen(text)) < 0 ? text : NULL;
}

/* A value, or NaN, as the numbers of a number or date. */
static void put_value(double *x, const fathom_column *column, double value)
{
    const bool missing = isnan(value);
    const double known = missing ? column->median : value;
    int64_t place = 0;
    if (column->as == FATHOM_COLUMN_NUMBER)
        x[place++] = known;
    for (int p = 0; column->as == FATHOM_COLUMN_DATE && p < 4; p++)
        if (column->parts & (1 << p))
            x[place++] = fathom_date_part_of(known, 1 << p);
    if (column->indicator)
        x[place] = missing;
}

void fathom_schema_fill_numbers(double *x, int64_t d, const fathom_column *column, const double *value,
                                int64_t n, int64_t stride)
{
    for (int64_t i = 0; column->width > 0 && i < n; i++)
        put_value(x + i * d, column, value[i * stride]);
}

/* Cells that were not like those that the schema was made from. */
typedef struct surprises {
    int64_t missing, strange;
    const char *example;
} surprises;

static void say_surprises(fathom_context *context, const fathom_column *column, const surprises *seen)
{
    const bool category = column->as == FATHOM_COLUMN_CATEGORY;
    if (seen->strange > 0)
        fathom_log(context, FATHOM_LOG_WARNING, "column '%.80s': %lld cell%s %s ('%.40s'): taken as %s",
                   column->name, (long long)seen->strange, seen->strange == 1 ? "" : "s",
                   category                           ? "with a text that the model has not seen"
                   : column->as == FATHOM_COLUMN_DATE ? "without a date"
                                                      : "without a number",
                   seen->example, category ? "none of its texts" : "missing");
    if (seen->missing > 0 && !column->indicator)
        fathom_log(context, FATHOM_LOG_WARNING,
                   "column '%.80s': %lld cell%s missing, none was when the model was made: taken as %s",
                   column->name, (long long)seen->missing, seen->missing == 1 ? " is" : "s are",
                   category ? "none of its texts" : "the median");
}

static void fill_values(double *x, int64_t d, const fathom_column *column, const fathom_cell_view *view,
                        int64_t place, surprises *seen)
{
    for (int64_t i = 0; i < view->n; i++) {
        const char *text = fathom_cell_view_at(view, i, place);
        double value = NAN;
        const bool right =
            text && (column->as == FATHOM_COLUMN_DATE
                         ? fathom_date_parse(&value, text, column->order)
                         : fathom_sheet_quantity(&value, text, view->sheet->decimal, column->unit));
        if (text && !right) {
            seen->example = seen->strange++ == 0 ? text : seen->example;
            value = NAN;
        }
        seen->missing += !text;
        put_value(x + i * d, column, value);
    }
}

static fathom_status fill_categories(double *x, int64_t d, fathom_context *context,
                                     const fathom_column *column, const fathom_cell_view *view, int64_t place,
                                     surprises *seen)
{
    fathom_dictionary texts = {0};
    fathom_status status = FATHOM_OK;
    int64_t number;
    for (int64_t k = 0; k < column->categories && status == FATHOM_OK; k++)
        status =
            fathom_dictionary_add(&texts, context, &number, column->category[k], strlen(column->category[k]));
    for (int64_t i = 0; i < view->n && status == FATHOM_OK; i++) {
        char spelled[FATHOM_DECIMAL_SIZE];
        const char *cell = fathom_cell_view_at(view, i, place);
        const char *text = cell ? fathom_category_text(spelled, column, cell, view->sheet->decimal) : NULL;
        number = text ? fathom_dictionary_find(&texts, text, strlen(text)) : -1;
        if (number >= 0)
            x[i * d + number] = 1;
        else if (text)
            seen->example = seen->strange++ == 0 ? cell : seen->example;
        else if (column->indicator)
            x[i * d + column->width - 1] = 1;
        seen->missing += !text;
    }
    fathom_dictionary_free(context, &texts);
    return status;
}

fathom_status fathom_schema_fill(double *x, int64_t d, fathom_context *context, const fathom_schema *schema,
                                 int64_t k, const fathom_cell_view *view, int64_t column, bool known)
{
    const fathom_column *made = &schema->column[k];
    surprises seen = {0};
    fathom_status status = FATHOM_OK;
    if (made->width == 0)
        return FATHOM_OK;
    if (made->as == FATHOM_COLUMN_CATEGORY)
        status = fill_categories(x, d, context, made, view, column, &seen);
    else
        fill_values(x, d, made, view, column, &seen);
    if (status == FATHOM_OK && known)
        say_surprises(context, made, &seen);
    return status;
}
