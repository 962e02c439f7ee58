/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a stream, perhaps compressed, and as raw deflate data; at most 16 MB of each are read. */
#include "fuzzing.h"

static void drain(fathom_context *context, fathom_bytes *bytes)
{
    static unsigned char buffer[1 << 16];
    size_t got = sizeof buffer;
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 256 && got == sizeof buffer && status == FATHOM_OK; k++)
        status = fathom_bytes_read(bytes, buffer, sizeof buffer, &got);
    if (status != FATHOM_OK)
        check_failure(context, status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_bytes *bytes;
    for (int deflated = 0; deflated < 2; deflated++) {
        const fathom_status status =
            deflated ? fathom_bytes_open_member(&bytes, context, data, size, "input", true)
                     : fathom_bytes_open_memory(&bytes, context, data, size, "input");
        if (status == FATHOM_OK)
            drain(context, bytes);
        else
            check_failure(context, status);
        fathom_bytes_close(bytes);
    }
    return 0;
}
