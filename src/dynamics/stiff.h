/* SPDX-License-Identifier: Apache-2.0 */
/* The integrator of stiff systems, loaded where it is needed. */
#ifndef FATHOM_STIFF_H
#define FATHOM_STIFF_H

#include "cvode.h"
#include "fathom/context.h"

/* The integrator in *run, loaded once for the process. ERROR_MEMORY where the address space is too small for
 * its libraries, ERROR_RUNTIME where it is not there or cannot be loaded. */
fathom_status fathom_stiff_find(fathom_stiff_run **run, fathom_context *context);

#endif
