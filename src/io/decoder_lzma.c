/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows liblzma: xz streams. */
#include "decoder.h"

#include <lzma.h>

#include "memory.h"

/* A decoder may take this much: `xz -9` needs 65 MB, a hostile header could ask for 4 GB. */
static const uint64_t memory_limit = UINT64_C(1) << 28;

typedef struct {
    lzma_stream stream;
    lzma_allocator allocator;
} xz_state;

/* lzma_allocator's hooks, over the context. */
static void *xz_allocate(void *context, size_t count, size_t size)
{
    return fathom_memory_alloc(context, (int64_t)count, size);
}

static void xz_free(void *context, void *block) { fathom_memory_free(context, block); }

/* Concatenated streams and their padding are the library's business: END comes once, at the end of input. */
static bool restart(void *state)
{
    xz_state *xz = state;
    return lzma_stream_decoder(&xz->stream, memory_limit, LZMA_CONCATENATED) == LZMA_OK;
}

static void release(fathom_context *context, void *state)
{
    xz_state *xz = state;
    if (xz)
        lzma_end(&xz->stream);
    fathom_memory_free(context, xz);
}

static void *create(fathom_context *context)
{
    xz_state *xz = fathom_memory_zero(context, 1, sizeof *xz);
    if (!xz)
        return NULL;
    xz->allocator = (lzma_allocator){xz_allocate, xz_free, context};
    xz->stream.allocator = &xz->allocator;
    if (restart(xz))
        return xz;
    release(context, xz);
    return NULL;
}

/* BUF_ERROR says only that no progress was possible this time; the caller sees that by itself. */
static fathom_decode decode_step(void *state, fathom_decode_cursor *cursor)
{
    lzma_stream *stream = &((xz_state *)state)->stream;
    stream->next_in = cursor->in;
    stream->avail_in = cursor->in_size;
    stream->next_out = cursor->out;
    stream->avail_out = cursor->out_size;
    const lzma_ret code = lzma_code(stream, cursor->finish ? LZMA_FINISH : LZMA_RUN);
    cursor->in = stream->next_in;
    cursor->in_size = stream->avail_in;
    cursor->out = stream->next_out;
    cursor->out_size = stream->avail_out;
    if (code == LZMA_STREAM_END)
        return FATHOM_DECODE_END;
    if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR)
        return FATHOM_DECODE_MEMORY;
    return code == LZMA_OK ? FATHOM_DECODE_MORE : FATHOM_DECODE_CORRUPT;
}

const fathom_decoder fathom_decoder_xz = {"xz",   ".xz",       "\xfd\x37zXZ\0", 6,
                                          create, decode_step, restart,         release};
