/* SPDX-License-Identifier: Apache-2.0 */
/* fathom explain MODEL DATA: every prediction as a sum over columns and neurons, and how far another class
 * is. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ROWS = 10, SHOWN_COLUMNS = 6, NAME_SIZE = 32 };

/* One column of the table: the design columns [first, first + width). */
typedef struct part {
    const char *name;
    char number[NAME_SIZE]; /* stands for a name */
    int64_t first, width;
    double value; /* of the row and output at hand */
} part;

/* The columns of the table that became columns of the model; those of the model where there is no table.
 * Gives their number. */
static int64_t list_parts(part *parts, const fathom_preprocess *how)
{
    int64_t count = 0, first = 0;
    for (int64_t k = 0; how->schema && k < how->schema->columns; k++) {
        const fathom_column *column = how->schema->column + k;
        if (column->width > 0)
            parts[count++] = (part){.name = column->name, .first = first, .width = column->width};
        first += column->width;
    }
    for (int64_t l = 0; !how->schema && l < how->columns; l++)
        parts[count++] = (part){.name = how->name ? how->name[l] : NULL, .first = l, .width = 1};
    for (int64_t k = 0; k < count; k++) {
        snprintf(parts[k].number, sizeof parts[k].number, "%lld", (long long)k);
        parts[k].name = parts[k].name ? parts[k].name : parts[k].number;
    }
    return count;
}

static double sum_of(const part *p, const double *column)
{
    double sum = 0;
    for (int64_t l = p->first; l < p->first + p->width; l++)
        sum += column[l];
    return sum;
}

/* A number where the model has one output, else a list. */
static fathom_status set_numbers(fathom_json *object, const char *key, const double *values, int64_t count)
{
    return count == 1 ? fathom_json_set_real(object, key, values[0])
                      : fathom_json_set_vector(object, key, values, count);
}

static fathom_status set_columns(fathom_json *row, const fathom_explanation *e, int64_t i, const part *parts,
                                 int64_t count, double *work)
{
    fathom_json *list, *item;
    fathom_status status = fathom_json_set_list(row, "columns", &list);
    for (int64_t p = 0; p < count && status == FATHOM_OK; p++) {
        for (int64_t k = 0; k < e->outputs; k++)
            work[k] = sum_of(parts + p, e->column + (i * e->outputs + k) * e->columns);
        status = fathom_json_append_object(list, &item);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(item, "name", parts[p].name);
        if (status == FATHOM_OK)
            status = set_numbers(item, "value", work, e->outputs);
    }
    return status;
}

static fathom_status set_nearest(fathom_json *row, const fathom_explanation *e, int64_t i,
                                 const fathom_classes *classes)
{
    fathom_json *object;
    if (e->label[i] < 0)
        return fathom_json_set_null(row, "nearest");
    fathom_status status = fathom_json_set_text(row, "class", classes->name[e->label[i]]);
    if (status == FATHOM_OK)
        status = fathom_json_set_object(row, "nearest", &object);
    if (status != FATHOM_OK)
        return status;
    return CLI_SET(object, cli_real("lower", e->lower[i]), cli_real("upper", e->upper[i]),
                   cli_text("class", e->other[i] < 0 ? NULL : classes->name[e->other[i]]));
}

static fathom_status set_row(fathom_json *rows, const fathom_explanation *e, int64_t i, const part *parts,
                             int64_t count, const fathom_classes *classes, double *work)
{
    fathom_json *row;
    fathom_status status = fathom_json_append_object(rows, &row);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(row, "row", i);
    if (status == FATHOM_OK)
        status = set_numbers(row, "output", e->output + i * e->outputs, e->outputs);
    if (status == FATHOM_OK)
        status = set_numbers(row, "base", e->base + i * e->outputs, e->outputs);
    if (status == FATHOM_OK)
        status = set_numbers(row, "rounding", e->rounding + i * e->outputs, e->outputs);
    if (status == FATHOM_OK)
        status = set_columns(row, e, i, parts, count, work);
    if (status == FATHOM_OK)
        status = fathom_json_set_matrix(row, "neurons", e->neuron + i * e->outputs * e->neurons, e->outputs,
                                        e->neurons, e->neurons);
    return status == FATHOM_OK ? set_nearest(row, e, i, classes) : status;
}

static int larger_first(const void *a, const void *b)
{
    const double x = fabs(((const part *)a)->value), y = fabs(((const part *)b)->value);
    return (x < y) - (x > y);
}

/* The output that decides: of the class, or the first. `shown` is a copy of the parts, put into the order
 * of their size. */
static void say_row(const cli_invocation *invocation, const fathom_explanation *e, int64_t i, part *shown,
                    int64_t count, const fathom_classes *classes)
{
    const int64_t k = e->label[i] >= 0 && e->outputs > 1 ? e->label[i] : 0, at = i * e->outputs + k;
    char text[1024];
    int used = snprintf(text, sizeof text, "row %-8lld %s%s%.5g = %.5g", (long long)i,
                        e->label[i] >= 0 ? classes->name[e->label[i]] : "", e->label[i] >= 0 ? ": " : "",
                        e->output[at], e->base[at]);
    for (int64_t p = 0; p < count; p++)
        shown[p].value = sum_of(shown + p, e->column + at * e->columns);
    qsort(shown, (size_t)count, sizeof *shown, larger_first);
    double rest = 0;
    for (int64_t p = 0; p < count; p++) {
        if (p >= SHOWN_COLUMNS)
            rest += shown[p].value;
        else if (used >= 0 && used < (int)sizeof text)
            used += snprintf(text + used, sizeof text - (size_t)used, " %c %.5g (%.40s)",
                             shown[p].value < 0 ? '-' : '+', fabs(shown[p].value), shown[p].name);
    }
    if (count > SHOWN_COLUMNS && used >= 0 && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, " %c %.5g (others)", rest < 0 ? '-' : '+',
                 fabs(rest));
    cli_say(invocation, "%s", text);
    if (e->label[i] < 0 || !(e->lower[i] > 0))
        return;
    if (e->other[i] >= 0)
        cli_say(invocation, "             another class is at least %s away; %s is at %s",
                cli_below(e->lower[i], 4).text, classes->name[e->other[i]], cli_above(e->upper[i], 4).text);
    else
        cli_say(invocation, "             another class is at least %s away; none was found",
                cli_below(e->lower[i], 4).text);
}

static fathom_status report(cli_invocation *invocation, const fathom_model *model,
                            const fathom_explanation *e)
{
    const fathom_model_view view = fathom_model_look(model);
    const int64_t most =
        view.preprocess.columns + (view.preprocess.schema ? view.preprocess.schema->columns : 0) + 1;
    part *parts = fathom_context_allocate(invocation->context, 2 * most, sizeof *parts);
    double *work = fathom_context_allocate(invocation->context, e->outputs + 1, sizeof *work);
    fathom_json *rows;
    fathom_status status =
        parts && work ? fathom_json_set_list(invocation->result, "rows", &rows) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const int64_t count = list_parts(parts, &view.preprocess);
        for (int64_t i = 0; i < e->n && status == FATHOM_OK && invocation->run.json; i++)
            status = set_row(rows, e, i, parts, count, &view.classes, work);
        memcpy(parts + most, parts, (size_t)count * sizeof *parts); /* names may point into the first half */
        for (int64_t i = 0; i < e->n && i < SHOWN_ROWS && status == FATHOM_OK; i++)
            say_row(invocation, e, i, parts + most, count, &view.classes);
        if (e->n > SHOWN_ROWS)
            cli_say(invocation, "and %lld rows more (--rows A:B, --json)", (long long)(e->n - SHOWN_ROWS));
        cli_say(invocation,
                "each sum is exact but for rounding; distances are in the columns as the network sees them%s",
                view.preprocess.normalize == FATHOM_NORMALIZE_STANDARDIZE ? " (standard deviations)" : "");
    }
    fathom_context_release(invocation->context, parts);
    fathom_context_release(invocation->context, work);
    return status;
}

fathom_status cli_run_explain(cli_invocation *invocation, int *exit_code)
{
    const fathom_data_options *options = cli_options(invocation, &fathom_data_option_table);
    fathom_model *model;
    fathom_data *data = NULL;
    fathom_explanation *explanation = NULL;
    (void)exit_code;
    fathom_status status = fathom_model_read(&model, invocation->context, invocation->argument[0]);
    if (status != FATHOM_OK)
        return status;
    status = fathom_model_open_data(&data, model, invocation->context, invocation->argument[1], options);
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        status = cli_set_shape(invocation, &view);
    }
    if (status == FATHOM_OK)
        status = fathom_model_explain(&explanation, model, data);
    if (status == FATHOM_OK)
        status = report(invocation, model, explanation);
    fathom_explanation_free(explanation);
    fathom_data_free(data);
    fathom_model_free(model);
    return status;
}
