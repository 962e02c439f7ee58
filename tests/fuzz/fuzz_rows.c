/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of row numbers: either refused with a position, or rows of the data in the order of the list. */
#include "fuzzing.h"

#include "data_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { N = 12 };
    fathom_context *context = fuzz_context();
    fathom_bytes *bytes;
    fathom_data *rows;
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i;
    must_hold(fathom_data_create(&rows, context, N, 1, x, 1, 1, x, NULL, NULL) == FATHOM_OK);
    fathom_status status = fathom_bytes_open_memory(&bytes, context, data, size, "rows");
    if (status == FATHOM_OK) {
        status = fathom_data_select_listed(rows, bytes);
        fathom_bytes_close(bytes);
    }
    const fathom_data_view v = fathom_data_look(rows);
    if (status != FATHOM_OK)
        check_failure(context, status);
    for (int64_t i = 0; status == FATHOM_OK && i < v.n; i++)
        must_hold(v.x[i] >= 0 && v.x[i] < N && v.x[i] == v.y[i]);
    fathom_data_free(rows);
    return 0;
}
