/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of cones: read to its end in memory bounded by the file, or refused with a text. */
#include "fuzzing.h"

#include "fathom/cones.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_cones_reader *reader;
    const uint64_t *bits = NULL;
    const double *witness;
    fathom_status status = fathom_cones_reader_open(&reader, context, fuzz_file(data, size));
    int64_t most = 8 * (int64_t)size; /* a cone takes a bit of the file at least */
    do {
        if (status == FATHOM_OK)
            status = fathom_cones_reader_next(reader, &bits, &witness);
        if (status == FATHOM_OK && bits && fathom_cones_reader_exact(reader))
            must_hold(fathom_cones_reader_exact(reader)[0]);
    } while (status == FATHOM_OK && bits && most-- > 0);
    must_hold(most >= 0 || status != FATHOM_OK);
    if (status != FATHOM_OK)
        check_failure(context, status);
    fathom_cones_reader_free(reader);
    return 0;
}
