/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: words of options. */
#ifndef FATHOM_INNER_OPTIONS_H
#define FATHOM_INNER_OPTIONS_H

#include "fathom/options.h"
#include "inner/program.h"

/* The text of choice number `index` of a CHOICE row, copied into `text` of `size` bytes; false where there
 * is none. */
FATHOM_PROGRAM bool fathom_option_choice(const fathom_option *row, int index, char *text, size_t size);

/* The candidate that a mistyped word may stand for, or NULL where none is near. Candidates end with NULL. */
FATHOM_PROGRAM const char *fathom_word_nearest(const char *word, const char *const *candidates);

#endif
