/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a recipe's tables, taken from what a run printed; recipe.h states the form. */
#ifndef FATHOM_RECIPE_ROWS_H
#define FATHOM_RECIPE_ROWS_H

#include "recipe.h"
#include "recipe_found.h"

/* The loops of a step and their values at one run; all borrowed. */
typedef struct fathom_recipe_loops {
    int64_t count;
    const char *const *name, *const *value;
} fathom_recipe_loops;

/* Adds to `table` the rows that `rule` (a step, or a member of its list `also`) takes from a result and its log;
 * `found` notes which of its names were there. */
fathom_status fathom_recipe_rows(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                 const fathom_recipe_loops *loops, fathom_json *result, const char *log);

/* Adds a row for each line of a CSV file with a header: its columns (or those under `keep` of the rule), numbers as such, and
 * `index`, from 0. */
fathom_status fathom_recipe_rows_csv(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                     const fathom_recipe_loops *loops, const char *path);

#endif
