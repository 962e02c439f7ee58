/* SPDX-License-Identifier: Apache-2.0 */
/* The names that there are, with the nearest to one that is none of them. */
#include "near.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

enum { LISTED = 12, CANDIDATES = 10000 };

void fathom_near_list(char list[FATHOM_NEAR_SIZE], const char *name, const fathom_dictionary *names)
{
    char hint[FATHOM_HINT_SIZE];
    size_t used = 0;
    list[0] = 0;
    if (names->count == 0)
        return;
    if (name) {
        fathom_nearest nearest = fathom_nearest_begin(name, strlen(name));
        for (int64_t k = 0; k < names->count && k < CANDIDATES; k++) {
            const char *text = fathom_dictionary_text(names, k);
            fathom_nearest_try(&nearest, text, strlen(text));
        }
        used = (size_t)snprintf(list, FATHOM_NEAR_SIZE, "%s%s", fathom_nearest_hint(hint, &nearest, ";"),
                                nearest.best ? " The columns are " : " the columns are ");
    } else {
        used = (size_t)snprintf(list, FATHOM_NEAR_SIZE, ": ");
    }
    for (int64_t k = 0; k < names->count && k <= LISTED; k++) {
        if (k == LISTED || used > FATHOM_NEAR_SIZE - 50) {
            snprintf(list + used, FATHOM_NEAR_SIZE - used, ", ...");
            return;
        }
        used += (size_t)snprintf(list + used, FATHOM_NEAR_SIZE - used, "%s'%.30s'", k > 0 ? ", " : "",
                                 fathom_dictionary_text(names, k));
    }
}
