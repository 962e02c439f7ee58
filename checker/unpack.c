/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a gzip file: one member or several, one after the other [RFC 1952]. Zero bytes may follow the
 * last one, as gzip itself has it; anything else behind it is damage, as it is to all readers of fathom.
 */
#include <stdlib.h>
#include <zlib.h>

#include "checker.h"

bool check_packed(const char *bytes, int64_t size)
{
    return size > 1 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

char *check_unpack(const char *bytes, int64_t size, int64_t most, int64_t *length)
{
    enum { PIECE = 1 << 20, GZIP = 31 };
    z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = (unsigned)size};
    char *out = NULL;
    int state = inflateInit2(&z, GZIP);
    for (*length = 0; state == Z_OK; *length += PIECE - (int64_t)z.avail_out) {
        char *larger = *length <= most ? realloc(out, (size_t)*length + PIECE) : NULL;
        out = larger ? larger : out;
        z.next_out = larger ? (unsigned char *)out + *length : NULL;
        z.avail_out = PIECE;
        state = larger ? inflate(&z, Z_NO_FLUSH) : Z_MEM_ERROR;
        if (state == Z_STREAM_END && z.avail_in > 0 && *z.next_in)
            state = inflateReset(&z);
    }
    inflateEnd(&z);
    for (; z.avail_in > 0 && !*z.next_in; z.avail_in--)
        z.next_in++;
    if (state == Z_STREAM_END && z.avail_in == 0)
        return out;
    free(out);
    return NULL;
}
