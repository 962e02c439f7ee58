/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in other encodings as UTF-8: UTF-16 by its byte-order mark, and Windows-1252, which contains Latin-1, for bytes that
 * are no UTF-8. */
#ifndef FATHOM_ENCODING_H
#define FATHOM_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fathom_encoding {
    FATHOM_ENCODING_UTF8,
    FATHOM_ENCODING_WINDOWS,
    FATHOM_ENCODING_UTF16_LITTLE,
    FATHOM_ENCODING_UTF16_BIG
} fathom_encoding;

/* By the first bytes: UTF-16 where its mark stands there, else UTF-8 until shown otherwise. */
fathom_encoding fathom_encoding_of(const unsigned char *data, size_t size);

/* "UTF-16", ... */
const char *fathom_encoding_name(fathom_encoding encoding);

/* Whether the bytes are UTF-8; a character that the end cuts short is no fault. *ascii: there is nothing else. */
bool fathom_encoding_is_utf8(bool *ascii, const unsigned char *data, size_t size);

/* Converts raw[0..size) to UTF-8, at most 3 bytes for each; returns how many were written. *used: bytes converted; fewer where a
 * character is not complete, unless it is the `last` of the text. What is no character becomes U+FFFD. */
size_t fathom_encoding_convert(char *out, size_t *used, fathom_encoding encoding, const unsigned char *raw,
                               size_t size, bool last);

#endif
