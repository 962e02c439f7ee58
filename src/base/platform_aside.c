/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that may be left behind; see platform_aside.h. */
#include "platform_aside.h"

#include <stdlib.h>
#include <string.h>

#include "platform.h"

#ifdef _WIN32
fathom_aside_end fathom_platform_aside(void (*run)(void *user), void (*release)(void *user), void *user,
                                       bool (*give_up)(const void *judge), const void *judge)
{
    (void)run, (void)release, (void)user, (void)give_up, (void)judge;
    return FATHOM_ASIDE_NONE;
}
#else
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 1 << 23, PAUSE = 20000000 /* nanoseconds between two questions */ };

/* Owned by the caller until `left`, then by its thread. */
typedef struct aside {
    void (*run)(void *user);
    void (*release)(void *user);
    void *user;
    pthread_t thread;
    pthread_cond_t ended;
    bool done, left;
    struct aside *next; /* of those that are left */
} aside;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static aside *alone; /* left by their callers, not done */

static void forget(const aside *a)
{
    aside **at = &alone;
    while (*at && *at != a)
        at = &(*at)->next;
    if (*at)
        *at = a->next;
}

static void dispose(aside *a)
{
    pthread_cond_destroy(&a->ended);
    free(a);
}

static void *begin(void *argument)
{
    aside *a = argument;
    a->run(a->user);
    pthread_mutex_lock(&lock);
    const bool left = a->left;
    a->done = true;
    if (left)
        forget(a);
    else
        pthread_cond_signal(&a->ended);
    pthread_mutex_unlock(&lock);
    if (left) {
        a->release(a->user);
        dispose(a);
    }
    return NULL;
}

static void hold(int number)
{
    (void)number;
    for (;;)
        pause();
}

/* At the end of the process. */
static void hold_all(void)
{
    const struct timespec until_they_know = {0, PAUSE};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = hold;
    pthread_mutex_lock(&lock);
    if (alone)
        sigaction(SIGURG, &action, NULL);
    for (const aside *a = alone; a; a = a->next)
        pthread_kill(a->thread, SIGURG);
    if (alone)
        nanosleep(&until_they_know, NULL);
    pthread_mutex_unlock(&lock);
}

/* A child of fork has none of them, and a lock that nobody holds. */
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }
static void forget_all(void)
{
    alone = NULL;
    pthread_mutex_unlock(&lock);
}

static void prepare(void)
{
    atexit(hold_all);
    pthread_atfork(take_lock, give_lock, forget_all);
}

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
    sigdelset(&all, SIGURG); /* of hold_all */
    sigdelset(&all, SIGBUS); /* of platform_map.c: a signal that is blocked when it is due ends the process */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&a->thread, &attributes, begin, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Until it is done (true), or given up. */
static bool await(aside *a, bool (*give_up)(const void *judge), const void *judge)
{
    pthread_mutex_lock(&lock);
    while (!a->done && !give_up(judge)) {
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
    const pthread_t thread = a->thread; /* the rest may be gone once the lock is free */
    pthread_mutex_unlock(&lock);
    if (done)
        pthread_join(thread, NULL);
    else
        pthread_detach(thread);
    return done;
}

fathom_aside_end fathom_platform_aside(void (*run)(void *user), void (*release)(void *user), void *user,
                                       bool (*give_up)(const void *judge), const void *judge)
{
    aside *a = calloc(1, sizeof *a);
    if (!a)
        return FATHOM_ASIDE_NONE;
    a->run = run;
    a->release = release;
    a->user = user;
    if (pthread_cond_init(&a->ended, NULL) != 0) {
        free(a);
        return FATHOM_ASIDE_NONE;
    }
    if (!start(a)) {
        dispose(a);
        return FATHOM_ASIDE_NONE;
    }
    if (!await(a, give_up, judge))
        return FATHOM_ASIDE_LEFT;
    dispose(a);
    return FATHOM_ASIDE_DONE;
}
#endif
