/* SPDX-License-Identifier: Apache-2.0 */
/* fathom explain MODEL DATA: every prediction as a sum over columns and neurons, and how far another class
 * is. */
#include "commands.h"
#include "inner/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 13 };
enum { SHOWN_ROWS = 10, BLOCK = 64, SHOWN_COLUMNS = 6, PICTURED_ROWS = 5, NAME_SIZE = 32 };

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
        FATHOM_THEN(status, fathom_json_set_text(item, "name", parts[p].name));
        FATHOM_THEN(status, set_numbers(item, "value", work, e->outputs));
    }
    return status;
}

static fathom_status set_nearest(fathom_json *row, const fathom_explanation *e, int64_t i,
                                 const fathom_classes *classes)
{
    fathom_json *object;
    if (e->label[i] < 0)
        return fathom_json_set_null(row, "nearest");
    FATHOM_TRY(fathom_json_set_text(row, "class", classes->name[e->label[i]]));
    FATHOM_TRY(fathom_json_set_object(row, "nearest", &object));
    return CLI_SET(object, cli_real("lower", e->lower[i]), cli_real("upper", e->upper[i]),
                   cli_text("class", e->other[i] < 0 ? NULL : classes->name[e->other[i]]));
}

static fathom_status set_row(fathom_json *rows, const fathom_explanation *e, int64_t i, int64_t first,
                             const part *parts, int64_t count, const fathom_classes *classes, double *work)
{
    fathom_json *row;
    FATHOM_TRY(fathom_json_append_object(rows, &row));
    FATHOM_TRY(fathom_json_set_integer(row, "row", first + i));
    FATHOM_TRY(set_numbers(row, "output", e->output + i * e->outputs, e->outputs));
    FATHOM_TRY(set_numbers(row, "base", e->base + i * e->outputs, e->outputs));
    FATHOM_TRY(set_numbers(row, "rounding", e->rounding + i * e->outputs, e->outputs));
    FATHOM_TRY(set_columns(row, e, i, parts, count, work));
    FATHOM_TRY(fathom_json_set_matrix(row, "neurons", e->neuron + i * e->outputs * e->neurons, e->outputs,
                                      e->neurons, e->neurons));
    return set_nearest(row, e, i, classes);
}

static int larger_first(const void *a, const void *b)
{
    const double x = fabs(((const part *)a)->value), y = fabs(((const part *)b)->value);
    if (x != y)
        return x < y ? 1 : -1;
    return ((const part *)a)->first < ((const part *)b)->first ? -1 : 1;
}

/* The output that decides: of the class, or the first. */
static int64_t deciding(const fathom_explanation *e, int64_t i)
{
    return i * e->outputs + (e->label[i] >= 0 && e->outputs > 1 ? e->label[i] : 0);
}

/* `shown`, a copy of the parts, in the order of what they add to output `at`. */
static void order_parts(part *shown, int64_t count, const fathom_explanation *e, int64_t at)
{
    for (int64_t p = 0; p < count; p++)
        shown[p].value = sum_of(shown + p, e->column + at * e->columns);
    qsort(shown, (size_t)count, sizeof *shown, larger_first);
}

/* For the picture: the largest parts of the first rows. */
static fathom_status set_contributions(fathom_json *list, const fathom_explanation *e, int64_t i,
                                       int64_t first, part *shown, int64_t count,
                                       const fathom_classes *classes)
{
    char row[96];
    fathom_json *item;
    order_parts(shown, count, e, deciding(e, i));
    snprintf(row, sizeof row, "row %lld%s%.60s", (long long)(first + i), e->label[i] >= 0 ? ": " : "",
             e->label[i] >= 0 ? classes->name[e->label[i]] : "");
    for (int64_t p = 0; p < count && p < SHOWN_COLUMNS; p++) {
        FATHOM_TRY(fathom_json_append_object(list, &item));
        FATHOM_TRY(CLI_SET(item, cli_text("row", row), cli_text("name", shown[p].name),
                           cli_real("value", shown[p].value)));
    }
    return FATHOM_OK;
}

/* A sum in lines of at most WIDTH columns; those after the first are indented. */
typedef struct lines {
    const cli_invocation *invocation;
    char text[256];
    size_t used;
} lines;

static void end_line(lines *l)
{
    cli_say(l->invocation, "%s", l->text);
    l->used = (size_t)snprintf(l->text, sizeof l->text, "%*s", INDENT - 1, "");
}

static void add_term(lines *l, double value, const char *name)
{
    char term[96];
    const int size =
        snprintf(term, sizeof term, " %c %.5g (%.40s)", value < 0 ? '-' : '+', fabs(value), name);
    if (l->used + (size_t)size > WIDTH)
        end_line(l);
    l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s", term);
}

static void say_row(const cli_invocation *invocation, const fathom_explanation *e, int64_t i, int64_t first,
                    part *shown, int64_t count, const fathom_classes *classes)
{
    const int64_t at = deciding(e, i);
    lines l = {.invocation = invocation};
    l.used = (size_t)snprintf(l.text, sizeof l.text, "row %-8lld %.60s%s%.5g = %.5g", (long long)(first + i),
                              e->label[i] >= 0 ? classes->name[e->label[i]] : "",
                              e->label[i] >= 0 ? ": " : "", e->output[at], e->base[at]);
    order_parts(shown, count, e, at);
    double rest = 0;
    for (int64_t p = 0; p < count; p++) {
        if (p >= SHOWN_COLUMNS)
            rest += shown[p].value;
        else
            add_term(&l, shown[p].value, shown[p].name);
    }
    if (count > SHOWN_COLUMNS)
        add_term(&l, rest, "others");
    end_line(&l);
    if (e->label[i] < 0 || !(e->lower[i] > 0))
        return;
    if (e->other[i] >= 0)
        cli_say(invocation, "             another class is at least %s away; %s is at %s",
                cli_below(e->lower[i], 4).text, classes->name[e->other[i]], cli_above(e->upper[i], 4).text);
    else
        cli_say(invocation, "             another class is at least %s away; none was found",
                cli_below(e->lower[i], 4).text);
}

/* What all rows share: the parts, a copy of them to be sorted, a number for each output. */
typedef struct frame {
    fathom_classes classes;
    part *parts, *shown;
    double *work;
    int64_t count;
    fathom_json *rows, *contributions; /* lists */
} frame;

static fathom_status open_frame(frame *f, cli_invocation *invocation, const fathom_model *model)
{
    const fathom_model_view view = fathom_model_look(model);
    const int64_t most =
        view.preprocess.columns + (view.preprocess.schema ? view.preprocess.schema->columns : 0) + 1;
    *f = (frame){.classes = view.classes};
    f->parts = fathom_context_allocate(invocation->context, 2 * most, sizeof *f->parts);
    f->work =
        fathom_context_allocate(invocation->context, fathom_net_look(view.net).outputs + 1, sizeof *f->work);
    if (!f->parts || !f->work)
        return FATHOM_ERROR_MEMORY;
    f->count = list_parts(f->parts, &view.preprocess);
    f->shown = f->parts + most;
    memcpy(f->shown, f->parts, (size_t)f->count * sizeof *f->parts); /* names may point into the first half */
    return FATHOM_OK;
}

static void close_frame(const frame *f, cli_invocation *invocation)
{
    fathom_context_release(invocation->context, f->parts);
    fathom_context_release(invocation->context, f->work);
}

/* Rows first .. first + *count: into the list, or as text. *count becomes what was done before a limit. */
static fathom_status explain_rows(cli_invocation *invocation, const fathom_model *model,
                                  const fathom_data *data, const frame *f, int64_t first, int64_t *count)
{
    fathom_explanation *e;
    FATHOM_TRY(fathom_model_explain(&e, model, data, first, *count));
    fathom_status status = FATHOM_OK;
    for (int64_t i = 0; status == FATHOM_OK && i < e->n; i++) {
        if (invocation->run.json)
            status = set_row(f->rows, e, i, first, f->parts, f->count, &f->classes, f->work);
        else
            say_row(invocation, e, i, first, f->shown, f->count, &f->classes);
        if (status == FATHOM_OK && invocation->run.json && first + i < PICTURED_ROWS)
            status = set_contributions(f->contributions, e, i, first, f->shown, f->count, &f->classes);
    }
    *count = e->n;
    fathom_explanation_free(e);
    return status;
}

/* Block by block; a limit leaves the rows that are done. Without --json only the first rows are looked at. */
static fathom_status explain(cli_invocation *invocation, const fathom_model *model, const fathom_data *data,
                             int *exit_code)
{
    const int64_t n = fathom_data_look(data).n,
                  wanted = invocation->run.json || n < SHOWN_ROWS ? n : SHOWN_ROWS;
    frame f;
    fathom_status status = open_frame(&f, invocation, model);
    FATHOM_THEN(status, fathom_json_set_list(invocation->result, "rows", &f.rows));
    FATHOM_THEN(status, fathom_json_set_list(invocation->result, "contributions", &f.contributions));
    for (int64_t first = 0; first < wanted && status == FATHOM_OK && *exit_code == 0; first += BLOCK) {
        const int64_t asked = first + BLOCK < wanted ? BLOCK : wanted - first;
        int64_t count = asked;
        status = explain_rows(invocation, model, data, &f, first, &count);
        if (count < asked)
            *exit_code = EXIT_LIMIT;
    }
    close_frame(&f, invocation);
    if (status != FATHOM_OK)
        return status;
    if (n > wanted)
        cli_say(invocation, "and %lld rows more (--rows A:B, --json)", (long long)(n - wanted));
    cli_say(invocation,
            "each sum is exact but for rounding; distances are in the columns as the network sees them%s",
            fathom_model_look(model).preprocess.normalize == FATHOM_NORMALIZE_STANDARDIZE
                ? " (standard deviations)"
                : "");
    return FATHOM_OK;
}

fathom_status cli_run_explain(cli_invocation *invocation, int *exit_code)
{
    const fathom_data_options *options = cli_options(invocation, &fathom_data_option_table);
    fathom_model *model;
    fathom_data *data = NULL;
    FATHOM_TRY(fathom_model_read(&model, invocation->context, invocation->argument[0]));
    fathom_status status =
        fathom_model_open_data(&data, model, invocation->context, invocation->argument[1], options);
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        status = cli_set_shape(invocation, &view);
    }
    FATHOM_THEN(status, explain(invocation, model, data, exit_code));
    fathom_data_free(data);
    fathom_model_free(model);
    return status;
}
