/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 texts to and from fixed numbers of UTF-32 characters, as NumPy stores str. */
#ifndef FATHOM_UTF32_H
#define FATHOM_UTF32_H

#include "fathom/context.h"

/* Number of characters of a UTF-8 text; a byte that is not UTF-8 counts as one. */
int64_t fathom_utf32_length(const char *text);

/* Whether all of a text is UTF-8. */
bool fathom_utf32_valid(const char *text);

/* Writes a text as `size` little-endian characters, zeros at the end; a byte that is not UTF-8 becomes U+FFFD. */
void fathom_utf32_encode(unsigned char *data, int64_t size, const char *text);

/* Gives the UTF-8 text of at most `size` characters up to the first zero, or NULL (no memory). */
char *fathom_utf32_decode(fathom_context *context, const unsigned char *data, int64_t size, bool big_endian);

/* The UTF-8 bytes of a character, at most four; their number. */
int fathom_utf32_put(char *text, uint32_t character);

#endif
