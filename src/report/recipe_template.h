/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes that differ in a few values:
 *
 *     {"template": RECIPE, "items": [{"id": "a", "file": "a.csv", "folds": ["0:10", "10:20"]}, ...]}
 *
 * stands for one recipe per item. In all texts of the template @NAME@ (letters a to z and _) is the item's member NAME: alone in a text it is the value,
 * whatever its kind; among other letters it is a text. Values are taken as they are, holes in them included.
 */
#ifndef FATHOM_RECIPE_TEMPLATE_H
#define FATHOM_RECIPE_TEMPLATE_H

#include "fathom/json.h"

/* Replaces a book (one recipe or a list) that has templates by the list that they stand for; `name` is the file's, for messages. On failure the
 * book is as it was. */
fathom_status fathom_recipe_expand(fathom_json **book, const char *name);

#endif
