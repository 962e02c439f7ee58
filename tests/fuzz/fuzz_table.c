/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of unknown format: decompressed, sniffed, read. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fathom_table_request request = {.format = FATHOM_FORMAT_AUTO};
    fuzz_table(data, size, &request);
    return 0;
}
