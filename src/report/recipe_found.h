/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the names of a rule (keep, log, each, rows) lead to members of what the runs of its step printed. A member may be
 * absent from one run and there in another; a name that led nowhere in any of them is refused, with the names there are. Null
 * may have been more in another run, and is no reason to refuse what stands below it.
 */
#ifndef FATHOM_RECIPE_FOUND_H
#define FATHOM_RECIPE_FOUND_H

#include <stdint.h>

#include "inner/json.h"

typedef enum fathom_recipe_list {
    FATHOM_RECIPE_KEEP,
    FATHOM_RECIPE_LOG,
    FATHOM_RECIPE_EACH,
    FATHOM_RECIPE_LISTS
} fathom_recipe_list;

/* One rule. Zeros to begin with; cleared by fathom_recipe_found_clear. */
typedef struct fathom_recipe_found {
    uint64_t there[FATHOM_RECIPE_LISTS]; /* bit k: name k of the list led somewhere */
    bool rows;                           /* and so did that of `rows` */
    fathom_json *first,
        *first_rows; /* a copy of what the names were looked for in first; NULL: in nothing so far */
} fathom_recipe_found;

/* Looks for the names of one list of the rule among `values`. */
fathom_status fathom_recipe_found_look(fathom_recipe_found *found, fathom_json *rule, fathom_recipe_list list,
                                       fathom_json *values);

/* The same for the path `rows`. */
fathom_status fathom_recipe_found_rows(fathom_recipe_found *found, fathom_json *values, const char *path);

/* Refuses the first name of the rule that led nowhere. */
fathom_status fathom_recipe_found_check(const fathom_recipe_found *found, fathom_json *rule);

void fathom_recipe_found_clear(fathom_recipe_found *found);

#endif
