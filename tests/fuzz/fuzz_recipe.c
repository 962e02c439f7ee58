/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of recipes: refused with the file's name, or of the form that is documented. */
#include "fuzzing.h"

#include <string.h>

#include "json_internal.h"
#include "recipe_check.h"
#include "recipe_template.h"

/* What everything after the check relies on. */
static void check_recipe(fathom_json *recipe)
{
    fathom_json *steps;
    const char *id;
    must_hold(fathom_json_get_text(&id, recipe, "id") == FATHOM_OK);
    must_hold(*id && *id != '.' && strlen(id) <= 100 && !strchr(id, '/') && !strchr(id, '\\'));
    must_hold(fathom_json_get_list(&steps, recipe, "steps") == FATHOM_OK && fathom_json_count(steps) > 0);
    for (int64_t k = 0; k < fathom_json_count(steps); k++) {
        fathom_json *step;
        const char *name;
        must_hold(fathom_json_get_item(&step, steps, k) == FATHOM_OK);
        const bool write = fathom_json_has(step, "write");
        must_hold(fathom_json_get_text(&name, step, write ? "write" : "name") == FATHOM_OK);
        must_hold(!strchr(name, '/') && *name != '.');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_json *book, *recipe;
    fathom_status status = fathom_json_parse(&book, context, (const char *)data, size, "input");
    if (status == FATHOM_OK)
        status = fathom_recipe_expand(&book, "input");
    if (status == FATHOM_OK)
        status = fathom_recipe_check(book, "input");
    if (status != FATHOM_OK) {
        check_failure(context, status);
    } else if (!fathom_json_is_list(book)) {
        check_recipe(book);
    } else {
        for (int64_t k = 0; k < fathom_json_count(book); k++) {
            must_hold(fathom_json_get_item(&recipe, book, k) == FATHOM_OK);
            check_recipe(recipe);
        }
    }
    fathom_json_free(book);
    return 0;
}
