/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a table as inputs of an ONNX graph, each n x 1 under its own name, and x made of them as in
 * schema_design.c:
 *
 *     number     v = Where(IsNaN(c), median, c), and 1[IsNaN(c)] where the model has an indicator
 *     text       1[code = k], code of a LabelEncoder (ai.onnx.ml): the categories, then what stands for a missing cell
 *     category whose texts are numbers    1[c = value_k], 1[IsNaN(c)]
 *     date       its parts, c in seconds since 1970-01-01, a double in graphs of float, too
 *
 * The calendar counts from the 1st of March of the year 0, so that leap days end years: with z = day + 719468 days since
 * then, era = floor(z/146097) of 400 years, the day doe of the era, its year yoe = floor((doe - floor(doe/1460) +
 * floor(doe/36524) - floor(doe/146096))/365), the day doy of that year, and mp = floor((5 doy + 2)/153) the month from
 * March. Numbers are integers below 2^53 and divisors below 2^18: floors of rounded quotients are those of the quotients.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export_onnx.h"
#include "memory.h"

enum { NAME = 24, VALUES = 160 };

/* Values of one column that have no name: cK_0, cK_1, ... */
typedef struct column_values {
    fathom_onnx_graph *graph;
    int64_t column;
    int used;
    char name[VALUES][NAME];
} column_values;

bool fathom_onnx_needs_table(const fathom_schema *schema)
{
    for (int64_t k = 0; schema && k < schema->columns; k++) {
        const fathom_column *column = schema->column + k;
        if (column->width != 1 || column->as != FATHOM_COLUMN_NUMBER)
            return true;
    }
    return false;
}

static const char *new_name(column_values *v)
{
    char *name = v->name[v->used];
    snprintf(name, NAME, "c%lld_%d", (long long)v->column, v->used);
    v->used += v->used + 1 < VALUES;
    return name;
}

static const char *number(column_values *v, double value)
{
    const char *name = new_name(v);
    fathom_onnx_double(v->graph, name, value);
    return name;
}

static const char *apply(column_values *v, const char *type, const char *a, const char *b)
{
    const char *name = new_name(v);
    fathom_onnx_node(v->graph, type, name, (const char *const[]){a, b, NULL}, NULL, 0);
    return name;
}

static const char *scaled(column_values *v, const char *a, double by)
{
    return apply(v, "Mul", a, number(v, by));
}

static const char *shifted(column_values *v, const char *a, double by)
{
    return apply(v, "Add", a, number(v, by));
}

/* floor(a / by) */
static const char *quotient(column_values *v, const char *a, double by)
{
    return apply(v, "Floor", apply(v, "Div", a, number(v, by)), NULL);
}

/* The first day of a year since 1970, y = year - 1. */
static const char *year_start(column_values *v, const char *y)
{
    const char *days = apply(v, "Add", scaled(v, y, 365), quotient(v, y, 4));
    days = apply(v, "Sub", days, quotient(v, y, 100));
    days = apply(v, "Add", days, quotient(v, y, 400));
    return shifted(v, days, -719162);
}

typedef struct civil_date {
    const char *seconds, *day, *year, *month;
} civil_date;

static civil_date find_date(column_values *v, const char *seconds)
{
    const char *day = quotient(v, seconds, 86400), *z = shifted(v, day, 719468),
               *era = quotient(v, z, 146097);
    const char *doe = apply(v, "Sub", z, scaled(v, era, 146097));
    const char *sum = apply(v, "Sub", doe, quotient(v, doe, 1460));
    sum = apply(v, "Sub", apply(v, "Add", sum, quotient(v, doe, 36524)), quotient(v, doe, 146096));
    const char *yoe = quotient(v, sum, 365);
    const char *before = apply(v, "Add", scaled(v, yoe, 365), quotient(v, yoe, 4));
    before = apply(v, "Sub", before, quotient(v, yoe, 100));
    const char *doy = apply(v, "Sub", doe, before);
    const char *mp = quotient(v, shifted(v, scaled(v, doy, 5), 2), 153), *late = quotient(v, mp, 10);
    return (civil_date){.seconds = seconds,
                        .day = day,
                        .year = apply(v, "Add", apply(v, "Add", yoe, scaled(v, era, 400)), late),
                        .month = apply(v, "Sub", shifted(v, mp, 3), scaled(v, late, 12))};
}

/* The parts of date.c. */
static const char *find_part(column_values *v, const civil_date *date, int part)
{
    if (part == FATHOM_DATE_MONTH)
        return date->month;
    if (part == FATHOM_DATE_WEEKDAY) {
        const char *since = shifted(v, date->day, 3);
        return shifted(v, apply(v, "Sub", since, scaled(v, quotient(v, since, 7), 7)), 1);
    }
    if (part == FATHOM_DATE_HOUR)
        return apply(v, "Div", apply(v, "Sub", date->seconds, scaled(v, date->day, 86400)), number(v, 3600));
    const char *first = year_start(v, shifted(v, date->year, -1)), *next = year_start(v, date->year);
    const char *length = scaled(v, apply(v, "Sub", next, first), 86400);
    const char *passed = apply(v, "Sub", date->seconds, scaled(v, first, 86400));
    return apply(v, "Add", date->year, apply(v, "Div", passed, length));
}

/* x's pieces: x0, x1, ... */
typedef struct pieces {
    fathom_onnx_graph *graph;
    int64_t count;
} pieces;

static void add_piece(pieces *x, const char *value, int type)
{
    char name[NAME];
    snprintf(name, sizeof name, "x%lld", (long long)x->count++);
    fathom_onnx_node(x->graph, "Cast", name, (const char *const[]){value, NULL, NULL}, "to", type);
}

static void put_value(pieces *x, column_values *v, const fathom_column *column, const char *input)
{
    const bool date = column->as == FATHOM_COLUMN_DATE;
    const int type = fathom_onnx_number(x->graph);
    const char *missing = apply(v, "IsNaN", input, NULL), *median = new_name(v), *value = new_name(v);
    if (date)
        fathom_onnx_double(x->graph, median, column->median);
    else
        fathom_onnx_scalar(x->graph, median, column->median);
    fathom_onnx_node(x->graph, "Where", value, (const char *const[]){missing, median, input}, NULL, 0);
    if (date) {
        const civil_date found = find_date(v, value);
        for (int part = 1; part <= FATHOM_DATE_HOUR; part *= 2)
            if (column->parts & part)
                add_piece(x, find_part(v, &found, part), type);
    } else {
        add_piece(x, value, type);
    }
    if (column->indicator)
        add_piece(x, missing, type);
}

/* Texts with a number each: categories, and all that stands for a missing cell as the last. */
static void put_texts(pieces *x, column_values *v, const fathom_column *column, const fathom_schema *schema,
                      const char *input)
{
    fathom_context *context = x->graph->message.context;
    const int64_t more = column->indicator ? schema->missing_texts + 1 : 0, count = column->categories + more;
    const char **text = fathom_memory_alloc(context, count, sizeof *text);
    int64_t *value = fathom_memory_alloc(context, count, sizeof *value);
    if (!text || !value) {
        x->graph->message.status = FATHOM_ERROR_MEMORY;
    } else {
        for (int64_t k = 0; k < count; k++) {
            const int64_t word = k - column->categories;
            text[k] = word < 0                       ? column->category[k]
                      : word < schema->missing_texts ? schema->missing_text[word]
                                                     : "";
            value[k] = word < 0 ? k : column->categories;
        }
        const char *code = new_name(v), *places = new_name(v);
        fathom_onnx_encode(x->graph, code, input, text, value, count);
        for (int64_t k = 0; k < column->width; k++)
            value[k] = k;
        fathom_onnx_integers(x->graph, places, value, column->width);
        add_piece(x, apply(v, "Equal", code, places), fathom_onnx_number(x->graph));
    }
    FATHOM_FREE(context, text, value);
}

static void put_spelled(pieces *x, column_values *v, const fathom_column *column, const char *input)
{
    fathom_context *context = x->graph->message.context;
    double *value = fathom_memory_alloc(context, column->categories, sizeof *value);
    if (!value) {
        x->graph->message.status = FATHOM_ERROR_MEMORY;
        return;
    }
    for (int64_t k = 0; k < column->categories; k++)
        value[k] = strtod(column->category[k], NULL);
    const char *values = new_name(v);
    fathom_onnx_constant(x->graph, values, value, column->categories, -1);
    fathom_memory_free(context, value);
    if (column->categories > 0)
        add_piece(x, apply(v, "Equal", input, values), fathom_onnx_number(x->graph));
    if (column->indicator)
        add_piece(x, apply(v, "IsNaN", input, NULL), fathom_onnx_number(x->graph));
}

/* "=NAME"; names of outputs are taken, columns of these names end in an underscore. */
static void name_input(char *name, size_t size, const fathom_column *column)
{
    const char *text = column->name;
    const bool taken =
        strcmp(text, "output") == 0 || strcmp(text, "label") == 0 || strcmp(text, "probabilities") == 0;
    snprintf(name, size, "=%s%s", text, taken ? "_" : "");
}

static void put_column(pieces *x, const fathom_schema *schema, int64_t k)
{
    const fathom_column *column = schema->column + k;
    const bool text = column->as == FATHOM_COLUMN_CATEGORY && !column->spelled;
    const size_t size = strlen(column->name) + 3;
    fathom_context *context = x->graph->message.context;
    column_values *v = fathom_memory_zero(context, 1, sizeof *v);
    char *input = fathom_memory_alloc(context, (int64_t)size, 1);
    if (!v || !input) {
        x->graph->message.status = FATHOM_ERROR_MEMORY;
    } else {
        v->graph = x->graph;
        v->column = k;
        name_input(input, size, column);
        fathom_onnx_value(x->graph, FATHOM_ONNX_INPUT, input,
                          text                               ? FATHOM_ONNX_TEXT
                          : column->as == FATHOM_COLUMN_DATE ? FATHOM_ONNX_DOUBLE
                                                             : fathom_onnx_number(x->graph),
                          1);
        if (text)
            put_texts(x, v, column, schema, input);
        else if (column->as == FATHOM_COLUMN_CATEGORY)
            put_spelled(x, v, column, input);
        else
            put_value(x, v, column, input);
    }
    FATHOM_FREE(context, v, input);
}

void fathom_onnx_put_table(fathom_onnx_graph *graph, const fathom_schema *schema)
{
    pieces x = {graph, 0};
    for (int64_t k = 0; k < schema->columns; k++)
        if (schema->column[k].width > 0)
            put_column(&x, schema, k);
    fathom_onnx_concatenate(graph, "x", "x", x.count);
}
