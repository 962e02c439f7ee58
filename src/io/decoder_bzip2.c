/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows libbz2: bzip2 members. */
#include "decoder.h"

#include <bzlib.h>
#include <limits.h>

#include "memory.h"

/* bz_stream's allocation hooks, over the context. */
static void *bzip2_allocate(void *context, int count, int size)
{
    /* unreachable: libbz2 asks for no negative size */
    return size < 0 ? NULL : fathom_memory_alloc(context, count, (size_t)size);
}

static void bzip2_free(void *context, void *block) { fathom_memory_free(context, block); }

static void *create(fathom_context *context)
{
    bz_stream *stream = fathom_memory_zero(context, 1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->bzalloc = bzip2_allocate;
    stream->bzfree = bzip2_free;
    stream->opaque = context;
    if (BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK)
        return stream;
    fathom_memory_free(context, stream);
    return NULL;
}

/* The library counts in 32 bits: at most 4 GB of either side in one step. */
static fathom_decode decode_step(void *state, fathom_decode_cursor *cursor)
{
    bz_stream *stream = state;
    if (!stream->state)
        return FATHOM_DECODE_MEMORY;
    /* unreachable: no reader asks for 4 GB at once */
    const unsigned in_size = cursor->in_size > UINT_MAX ? UINT_MAX : (unsigned)cursor->in_size;
    /* unreachable: no reader asks for 4 GB at once */
    const unsigned out_size = cursor->out_size > UINT_MAX ? UINT_MAX : (unsigned)cursor->out_size;
    stream->next_in = (char *)(uintptr_t)cursor->in; /* libbz2 only reads it */
    stream->avail_in = in_size;
    stream->next_out = (char *)cursor->out;
    stream->avail_out = out_size;
    const int code = BZ2_bzDecompress(stream);
    cursor->in += in_size - stream->avail_in;
    cursor->in_size -= in_size - stream->avail_in;
    cursor->out += out_size - stream->avail_out;
    cursor->out_size -= out_size - stream->avail_out;
    if (code == BZ_STREAM_END)
        return FATHOM_DECODE_END;
    if (code == BZ_MEM_ERROR)
        return FATHOM_DECODE_MEMORY;
    return code == BZ_OK ? FATHOM_DECODE_MORE : FATHOM_DECODE_CORRUPT;
}

/* After a failed restart the stream holds no state, which `run` and `release` know. */
static bool restart(void *state)
{
    bz_stream *stream = state;
    BZ2_bzDecompressEnd(stream);
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK;
}

static void release(fathom_context *context, void *state)
{
    if (state)
        BZ2_bzDecompressEnd(state); /* an error code where there is no state, which is what we want */
    fathom_memory_free(context, state);
}

const fathom_decoder fathom_decoder_bzip2 = {"bzip2", ".bz2",      "BZh",   3,
                                             create,  decode_step, restart, release};
