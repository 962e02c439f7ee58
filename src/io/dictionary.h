/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct texts numbered in the order of their first appearance: a hash table with open addressing. */
#ifndef FATHOM_DICTIONARY_H
#define FATHOM_DICTIONARY_H

#include "fathom/context.h"
#include "inner/program.h"

typedef struct fathom_dictionary {
    int64_t count;
    char *text; /* all texts, each ended by a zero byte */
    int64_t text_size, text_capacity;
    int64_t *start; /* count: where each text begins */
    int64_t start_capacity;
    int64_t *slot; /* slots (a power of two): number + 1, or 0 */
    int64_t slots;
} fathom_dictionary; /* all zero: empty */

FATHOM_PROGRAM void fathom_dictionary_free(fathom_context *context, fathom_dictionary *dictionary);

/* *number of text[0..size) (without zero bytes), added where it is new. */
FATHOM_PROGRAM fathom_status fathom_dictionary_add(fathom_dictionary *dictionary, fathom_context *context,
                                                   int64_t *number, const char *text, size_t size);

/* Number of a text, or -1. */
int64_t fathom_dictionary_find(const fathom_dictionary *dictionary, const char *text, size_t size);

/* Text of a number; valid until the next addition. */
const char *fathom_dictionary_text(const fathom_dictionary *dictionary, int64_t number);

/* rank[number] = place of the text among all by byte value; order[place] = number. Both of `count`. */
void fathom_dictionary_rank(int64_t *rank, int64_t *order, const fathom_dictionary *dictionary);

#endif
