/* SPDX-License-Identifier: Apache-2.0 */
/* The one gate through which intervals leave the library; see interval.h. */
#include "interval.h"

#include <math.h>

#include "context_internal.h"

fathom_status fathom_interval_check(fathom_context *context, const char *what, double lower, double upper)
{
    if (lower <= upper)
        return FATHOM_OK;
    return fathom_error_set(
        context, FATHOM_ERROR_RUNTIME,
        "the bounds of %s contradict each other: lower %.17g, upper %.17g; neither can be "
        "trusted",
        what, lower, upper);
}
