/* SPDX-License-Identifier: Apache-2.0 */
#include "encoding.h"

#include <stdint.h>
#include <string.h>

#include "utf32.h"

enum { REPLACEMENT = 0xfffd };

/* 0x80 .. 0x9f of Windows-1252; 0 where it has no character. */
static const uint16_t windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                     0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* UTF-16 without a mark: every second of the first bytes, from `first` on, is zero, and no other is. */
static bool zeros_alternate(const unsigned char *data, size_t size, size_t first)
{
    enum { SOME = 4, LOOKED_AT = 32 };
    const size_t end = size < LOOKED_AT ? size & ~(size_t)1 : LOOKED_AT;
    for (size_t k = 0; k < end; k++)
        if ((data[k] == 0) != (k % 2 == first))
            return false;
    return end >= SOME;
}

fathom_encoding fathom_encoding_of(const unsigned char *data, size_t size)
{
    if (size >= 2 && data[0] == 0xff && data[1] == 0xfe)
        return FATHOM_ENCODING_UTF16_LITTLE;
    if (size >= 2 && data[0] == 0xfe && data[1] == 0xff)
        return FATHOM_ENCODING_UTF16_BIG;
    if (zeros_alternate(data, size, 1))
        return FATHOM_ENCODING_UTF16_LITTLE;
    if (zeros_alternate(data, size, 0))
        return FATHOM_ENCODING_UTF16_BIG;
    return FATHOM_ENCODING_UTF8;
}

const char *fathom_encoding_name(fathom_encoding encoding)
{
    static const char *const names[] = {"UTF-8", "Windows-1252", "UTF-16", "UTF-16"};
    return names[encoding];
}

/* Bytes of the character that begins with this one; 0: none does. */
static size_t character_size(unsigned char first)
{
    return first < 0x80                     ? 1
           : first >= 0xc2 && first <= 0xdf ? 2
           : first >= 0xe0 && first <= 0xef ? 3
           : first >= 0xf0 && first <= 0xf4 ? 4
                                            : 0;
}

bool fathom_encoding_is_utf8(bool *ascii, const unsigned char *data, size_t size)
{
    *ascii = true;
    for (size_t k = 0; k < size;) {
        uint64_t word;
        if (k + 8 <= size) {
            memcpy(&word, data + k, 8);
            if (!(word & 0x8080808080808080u)) {
                k += 8;
                continue;
            }
        }
        const size_t length = character_size(data[k]);
        *ascii = *ascii && length == 1;
        if (length == 0)
            return false;
        for (size_t j = 1; j < length && k + j < size; j++)
            if ((data[k + j] & 0xc0) != 0x80)
                return false;
        k += length;
    }
    return true;
}

/* The character at raw; *bytes: its size, 0 where more of the text is needed. */
static uint32_t next_utf16(size_t *bytes, const unsigned char *raw, size_t size, bool big, bool last)
{
    *bytes = size >= 2 ? 2 : last ? size : 0;
    if (size < 2)
        return REPLACEMENT;
    const uint32_t unit = big ? (uint32_t)raw[0] << 8 | raw[1] : (uint32_t)raw[1] << 8 | raw[0];
    if (unit < 0xd800 || unit >= 0xe000)
        return unit;
    if (unit >= 0xdc00 || (size < 4 && last))
        return REPLACEMENT;
    if (size < 4) {
        *bytes = 0;
        return REPLACEMENT;
    }
    const uint32_t low = big ? (uint32_t)raw[2] << 8 | raw[3] : (uint32_t)raw[3] << 8 | raw[2];
    if (low < 0xdc00 || low >= 0xe000)
        return REPLACEMENT;
    *bytes = 4;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

static uint32_t next_windows(unsigned char byte)
{
    if (byte < 0x80 || byte >= 0xa0)
        return byte;
    return windows[byte - 0x80] ? windows[byte - 0x80] : REPLACEMENT;
}

size_t fathom_encoding_convert(char *out, size_t *used, fathom_encoding encoding, const unsigned char *raw,
                               size_t size, bool last)
{
    const bool big = encoding == FATHOM_ENCODING_UTF16_BIG;
    size_t written = 0;
    *used = 0;
    while (*used < size) {
        size_t bytes = 1;
        const uint32_t character = encoding == FATHOM_ENCODING_WINDOWS
                                       ? next_windows(raw[*used])
                                       : next_utf16(&bytes, raw + *used, size - *used, big, last);
        if (bytes == 0)
            break;
        written += (size_t)fathom_utf32_put(out + written, character);
        *used += bytes;
    }
    return written;
}
