/* SPDX-License-Identifier: Apache-2.0 */
/* Double to decimal text: independent of the locale, and the same double when read back. */
#ifndef FATHOM_DECIMAL_H
#define FATHOM_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "inner/program.h"

enum { FATHOM_DECIMAL_SIZE = 32 };

/* Writes the decimal with the fewest significant digits (at most 17) that reads back as `value`, ended by a zero
 * byte, and returns its length. A dot is the decimal point; nan, inf and -inf are written so. */
FATHOM_PROGRAM size_t fathom_decimal_format(char text[FATHOM_DECIMAL_SIZE], double value);

/* Whether the number written in text[0..length), which reads as `value`, is that decimal. All with at most 15 digits are. */
bool fathom_decimal_is_shortest(double value, const char *text, size_t length);

#endif
