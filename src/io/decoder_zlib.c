/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows zlib: gzip members, raw deflate data, CRC-32. */
#include "decoder.h"

#include <limits.h>
#include <zlib.h>

#include "memory.h"

/* z_stream's allocation hooks, over the context. */
static void *zlib_allocate(void *context, unsigned count, unsigned size)
{
    return fathom_memory_alloc(context, (int64_t)count, size);
}

static void zlib_release(void *context, void *block) { fathom_memory_free(context, block); }

/* Window bits: 15 + 16 reads the gzip frame and checks its CRC and length, -15 reads bare deflate data. */
static void *create(fathom_context *context, int window)
{
    z_stream *stream = fathom_memory_zero(context, 1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->zalloc = zlib_allocate;
    stream->zfree = zlib_release;
    stream->opaque = context;
    if (inflateInit2(stream, window) == Z_OK)
        return stream;
    fathom_memory_free(context, stream);
    return NULL;
}

static void *gzip_create(fathom_context *context) { return create(context, 15 + 16); }
static void *deflate_create(fathom_context *context) { return create(context, -15); }

/* The library counts in 32 bits: at most 4 GB of either side in one step. */
static fathom_decode decode_step(void *state, fathom_decode_cursor *cursor)
{
    z_stream *stream = state;
    /* unreachable: no reader asks for 4 GB at once */
    const unsigned in_size = cursor->in_size > UINT_MAX ? UINT_MAX : (unsigned)cursor->in_size;
    /* unreachable: no reader asks for 4 GB at once */
    const unsigned out_size = cursor->out_size > UINT_MAX ? UINT_MAX : (unsigned)cursor->out_size;
    stream->next_in = (Bytef *)(uintptr_t)cursor->in; /* zlib only reads it */
    stream->avail_in = in_size;
    stream->next_out = cursor->out;
    stream->avail_out = out_size;
    const int code = inflate(stream, Z_NO_FLUSH);
    cursor->in += in_size - stream->avail_in;
    cursor->in_size -= in_size - stream->avail_in;
    cursor->out += out_size - stream->avail_out;
    cursor->out_size -= out_size - stream->avail_out;
    if (code == Z_STREAM_END)
        return FATHOM_DECODE_END;
    if (code == Z_MEM_ERROR)
        return FATHOM_DECODE_MEMORY;
    return code == Z_OK || code == Z_BUF_ERROR ? FATHOM_DECODE_MORE : FATHOM_DECODE_CORRUPT;
}

static bool restart(void *state) { return inflateReset(state) == Z_OK; }

static void release(fathom_context *context, void *state)
{
    if (state)
        inflateEnd(state);
    fathom_memory_free(context, state);
}

uint32_t fathom_decoder_crc32(uint32_t crc, const void *data, size_t size)
{
    return size > 0 ? (uint32_t)crc32_z(crc, data, size) : crc; /* zlib takes NULL for a new start */
}

const fathom_decoder fathom_decoder_gzip = {"gzip",      ".gz",       "\x1f\x8b\x08", 3,
                                            gzip_create, decode_step, restart,        release};
const fathom_decoder fathom_decoder_deflate = {"deflate",      "",          "",      0,
                                               deflate_create, decode_step, restart, release};
