/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mistyped words. The distance of two words is the least number of letters to insert, delete or change,
 * two neighbours that changed places counting as one. Near is at most 2, and less than half of the word:
 * of short words only slips are.
 */
#include "nearest.h"

#include <stdio.h>
#include <string.h>

#include "fathom/options.h"
#include "inner/options.h"

enum { WORD_SIZE = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Rows i-2, i-1, i of the table of distances between beginnings, turned around. */
static size_t distance(const char *a, size_t rows, const char *b, size_t columns)
{
    size_t table[3][WORD_SIZE + 1];
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = table[i % 3];
        const size_t *above = table[(i - 1) % 3], *before = table[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = least(least(above[j], now[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return table[rows % 3][columns];
}

fathom_nearest fathom_nearest_begin(const char *word, size_t length)
{
    return (fathom_nearest){.word = word, .length = length, .least = least(2, length / 2) + 1};
}

void fathom_nearest_try(fathom_nearest *nearest, const char *candidate, size_t length)
{
    if (length == 0 || length > WORD_SIZE || nearest->length > WORD_SIZE)
        return;
    const size_t d = distance(nearest->word, nearest->length, candidate, length);
    if (d >= nearest->least)
        return;
    nearest->least = d;
    nearest->best = candidate;
    nearest->best_length = length;
}

const char *fathom_nearest_hint(char text[FATHOM_HINT_SIZE], const fathom_nearest *nearest,
                                const char *otherwise)
{
    if (!nearest->best)
        return otherwise;
    snprintf(text, FATHOM_HINT_SIZE, "; did you mean '%.*s'?", (int)nearest->best_length, nearest->best);
    return text;
}

const char *fathom_word_nearest(const char *word, const char *const *candidates)
{
    fathom_nearest nearest = fathom_nearest_begin(word, strlen(word));
    for (; *candidates; candidates++)
        fathom_nearest_try(&nearest, *candidates, strlen(*candidates));
    return nearest.best;
}
