/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes from the embedded lists, one per paper; criteria judged; the result and its page written. */
#include "fathom/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "context_internal.h"
#include "expression.h"
#include "fathom/report.h"
#include "json_internal.h"
#include "memory.h"
#include "recipe.h"
#include "reproduce_keep.h"

enum { PAPERS = 5 };
extern const unsigned char fathom_recipes_000[], fathom_recipes_001[], fathom_recipes_002[],
    fathom_recipes_003[], fathom_recipes_004[];

struct fathom_reproduce {
    fathom_context *context;
    fathom_json *paper[PAPERS];
};

fathom_status fathom_reproduce_create(fathom_reproduce **list, fathom_context *context)
{
    const unsigned char *const text[PAPERS] = {fathom_recipes_000, fathom_recipes_001, fathom_recipes_002,
                                               fathom_recipes_003, fathom_recipes_004};
    fathom_reproduce *made = fathom_memory_zero(context, 1, sizeof *made);
    fathom_status status = made ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *list = NULL;
    for (int k = 0; k < PAPERS && status == FATHOM_OK; k++)
        status = fathom_json_parse(&made->paper[k], context, (const char *)text[k],
                                   strlen((const char *)text[k]), "recipes");
    if (made)
        made->context = context;
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
        fathom_json_free(list->paper[k]);
    fathom_memory_free(list->context, list);
}

int64_t fathom_reproduce_count(const fathom_reproduce *list)
{
    int64_t count = 0;
    for (int k = 0; k < PAPERS; k++)
        count += fathom_json_count(list->paper[k]);
    return count;
}

/* The recipe with this number over all papers. */
static fathom_status find(fathom_json **recipe, const fathom_reproduce *list, int64_t index)
{
    for (int k = 0; k < PAPERS && index >= 0; k++) {
        const int64_t count = fathom_json_count(list->paper[k]);
        if (index < count)
            return fathom_json_get_item(recipe, list->paper[k], index);
        index -= count;
    }
    return fathom_error_set(list->context, FATHOM_ERROR_USAGE, "no such item");
}

fathom_status fathom_reproduce_get(fathom_reproduce_item *item, const fathom_reproduce *list, int64_t index)
{
    fathom_json *recipe;
    fathom_status status = find(&recipe, list, index);
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&item->id, recipe, "id");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&item->paper, recipe, "paper");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&item->what, recipe, "what");
    if (status == FATHOM_OK)
        status = fathom_json_get_real(&item->minutes, recipe, "minutes");
    if (status != FATHOM_OK)
        return status;
    item->quick_minutes = item->minutes;
    item->quick = true;
    if (fathom_json_has(recipe, "quick_minutes"))
        status = fathom_json_get_real(&item->quick_minutes, recipe, "quick_minutes");
    if (status == FATHOM_OK && fathom_json_has(recipe, "quick"))
        status = fathom_json_get_bool(&item->quick, recipe, "quick");
    return status;
}

static bool relation_holds(double value, const char *relation, double limit)
{
    return strcmp(relation, "<=") == 0   ? value <= limit
           : strcmp(relation, "<") == 0  ? value < limit
           : strcmp(relation, ">=") == 0 ? value >= limit
           : strcmp(relation, ">") == 0  ? value > limit
                                         : value == limit;
}

/* The parts of a criterion, its value on the tables, and whether it holds. */
static fathom_status judge(fathom_reproduce_criterion *c, const char **text, fathom_json *criterion,
                           fathom_json *tables)
{
    const char *name, *relation;
    fathom_status status = fathom_json_get_text(&name, criterion, "name");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(text, criterion, "value");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&relation, criterion, "relation");
    if (status == FATHOM_OK)
        status = fathom_json_get_real(&c->limit, criterion, "limit");
    if (status == FATHOM_OK)
        status = fathom_expression_number(&c->value, tables, *text);
    if (status != FATHOM_OK)
        return status;
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->relation, sizeof c->relation, "%s", relation);
    c->holds = relation_holds(c->value, relation, c->limit);
    return FATHOM_OK;
}

static fathom_status put_criterion(fathom_json *list, const fathom_reproduce_criterion *c, const char *text)
{
    fathom_json *out;
    fathom_status status = fathom_json_append_object(list, &out);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(out, "name", c->name);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(out, "expression", text);
    if (status == FATHOM_OK)
        status = fathom_json_set_real(out, "value", c->value);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(out, "relation", c->relation);
    if (status == FATHOM_OK)
        status = fathom_json_set_real(out, "limit", c->limit);
    return status == FATHOM_OK ? fathom_json_set_bool(out, "holds", c->holds) : status;
}

/* All criteria, and the verdict. */
static fathom_status judge_all(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_json *recipe)
{
    fathom_json *criteria, *list, *item;
    const char *text;
    fathom_status status = fathom_json_get_list(&criteria, recipe, "criteria");
    if (status == FATHOM_OK)
        status = fathom_json_set_list(result, "criteria", &list);
    *outcome = (fathom_reproduce_outcome){.match = true};
    for (int64_t k = 0;
         status == FATHOM_OK && k < fathom_json_count(criteria) && k < FATHOM_REPRODUCE_CRITERIA; k++) {
        fathom_reproduce_criterion *c = &outcome->criterion[outcome->count++];
        status = fathom_json_get_item(&item, criteria, k);
        if (status == FATHOM_OK)
            status = judge(c, &text, item, result);
        if (status == FATHOM_OK)
            status = put_criterion(list, c, text);
        outcome->match = outcome->match && c->holds;
    }
    return status == FATHOM_OK ? fathom_json_set_text(result, "verdict", outcome->match ? "match" : "differs")
                               : status;
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
        outcome->skipped = access(outcome->missing, R_OK) != 0;
    }
    return status;
}

/* The verdict of an item without its data. */
static fathom_status skip(fathom_json *result, const fathom_reproduce_outcome *outcome)
{
    fathom_status status = fathom_json_set_text(result, "verdict", "skipped");
    return status == FATHOM_OK ? fathom_json_set_text(result, "missing", outcome->missing) : status;
}

/* Steps and derived columns, in the order of the recipe. */
static fathom_status follow(fathom_json *result, fathom_json *recipe, const fathom_recipe_run *run)
{
    fathom_json *steps, *rules, *item;
    fathom_status status = fathom_json_get_list(&steps, recipe, "steps");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(steps); k++) {
        status = fathom_json_get_item(&item, steps, k);
        if (status == FATHOM_OK)
            status = fathom_recipe_step(result, item, run);
    }
    if (status != FATHOM_OK || !fathom_json_has(recipe, "derive"))
        return status;
    status = fathom_json_get_list(&rules, recipe, "derive");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(rules); k++) {
        status = fathom_json_get_item(&item, rules, k);
        if (status == FATHOM_OK)
            status = fathom_recipe_rule(result, item);
    }
    return status;
}

/* What the recipe says about itself; charts go to the page as they are. */
static fathom_status introduce(fathom_json *result, fathom_json *recipe, bool quick)
{
    static const char *const texts[] = {"id", "paper", "what", "claim", "note", "why"};
    fathom_json *charts;
    fathom_status status = fathom_json_set_text(result, "command", "reproduce");
    for (size_t k = 0; k < sizeof texts / sizeof *texts && status == FATHOM_OK; k++) {
        const char *text;
        if (!fathom_json_has(recipe, texts[k]))
            continue;
        status = fathom_json_get_text(&text, recipe, texts[k]);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(result, texts[k], text);
    }
    if (status == FATHOM_OK)
        status = fathom_json_set_bool(result, "quick", quick);
    if (status == FATHOM_OK)
        status = fathom_json_get_list(&charts, recipe, "charts");
    if (status == FATHOM_OK)
        status = fathom_json_set_copy(result, "charts", charts);
    if (status != FATHOM_OK || !fathom_json_has(recipe, "tables"))
        return status;
    return fathom_json_set_member(result, "tables", recipe, "tables");
}

/* Everything anew: introduced, run, judged, written. */
static fathom_status make(fathom_reproduce_outcome *outcome, fathom_json *result, fathom_json *recipe,
                          const fathom_recipe_run *run, const char *output, const char *mark)
{
    fathom_status status = introduce(result, recipe, run->quick);
    if (status == FATHOM_OK)
        status = look_for_data(outcome, recipe);
    const bool skipped = status == FATHOM_OK && outcome->skipped;
    if (status == FATHOM_OK)
        status = skipped ? skip(result, outcome) : follow(result, recipe, run);
    if (status == FATHOM_OK && !skipped)
        status = judge_all(outcome, result, recipe);
    if (status == FATHOM_OK && !skipped)
        status = fathom_json_set_text(result, "recipe", mark);
    return status == FATHOM_OK ? fathom_json_write(result, output, true) : status;
}

fathom_status fathom_reproduce_run(fathom_reproduce_outcome *outcome, fathom_json *result,
                                   const fathom_reproduce *list, int64_t index, const char *folder,
                                   bool quick, fathom_reproduce_runner *runner, void *user)
{
    char output[FATHOM_RECIPE_TEXT], page[FATHOM_RECIPE_TEXT], mark[FATHOM_REPRODUCE_MARK];
    const char *const file = output;
    const fathom_recipe_run run = {list->context, folder, quick, runner, user};
    fathom_report_result report;
    fathom_json *recipe;
    *outcome = (fathom_reproduce_outcome){.match = false};
    snprintf(output, sizeof output, "%s/result.json", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    fathom_status status = find(&recipe, list, index);
    if (status == FATHOM_OK)
        status = fathom_reproduce_mark(mark, recipe, quick);
    if (status == FATHOM_OK && !fathom_reproduce_keep(outcome, result, output, mark))
        status = make(outcome, result, recipe, &run, output, mark);
    return status == FATHOM_OK ? fathom_report_write(&report, list->context, page, &file, 1) : status;
}
