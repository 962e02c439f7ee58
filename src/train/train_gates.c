/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as the command line names them: all cones, N sampled orientations, or a file of orientations or patterns. */
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "fathom/train.h"
#include "inner/train.h"

enum { DEFAULT_GATES = 1000 };

fathom_status fathom_gates_open_as(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                   const char *text, fathom_gates_form form)
{
    *gates = NULL;
    if (!text)
        return fathom_gates_sample(gates, context, data, DEFAULT_GATES);
    if (strcmp(text, "all") == 0)
        return fathom_gates_enumerate(gates, context, data);
    if (text[0] && strspn(text, "0123456789") == strlen(text)) {
        const double count = strtod(text, NULL);
        if (!(count >= 1 && count <= 1e12))
            return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                    "--gates takes a number from 1 to 1e12, not '%s'", text);
        return fathom_gates_sample(gates, context, data, (int64_t)count);
    }
    return fathom_gates_read_as(gates, NULL, &form, context, data, text, NULL);
}
