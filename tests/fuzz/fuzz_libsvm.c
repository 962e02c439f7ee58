/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as LIBSVM text. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fathom_table_request request = {.format = FATHOM_FORMAT_LIBSVM, .columns = size & 1 ? 100 : 0};
    fuzz_table(data, size, &request);
    return 0;
}
