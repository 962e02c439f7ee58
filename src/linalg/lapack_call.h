/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of LAPACK with all that it reads and writes, so that it can run on a thread of its own.
 *
 * LAPACK looks at no clock. A call that takes long runs aside, on copies: where a limit or an interruption is
 * overdue it is given up, and ends some time later without anybody to hear of it. Its memory stays counted.
 * Which calls are long depends on their sizes alone, and so do the bits of the result.
 */
#ifndef FATHOM_LAPACK_CALL_H
#define FATHOM_LAPACK_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "fathom/context.h"

enum { FATHOM_LAPACK_BLOCKS = 6 };

/* `count` doubles at `at`; NULL: workspace, which is allocated for the call. */
typedef struct fathom_lapack_block {
    double *at;
    int64_t count;
    bool in, out;
} fathom_lapack_block;

typedef struct fathom_lapack_call {
    int (*run)(struct fathom_lapack_call *call); /* the info of LAPACK; no allocation, no context */
    int size[6];
    char job;
    fathom_lapack_block block[FATHOM_LAPACK_BLOCKS];
} fathom_lapack_call;

/* Runs the call; `operations`: about how many. ERROR_MEMORY, ERROR_RUNTIME where `what` did not converge,
 * ERROR_STOPPED where it was given up. */
fathom_status fathom_lapack_run(fathom_lapack_call *call, double operations, const char *what,
                                fathom_context *context);

#endif
