/* SPDX-License-Identifier: Apache-2.0 */
/* Names of rules that lead nowhere in any run; recipe_found.h. */
#include "recipe_found.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "nearest.h"

enum { NAME = 256, LISTED = 600 };
static const char *const list_name[FATHOM_RECIPE_LISTS] = {"keep", "log", "each"};

/* Where a path fails: `inner` lacks `word`. NULL: it leads somewhere, or to something below null. */
static const char *find_gap(fathom_json **inner, char word[NAME], fathom_json *values, const char *path)
{
    const char *dot = strchr(path, '.');
    int64_t count;
    snprintf(word, NAME, "%.*s", (int)(dot ? dot - path : NAME - 1), path);
    *inner = values;
    if (!fathom_json_has(values, word))
        return path;
    if (!dot || fathom_json_is_null(values, word))
        return NULL;
    if (isdigit((unsigned char)dot[1]))
        return fathom_json_get_count(&count, values, word) != FATHOM_OK || atoi(dot + 1) < count ? NULL
                                                                                                 : dot + 1;
    if (fathom_json_get_object(inner, values, word) != FATHOM_OK) {
        *inner = values;
        return dot + 1;
    }
    return fathom_json_has(*inner, dot + 1) ? NULL : dot + 1;
}

static fathom_status keep_first(fathom_json **first, fathom_json *values)
{
    if (*first)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_create(first, fathom_json_context(values)));
    return fathom_json_set_all(*first, values);
}

fathom_status fathom_recipe_found_look(fathom_recipe_found *found, fathom_json *rule, fathom_recipe_list list,
                                       fathom_json *values)
{
    char word[NAME];
    fathom_json *inner;
    int64_t count;
    const char *path;
    if (!fathom_json_has(rule, list_name[list]))
        return FATHOM_OK;
    fathom_status status = keep_first(&found->first, values);
    FATHOM_THEN(status, fathom_json_get_count(&count, rule, list_name[list]));
    for (int64_t k = 0; status == FATHOM_OK && k < count && k < 64; k++) {
        status = fathom_json_get_text_item(&path, rule, list_name[list], k);
        if (status == FATHOM_OK && !find_gap(&inner, word, values, path))
            found->there[list] |= UINT64_C(1) << k;
    }
    return status;
}

fathom_status fathom_recipe_found_rows(fathom_recipe_found *found, fathom_json *values, const char *path)
{
    char word[NAME];
    fathom_json *inner;
    found->rows = found->rows || !find_gap(&inner, word, values, path);
    return found->rows ? FATHOM_OK : keep_first(&found->first_rows, values);
}

/* The names that `values` has, as many as fit. */
static void list_names(char text[LISTED], fathom_nearest *nearest, const fathom_json *values)
{
    const char *key;
    size_t used = 0;
    text[0] = '\0';
    for (int64_t k = 0; (key = fathom_json_key(values, k)); k++) {
        fathom_nearest_try(nearest, key, strlen(key));
        if (used + strlen(key) + 8 < LISTED)
            used += (size_t)snprintf(text + used, LISTED - used, "%s%.200s", k ? ", " : "", key);
        else if (used + 8 < LISTED) {
            snprintf(text + used, LISTED - used, ", ...");
            used = LISTED;
        }
    }
}

/* An error that names the path, the step and what there is in its place. */
static fathom_status refuse(fathom_json *rule, const char *what, const char *path, fathom_json *values)
{
    char word[NAME], names[LISTED], hint[FATHOM_HINT_SIZE];
    fathom_json *inner;
    const char *name, *gap = find_gap(&inner, word, values, path);
    FATHOM_TRY(fathom_json_get_text(&name, rule, "name"));
    if (!gap)
        gap = path;
    const size_t length = strcspn(gap, ".");
    fathom_nearest nearest = fathom_nearest_begin(gap, length);
    if (gap != path && inner == values) /* below a number, a text or the end of a list */
        return fathom_error_set(fathom_json_context(rule), FATHOM_ERROR_INPUT,
                                "%s of %.64s: '%.100s' is in no run, since %.100s has no such part", what,
                                name, path, word);
    list_names(names, &nearest, inner);
    return fathom_error_set(
        fathom_json_context(rule), FATHOM_ERROR_INPUT, "%s of %.64s: '%.100s' is in no run%s There %s%s",
        what, name, path, fathom_nearest_hint(hint, &nearest, "."), names[0] ? "are: " : "is nothing", names);
}

fathom_status fathom_recipe_found_check(const fathom_recipe_found *found, fathom_json *rule)
{
    int64_t count;
    const char *path;
    if (found->first_rows && !found->rows) {
        FATHOM_TRY(fathom_json_get_text(&path, rule, "rows"));
        return refuse(rule, "rows", path, found->first_rows);
    }
    for (int list = 0; found->first && list < FATHOM_RECIPE_LISTS; list++) {
        if (!fathom_json_has(rule, list_name[list]))
            continue;
        FATHOM_TRY(fathom_json_get_count(&count, rule, list_name[list]));
        for (int64_t k = 0; k < count && k < 64; k++) {
            FATHOM_TRY(fathom_json_get_text_item(&path, rule, list_name[list], k));
            if (!(found->there[list] >> k & 1))
                return refuse(rule, list_name[list], path, found->first);
        }
    }
    return FATHOM_OK;
}

void fathom_recipe_found_clear(fathom_recipe_found *found)
{
    fathom_json_free(found->first);
    fathom_json_free(found->first_rows);
    *found = (fathom_recipe_found){.first = NULL};
}
