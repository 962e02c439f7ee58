/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 <-> UTF-32: the bits of a character in 6-bit groups behind a leading byte that tells their number. */
#include "utf32.h"

#include "memory.h"

enum { REPLACEMENT = 0xFFFD };

/* The character at text and the bytes that it takes. */
static uint32_t next_character(const unsigned char *text, int *bytes)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const int extra = text[0] < 0x80    ? 0
                      : text[0] >= 0xf0 ? 3
                      : text[0] >= 0xe0 ? 2
                      : text[0] >= 0xc0 ? 1
                                        : -1;
    *bytes = 1;
    if (extra <= 0)
        return extra == 0 ? text[0] : REPLACEMENT;
    uint32_t character = text[0] & (0x3fu >> extra);
    for (int k = 1; k <= extra; k++) {
        if ((text[k] & 0xc0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (text[k] & 0x3fu);
    }
    if (character < smallest[extra] || character > 0x10ffff || text[0] >= 0xf8)
        return REPLACEMENT;
    *bytes = extra + 1;
    return character;
}

/* The same steps as encoding takes. */
int64_t fathom_utf32_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int64_t length = 0;
    for (int bytes; *p; p += bytes, length++)
        next_character(p, &bytes);
    return length;
}

bool fathom_utf32_valid(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    for (int bytes; *p; p += bytes) {
        const uint32_t character = next_character(p, &bytes);
        if ((bytes == 1 && character == REPLACEMENT) || (character >= 0xd800 && character < 0xe000))
            return false;
    }
    return true;
}

void fathom_utf32_encode(unsigned char *data, int64_t size, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    for (int64_t k = 0; k < size; k++) {
        int bytes = 0;
        const uint32_t character = *p ? next_character(p, &bytes) : 0;
        p += bytes;
        for (int b = 0; b < 4; b++)
            data[4 * k + b] = (unsigned char)(character >> (8 * b));
    }
}

int fathom_utf32_put(char *text, uint32_t character)
{
    if (character < 0x80) {
        text[0] = (char)character;
        return 1;
    }
    if (character > 0x10ffff)
        character = REPLACEMENT;
    const int extra = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    for (int k = extra; k > 0; k--, character >>= 6)
        text[k] = (char)(0x80 | (character & 0x3f));
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    text[0] = (char)(lead[extra] | character);
    return extra + 1;
}

char *fathom_utf32_decode(fathom_context *context, const unsigned char *data, int64_t size, bool big_endian)
{
    char *text = fathom_memory_alloc(context, 4 * size + 1, 1);
    int64_t used = 0;
    if (!text)
        return NULL;
    for (int64_t k = 0; k < size; k++) {
        uint32_t character = 0;
        for (int b = 0; b < 4; b++)
            character = character << 8 | data[4 * k + (big_endian ? b : 3 - b)];
        if (character == 0)
            break;
        used += fathom_utf32_put(text + used, character);
    }
    text[used] = 0;
    return text;
}
