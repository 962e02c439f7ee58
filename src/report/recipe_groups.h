/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables in groups: those that agree in all of some columns belong together. */
#ifndef FATHOM_RECIPE_GROUPS_H
#define FATHOM_RECIPE_GROUPS_H

#include "dictionary.h"
#include "fathom/json.h"

enum { FATHOM_RECIPE_KEY = 4608 };

/* *group (to be freed, one number per row) from the values of the rows under the columns by[0..count),
 * numbered in `keys` by first appearance; -1 where a row has none of the columns. *any: whether some row has
 * one. */
fathom_status fathom_recipe_groups(int64_t **group, bool *any, fathom_dictionary *keys, fathom_json *rows,
                                   const char *const *by, int64_t count);

#endif
