/* SPDX-License-Identifier: Apache-2.0 */
/* What to say of a name that is none: the nearest one, and a list of what there is. */
#ifndef FATHOM_NEAR_H
#define FATHOM_NEAR_H

#include "dictionary.h"

enum { FATHOM_NEAR_SIZE = 512 };

/* Writes "; did you mean 'age'? The columns are 'a', 'b', ..."; without a name ": 'a', 'b', ...". Empty
 * where there are none. */
void fathom_near_list(char list[FATHOM_NEAR_SIZE], const char *name, const fathom_dictionary *names);

#endif
