/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of recipes share: the place that messages name, members of the right kind and size, names
 * that are known. */
#ifndef FATHOM_RECIPE_FORM_H
#define FATHOM_RECIPE_FORM_H

#include "recipe.h"
#include "recipe_names.h"

enum { FORM_COLUMNS = 64, FORM_PLACE = 300 };

typedef struct form_checker {
    fathom_context *context;
    const char *file;
    char place[FORM_PLACE];    /* which part is being looked at */
    fathom_recipe_names names; /* tables so far */
    const char *draws;
    double runs;
} form_checker;

/* ERROR_INPUT with the file and the place before the text. */
FATHOM_PRINTF(2, 3)
fathom_status form_refuse(const form_checker *c, const char *format, ...);

/* What a getter or a parser found wrong, with the place before it; other statuses as they are. */
fathom_status form_pass(const form_checker *c, fathom_status status);

/* An object with no other members than these. */
fathom_status form_only(const form_checker *c, const fathom_json *object, const char *const *known);

/* A word of letters, digits and underscores. */
fathom_status form_name(const char **name, const form_checker *c, const fathom_json *object, const char *key);

/* A list of `least` to `most` items; with least 0 it need not be there, and *list is NULL. */
fathom_status form_list(fathom_json **list, const form_checker *c, fathom_json *object, const char *key,
                        int64_t least, int64_t most);

/* A list of texts, and texts, that need not be there. */
fathom_status form_texts(const form_checker *c, fathom_json *object, const char *key, int64_t most);
fathom_status form_optional_texts(const form_checker *c, const fathom_json *object, const char *const *key);

/* A number that need not be there, or null, from least to most. */
fathom_status form_real(const form_checker *c, const fathom_json *object, const char *key, double least,
                        double most);

/* A table of this name from here on; one that is there; its columns from a list of the rule. */
fathom_status form_table(form_checker *c, const char *name);
fathom_status form_known(const form_checker *c, const char *name);
fathom_status form_columns(form_checker *c, fathom_json *rule, const char *table, const char *key);

/* "needs": one table or a list of them. */
fathom_status form_needs(const form_checker *c, fathom_json *object);

/* An expression that parses and names known tables, columns and functions; `one`: it gives one number. */
fathom_status form_expression(const form_checker *c, const fathom_json *object, const char *key, bool one);

/* Letters, digits and the signs of `others`, not beginning with a dot. */
bool form_is_plain(const char *text, const char *others);

/* The members of a step, its loops, holes and rows (recipe_check_steps.c). */
fathom_status form_step(form_checker *c, fathom_json *step);

#endif
