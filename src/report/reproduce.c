/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes from the embedded lists, one per paper; criteria judged; the result and its page written. */
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "criteria.h"
#include "inner/json.h"
#include "report.h"
#include "json_internal.h"
#include "memory.h"
#include "platform.h"
#include "recipe.h"
#include "recipe_check.h"
#include "recipe_template.h"
#include "reproduce_keep.h"

enum { PAPERS = 5 };
extern const unsigned char fathom_recipes_000[], fathom_recipes_001[], fathom_recipes_002[],
    fathom_recipes_003[], fathom_recipes_004[];

struct fathom_reproduce {
    fathom_context *context;
    /* lists of recipes; or the first alone, from a file, which may be one recipe */
    fathom_json *book[PAPERS];
    const char *file; /* NULL: the papers' */
};

fathom_status fathom_reproduce_create(fathom_reproduce **list, fathom_context *context)
{
    const unsigned char *const text[PAPERS] = {fathom_recipes_000, fathom_recipes_001, fathom_recipes_002,
                                               fathom_recipes_003, fathom_recipes_004};
    fathom_reproduce *made = fathom_memory_zero(context, 1, sizeof *made);
    fathom_status status = made ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *list = NULL;
    for (int k = 0; k < PAPERS && status == FATHOM_OK; k++) {
        status = fathom_json_parse(&made->book[k], context, (const char *)text[k],
                                   strlen((const char *)text[k]), "recipes");
        FATHOM_THEN(status, fathom_recipe_expand(&made->book[k], "recipes"));
    }
    if (made)
        made->context = context;
    if (status == FATHOM_OK)
        *list = made;
    else
        fathom_reproduce_free(made);
    return status;
}

fathom_status fathom_reproduce_read(fathom_reproduce **list, fathom_context *context, const char *path)
{
    fathom_reproduce *made = fathom_memory_zero(context, 1, sizeof *made);
    fathom_status status = made ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *list = NULL;
    FATHOM_THEN(status, fathom_recipe_read(&made->book[0], context, path));
    if (made) {
        made->context = context;
        made->file = path;
    }
    if (status == FATHOM_OK)
        *list = made;
    else
        fathom_reproduce_free(made);
    return status;
}

void fathom_reproduce_free(fathom_reproduce *list)
{
    if (!list)
        return;
    for (int k = 0; k < PAPERS; k++)
        fathom_json_free(list->book[k]);
    fathom_memory_free(list->context, list);
}

/* Recipes of one book: a list of them, one, or none. */
static int64_t count_book(const fathom_json *book)
{
    return !book ? 0 : fathom_json_is_list(book) ? fathom_json_count(book) : 1;
}

int64_t fathom_reproduce_count(const fathom_reproduce *list)
{
    int64_t count = 0;
    for (int k = 0; k < PAPERS; k++)
        count += count_book(list->book[k]);
    return count;
}

/* The recipe with this number over all books. */
static fathom_status find(fathom_json **recipe, const fathom_reproduce *list, int64_t index)
{
    for (int k = 0; k < PAPERS && index >= 0; k++) {
        fathom_json *book = list->book[k];
        const int64_t count = count_book(book);
        if (index < count && !fathom_json_is_list(book)) {
            *recipe = book;
            return FATHOM_OK;
        }
        if (index < count)
            return fathom_json_get_item(recipe, book, index);
        index -= count;
    }
    return fathom_error_set(list->context, FATHOM_ERROR_USAGE, "no such item");
}

/* A text that need not be there. */
static fathom_status get_text(const char **text, const fathom_json *recipe, const char *key)
{
    *text = "";
    return fathom_json_has(recipe, key) ? fathom_json_get_text(text, recipe, key) : FATHOM_OK;
}

fathom_status fathom_reproduce_get(fathom_reproduce_item *item, const fathom_reproduce *list, int64_t index)
{
    fathom_json *recipe;
    fathom_status status = find(&recipe, list, index);
    FATHOM_THEN(status, fathom_json_get_text(&item->id, recipe, "id"));
    FATHOM_THEN(status, get_text(&item->paper, recipe, "paper"));
    FATHOM_THEN(status, get_text(&item->what, recipe, "what"));
    item->seconds = NAN;
    item->quick = true;
    if (status == FATHOM_OK && fathom_json_has(recipe, "seconds"))
        status = fathom_json_get_real(&item->seconds, recipe, "seconds");
    item->estimated = false;
    if (status == FATHOM_OK && fathom_json_has(recipe, "estimated"))
        status = fathom_json_get_bool(&item->estimated, recipe, "estimated");
    FATHOM_THEN(status, get_text(&item->estimated_from, recipe, "estimated_from"));
    item->quick_seconds = NAN;
    if (status == FATHOM_OK && fathom_json_has(recipe, "quick_seconds"))
        status = fathom_json_get_real(&item->quick_seconds, recipe, "quick_seconds");
    if (status == FATHOM_OK && fathom_json_has(recipe, "quick"))
        status = fathom_json_get_bool(&item->quick, recipe, "quick");
    return status;
}

/* Whether the files of shared data that the recipe names are there; the first that is not. */
static fathom_status look_for_data(fathom_reproduce_outcome *outcome, fathom_json *recipe)
{
    int64_t count = 0;
    *outcome = (fathom_reproduce_outcome){.match = false};
    if (!fathom_json_has(recipe, "data"))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_count(&count, recipe, "data");
    for (int64_t k = 0; k < count && status == FATHOM_OK && !outcome->skipped; k++) {
        const char *name;
        status = fathom_json_get_text_item(&name, recipe, "data", k);
        if (status != FATHOM_OK)
            break;
        snprintf(outcome->missing, sizeof outcome->missing, "%s/%s", fathom_recipe_shared(), name);
        outcome->skipped = !fathom_platform_readable(outcome->missing);
    }
    return status;
}

/* The verdict of an item without its data. */
static fathom_status skip(fathom_json *result, const fathom_reproduce_outcome *outcome)
{
    FATHOM_TRY(fathom_json_set_text(result, "verdict", "skipped"));
    return fathom_json_set_text(result, "missing", outcome->missing);
}

/* Steps and derived columns, in the order of the recipe. */
static fathom_status follow_recipe(fathom_json *result, fathom_json *recipe, const fathom_recipe_run *run)
{
    fathom_json *steps, *rules, *item;
    fathom_status status = fathom_json_get_list(&steps, recipe, "steps");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(steps); k++) {
        status = fathom_json_get_item(&item, steps, k);
        FATHOM_THEN(status, fathom_recipe_step(result, item, run));
    }
    if (status != FATHOM_OK || !fathom_json_has(recipe, "derive"))
        return status;
    status = fathom_json_get_list(&rules, recipe, "derive");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(rules); k++) {
        status = fathom_json_get_item(&item, rules, k);
        FATHOM_THEN(status, fathom_recipe_rule(result, item));
    }
    return status;
}

/* The charts, with the seed asked for in place of {seed}. */
static fathom_status put_charts(fathom_json *result, fathom_json *recipe, uint64_t seed)
{
    static const char hole[] = "{seed}";
    fathom_context *context = fathom_json_context(result);
    fathom_json *charts, *filled;
    char *text, *made, number[32];
    if (!fathom_json_has(recipe, "charts"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_list(&charts, recipe, "charts"));
    FATHOM_TRY(fathom_json_text(&text, charts, false));
    const int size = snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    made = fathom_memory_alloc(context, 4 * (int64_t)strlen(text) + 1, 1); /* 20 digits for 6 letters */
    char *to = made;
    for (const char *at = text; made && *at;) {
        const bool found = strncmp(at, hole, sizeof hole - 1) == 0;
        memcpy(to, found ? number : at, found ? (size_t)size : 1);
        to += found ? size : 1;
        at += found ? sizeof hole - 1 : 1;
    }
    fathom_status status =
        made ? fathom_json_parse(&filled, context, made, (size_t)(to - made), "charts") : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        status = fathom_json_set_copy(result, "charts", filled);
        fathom_json_free(filled);
    }
    fathom_memory_free(context, made);
    fathom_json_text_free(charts, text);
    return status;
}

/* What the recipe says about itself. */
static fathom_status introduce(fathom_json *result, fathom_json *recipe, const fathom_recipe_run *run)
{
    static const char *const texts[] = {"id", "paper", "what", "claim", "note", "why"};
    fathom_status status = fathom_json_set_text(result, "command", "reproduce");
    for (size_t k = 0; k < sizeof texts / sizeof *texts && status == FATHOM_OK; k++) {
        const char *text;
        if (!fathom_json_has(recipe, texts[k]))
            continue;
        status = fathom_json_get_text(&text, recipe, texts[k]);
        FATHOM_THEN(status, fathom_json_set_text(result, texts[k], text));
    }
    FATHOM_THEN(status, fathom_json_set_bool(result, "quick", run->quick));
    if (status == FATHOM_OK && run->seed <= INT64_MAX)
        status = fathom_json_set_integer(result, "seed", (int64_t)run->seed);
    FATHOM_THEN(status, put_charts(result, recipe, run->seed));
    if (status != FATHOM_OK || !fathom_json_has(recipe, "tables"))
        return status;
    return fathom_json_set_member(result, "tables", recipe, "tables");
}

/* The time limit ends an item: what there is stands in the result, and nothing is judged on it. */
static fathom_status stop(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_context *context)
{
    char text[256];
    *outcome = (fathom_reproduce_outcome){.undecided = true, .stopped = true};
    snprintf(text, sizeof text, "%s", fathom_context_error(context)->text);
    FATHOM_TRY(fathom_json_set_text(result, "verdict", fathom_criteria_verdict(outcome)));
    return fathom_json_set_text(result, "stopped", text);
}

/* Runs and judges, or says why not. */
static fathom_status work(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_json *recipe,
                          const fathom_recipe_run *run)
{
    fathom_status status = follow_recipe(result, recipe, run);
    if (status == FATHOM_OK)
        return fathom_criteria_judge(outcome, result, recipe);
    return status == FATHOM_ERROR_STOPPED && !fathom_context_interrupted(run->context)
               ? stop(outcome, result, run->context)
               : status;
}

/* Everything anew: introduced, run, judged, written. */
static fathom_status make(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_json *recipe,
                          const fathom_recipe_run *run, const char *file, const char *output,
                          const char *mark)
{
    const double before = fathom_platform_children_seconds();
    fathom_status status = introduce(result, recipe, run);
    if (status == FATHOM_OK && file)
        status = fathom_json_set_text(result, "file", file);
    FATHOM_THEN(status, look_for_data(outcome, recipe));
    const bool skipped = status == FATHOM_OK && outcome->skipped;
    FATHOM_THEN(status, skipped ? skip(result, outcome) : work(outcome, result, recipe, run));
    if (status == FATHOM_OK)
        status =
            fathom_json_set_real(result, "processor_seconds", fathom_platform_children_seconds() - before);
    if (status == FATHOM_OK && !skipped && !outcome->stopped)
        status = fathom_json_set_text(result, "recipe", mark);
    return status == FATHOM_OK ? fathom_json_write(result, output, true) : status;
}

/* What running item `index` needs, and its recipe. */
static fathom_status prepare(fathom_recipe_run *run, fathom_json **recipe, const fathom_reproduce *list,
                             int64_t index, const char *folder, bool quick, fathom_reproduce_runner *runner,
                             void *user)
{
    *run = (fathom_recipe_run){list->context, folder, quick, fathom_context_seed(list->context),
                               NULL,          runner, user,  NULL};
    const fathom_status status = find(recipe, list, index);
    return status == FATHOM_OK && fathom_json_has(*recipe, "draws")
               ? fathom_json_get_text(&run->draws, *recipe, "draws")
               : status;
}

fathom_status fathom_reproduce_try(const fathom_reproduce *list, int64_t index, const char *folder,
                                   bool quick, fathom_reproduce_runner *runner, void *user)
{
    fathom_recipe_run run;
    fathom_json *recipe, *steps = NULL, *step;
    fathom_status status = prepare(&run, &recipe, list, index, folder, quick, runner, user);
    FATHOM_THEN(status, fathom_json_get_list(&steps, recipe, "steps"));
    run.steps = steps;
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(steps); k++) {
        status = fathom_json_get_item(&step, steps, k);
        if (status != FATHOM_OK || fathom_json_has(step, "write"))
            continue;
        status = fathom_recipe_try(step, &run);
        if (status == FATHOM_ERROR_INPUT || status == FATHOM_ERROR_USAGE)
            status = fathom_recipe_blame(list->context, list->file, recipe, k);
    }
    return status;
}

fathom_status fathom_reproduce_run(fathom_reproduce_outcome *outcome, fathom_json *result,
                                   const fathom_reproduce *list, int64_t index, const char *folder,
                                   bool quick, fathom_reproduce_runner *runner, void *user)
{
    char output[FATHOM_RECIPE_TEXT], page[FATHOM_RECIPE_TEXT], mark[FATHOM_REPRODUCE_MARK];
    const char *const file = output;
    fathom_recipe_run run;
    fathom_report_result report;
    fathom_json *recipe;
    *outcome = (fathom_reproduce_outcome){.match = false};
    snprintf(output, sizeof output, "%.3000s/result.json", folder);
    snprintf(page, sizeof page, "%.3000s/page.html", folder);
    FATHOM_TRY(prepare(&run, &recipe, list, index, folder, quick, runner, user));
    FATHOM_TRY(fathom_reproduce_mark(mark, recipe, quick, run.seed));
    if (!fathom_reproduce_keep(outcome, result, output, mark))
        FATHOM_TRY(make(outcome, result, recipe, &run, list->file, output, mark));
    return fathom_report_write(&report, list->context, page, &file, 1);
}
