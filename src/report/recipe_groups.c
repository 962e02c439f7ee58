/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows by the texts of their values, numbers with all their digits. Cost: one look-up per row. */
#include "recipe_groups.h"

#include <stdio.h>
#include <string.h>

#include "json_internal.h"
#include "memory.h"

/* What the row has in the columns, as one text; whether it has any of them. */
static bool row_key(char key[FATHOM_RECIPE_KEY], const fathom_json *row, const char *const *by, int64_t count)
{
    size_t length = 0;
    bool any = false;
    key[0] = '\0';
    for (int64_t k = 0; k < count && length < FATHOM_RECIPE_KEY - 520; k++) {
        const char *text;
        double value;
        int more = 0;
        if (fathom_json_get_real(&value, row, by[k]) == FATHOM_OK)
            more = snprintf(key + length, FATHOM_RECIPE_KEY - length, "%.17g|", value);
        else if (fathom_json_get_text(&text, row, by[k]) == FATHOM_OK)
            more = snprintf(key + length, FATHOM_RECIPE_KEY - length, "%.511s|", text);
        any = any || more > 0;
        length += more > 0 ? (size_t)more : 0;
    }
    return any;
}

fathom_status fathom_recipe_groups(int64_t **group, bool *any, fathom_dictionary *keys, fathom_json *rows,
                                   const char *const *by, int64_t count)
{
    fathom_context *context = fathom_json_context(rows);
    const int64_t length = fathom_json_count(rows);
    char key[FATHOM_RECIPE_KEY];
    fathom_json *row;
    *any = false;
    *group = fathom_memory_alloc(context, length + 1, sizeof **group);
    fathom_status status = *group ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < length && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&row, rows, k);
        (*group)[k] = -1;
        if (status != FATHOM_OK || !row_key(key, row, by, count))
            continue;
        *any = true;
        status = fathom_dictionary_add(keys, context, &(*group)[k], key, strlen(key));
    }
    return status;
}
