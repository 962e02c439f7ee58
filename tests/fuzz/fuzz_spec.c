/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications of generated data: either refused, or finite values of the shape that memory allows. */
#include "fuzzing.h"

#include <string.h>

#include "fathom/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LIMIT = 4000 }; /* bytes of the data set: keeps families with redrawing fast */
    char spec[256] = "gen:";
    if (size >= sizeof spec - 4)
        return 0;
    memcpy(spec + 4, data, size);
    spec[4 + size] = 0;
    fathom_context *context = fuzz_context();
    fathom_context_set_memory_limit(context, LIMIT);
    fathom_data *made;
    const fathom_status status = fathom_data_open(&made, context, spec, NULL);
    if (status != FATHOM_OK) {
        check_failure(context, status);
        return 0;
    }
    const fathom_data_view v = fathom_data_look(made);
    must_hold(v.n > 0 && v.d > 0 && 8 * v.n * (v.d + 1) <= LIMIT);
    for (int64_t k = 0; k < v.n * v.d; k++)
        must_hold(isfinite(v.x[k]));
    for (int64_t i = 0; i < v.n; i++)
        must_hold(isfinite(v.y[i]));
    fathom_data_free(made);
    return 0;
}
