/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes of a file, read and checked before anything of them is run.
 *
 * A file of at most 4 MB holds one recipe or a list of at most 256. Members that nothing reads, names that
 * would not be found, expressions that do not parse, holes without a value, more than 10,000 runs: each is
 * ERROR_INPUT with the file and the place. Files are written and read inside the item's folder only.
 */
#ifndef FATHOM_RECIPE_CHECK_H
#define FATHOM_RECIPE_CHECK_H

#include "fathom/json.h"

/* Gives the recipe, or the list of recipes, of a file. */
fathom_status fathom_recipe_read(fathom_json **book, fathom_context *context, const char *path);

/* The same for what was parsed already; `name` is the file that stands in messages. */
fathom_status fathom_recipe_check(fathom_json *book, const char *name);

/* The context's last error as one of step k of a recipe. */
fathom_status fathom_recipe_blame(fathom_context *context, const char *file, fathom_json *recipe, int64_t k);

#endif
