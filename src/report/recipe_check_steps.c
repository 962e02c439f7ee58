/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of recipes checked: their members, the tables and columns that they will give, and all their loops
 * and holes. */
#include <string.h>

#include "json_internal.h"
#include "recipe_form.h"
#include "recipe_loops.h"

enum { RUNS = 10000 };

static fathom_status check_loops(const form_checker *c, fathom_json *step)
{
    static const char *const known[] = {"name", "values", "quick", NULL};
    fathom_json *list, *loop;
    const char *name;
    fathom_status status = form_list(&list, c, step, "for", 0, FATHOM_RECIPE_LOOPS);
    for (int64_t k = 0; status == FATHOM_OK && list && k < fathom_json_count(list); k++) {
        status = form_pass(c, fathom_json_get_item(&loop, list, k));
        FATHOM_THEN(status, form_only(c, loop, known));
        FATHOM_THEN(status, form_name(&name, c, loop, "name"));
        if (status == FATHOM_OK && (strcmp(name, "folder") == 0 || strcmp(name, "shared") == 0))
            status = form_refuse(c, "no loop can be called %s", name);
    }
    return status;
}

/* All combinations at both sizes: their number, and their holes. */
static fathom_status try_step(form_checker *c, fathom_json *step)
{
    fathom_status status = FATHOM_OK;
    for (int quick = 0; quick < 2 && status == FATHOM_OK; quick++) {
        const fathom_recipe_run run = {c->context, "folder", quick == 1, 1, c->draws, NULL, NULL, NULL};
        fathom_recipe_course course;
        status = form_pass(c, fathom_recipe_course_open(&course, &run, step));
        if (status == FATHOM_OK)
            c->runs += fathom_recipe_course_size(&course);
        if (status == FATHOM_OK && c->runs > 2 * RUNS)
            return form_refuse(c, "more than %d runs", RUNS);
        FATHOM_THEN(status, form_pass(c, fathom_recipe_try(step, &run)));
    }
    return status;
}

/* The columns of the table that a rule makes, loops of its step included; a list of the result, or a file,
 * may have any. */
static fathom_status add_rows(form_checker *c, fathom_json *step, fathom_json *rule, const char *table)
{
    fathom_json *loops, *loop;
    const char *name;
    const bool open = fathom_json_has(rule, "rows")
                          ? !fathom_json_has(rule, "keep")
                          : !fathom_json_has(rule, "keep") && !fathom_json_has(rule, "log");
    fathom_status status = form_table(c, table);
    for (int64_t k = 0; status == FATHOM_OK && fathom_json_has(step, "for"); k++) {
        status = fathom_json_get_list(&loops, step, "for");
        if (status != FATHOM_OK || k == fathom_json_count(loops))
            break;
        status = fathom_json_get_item(&loop, loops, k);
        FATHOM_THEN(status, fathom_json_get_text(&name, loop, "name"));
        FATHOM_THEN(status, fathom_recipe_names_column(&c->names, table, name));
    }
    FATHOM_THEN(status, fathom_recipe_names_column(&c->names, table, open ? "*" : "index"));
    FATHOM_THEN(status, form_columns(c, rule, table, "keep"));
    FATHOM_THEN(status, form_columns(c, rule, table, "log"));
    return status == FATHOM_OK ? form_columns(c, rule, table, "each") : status;
}

/* Which rows a step, or a table beside it, takes. */
static fathom_status check_rows(form_checker *c, fathom_json *step, fathom_json *rule, bool needed)
{
    const char *text;
    const int ways =
        fathom_json_has(rule, "keep") + fathom_json_has(rule, "rows") + fathom_json_has(rule, "log");
    if (needed && ways == 0)
        return form_refuse(c, "one of keep, rows and log says which rows a run gives");
    if (fathom_json_has(rule, "log") && ways > 1)
        return form_refuse(c, "log stands alone, without keep and rows");
    FATHOM_TRY(form_texts(c, rule, "keep", FORM_COLUMNS));
    if (fathom_json_has(rule, "rows"))
        FATHOM_TRY(form_pass(c, fathom_json_get_text(&text, rule, "rows")));
    FATHOM_TRY(form_texts(c, rule, "log", FORM_COLUMNS));
    FATHOM_TRY(form_texts(c, rule, "each", FORM_COLUMNS));
    FATHOM_TRY(form_name(&text, c, rule, "name"));
    return add_rows(c, step, rule, text);
}

static fathom_status check_also(form_checker *c, fathom_json *step)
{
    static const char *const known[] = {"name", "keep", "rows", "log", "each", "last", NULL};
    fathom_json *list, *rule;
    fathom_status status = form_list(&list, c, step, "also", 0, FORM_COLUMNS);
    for (int64_t k = 0; status == FATHOM_OK && list && k < fathom_json_count(list); k++) {
        status = form_pass(c, fathom_json_get_item(&rule, list, k));
        FATHOM_THEN(status, form_only(c, rule, known));
        FATHOM_THEN(status, check_rows(c, step, rule, true));
    }
    return status;
}

/* A seed from a loop comes from the loop over draws: the only one that moves with --seed. */
static fathom_status check_seed(const form_checker *c, const char *line)
{
    static const char option[] = "--seed {";
    const char *draws = c->draws ? c->draws : "seed", *at = strstr(line, option);
    const size_t length = strlen(draws);
    if (!at ||
        (strncmp(at + sizeof option - 1, draws, length) == 0 && at[sizeof option - 1 + length] == '}') ||
        strncmp(at + sizeof option - 1, "seed}", 5) == 0)
        return FATHOM_OK;
    return form_refuse(c, "seeds come from the loop \"%.60s\"; \"draws\" of the recipe can name another",
                       draws);
}

/* Files are read from the item's folder. */
static fathom_status check_place(const form_checker *c, const char *path)
{
    static const char folder[] = "{folder}/";
    return strncmp(path, folder, sizeof folder - 1) == 0 && !strstr(path, "..")
               ? FATHOM_OK
               : form_refuse(c, "\"read\" takes a file of the item, {folder}/NAME, not %.100s", path);
}

static fathom_status check_run(form_checker *c, fathom_json *step)
{
    static const char *const known[] = {"name", "run", "read", "for",  "keep", "rows",
                                        "also", "log", "each", "last", NULL};
    const bool read = fathom_json_has(step, "read");
    const char *line;
    fathom_status status = form_only(c, step, known);
    if (status == FATHOM_OK && read == fathom_json_has(step, "run"))
        return form_refuse(c, "a step has one of run, read and write");
    FATHOM_THEN(status, form_pass(c, fathom_json_get_text(&line, step, read ? "read" : "run")));
    FATHOM_THEN(status, read ? check_place(c, line) : check_seed(c, line));
    FATHOM_THEN(status, check_loops(c, step));
    FATHOM_THEN(status, check_rows(c, step, step, !read));
    FATHOM_THEN(status, check_also(c, step));
    return status == FATHOM_OK ? try_step(c, step) : status;
}

static fathom_status check_write(const form_checker *c, fathom_json *step)
{
    static const char *const known[] = {"write", "json", "text", NULL};
    const char *name, *text;
    fathom_json *value;
    FATHOM_TRY(form_only(c, step, known));
    FATHOM_TRY(form_pass(c, fathom_json_get_text(&name, step, "write")));
    if (!form_is_plain(name, "._-") || strcmp(name, "result.json") == 0 || strcmp(name, "page.html") == 0)
        return form_refuse(c, "\"write\" takes the plain name of a file of the item, not %.100s", name);
    if (fathom_json_has(step, "text") == fathom_json_has(step, "json"))
        return form_refuse(c, "write needs one of text and json");
    return form_pass(c, fathom_json_has(step, "text") ? fathom_json_get_text(&text, step, "text")
                                                      : fathom_json_get_object(&value, step, "json"));
}

fathom_status form_step(form_checker *c, fathom_json *step)
{
    if (fathom_json_is_list(step))
        return form_refuse(c, "an object is expected, not a list");
    return fathom_json_has(step, "write") ? check_write(c, step) : check_run(c, step);
}
