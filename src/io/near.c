/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest of some names: fewest letters to insert, delete or change, whatever their case. */
#include "near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, LISTED = 12, CANDIDATES = 10000 };

/* Edit distance of the first LONGEST bytes. */
static int64_t distance(const char *a, const char *b)
{
    int64_t row[LONGEST + 1];
    const size_t n = strnlen(a, LONGEST), m = strnlen(b, LONGEST);
    for (size_t j = 0; j <= m; j++)
        row[j] = (int64_t)j;
    for (size_t i = 1; i <= n; i++) {
        int64_t corner = row[0];
        row[0] = (int64_t)i;
        for (size_t j = 1; j <= m; j++) {
            const int64_t change =
                corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            const int64_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[m];
}

/* The nearest name, or NULL where more than a third of the letters would change. */
static const char *nearest(const char *name, const fathom_dictionary *names)
{
    int64_t best = (int64_t)strnlen(name, LONGEST) / 3 + 1;
    const char *found = NULL;
    for (int64_t k = 0; k < names->count && k < CANDIDATES; k++) {
        const int64_t now = distance(name, fathom_dictionary_text(names, k));
        if (now < best || (now == best && !found)) {
            best = now;
            found = fathom_dictionary_text(names, k);
        }
    }
    return found;
}

void fathom_near_list(char list[FATHOM_NEAR_SIZE], const char *name, const fathom_dictionary *names)
{
    const char *found = name ? nearest(name, names) : NULL;
    size_t used = 0;
    list[0] = 0;
    if (names->count == 0)
        return;
    if (found)
        used += (size_t)snprintf(list, FATHOM_NEAR_SIZE, "; did you mean '%.60s'?", found);
    used += (size_t)snprintf(list + used, FATHOM_NEAR_SIZE - used, "%s",
                             !name   ? ": "
                             : found ? " The columns are "
                                     : "; the columns are ");
    for (int64_t k = 0; k < names->count && k <= LISTED; k++) {
        if (k == LISTED || used > FATHOM_NEAR_SIZE - 50) {
            snprintf(list + used, FATHOM_NEAR_SIZE - used, ", ...");
            return;
        }
        used += (size_t)snprintf(list + used, FATHOM_NEAR_SIZE - used, "%s'%.30s'", k > 0 ? ", " : "",
                                 fathom_dictionary_text(names, k));
    }
}
