/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of LAPACK, long ones aside; see lapack_call.h. */
#include "lapack_call.h"

#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "lapack_room.h"
#include "memory.h"
#include "platform.h"
#include "platform_aside.h"

static fathom_status judge(fathom_context *context, int info, const char *what)
{
    if (info == 0)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_RUNTIME, "%s did not converge (LAPACK info %d)", what,
                            info);
}

/* On the calling thread. */
static fathom_status run_here(fathom_lapack_call *call, const char *what, fathom_context *context)
{
    bool own[FATHOM_LAPACK_BLOCKS] = {false};
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS && status == FATHOM_OK; k++) {
        fathom_lapack_block *b = call->block + k;
        if (b->at || b->count == 0)
            continue;
        b->at = fathom_memory_alloc(context, b->count, sizeof(double));
        own[k] = true;
        status = b->at ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK) {
        if (!fathom_lapack_enter())
            status = fathom_lapack_refuse(context);
        else {
            const int info = call->run(call);
            fathom_lapack_leave();
            status = judge(context, info, what);
        }
    }
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        if (own[k])
            fathom_memory_free(context, call->block[k].at);
    return status;
}

static const double LONG = 1e9; /* operations: a tenth of a second, and more on slow machines */
enum { LINE = 64 };

/* A call on copies of its blocks. */
typedef struct copied {
    fathom_lapack_call call;
    int info;
} copied;

static void release(void *user)
{
    copied *a = user;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        fathom_platform_aligned_free(a->call.block[k].at);
    free(a);
}

static void run_copied(void *user)
{
    copied *a = user;
    a->info = a->call.run(&a->call);
    fathom_lapack_leave();
}

static bool is_overdue(const void *context) { return fathom_context_overdue(context); }

/* NULL where there is no memory. */
static copied *copy_call(const fathom_lapack_call *call)
{
    copied *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->call = *call;
    bool whole = true;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++) {
        const size_t bytes = (size_t)call->block[k].count * sizeof(double);
        double *at = bytes ? fathom_platform_aligned(LINE, (bytes + LINE - 1) / LINE * LINE) : NULL;
        whole = whole && (bytes == 0 || at);
        if (at && call->block[k].in)
            memcpy(at, call->block[k].at, bytes);
        a->call.block[k].at = at;
    }
    if (whole)
        return a;
    release(a);
    return NULL;
}

static double bytes_of(const fathom_lapack_call *call)
{
    double bytes = 0;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        bytes += (double)call->block[k].count * sizeof(double);
    return bytes;
}

/* Where there is memory for copies and a thread; *ran says so. */
static fathom_status run_aside(bool *ran, fathom_lapack_call *call, const char *what, fathom_context *context)
{
    copied *a = copy_call(call);
    *ran = a && fathom_lapack_enter();
    const fathom_aside_end end =
        *ran ? fathom_platform_aside(run_copied, release, a, is_overdue, context) : FATHOM_ASIDE_NONE;
    if (end == FATHOM_ASIDE_LEFT)
        return fathom_context_late(context, what);
    if (end == FATHOM_ASIDE_NONE) {
        if (*ran)
            fathom_lapack_leave();
        if (a)
            release(a);
        *ran = false;
        return FATHOM_OK;
    }
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        if (call->block[k].out && call->block[k].at)
            memcpy(call->block[k].at, a->call.block[k].at, (size_t)call->block[k].count * sizeof(double));
    const int info = a->info;
    release(a);
    return judge(context, info, what);
}

fathom_status fathom_lapack_run(fathom_lapack_call *call, double operations, const char *what,
                                fathom_context *context)
{
    const double bytes = bytes_of(call);
    bool ran = false;
    if (operations < LONG)
        return run_here(call, what, context);
    if (fathom_context_overdue(context))
        return fathom_context_late(context, what);
    if (!fathom_context_take(context, bytes))
        return run_here(call, what, context);
    const fathom_status status = run_aside(&ran, call, what, context);
    if (status != FATHOM_ERROR_STOPPED)
        fathom_context_take(context, -bytes);
    return ran ? status : run_here(call, what, context);
}
