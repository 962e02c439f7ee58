/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: failures of a front end of the library. */
#ifndef FATHOM_INNER_CONTEXT_H
#define FATHOM_INNER_CONTEXT_H

#include "fathom/context.h"
#include "inner/program.h"

/* Records a failure of a caller's own, as a command line or a binding needs it, and returns its status. */
FATHOM_PROGRAM fathom_status fathom_context_fail(fathom_context *context, fathom_status status,
                                                 const char *text);

#endif
