/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the BLAS under LAPACK: every call of LAPACK stands between these two, and runs on the calling
 * thread alone. */
#ifndef FATHOM_LAPACK_ROOM_H
#define FATHOM_LAPACK_ROOM_H

#include <stdbool.h>

#include "fathom/context.h"

/* Waits until there is room for one more caller; false, and nothing to leave, where there is none even for
 * one. */
bool fathom_lapack_enter(void);
void fathom_lapack_leave(void);

/* What to say in that case. */
fathom_status fathom_lapack_refuse(fathom_context *context);

#endif
