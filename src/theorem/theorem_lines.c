/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of the checks: lines with intervals on both sides, three-valued verdicts, what breaks a check, what is refused.
 *
 * A line "value relation required" with value in [l, u] and required in [l', u'] is decided where every pair of points agrees: for "<=" it
 * holds where u <= l' and fails where l > u'. Otherwise, and where an end is not known, it is undecided. What was measured on a run that
 * was cut, diverged or stands still is undecided whatever the numbers, and a limit is never refuted by a finite run.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "number.h"
#include "option_lines.h"
#include "theorem_internal.h"

static int holds(double value, const char *relation, double required)
{
    if (isnan(value) || isnan(required))
        return -1;
    if (relation[0] == '=')
        return value == required;
    if (relation[0] == '<')
        return relation[1] ? value <= required : value < required;
    return relation[1] ? value >= required : value > required;
}

int theorem_relate(theorem_range value, const char *relation, theorem_range required)
{
    const bool less = relation[0] == '<', equal = relation[0] == '=';
    /* the pair that is hardest to hold, and the easiest */
    const int hard =
        holds(less ? value.upper : value.lower, relation, less ? required.lower : required.upper);
    const int easy =
        holds(less ? value.lower : value.upper, relation, less ? required.upper : required.lower);
    if (equal)
        return value.lower > required.upper || value.upper < required.lower     ? 0
               : value.lower == value.upper && required.lower == required.upper ? hard
                                                                                : -1;
    return hard == 1 ? 1 : easy == 0 ? 0 : -1;
}

static double middle(theorem_range r)
{
    return r.lower == r.upper || isnan(r.lower) ? r.lower
           : r.upper == INFINITY                ? r.lower
                                                : (r.lower + r.upper) / 2;
}

static fathom_check_item make(const char *name, theorem_range value, const char *relation,
                              theorem_range required)
{
    return (fathom_check_item){.name = name,
                               .value = middle(value),
                               .relation = relation,
                               .required = middle(required),
                               .holds = theorem_relate(value, relation, required),
                               .lower = value.lower,
                               .upper = value.upper,
                               .required_lower = required.lower,
                               .required_upper = required.upper};
}

/* Appends to one of the lists; `seen`: the line rests on a run. */
static void add(theorem_run *run, bool comparison, fathom_check_item item, bool seen)
{
    fathom_check_result *result = run->result;
    int64_t *count = comparison ? &result->comparisons : &result->hypotheses;
    if (seen && run->broken) {
        item.holds = -1;
        item.note = run->broken;
        item.value = item.lower = item.upper = NAN; /* of another state than the theorem's */
    }
    if (comparison && item.holds == 0 && run->chance > 0) {
        item.holds = -1;
        item.note = "one draw fails, which the theorem allows with the probability above";
    }
    if (*count < FATHOM_CHECK_ITEMS)
        (comparison ? result->comparison : result->hypothesis)[(*count)++] = item;
    run->comparison = comparison;
}

void theorem_assume(theorem_run *run, const char *name, double value, const char *relation, double required)
{
    theorem_assume_range(run, name, theorem_exact(value), relation, theorem_exact(required));
}

void theorem_assume_range(theorem_run *run, const char *name, theorem_range value, const char *relation,
                          theorem_range required)
{
    add(run, false, make(name, value, relation, required), false);
}

void theorem_assume_seen(theorem_run *run, const char *name, double value, const char *relation,
                         double required)
{
    add(run, false, make(name, theorem_exact(value), relation, theorem_exact(required)), true);
}

void theorem_compare(theorem_run *run, const char *name, double value, const char *relation, double required)
{
    theorem_compare_range(run, name, theorem_exact(value), relation, theorem_exact(required));
}

void theorem_compare_range(theorem_run *run, const char *name, theorem_range value, const char *relation,
                           theorem_range required)
{
    add(run, true, make(name, value, relation, required), true);
}

void theorem_compare_limit(theorem_run *run, const char *name, theorem_range value, const char *relation,
                           theorem_range required)
{
    fathom_check_item item = make(name, value, relation, required);
    if (item.holds == 0) {
        item.holds = -1;
        item.note = "a limit, not met yet at the end of the run";
    }
    add(run, true, item, true);
}

void theorem_chance(theorem_run *run, double failure)
{
    theorem_assume(run, "probability of failure that is allowed", failure, "<", 1);
    run->chance = failure;
}

static fathom_check_item *last_line(theorem_run *run)
{
    fathom_check_result *result = run->result;
    if (run->comparison)
        return result->comparisons > 0 ? result->comparison + result->comparisons - 1 : NULL;
    return result->hypotheses > 0 ? result->hypothesis + result->hypotheses - 1 : NULL;
}

void theorem_note(theorem_run *run, const char *text)
{
    fathom_check_item *line = last_line(run);
    if (line && !line->note)
        line->note = text;
}

void theorem_vacuous(theorem_run *run, bool vacuous, const char *text)
{
    fathom_check_item *line = last_line(run);
    if (line && vacuous) {
        line->vacuous = 1;
        line->note = text;
    }
}

const char *const theorem_finite_text = "a finite run does not show that it never is";

void theorem_soften(theorem_run *run, bool open, const char *text)
{
    fathom_check_item *line = last_line(run);
    if (line && open && line->holds == 0) {
        line->holds = -1;
        line->note = text;
    }
}

void theorem_say(theorem_run *run, const char *format, ...)
{
    char *text = run->result->choices;
    const size_t used = strlen(text), room = sizeof run->result->choices - used;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(text + used, room, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length + 1 < room)
        strcpy(text + used + (size_t)length, "\n");
    else
        text[used] = 0;
}

void theorem_break(theorem_run *run, const char *reason)
{
    if (!run->broken)
        run->broken = reason;
}

fathom_status theorem_standing(theorem_run *run)
{
    const unsigned standing = run->row->standing;
    const double rounding = 1e-12;
    double least = INFINITY;
    for (int64_t i = 0; i < run->n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < run->d; k++)
            sum += run->x[i * run->d + k] * run->x[i * run->d + k];
        least = fmin(least, sqrt(sum));
    }
    if ((standing & THEOREM_EVEN) && run->options->width % 2 != 0)
        return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                "--width %lld: %s is about an even number of units, half of each sign",
                                (long long)run->options->width, run->row->id);
    if (standing & (THEOREM_UNIT_BALL | THEOREM_UNIT_SPHERE))
        theorem_assume(run, "largest |x_i|", run->reach, "<=", 1 + rounding);
    if (standing & THEOREM_UNIT_SPHERE)
        theorem_assume(run, "least |x_i|", least, ">=", 1 - rounding);
    if (standing & THEOREM_NO_BIAS)
        theorem_assume(run, "free hidden biases (1: yes)",
                       fathom_data_look(run->data).bias == FATHOM_BIAS_FREE, "=", 0);
    return FATHOM_OK;
}

/* Whether `name` (of this length) is in a list separated by commas. */
static bool listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; at && *at;) {
        const size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, length) == 0)
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

static fathom_status refuse_constant(const theorem_run *run, const char *name, size_t length)
{
    const bool solve = run->options->solve;
    const char *known = theorem_reads_of(run->row, solve).constants;
    return fathom_error_set(run->context, FATHOM_ERROR_USAGE, "--constants %.*s: %s%s reads %s", (int)length,
                            name, solve ? "--solve of " : "", run->row->id, known ? known : "no constants");
}

bool theorem_constant_read(const char *text, size_t *name, double *value)
{
    size_t end;
    const size_t length = strcspn(text, ",");
    *name = strcspn(text, "=,");
    return text[*name] == '=' && *name > 0 &&
           fathom_number_parse(value, &end, text + *name + 1, length - *name - 1) == FATHOM_NUMBER_OK &&
           *name + 1 + end == length && isfinite(*value);
}

const char *theorem_constant_next(const char *text)
{
    text += strcspn(text, ",");
    return text + (*text == ',');
}

/* Whether a constant of this name stands before `text`. */
static bool is_second(const theorem_run *run, const char *text, size_t name)
{
    for (const char *at = run->options->constants; at < text; at = theorem_constant_next(at))
        if (strcspn(at, "=,") == name && strncmp(at, text, name) == 0)
            return true;
    return false;
}

/* Constants of proofs are positive; a probability P may be 0 and is at most 1, and beta is the half width of a strip. */
static bool in_range(const char *text, size_t name, double value)
{
    const bool probability = name == 1 && *text == 'P', strip = name == 4 && strncmp(text, "beta", 4) == 0;
    return (probability || strip ? value >= 0 : value > 0) && (!probability || value <= 1);
}

static fathom_status check_constants(const theorem_run *run)
{
    size_t name;
    double value;
    for (const char *text = run->options->constants; text && *text; text = theorem_constant_next(text)) {
        if (!theorem_constant_read(text, &name, &value))
            return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                    "--constants %s: expected NAME=VALUE,...", run->options->constants);
        if (!listed(theorem_reads_of(run->row, run->options->solve).constants, text, name))
            return refuse_constant(run, text, name);
        if (is_second(run, text, name))
            return fathom_error_set(run->context, FATHOM_ERROR_USAGE, "--constants %.*s is given twice",
                                    (int)name, text);
        if (!in_range(text, name, value))
            return fathom_error_set(run->context, FATHOM_ERROR_USAGE, "--constants %.*s=%g: expected a %s",
                                    (int)name, text, value, *text == 'P' ? "probability" : "positive number");
    }
    return FATHOM_OK;
}

bool theorem_uses(const theorem_row *row, bool solve, const char *name, size_t length)
{
    return listed("theorem,list,solve,widths,constants", name, length) ||
           listed(theorem_reads_of(row, solve).uses, name, length);
}

fathom_status theorem_options_check(theorem_run *run)
{
    char *lines;
    const bool solve = run->options->solve;
    if (solve && !theorem_reads_of(run->row, true).uses)
        return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                "--solve: %s has no width, time or number of examples to solve for",
                                run->row->id);
    fathom_status status =
        fathom_option_lines_write(&lines, run->context, run->options, &fathom_check_option_table);
    for (const char *at = lines; status == FATHOM_OK && at && *at;
         at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t length = strcspn(at, " ");
        if (!theorem_uses(run->row, solve, at, length))
            status = fathom_error_set(run->context, FATHOM_ERROR_USAGE, "--%.*s: %s%s does not use it",
                                      (int)length, at, solve ? "--solve of " : "", run->row->id);
    }
    fathom_memory_free(run->context, lines);
    return status == FATHOM_OK ? check_constants(run) : status;
}
