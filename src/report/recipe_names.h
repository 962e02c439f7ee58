/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and columns that a recipe will have, so that its expressions can be checked before anything is
 * run. */
#ifndef FATHOM_RECIPE_NAMES_H
#define FATHOM_RECIPE_NAMES_H

#include "fathom/json.h"

typedef struct fathom_recipe_names {
    fathom_json *tables;  /* each a list without rows */
    fathom_json *columns; /* of each table an object with its columns; "*": it may have others */
} fathom_recipe_names;

fathom_status fathom_recipe_names_create(fathom_recipe_names *names, fathom_context *context);
void fathom_recipe_names_free(fathom_recipe_names *names);

/* A table, where it is not there yet; a column of a table (a.b is written as a_b); all columns that there may
 * be. */
fathom_status fathom_recipe_names_table(fathom_recipe_names *names, const char *table);
fathom_status fathom_recipe_names_column(fathom_recipe_names *names, const char *table, const char *path);
bool fathom_recipe_names_known(const fathom_recipe_names *names, const char *table);

/* Evaluates the expression on the tables without rows: *count 1 where it gives a number. ERROR_INPUT says
 * what is wrong with it. */
fathom_status fathom_recipe_names_try(int64_t *count, const fathom_recipe_names *names, const char *text);

#endif
