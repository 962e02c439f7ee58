/* SPDX-License-Identifier: Apache-2.0 */
/* Results of items that are there already, told by the mark of their recipe. */
#ifndef FATHOM_REPRODUCE_KEEP_H
#define FATHOM_REPRODUCE_KEEP_H

#include "reproduce.h"

enum { FATHOM_REPRODUCE_MARK = 17 };

/* The mark of a recipe at these sizes and this seed, as text. */
fathom_status fathom_reproduce_mark(char mark[FATHOM_REPRODUCE_MARK], const fathom_json *recipe, bool quick,
                                    uint64_t seed);

/* Whether the file holds the result of this recipe; it is then copied into `result`, an empty object. */
bool fathom_reproduce_keep(fathom_reproduce_outcome *outcome, fathom_json *result, const char *path,
                           const char *mark);

#endif
