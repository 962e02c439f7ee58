/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of recipes, member by member. Expressions are evaluated on tables without rows (recipe_names.h);
 * steps are tried without a runner (recipe_check_steps.c).
 */
#include "recipe_check.h"

#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "recipe_form.h"
#include "recipe_template.h"

enum { FILE_LIMIT = 1 << 22, RECIPES = 256, STEPS = 100, RULES = 200, CHARTS = 32, GROUPS = 8 };

/* Columns of a table of groups. */
static fathom_status check_columns(form_checker *c, fathom_json *rule, const char *table)
{
    static const char *const known[] = {"column", "value", NULL};
    fathom_json *list, *column;
    const char *name;
    fathom_status status = form_list(&list, c, rule, "columns", 1, FORM_COLUMNS);
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list); k++) {
        status = form_pass(c, fathom_json_get_item(&column, list, k));
        FATHOM_THEN(status, form_only(c, column, known));
        FATHOM_THEN(status, form_name(&name, c, column, "column"));
        FATHOM_THEN(status, form_expression(c, column, "value", true));
        FATHOM_THEN(status, fathom_recipe_names_column(&c->names, table, name));
    }
    return status;
}

static fathom_status check_rule(form_checker *c, fathom_json *rule)
{
    static const char *const group[] = {"table", "from", "by", "columns", NULL};
    static const char *const column[] = {"table", "column", "value", NULL};
    const bool grouped = fathom_json_has(rule, "by");
    const char *table, *from, *name;
    fathom_json *list;
    fathom_status status = form_only(c, rule, grouped ? group : column);
    FATHOM_THEN(status, form_name(&table, c, rule, "table"));
    if (status == FATHOM_OK && !grouped) {
        status = form_known(c, table);
        FATHOM_THEN(status, form_name(&name, c, rule, "column"));
        FATHOM_THEN(status, form_expression(c, rule, "value", false));
        return status == FATHOM_OK ? fathom_recipe_names_column(&c->names, table, name) : status;
    }
    FATHOM_THEN(status, form_name(&from, c, rule, "from"));
    FATHOM_THEN(status, form_known(c, from));
    if (status == FATHOM_OK && strcmp(from, table) == 0)
        return form_refuse(c, "a table of groups cannot replace the one it comes from");
    FATHOM_THEN(status, form_list(&list, c, rule, "by", 1, GROUPS));
    FATHOM_THEN(status, form_texts(c, rule, "by", GROUPS));
    FATHOM_THEN(status, form_table(c, table));
    FATHOM_THEN(status, form_columns(c, rule, table, "by"));
    return status == FATHOM_OK ? check_columns(c, rule, table) : status;
}

static fathom_status check_criterion(form_checker *c, fathom_json *criterion)
{
    static const char *const known[] = {"name", "value", "relation", "limit", "share", "reading", NULL};
    static const char *const relations[] = {"<=", "<", ">=", ">", "==", NULL};
    const char *name, *relation, *reading = "";
    double limit;
    int64_t k = 0;
    fathom_status status = form_only(c, criterion, known);
    FATHOM_THEN(status, form_pass(c, fathom_json_get_text(&name, criterion, "name")));
    FATHOM_THEN(status, form_pass(c, fathom_json_get_text(&relation, criterion, "relation")));
    FATHOM_THEN(status, form_pass(c, fathom_json_get_real(&limit, criterion, "limit")));
    if (status == FATHOM_OK && fathom_json_has(criterion, "reading"))
        status = form_pass(c, fathom_json_get_text(&reading, criterion, "reading"));
    if (status != FATHOM_OK)
        return status;
    if (strlen(reading) >= sizeof((fathom_reproduce_criterion *)0)->reading)
        return form_refuse(c, "the name of a reading has 39 letters at most");
    while (relations[k] && strcmp(relations[k], relation) != 0)
        k++;
    if (!relations[k])
        return form_refuse(c, "a relation is one of <= < >= > ==, not %.20s", relation);
    if (strlen(name) >= sizeof((fathom_reproduce_criterion *)0)->name)
        return form_refuse(c, "the name of a criterion has 159 letters at most");
    status = form_real(c, criterion, "share", 0, 1);
    return status == FATHOM_OK ? form_expression(c, criterion, "value", true) : status;
}

static fathom_status check_shown(form_checker *c, fathom_json *table)
{
    static const char *const known[] = {"needs", "title", "columns", NULL};
    static const char *const texts[] = {"title", NULL};
    FATHOM_TRY(form_only(c, table, known));
    FATHOM_TRY(form_optional_texts(c, table, texts));
    FATHOM_TRY(form_texts(c, table, "columns", FORM_COLUMNS));
    return form_needs(c, table);
}

/* What a chart takes beside its tables is the page's affair: it draws nothing of what it does not know. */
static fathom_status check_chart(form_checker *c, fathom_json *chart)
{
    if (fathom_json_is_list(chart))
        return form_refuse(c, "an object is expected, not a list");
    if (!fathom_json_has(chart, "kind") && !fathom_json_has(chart, "spec"))
        return form_refuse(c, "a chart has a kind or a spec");
    return form_needs(c, chart);
}

/* Every item of a list by one function, with its number in messages. */
static fathom_status check_items(form_checker *c, fathom_json *recipe, const char *key, int64_t least,
                                 int64_t most, fathom_status (*check)(form_checker *, fathom_json *))
{
    fathom_json *list, *item;
    const size_t length = strlen(c->place);
    fathom_status status = form_list(&list, c, recipe, key, least, most);
    for (int64_t k = 0; status == FATHOM_OK && list && k < fathom_json_count(list); k++) {
        snprintf(c->place + length, FORM_PLACE - length, ", %s %lld", key, (long long)k + 1);
        status = form_pass(c, fathom_json_get_item(&item, list, k));
        FATHOM_THEN(status, check(c, item));
    }
    if (status == FATHOM_OK)
        c->place[length] = '\0';
    return status;
}

static fathom_status check_head(form_checker *c, fathom_json *recipe)
{
    static const char *const known[] = {"id",     "paper",   "what",       "claim",         "note",
                                        "why",    "seconds", "data",       "quick_seconds", "quick",
                                        "steps",  "draws",   "derive",     "criteria",      "charts",
                                        "tables", "share",   "confidence", "estimated",     "estimated_from",
                                        NULL};
    static const char *const texts[] = {"paper", "what", "claim", "note", "why", "estimated_from", NULL};
    const char *id;
    static const char *const answers[] = {"quick", "estimated", NULL};
    bool answer;
    FATHOM_TRY(form_only(c, recipe, known));
    FATHOM_TRY(form_pass(c, fathom_json_get_text(&id, recipe, "id")));
    if (!form_is_plain(id, ":._-"))
        return form_refuse(c, "an id has at most 100 letters, digits and signs :._-, not %.80s", id);
    snprintf(c->place, sizeof c->place, "recipe %.100s", id);
    FATHOM_TRY(form_optional_texts(c, recipe, texts));
    FATHOM_TRY(form_real(c, recipe, "seconds", 0, 1e9));
    FATHOM_TRY(form_real(c, recipe, "quick_seconds", 0, 1e9));
    FATHOM_TRY(form_real(c, recipe, "share", 0, 1));
    FATHOM_TRY(form_real(c, recipe, "confidence", 0.5, 0.999999));
    for (int k = 0; answers[k]; k++)
        if (fathom_json_has(recipe, answers[k]))
            FATHOM_TRY(form_pass(c, fathom_json_get_bool(&answer, recipe, answers[k])));
    if (fathom_json_has(recipe, "draws"))
        FATHOM_TRY(form_name(&c->draws, c, recipe, "draws"));
    return form_texts(c, recipe, "data", FORM_COLUMNS);
}

static fathom_status check_recipe(form_checker *c, fathom_json *recipe)
{
    FATHOM_TRY(check_head(c, recipe));
    FATHOM_TRY(check_items(c, recipe, "steps", 1, STEPS, form_step));
    FATHOM_TRY(check_items(c, recipe, "derive", 0, RULES, check_rule));
    FATHOM_TRY(check_items(c, recipe, "criteria", 0, FATHOM_REPRODUCE_CRITERIA, check_criterion));
    FATHOM_TRY(check_items(c, recipe, "charts", 0, CHARTS, check_chart));
    return check_items(c, recipe, "tables", 0, FORM_COLUMNS, check_shown);
}

/* Recipe number k of the file, with tables of its own. */
static fathom_status check_one(fathom_json *recipe, fathom_context *context, const char *file, int64_t k)
{
    form_checker c = {.context = context, .file = file};
    snprintf(c.place, sizeof c.place, "recipe %lld", (long long)k + 1);
    fathom_status status = fathom_recipe_names_create(&c.names, context);
    FATHOM_THEN(status, check_recipe(&c, recipe));
    fathom_recipe_names_free(&c.names);
    return status;
}

/* Whether two items have one folder, in whose name : is written as -. */
static bool same_folder(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == ':' ? '-' : *a) != (*b == ':' ? '-' : *b))
            return false;
    return *a == *b;
}

/* No two recipes of a file have one folder. */
static fathom_status check_ids(fathom_json *book, fathom_context *context, const char *file)
{
    const char *id, *other;
    fathom_json *recipe;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(book) && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&recipe, book, k);
        FATHOM_THEN(status, fathom_json_get_text(&id, recipe, "id"));
        for (int64_t l = 0; l < k && status == FATHOM_OK; l++) {
            status = fathom_json_get_item(&recipe, book, l);
            FATHOM_THEN(status, fathom_json_get_text(&other, recipe, "id"));
            if (status == FATHOM_OK && same_folder(id, other))
                status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, file, 0, 0,
                                             "recipes %lld and %lld have one folder, that of the id %.100s",
                                             (long long)l + 1, (long long)k + 1, id);
        }
    }
    return status;
}

fathom_status fathom_recipe_check(fathom_json *book, const char *name)
{
    fathom_context *context = fathom_json_context(book);
    fathom_json *recipe;
    if (!fathom_json_is_list(book))
        return check_one(book, context, name, 0);
    const int64_t count = fathom_json_count(book);
    if (count < 1 || count > RECIPES)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, name, 0, 0,
                                   "a list of %lld recipes; 1 to %d can be there", (long long)count, RECIPES);
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&recipe, book, k);
        FATHOM_THEN(status, check_one(recipe, context, name, k));
    }
    return status == FATHOM_OK ? check_ids(book, context, name) : status;
}

fathom_status fathom_recipe_read(fathom_json **book, fathom_context *context, const char *path)
{
    FATHOM_TRY(fathom_json_read_within(book, context, path, FILE_LIMIT));
    FATHOM_TRY(fathom_recipe_expand(book, path));
    return fathom_recipe_check(*book, path);
}

fathom_status fathom_recipe_blame(fathom_context *context, const char *file, fathom_json *recipe, int64_t k)
{
    char text[600];
    const char *id;
    FATHOM_TRY(fathom_json_get_text(&id, recipe, "id"));
    snprintf(text, sizeof text, "%s", fathom_context_error(context)->text);
    return fathom_error_set_at(context, FATHOM_ERROR_INPUT, file, 0, 0, "recipe %.100s, steps %lld: %s", id,
                               (long long)k + 1, text);
}
