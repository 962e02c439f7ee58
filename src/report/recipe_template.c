/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of recipes as lists of recipes: one pass over their text, of bounded length. */
#include "recipe_template.h"

#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "memory.h"

enum { NAME = 40, LIMIT = 16 << 20 };

/* A text that grows up to LIMIT. */
typedef struct growing {
    fathom_context *context;
    const char *file;
    char *text;
    size_t length, room;
} growing;

static fathom_status refuse(const growing *g, const char *what, const char *name)
{
    return fathom_error_set_at(g->context, FATHOM_ERROR_INPUT, g->file, 0, 0, "template: %s%.40s", what,
                               name);
}

static fathom_status add(growing *g, const char *text, size_t size)
{
    if (g->length + size + 1 > LIMIT)
        return refuse(g, "its recipes have more than 16 MB of text", "");
    if (g->length + size + 1 > g->room) {
        const size_t room = 2 * (g->length + size + 1);
        char *wider = fathom_memory_alloc(g->context, (int64_t)room, 1);
        if (!wider)
            return FATHOM_ERROR_MEMORY;
        if (g->length > 0)
            memcpy(wider, g->text, g->length);
        fathom_memory_free(g->context, g->text);
        g->text = wider, g->room = room;
    }
    memcpy(g->text + g->length, text, size);
    g->length += size;
    g->text[g->length] = '\0';
    return FATHOM_OK;
}

/* The length of the name in "@name@", or 0. */
static size_t hole_at(const char *at)
{
    const size_t size = at[0] == '@' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
    return size > 0 && size < NAME && at[size + 1] == '@' ? size : 0;
}

/* A member in place of a hole: as JSON, or without the quotes of a text. */
static fathom_status add_member(growing *g, const fathom_json *item, const char *name, bool whole)
{
    fathom_json *box;
    char *text;
    if (!fathom_json_has(item, name))
        return refuse(g, "an item has no value for @name@ with the name ", name);
    FATHOM_TRY(fathom_json_create(&box, g->context));
    fathom_status status = fathom_json_set_member(box, "v", item, name);
    FATHOM_THEN(status, fathom_json_text(&text, box, false));
    if (status == FATHOM_OK) {
        const char *value = strchr(text, ':') + 1;
        value += strspn(value, " ");
        const size_t size = strlen(value) - 1; /* without the brace */
        if (!whole && value[0] != '"')
            status = refuse(g, "among other letters a value is a text: ", name);
        else
            status = whole ? add(g, value, size) : add(g, value + 1, size - 2);
        fathom_json_text_free(box, text);
    }
    fathom_json_free(box);
    return status;
}

/* The template's text with the members of an item. */
static fathom_status fill(growing *g, const char *text, const fathom_json *item)
{
    fathom_status status = FATHOM_OK;
    for (const char *at = text; *at && status == FATHOM_OK;) {
        const bool quote = *at == '"';
        const size_t size = hole_at(at + quote), plain = strcspn(at + 1, "@\"") + 1;
        const bool whole = quote && size > 0 && at[size + 3] == '"' && (at == text || at[-1] != '\\');
        char name[NAME] = "";
        if (whole || (!quote && size > 0)) {
            memcpy(name, at + quote + 1, size);
            status = add_member(g, item, name, whole);
            at += size + (whole ? 4 : 2);
        } else {
            status = add(g, at, plain);
            at += plain;
        }
    }
    return status;
}

static fathom_status add_comma(growing *g) { return g->length > 1 ? add(g, ",", 1) : FATHOM_OK; }

/* All recipes of one entry with a template. */
static fathom_status add_items(growing *g, fathom_json *entry)
{
    static const char *const known[] = {"template", "items", NULL};
    fathom_json *template, *items, *item;
    char *text;
    const char *stranger = fathom_json_stranger(entry, known);
    if (stranger)
        return refuse(g, "it has a template and items, nothing else: ", stranger);
    FATHOM_TRY(fathom_json_get_object(&template, entry, "template"));
    FATHOM_TRY(fathom_json_get_list(&items, entry, "items"));
    FATHOM_TRY(fathom_json_text(&text, template, false));
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(items) && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&item, items, k);
        FATHOM_THEN(status, add_comma(g));
        FATHOM_THEN(status, fill(g, text, item));
    }
    fathom_json_text_free(template, text);
    return status;
}

static fathom_status add_entry(growing *g, fathom_json *entry)
{
    char *text;
    if (!fathom_json_is_list(entry) && fathom_json_has(entry, "template"))
        return add_items(g, entry);
    FATHOM_TRY(fathom_json_text(&text, entry, false));
    fathom_status status = add_comma(g);
    FATHOM_THEN(status, add(g, text, strlen(text)));
    fathom_json_text_free(entry, text);
    return status;
}

/* Whether some entry has a template. */
static bool has_templates(fathom_json *book)
{
    fathom_json *entry;
    if (!fathom_json_is_list(book))
        return fathom_json_has(book, "template");
    for (int64_t k = 0; k < fathom_json_count(book); k++)
        if (fathom_json_get_item(&entry, book, k) == FATHOM_OK && fathom_json_has(entry, "template"))
            return true;
    return false;
}

fathom_status fathom_recipe_expand(fathom_json **book, const char *name)
{
    growing g = {.context = fathom_json_context(*book), .file = name};
    fathom_json *entry, *made;
    if (!has_templates(*book))
        return FATHOM_OK;
    fathom_status status = add(&g, "[", 1);
    if (!fathom_json_is_list(*book))
        status = status == FATHOM_OK ? add_entry(&g, *book) : status;
    else
        for (int64_t k = 0; k < fathom_json_count(*book) && status == FATHOM_OK; k++) {
            status = fathom_json_get_item(&entry, *book, k);
            FATHOM_THEN(status, add_entry(&g, entry));
        }
    FATHOM_THEN(status, add(&g, "]", 1));
    FATHOM_THEN(status, fathom_json_parse(&made, g.context, g.text, g.length, name));
    fathom_memory_free(g.context, g.text);
    if (status != FATHOM_OK)
        return status;
    fathom_json_free(*book);
    *book = made;
    return FATHOM_OK;
}
