/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: checks of theorems as members of JSON and lines of text. */
#ifndef FATHOM_INNER_CHECK_H
#define FATHOM_INNER_CHECK_H

#include "fathom/check.h"
#include "fathom/json.h"
#include "inner/program.h"

/* Whether the check that these options ask for reads the option of this name; others are refused where they are not at
 * their default. True where there is no such theorem. */
FATHOM_PROGRAM bool fathom_check_uses(const fathom_check_options *options, const char *name);

/* Sets the members of an object: theorem, statement, correction, hypotheses, comparisons, choices,
 * verdict, because, conclusion, complete, incomplete, holds. */
FATHOM_PROGRAM fathom_status fathom_check_set(fathom_json *object, const fathom_check_result *result);

/* "0.3 >= 0.5", with intervals where a side is not known exactly. */
FATHOM_PROGRAM void fathom_check_item_format(char *text, size_t size, const fathom_check_item *item);

#endif
