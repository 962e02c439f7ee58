/* SPDX-License-Identifier: Apache-2.0 */
/* The word that somebody may have meant: try candidates one by one, then look at `best`. */
#ifndef FATHOM_NEAREST_H
#define FATHOM_NEAREST_H

#include <stddef.h>

#include "inner/program.h"

typedef struct fathom_nearest {
    const char *word; /* as typed */
    size_t length;
    const char *best; /* NULL where nothing was near; borrowed from its list, not ended by a zero byte */
    size_t best_length;
    size_t least; /* its distance */
} fathom_nearest;

FATHOM_PROGRAM fathom_nearest fathom_nearest_begin(const char *word, size_t length);
FATHOM_PROGRAM void fathom_nearest_try(fathom_nearest *nearest, const char *candidate, size_t length);

enum { FATHOM_HINT_SIZE = 96 };

/* "; did you mean 'best'?", or where nothing was near `otherwise`. */
FATHOM_PROGRAM const char *fathom_nearest_hint(char text[FATHOM_HINT_SIZE], const fathom_nearest *nearest,
                                               const char *otherwise);

#endif
