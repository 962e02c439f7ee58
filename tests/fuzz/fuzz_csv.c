/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as CSV or TSV; the size chooses the options. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fathom_table_request request = {.format = size & 1 ? FATHOM_FORMAT_TSV : FATHOM_FORMAT_CSV,
                                          .categorical = (size & 2) != 0,
                                          .target = size & 4 ? "0" : NULL,
                                          .weights = size & 8 ? "w" : NULL,
                                          .no_target = (size & 16) != 0,
                                          .features = (int64_t)(size & 3)};
    const fathom_table_request plain = {.format = FATHOM_FORMAT_CSV};
    fuzz_table(data, size, &plain);
    fuzz_table(data, size, &request);
    return 0;
}
