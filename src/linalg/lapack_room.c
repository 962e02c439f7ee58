/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room for the BLAS under LAPACK.
 *
 * OpenBLAS takes a buffer of up to BUFFER bytes of address space for every thread that is inside of it at the
 * same time, and keeps it. Where it gets none (ulimit -v) it asks again, for ever. So callers are counted:
 * one more than ever before first sees whether that much can be had, and has the BLAS take it while nobody
 * else enters; where it cannot, the caller waits until another leaves, and the first of all is refused.
 * Results do not depend on it. Other libraries return or need no buffers.
 */
#include "lapack_room.h"

#include <lapacke.h>

#include "blas_library.h"
#include "context_internal.h"
#include "platform.h"

enum { BUFFER = (1 << 27) + (1 << 20) };

static fathom_platform_mutex lock = FATHOM_PLATFORM_MUTEX;
static fathom_platform_condition left = FATHOM_PLATFORM_CONDITION;
static int buffers, inside; /* that the BLAS has; callers that are in it */

/* A factorisation so small that only the buffers count: it takes one for each of its products. */
static bool take_buffer(void)
{
    double a[16] = {4, 1, 1, 1, 0, 4, 1, 1, 0, 0, 4, 1, 0, 0, 0, 4};
    const bool hungry = *fathom_blas_core() != 0; /* OpenBLAS */
    return (!hungry || fathom_platform_has_space(BUFFER)) &&
           LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 4, a, 4) == 0;
}

bool fathom_lapack_enter(void)
{
    fathom_blas_begin();
    fathom_platform_mutex_lock(&lock);
    if (inside == buffers && take_buffer())
        buffers++;
    while (inside == buffers && buffers > 0)
        fathom_platform_condition_wait(&left, &lock);
    const bool room = inside < buffers;
    inside += room;
    fathom_platform_mutex_unlock(&lock);
    if (!room)
        fathom_blas_end();
    return room;
}

void fathom_lapack_leave(void)
{
    fathom_platform_mutex_lock(&lock);
    inside--;
    fathom_platform_condition_wake_one(&left);
    fathom_platform_mutex_unlock(&lock);
    fathom_blas_end();
}

fathom_status fathom_lapack_refuse(fathom_context *context)
{
    return fathom_error_set(context, FATHOM_ERROR_MEMORY,
                            "linear algebra would need %.3g GB of address space (ulimit -v)", BUFFER / 1e9);
}
