/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an NPZ archive: a table, and the members of a model file. */
#include "fuzzing.h"

#include "npz.h"

static void read_members(fathom_context *context, const fathom_npz *npz)
{
    static const char *const names[] = {"X", "y", "U", "kind", "classes"};
    for (int k = 0; k < 5; k++) {
        fathom_array array;
        char **texts;
        int64_t count;
        fathom_status status = fathom_npz_get(&array, npz, names[k]);
        if (status != FATHOM_OK)
            check_failure(context, status);
        fathom_array_free(context, &array);
        status = fathom_npz_get_texts(&texts, &count, npz, names[k]);
        if (status != FATHOM_OK)
            check_failure(context, status);
        fathom_npz_texts_free(context, texts, count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fathom_table_request request = {.format = FATHOM_FORMAT_NPZ};
    fathom_context *context = fuzz_context();
    fathom_bytes *bytes;
    fathom_npz *npz = NULL;
    fathom_status status = fathom_bytes_open_memory(&bytes, context, data, size, "input");
    if (status == FATHOM_OK)
        status = fathom_npz_open_bytes(&npz, bytes);
    if (status == FATHOM_OK)
        read_members(context, npz);
    else
        check_failure(context, status);
    fathom_npz_close(npz);
    fathom_bytes_close(bytes);
    fuzz_table(data, size, &request);
    return 0;
}
