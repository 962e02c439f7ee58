/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Criteria judged on all rows and draw by draw.
 *
 * Where a paper can be read in several ways, criteria name their reading: each reading is judged by its own criteria and by those that name
 * none. The item matches where one reading does, and differs where all do.
 */
#include "criteria.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binomial.h"
#include "context_internal.h"
#include "expression.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"
#include "recipe_groups.h"

enum { TABLES = 64 };

/* The rows of the tables that criteria name, by draw. */
typedef struct draws {
    const char *column; /* NULL: the recipe has no draws */
    double share, confidence;
    fathom_dictionary keys;
    int64_t tables;
    char name[TABLES][FATHOM_EXPRESSION_NAME];
    const char *table[TABLES];
    int64_t *group[TABLES], rows[TABLES];
    unsigned char *judged, *missed,
        *open; /* of each draw, a bit for each reading: some criterion looked at it, it failed one, one was NaN */
} draws;

/* What a criterion says beside what fathom_reproduce_criterion holds. */
typedef struct trial {
    const char *text;
    double share;
    unsigned char readings; /* a bit for each to which it belongs */
} trial;

static bool relation_holds(double value, const char *relation, double limit)
{
    return strcmp(relation, "<=") == 0   ? value <= limit
           : strcmp(relation, "<") == 0  ? value < limit
           : strcmp(relation, ">=") == 0 ? value >= limit
           : strcmp(relation, ">") == 0  ? value > limit
                                         : value == limit;
}

/* An optional number of an object; null stands for NaN. */
static fathom_status get_optional(double *value, const fathom_json *object, const char *key)
{
    if (!fathom_json_has(object, key))
        return FATHOM_OK;
    *value = NAN;
    return fathom_json_is_null(object, key) ? FATHOM_OK : fathom_json_get_real(value, object, key);
}

static bool is_known(const draws *d, const char *name)
{
    for (int64_t k = 0; k < d->tables; k++)
        if (strcmp(d->name[k], name) == 0)
            return true;
    return false;
}

/* The groups of a table that has the column of the draws. */
static fathom_status add_table(draws *d, fathom_json *tables, const char *name)
{
    fathom_json *rows;
    bool any;
    if (d->tables == TABLES || is_known(d, name) || !fathom_json_has(tables, name))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_list(&rows, tables, name));
    const int64_t k = d->tables++;
    snprintf(d->name[k], sizeof d->name[k], "%s", name);
    d->table[k] = d->name[k];
    d->rows[k] = fathom_json_count(rows);
    fathom_status status = fathom_recipe_groups(&d->group[k], &any, &d->keys, rows, &d->column, 1);
    if (status == FATHOM_OK && !any) { /* a table without draws is seen whole */
        fathom_memory_free(fathom_json_context(tables), d->group[k]);
        d->group[k] = NULL;
        d->tables--;
    }
    return status;
}

static void close_draws(draws *d, fathom_context *context)
{
    for (int64_t k = 0; k < d->tables; k++)
        fathom_memory_free(context, d->group[k]);
    fathom_memory_free(context, d->judged);
    fathom_dictionary_free(context, &d->keys);
}

static fathom_status open_draws(draws *d, fathom_json *result, fathom_json *recipe, fathom_json *criteria)
{
    *d = (draws){.share = NAN, .confidence = 0.95};
    if (!fathom_json_has(recipe, "draws"))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_text(&d->column, recipe, "draws");
    FATHOM_THEN(status, get_optional(&d->share, recipe, "share"));
    FATHOM_THEN(status, get_optional(&d->confidence, recipe, "confidence"));
    for (int64_t k = 0; k < fathom_json_count(criteria) && status == FATHOM_OK; k++) {
        fathom_json *criterion;
        const char *at;
        char name[FATHOM_EXPRESSION_NAME];
        status = fathom_json_get_item(&criterion, criteria, k);
        FATHOM_THEN(status, fathom_json_get_text(&at, criterion, "value"));
        while (status == FATHOM_OK && fathom_expression_table(name, &at))
            status = add_table(d, result, name);
    }
    if (status == FATHOM_OK)
        d->judged = fathom_memory_zero(fathom_json_context(result), 3 * d->keys.count + 1, 1);
    if (status == FATHOM_OK && !d->judged)
        return FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        d->missed = d->judged + d->keys.count;
        d->open = d->missed + d->keys.count;
    }
    return status;
}

/* Whether the expression has tables with draws, and all of them have rows of draw g. */
static bool is_present(const draws *d, const char *text, int64_t g)
{
    char name[FATHOM_EXPRESSION_NAME];
    bool counts = false;
    while (fathom_expression_table(name, &text))
        for (int64_t k = 0; k < d->tables; k++) {
            if (strcmp(d->name[k], name) != 0)
                continue;
            int64_t row = 0;
            while (row < d->rows[k] && d->group[k][row] != g)
                row++;
            counts = true;
            if (row == d->rows[k])
                return false;
        }
    return counts;
}

/* The criterion for each draw by itself. */
static fathom_status try_draws(fathom_reproduce_criterion *c, trial *t, draws *d, fathom_json *tables)
{
    fathom_expression_scope scope = {d->tables, 0, d->table, (const int64_t *const *)d->group};
    fathom_status status = FATHOM_OK;
    for (int64_t g = 0; g < d->keys.count && status == FATHOM_OK; g++) {
        double value;
        if (!is_present(d, t->text, g))
            continue;
        scope.at = g;
        status = fathom_expression_number(&value, tables, &scope, t->text);
        if (status != FATHOM_OK)
            break;
        const bool open = isnan(value), met = !open && relation_holds(value, c->relation, c->limit);
        c->draws++;
        c->met += met;
        c->open += open;
        const unsigned char bits = t->readings;
        d->judged[g] |= bits;
        d->missed[g] |= !met && !open ? bits : 0;
        d->open[g] |= open ? bits : 0;
    }
    return status;
}

/* low, high and, where the criterion asks for a share of the draws, the answer. */
static void decide(fathom_reproduce_criterion *c, const draws *d, double share)
{
    double unused;
    c->undecided = isnan(c->value);
    c->holds = !c->undecided && relation_holds(c->value, c->relation, c->limit);
    c->share = NAN;
    if (c->draws == 0)
        return;
    fathom_binomial_bounds(&c->low, &unused, c->met, c->draws, d->confidence);
    fathom_binomial_bounds(&unused, &c->high, c->met + c->open, c->draws, d->confidence);
    c->share = share;
    if (isnan(share))
        return;
    const bool refuted = share < 1 ? c->high < share : c->met + c->open < c->draws;
    c->holds = share < 1 ? c->low >= share : c->met == c->draws;
    c->undecided = !c->holds && !refuted;
}

/* The readings that criteria name, in their order. */
static fathom_status find_readings(fathom_reproduce_outcome *outcome, fathom_json *criteria)
{
    fathom_json *item;
    const char *name;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(criteria) && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&item, criteria, k);
        if (status != FATHOM_OK || !fathom_json_has(item, "reading"))
            continue;
        status = fathom_json_get_text(&name, item, "reading");
        int64_t at = 0;
        while (status == FATHOM_OK && at < outcome->readings && strcmp(outcome->reading[at].name, name) != 0)
            at++;
        if (at == FATHOM_REPRODUCE_READINGS)
            status = fathom_error_set(fathom_json_context(criteria), FATHOM_ERROR_INPUT,
                                      "more than %d readings", FATHOM_REPRODUCE_READINGS);
        else if (status == FATHOM_OK && at == outcome->readings) {
            fathom_reproduce_reading *r = &outcome->reading[outcome->readings++];
            *r = (fathom_reproduce_reading){.match = true};
            snprintf(r->name, sizeof r->name, "%s", name);
        }
    }
    return status;
}

/* The bits of the readings to which a criterion belongs. */
static unsigned char bits_of(const fathom_reproduce_outcome *outcome, const fathom_reproduce_criterion *c)
{
    const unsigned all = outcome->readings > 0 ? (1u << outcome->readings) - 1 : 1;
    for (int64_t k = 0; k < outcome->readings; k++)
        if (strcmp(outcome->reading[k].name, c->reading) == 0)
            return (unsigned char)(1u << k);
    return (unsigned char)all;
}

/* The parts of a criterion, its value on the tables, and whether it holds. */
static fathom_status judge(fathom_reproduce_criterion *c, trial *t, draws *d, fathom_json *criterion,
                           fathom_json *tables, const fathom_reproduce_outcome *outcome)
{
    const char *name, *relation, *reading = "";
    *c = (fathom_reproduce_criterion){.low = 0, .high = 1};
    *t = (trial){.share = d->share};
    fathom_status status = fathom_json_get_text(&name, criterion, "name");
    FATHOM_THEN(status, fathom_json_get_text(&t->text, criterion, "value"));
    FATHOM_THEN(status, fathom_json_get_text(&relation, criterion, "relation"));
    FATHOM_THEN(status, fathom_json_get_real(&c->limit, criterion, "limit"));
    FATHOM_THEN(status, get_optional(&t->share, criterion, "share"));
    if (status == FATHOM_OK && fathom_json_has(criterion, "reading"))
        status = fathom_json_get_text(&reading, criterion, "reading");
    FATHOM_THEN(status, fathom_expression_number(&c->value, tables, NULL, t->text));
    if (status != FATHOM_OK)
        return status;
    snprintf(c->reading, sizeof c->reading, "%s", reading);
    t->readings = bits_of(outcome, c);
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->relation, sizeof c->relation, "%s", relation);
    const bool alone = fathom_json_has(criterion, "share") && isnan(t->share);
    if (d->column && !alone)
        status = try_draws(c, t, d, tables);
    decide(c, d, t->share);
    return status;
}

static fathom_status put_answer(fathom_json *out, const fathom_reproduce_criterion *c)
{
    return c->undecided ? fathom_json_set_null(out, "holds") : fathom_json_set_bool(out, "holds", c->holds);
}

static fathom_status put_rate(fathom_json *out, int64_t draws_made, int64_t met, double low, double high)
{
    FATHOM_TRY(fathom_json_set_integer(out, "draws", draws_made));
    FATHOM_TRY(fathom_json_set_integer(out, "met", met));
    FATHOM_TRY(fathom_json_set_real(out, "low", low));
    return fathom_json_set_real(out, "high", high);
}

static fathom_status put_criterion(fathom_json *list, const fathom_reproduce_criterion *c, const char *text)
{
    fathom_json *out;
    FATHOM_TRY(fathom_json_append_object(list, &out));
    FATHOM_TRY(fathom_json_set_text(out, "name", c->name));
    if (c->reading[0])
        FATHOM_TRY(fathom_json_set_text(out, "reading", c->reading));
    FATHOM_TRY(fathom_json_set_text(out, "expression", text));
    FATHOM_TRY(fathom_json_set_real(out, "value", c->value));
    FATHOM_TRY(fathom_json_set_text(out, "relation", c->relation));
    FATHOM_TRY(fathom_json_set_real(out, "limit", c->limit));
    FATHOM_TRY(put_answer(out, c));
    if (c->draws > 0)
        FATHOM_TRY(put_rate(out, c->draws, c->met, c->low, c->high));
    if (c->draws > 0)
        FATHOM_TRY(fathom_json_set_real(out, "share", c->share));
    return FATHOM_OK;
}

/* Draws that meet all criteria of a reading (bit) that looked at them, and the probability that a fresh one does. */
static void count_draws(int64_t *made, int64_t *met, double *low, double *high, const draws *d, unsigned bit)
{
    int64_t open = 0;
    double unused;
    *made = *met = 0;
    for (int64_t g = 0; g < d->keys.count; g++) {
        const bool judged = d->judged[g] & bit, missed = d->missed[g] & bit, undefined = d->open[g] & bit;
        *made += judged;
        *met += judged && !missed && !undefined;
        open += judged && !missed && undefined;
    }
    if (*made == 0)
        return;
    fathom_binomial_bounds(low, &unused, *met, *made, d->confidence);
    fathom_binomial_bounds(&unused, high, *met + open, *made, d->confidence);
}

/* Rates over draws: of the item, or of each reading. */
static fathom_status sum_up(fathom_reproduce_outcome *outcome, fathom_json *result, const draws *d)
{
    fathom_json *out;
    outcome->confidence = d->confidence;
    for (int64_t k = 0; k < outcome->readings; k++) {
        fathom_reproduce_reading *r = outcome->reading + k;
        count_draws(&r->draws, &r->draws_met, &r->low, &r->high, d, 1u << k);
    }
    if (outcome->readings == 0)
        count_draws(&outcome->draws, &outcome->draws_met, &outcome->low, &outcome->high, d, 1);
    if (outcome->draws == 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_set_object(result, "draws", &out));
    FATHOM_TRY(fathom_json_set_text(out, "column", d->column));
    FATHOM_TRY(put_rate(out, outcome->draws, outcome->draws_met, outcome->low, outcome->high));
    return fathom_json_set_real(out, "confidence", d->confidence);
}

static const char *verdict_of(bool match, bool undecided)
{
    return undecided ? "undecided" : match ? "match" : "differs";
}

/* Each reading with its verdict. */
static fathom_status put_readings(fathom_json *result, const fathom_reproduce_outcome *outcome)
{
    fathom_json *list, *out;
    fathom_status status = fathom_json_set_list(result, "readings", &list);
    for (int64_t k = 0; k < outcome->readings && status == FATHOM_OK; k++) {
        const fathom_reproduce_reading *r = outcome->reading + k;
        status = fathom_json_append_object(list, &out);
        FATHOM_THEN(status, fathom_json_set_text(out, "reading", r->name));
        FATHOM_THEN(status, fathom_json_set_text(out, "verdict", verdict_of(r->match, r->undecided)));
        if (status == FATHOM_OK && r->draws > 0)
            status = put_rate(out, r->draws, r->draws_met, r->low, r->high);
        if (status == FATHOM_OK && r->draws > 0)
            status = fathom_json_set_real(out, "confidence", outcome->confidence);
    }
    return status;
}

const char *fathom_criteria_verdict(const fathom_reproduce_outcome *outcome)
{
    if (outcome->skipped)
        return "skipped";
    return outcome->count == 0 && !outcome->undecided ? "none"
                                                      : verdict_of(outcome->match, outcome->undecided);
}

/* match: all hold; undecided: some is open and none fails. */
static void add_verdict(bool *match, bool *failed, const fathom_reproduce_criterion *c)
{
    *match = *match && c->holds;
    *failed = *failed || (!c->holds && !c->undecided);
}

/* One reading that matches is enough; where none does, one that is undecided leaves the item so. */
static void conclude(fathom_reproduce_outcome *outcome)
{
    if (outcome->readings == 0)
        return;
    outcome->match = outcome->undecided = false;
    for (int64_t k = 0; k < outcome->readings; k++) {
        outcome->match = outcome->match || outcome->reading[k].match;
        outcome->undecided = outcome->undecided || outcome->reading[k].undecided;
    }
    outcome->undecided = outcome->undecided && !outcome->match;
}

/* One criterion after the other. */
static fathom_status judge_list(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_json *criteria,
                                draws *d)
{
    fathom_json *list, *item;
    bool failed = false, failed_of[FATHOM_REPRODUCE_READINGS] = {false};
    fathom_status status = fathom_json_set_list(result, "criteria", &list);
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(criteria); k++) {
        fathom_reproduce_criterion *c = &outcome->criterion[outcome->count++];
        trial t;
        status = fathom_json_get_item(&item, criteria, k);
        FATHOM_THEN(status, judge(c, &t, d, item, result, outcome));
        FATHOM_THEN(status, put_criterion(list, c, t.text));
        add_verdict(&outcome->match, &failed, c);
        for (int64_t r = 0; r < outcome->readings && status == FATHOM_OK; r++)
            if (t.readings & 1u << r)
                add_verdict(&outcome->reading[r].match, &failed_of[r], c);
    }
    outcome->undecided = outcome->count > 0 && !outcome->match && !failed;
    for (int64_t r = 0; r < outcome->readings; r++)
        outcome->reading[r].undecided = !outcome->reading[r].match && !failed_of[r];
    conclude(outcome);
    return status;
}

fathom_status fathom_criteria_judge(fathom_reproduce_outcome *outcome, fathom_json *result,
                                    fathom_json *recipe)
{
    fathom_json *criteria;
    draws d;
    *outcome = (fathom_reproduce_outcome){.match = false};
    if (!fathom_json_has(recipe, "criteria"))
        return fathom_json_set_text(result, "verdict", fathom_criteria_verdict(outcome));
    FATHOM_TRY(fathom_json_get_list(&criteria, recipe, "criteria"));
    if (fathom_json_count(criteria) > FATHOM_REPRODUCE_CRITERIA)
        return fathom_error_set(fathom_json_context(result), FATHOM_ERROR_INPUT, "more than %d criteria",
                                FATHOM_REPRODUCE_CRITERIA);
    *outcome = (fathom_reproduce_outcome){.match = fathom_json_count(criteria) > 0};
    fathom_status status = open_draws(&d, result, recipe, criteria);
    FATHOM_THEN(status, find_readings(outcome, criteria));
    FATHOM_THEN(status, judge_list(outcome, result, criteria, &d));
    if (status == FATHOM_OK && d.column)
        status = sum_up(outcome, result, &d);
    if (status == FATHOM_OK && outcome->readings > 0)
        status = put_readings(result, outcome);
    close_draws(&d, fathom_json_context(result));
    return status == FATHOM_OK ? fathom_json_set_text(result, "verdict", fathom_criteria_verdict(outcome))
                               : status;
}
