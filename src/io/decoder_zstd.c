/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows libzstd: zstd frames. */
#include "decoder.h"

#include <zstd.h>
#include <zstd_errors.h>

/* A frame may look back 2^27 bytes, as `zstd -d` allows by itself; a hostile header could ask for 2^41. */
enum { WINDOW_LOG = 27 };

/* Its memory is the library's own: hooks are not part of the stable interface. */
static void *create(fathom_context *context)
{
    (void)context;
    ZSTD_DCtx *state = ZSTD_createDCtx();
    if (state)
        ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, WINDOW_LOG);
    return state;
}

static fathom_decode decode_step(void *state, fathom_decode_cursor *cursor)
{
    ZSTD_inBuffer in = {cursor->in, cursor->in_size, 0};
    ZSTD_outBuffer out = {cursor->out, cursor->out_size, 0};
    const size_t code = ZSTD_decompressStream(state, &out, &in);
    cursor->in += in.pos;
    cursor->in_size -= in.pos;
    cursor->out += out.pos;
    cursor->out_size -= out.pos;
    if (code == 0)
        return FATHOM_DECODE_END;
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    if (error == ZSTD_error_memory_allocation || error == ZSTD_error_frameParameter_windowTooLarge)
        return FATHOM_DECODE_MEMORY;
    return error == ZSTD_error_no_error ? FATHOM_DECODE_MORE : FATHOM_DECODE_CORRUPT;
}

static bool restart(void *state) { return !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only)); }

static void release(fathom_context *context, void *state)
{
    (void)context;
    ZSTD_freeDCtx(state);
}

const fathom_decoder fathom_decoder_zstd = {"zstd",  ".zst", "\x28\xb5\x2f\xfd", 4, create, decode_step,
                                            restart, release};
