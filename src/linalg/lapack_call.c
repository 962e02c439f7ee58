/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of LAPACK, long ones aside; see lapack_call.h. */
#include "lapack_call.h"

#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "lapack_room.h"
#include "memory.h"

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

#ifdef _WIN32
fathom_status fathom_lapack_run(fathom_lapack_call *call, double operations, const char *what,
                                fathom_context *context)
{
    (void)operations;
    return run_here(call, what, context);
}
#else
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const double LONG = 1e9; /* operations: a tenth of a second, and more on slow machines */
enum { LINE = 64, STACK = 1 << 23, PAUSE = 20000000 /* nanoseconds between two looks at the clock */ };

/* Owned by the caller until `left`, then by its thread. */
typedef struct aside {
    fathom_lapack_call call; /* on copies */
    pthread_t thread;
    pthread_cond_t ended;
    bool done, left;
    int info;
    struct aside *next; /* of those that are left */
} aside;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static aside *alone; /* left by their callers, not done */

static void release(aside *a)
{
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        free(a->call.block[k].at);
    pthread_cond_destroy(&a->ended);
    free(a);
}

static void forget(aside *a)
{
    aside **at = &alone;
    while (*at && *at != a)
        at = &(*at)->next;
    if (*at)
        *at = a->next;
}

static void *run_aside(void *user)
{
    aside *a = user;
    const int info = a->call.run(&a->call);
    fathom_lapack_leave();
    pthread_mutex_lock(&lock);
    const bool left = a->left;
    a->info = info;
    a->done = true;
    if (left)
        forget(a);
    pthread_cond_signal(&a->ended);
    pthread_mutex_unlock(&lock);
    if (left)
        release(a);
    return NULL;
}

/* The end of the process unloads the library that a call is still in: such calls are held first. */
static void hold(int number)
{
    (void)number;
    for (;;)
        pause();
}

static void hold_all(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = hold;
    pthread_mutex_lock(&lock);
    if (alone)
        sigaction(SIGURG, &action, NULL);
    for (aside *a = alone; a; a = a->next)
        pthread_kill(a->thread, SIGURG);
    const struct timespec while_they_are_told = {0, PAUSE};
    if (alone)
        nanosleep(&while_they_are_told, NULL);
    pthread_mutex_unlock(&lock);
}

/* A child of fork has none of them. */
static void forget_all(void) { alone = NULL; }

static void prepare(void)
{
    atexit(hold_all);
    pthread_atfork(NULL, NULL, forget_all);
}

/* Copies of the blocks; NULL where there is no memory. */
static aside *copy_call(const fathom_lapack_call *call)
{
    aside *a = calloc(1, sizeof *a);
    if (!a || pthread_cond_init(&a->ended, NULL) != 0) {
        free(a);
        return NULL;
    }
    a->call = *call;
    bool whole = true;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++) {
        const size_t bytes = (size_t)call->block[k].count * sizeof(double);
        a->call.block[k].at = bytes ? aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE) : NULL;
        whole = whole && (bytes == 0 || a->call.block[k].at);
        if (a->call.block[k].at && call->block[k].in)
            memcpy(a->call.block[k].at, call->block[k].at, bytes);
    }
    if (whole)
        return a;
    release(a);
    return NULL;
}

/* Starts its thread, which hears no signals but the one of hold_all. */
static bool start(aside *a)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_once(&once, prepare);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    sigdelset(&all, SIGURG);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&a->thread, &attributes, run_aside, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Until it is done (true), or given up. */
static bool await(aside *a, const fathom_context *context)
{
    pthread_mutex_lock(&lock);
    while (!a->done && !fathom_context_overdue(context)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PAUSE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&a->ended, &lock, &until);
    }
    const bool done = a->done;
    if (!done) {
        a->left = true;
        a->next = alone;
        alone = a;
    }
    pthread_mutex_unlock(&lock);
    if (done)
        pthread_join(a->thread, NULL);
    else
        pthread_detach(a->thread);
    return done;
}

static double bytes_of(const fathom_lapack_call *call)
{
    double bytes = 0;
    for (int k = 0; k < FATHOM_LAPACK_BLOCKS; k++)
        bytes += (double)call->block[k].count * sizeof(double);
    return bytes;
}

/* Where there is memory for copies and a thread; *ran says so. */
static fathom_status try_aside(bool *ran, fathom_lapack_call *call, const char *what, fathom_context *context)
{
    aside *a = copy_call(call);
    *ran = a && fathom_lapack_enter();
    if (*ran && !start(a)) {
        fathom_lapack_leave();
        *ran = false;
    }
    if (!*ran) {
        if (a)
            release(a);
        return FATHOM_OK;
    }
    if (!await(a, context))
        return fathom_context_late(context, what);
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
    const fathom_status status = try_aside(&ran, call, what, context);
    if (status != FATHOM_ERROR_STOPPED)
        fathom_context_take(context, -bytes);
    return ran ? status : run_here(call, what, context);
}
#endif
