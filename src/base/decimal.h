/* SPDX-License-Identifier: Apache-2.0 */
/* Double to decimal text: independent of the locale, and the same double when read back. */
#ifndef FATHOM_DECIMAL_H
#define FATHOM_DECIMAL_H

#include <stddef.h>

enum { FATHOM_DECIMAL_SIZE = 32 };

/* Writes the decimal with the fewest significant digits (at most 17) that reads back as `value`, ended by a zero
 * byte, and returns its length. A dot is the decimal point; nan, inf and -inf are written so. */
size_t fathom_decimal_format(char text[FATHOM_DECIMAL_SIZE], double value);

#endif
