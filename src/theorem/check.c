/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of theorems: the table, one check from options to verdict, and its JSON.
 *
 * A theorem applies where all of its hypotheses hold on the data, the network and the run; it does not where one fails; and
 * it is undecided where one could not be measured, or an interval around it holds the threshold. Independently of that its
 * bounds are compared with a run: `holds`.
 */
#include "fathom/check.h"
#include "inner/check.h"
#include "inner/data.h"
#include "inner/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "memory.h"
#include "theorem_internal.h"

#define OWNER fathom_check_options
static const fathom_option rows[] = {FATHOM_CHECK_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_check_option_table =
    FATHOM_OPTION_TABLE("Check", rows, fathom_check_options);

static const theorem_row *const papers[] = {theorem_rows_000, theorem_rows_001, theorem_rows_002,
                                            theorem_rows_003, theorem_rows_004};
enum { PAPERS = sizeof papers / sizeof *papers };

static const theorem_row *row_at(int64_t index)
{
    for (int paper = 0; paper < PAPERS; paper++)
        for (const theorem_row *row = papers[paper]; row->id; row++)
            if (index-- == 0)
                return row;
    return NULL;
}

const char *fathom_check_get(int64_t index, const char **statement)
{
    const theorem_row *row = index >= 0 ? row_at(index) : NULL;
    if (row && statement)
        *statement = row->statement;
    return row ? row->id : NULL;
}

/* "002:Lemma 15" as "002:15": words before the number do not matter, nor do case and spaces. */
static void normalise(char *out, size_t size, const char *text)
{
    static const char *const word[] = {"theorem", "thm", "lemma", "assumption", "proposition", "prop"};
    size_t used = 0;
    for (; *text && used + 1 < size; text++)
        if (isalnum((unsigned char)*text) || strchr(":.-", *text))
            out[used++] = (char)tolower((unsigned char)*text);
    out[used] = 0;
    char *id = strchr(out, ':');
    for (size_t k = 0; id && k < sizeof word / sizeof *word; k++) {
        const size_t length = strlen(word[k]);
        if (strncmp(id + 1, word[k], length) == 0) {
            const char *rest = id + 1 + length;
            rest += *rest == '.' || *rest == '-';
            memmove(id + 1, rest, strlen(rest) + 1);
        }
    }
}

static const theorem_row *find(const char *text)
{
    char id[64];
    normalise(id, sizeof id, text);
    const theorem_row *row;
    for (int64_t k = 0; (row = row_at(k)); k++)
        if (strcmp(row->id, id) == 0)
            return row;
    return NULL;
}

bool fathom_check_uses(const fathom_check_options *options, const char *name)
{
    const theorem_row *row = options->widths    ? &theorem_row_widths
                             : options->theorem ? find(options->theorem)
                                                : NULL;
    return !row || theorem_uses(row, options->solve, name, strlen(name));
}

/* Dense points and one target each. */
static fathom_status copy_points(theorem_run *run, bool numbers)
{
    const fathom_data_view view = fathom_data_look(run->data);
    const double *y = view.y;
    int64_t outputs = view.outputs;
    fathom_status status = FATHOM_OK;
    if (view.n < 1 || view.d < 1 || outputs < 1)
        return fathom_error_set(run->context, FATHOM_ERROR_INPUT, "a theorem needs examples with targets");
    if (!numbers)
        status = fathom_data_code_classes(&y, &outputs, run->data);
    if (status == FATHOM_OK && outputs != 1)
        status = fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                  "this theorem is about two classes (--classes A,B) or one target");
    FATHOM_THEN(status, fathom_dense_copy(&run->x, &view, run->context));
    if (status != FATHOM_OK)
        return status;
    run->n = view.n, run->d = view.d;
    run->y = fathom_memory_alloc(run->context, view.n, sizeof(double));
    if (!run->y)
        return FATHOM_ERROR_MEMORY;
    memcpy(run->y, y, (size_t)view.n * sizeof(double));
    for (int64_t i = 0; i < view.n; i++)
        run->reach = fmax(run->reach, fathom_blas_norm(run->x + i * view.d, view.d));
    return FATHOM_OK;
}

/* 1 where all lines that say something hold, 0 where one fails, else -1; none: -1. *line is the one that decides. */
static int judge(const fathom_check_item *item, int64_t count, const fathom_check_item **line)
{
    int holds = 1;
    int64_t counted = 0;
    *line = NULL;
    for (int64_t k = 0; k < count; k++) {
        counted += !item[k].vacuous;
        if (!item[k].vacuous && item[k].holds < 1 && (holds == 1 || (holds == -1 && item[k].holds == 0))) {
            holds = item[k].holds;
            *line = item + k;
        }
    }
    return counted > 0 ? holds : -1;
}

/* A number of six digits, in words where it is not finite; side -1: not above it, 1: not below it, 0: the nearest. The
 * digits are a whole number, and the next one on the side asked for is by one larger or smaller. */
static void format_number(char text[32], double value, int side)
{
    enum { DIGITS = 6 };
    const char *word = isnan(value) ? "not known" : value > 0 ? "infinite" : "minus infinite";
    if (!isfinite(value)) {
        snprintf(text, 32, "%s", word);
        return;
    }
    snprintf(text, 32, "%.*g", DIGITS, value);
    if (side * (strtod(text, NULL) - value) >= 0)
        return;
    char digits[32];
    snprintf(digits, sizeof digits, "%.*e", DIGITS - 1, value);
    const char *mark = strchr(digits, 'e');
    long long whole = 0;
    for (const char *at = digits; at < mark; at++)
        whole = *at >= '0' && *at <= '9' ? 10 * whole + (*at - '0') : whole;
    whole = (signbit(value) ? -whole : whole) + side;
    snprintf(digits, sizeof digits, "%llde%ld", whole, strtol(mark + 1, NULL, 10) - DIGITS + 1);
    snprintf(text, 32, "%.*g", DIGITS, strtod(digits, NULL));
}

/* One number, or both ends of an interval, rounded outward. */
static void format_range(char text[80], double lower, double upper)
{
    char low[32], high[32];
    const bool point = lower == upper || isnan(lower);
    format_number(low, lower, point ? 0 : -1);
    format_number(high, upper, 1);
    if (point)
        snprintf(text, 80, "%s", low);
    else
        snprintf(text, 80, "[%s, %s]", low, high);
}

/* "0.3 >= 0.5", with intervals where they are not points. */
void fathom_check_item_format(char *text, size_t size, const fathom_check_item *item)
{
    char value[80], required[80];
    format_range(value, item->lower, item->upper);
    format_range(required, item->required_lower, item->required_upper);
    snprintf(text, size, "%s %s %s", value, item->relation, required);
}

/* The deciding hypothesis in words. */
static void explain(char *text, size_t size, const fathom_check_item *line)
{
    char relation[200];
    if (isnan(line->lower) && isnan(line->upper)) {
        snprintf(text, size, "%s could not be measured%s%s", line->name, line->note ? ": " : "",
                 line->note ? line->note : "");
        return;
    }
    fathom_check_item_format(relation, sizeof relation, line);
    snprintf(text, size, "%s: %s %s%s%s", line->name, relation,
             line->holds == 0 ? "does not hold" : "is not decided", line->note ? ", " : "",
             line->note ? line->note : "");
}

static const char *conclusion_of(const fathom_check_result *result)
{
    static const char *const run[] = {"its conclusion is undecided on the run",
                                      "its conclusion fails on the run", "its conclusion holds on the run"};
    bool vacuous =
        result->comparisons > 0 && result->complete; /* what a cut run left out may say something */
    for (int64_t k = 0; k < result->comparisons; k++)
        vacuous = vacuous && result->comparison[k].vacuous;
    return vacuous                    ? "its bound is vacuous: every run meets it"
           : result->comparisons == 0 ? "nothing was compared"
                                      : run[result->holds + 1];
}

static void conclude(fathom_check_result *result)
{
    const fathom_check_item *line, *bound;
    result->applies = judge(result->hypothesis, result->hypotheses, &line);
    result->holds = judge(result->comparison, result->comparisons, &bound);
    if (line)
        explain(result->because, sizeof result->because, line);
    snprintf(result->conclusion, sizeof result->conclusion, "%s %s%s%s; %s%s%s", result->theorem,
             fathom_check_verdict(result), line ? ": " : "", result->because, conclusion_of(result),
             bound ? ": " : "", bound ? bound->name : "");
}

/* A limit of the context breaks what was measured, whoever noticed. */
static void finish(theorem_run *run)
{
    const fathom_stop stop = fathom_context_stop_reason(run->context);
    if (stop != FATHOM_STOP_NONE)
        theorem_break(run, stop == FATHOM_STOP_TIME ? "time limit" : "interrupted");
    run->result->complete = !run->broken;
    run->result->incomplete = run->broken;
    conclude(run->result);
}

const char *fathom_check_verdict(const fathom_check_result *result)
{
    return result->applies == 1 ? "applies" : result->applies == 0 ? "does not apply" : "undecided";
}

fathom_status fathom_check_run(fathom_check_result *result, fathom_context *context, fathom_data *data,
                               const fathom_check_options *options)
{
    theorem_run run = {.context = context, .data = data, .options = options, .result = result};
    *result = (fathom_check_result){.applies = -1, .holds = -1};
    FATHOM_TRY(fathom_options_check(context, options, &fathom_check_option_table));
    if (!options->theorem && !options->widths)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--theorem PAPER:ID is missing (--list names them)");
    if (options->widths && (options->theorem || options->solve))
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--widths is about all theorems: without --theorem and --solve");
    const theorem_row *row = options->widths ? &theorem_row_widths : find(options->theorem);
    if (!row)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--theorem %s: no such theorem, try 002:1 (--list names them)",
                                options->theorem);
    result->theorem = row->id;
    result->statement = row->statement;
    result->correction = row->correction;
    run.row = row;
    fathom_status status = theorem_options_check(&run);
    FATHOM_THEN(status, copy_points(&run, row->numbers));
    FATHOM_THEN(status, theorem_standing(&run));
    FATHOM_THEN(status, options->solve ? theorem_solve(&run) : row->check(&run));
    fathom_context_wind_up(context);
    if (status == FATHOM_ERROR_STOPPED && run.row)
        status = FATHOM_OK; /* what was measured stands, the rest is undecided */
    FATHOM_FREE(context, run.x, run.y);
    if (status == FATHOM_OK)
        finish(&run);
    return status;
}

static fathom_status set_truth(fathom_json *object, const char *key, int value)
{
    return value < 0 ? fathom_json_set_null(object, key) : fathom_json_set_bool(object, key, value != 0);
}

static fathom_status set_item(fathom_json *member, const fathom_check_item *item)
{
    const struct {
        const char *key;
        double value;
    } number[] = {{"value", item->value},
                  {"lower", item->lower},
                  {"upper", item->upper},
                  {"required", item->required},
                  {"required_lower", item->required_lower},
                  {"required_upper", item->required_upper}};
    FATHOM_TRY(fathom_json_set_text(member, "name", item->name));
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        FATHOM_TRY(fathom_json_set_real(member, number[k].key, number[k].value));
    FATHOM_TRY(fathom_json_set_text(member, "relation", item->relation));
    FATHOM_TRY(fathom_json_set_bool(member, "vacuous", item->vacuous));
    FATHOM_TRY(fathom_json_set_text(member, "note", item->note));
    return set_truth(member, "holds", item->holds);
}

static fathom_status set_items(fathom_json *object, const char *key, const fathom_check_item *item,
                               int64_t count)
{
    fathom_json *list, *member;
    fathom_status status = fathom_json_set_list(object, key, &list);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_json_append_object(list, &member);
        FATHOM_THEN(status, set_item(member, item + k));
    }
    return status;
}

/* What --solve and --widths found; null otherwise. */
static fathom_status set_needs(fathom_json *object, const fathom_check_result *result)
{
    fathom_json *list, *member;
    if (result->needs == 0)
        return fathom_json_set_null(object, "least");
    fathom_status status = fathom_json_set_list(object, "least", &list);
    for (int64_t k = 0; k < result->needs && status == FATHOM_OK; k++) {
        const fathom_check_need *need = result->need + k;
        status = fathom_json_append_object(list, &member);
        FATHOM_THEN(status, fathom_json_set_text(member, "theorem", need->theorem));
        FATHOM_THEN(status, fathom_json_set_text(member, "what", need->what));
        FATHOM_THEN(status, fathom_json_set_real(member, "lower", need->lower));
        FATHOM_THEN(status, fathom_json_set_real(member, "upper", need->upper));
        FATHOM_THEN(status, fathom_json_set_text(member, "note", need->note));
    }
    return status;
}

fathom_status fathom_check_set(fathom_json *object, const fathom_check_result *result)
{
    const struct {
        const char *key, *value;
    } text[] = {{"theorem", result->theorem},
                {"statement", result->statement},
                {"correction", result->correction},
                {"choices", result->choices},
                {"verdict", fathom_check_verdict(result)},
                {"because", result->because},
                {"conclusion", result->conclusion},
                {"incomplete", result->incomplete}};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        FATHOM_TRY(fathom_json_set_text(object, text[k].key, text[k].value));
    FATHOM_TRY(set_items(object, "hypotheses", result->hypothesis, result->hypotheses));
    FATHOM_TRY(set_items(object, "comparisons", result->comparison, result->comparisons));
    FATHOM_TRY(set_needs(object, result));
    FATHOM_TRY(fathom_json_set_bool(object, "complete", result->complete));
    return set_truth(object, "holds", result->holds);
}
