/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C for a context, on top of the handler that the program has. Handlers in the manner of System V set
 * themselves again when they are called (on Windows all must): the listener then takes its place on top of
 * them once more. Where they set another, or none, that is the program's will.
 */
#include <signal.h>
#include <string.h>

#include "fathom/interrupt.h"

static fathom_context *volatile listener;

#ifdef _WIN32
static void (*before)(int) = SIG_DFL;

static void on_interrupt(int number)
{
    fathom_context *context = listener;
    if (context)
        fathom_context_interrupt(context);
    signal(number, on_interrupt);
    if (before == SIG_DFL || before == SIG_IGN)
        return;
    before(number);
    void (*now)(int) = signal(number, on_interrupt);
    if (now != on_interrupt && now != before)
        signal(number, now);
}

void fathom_context_listen(fathom_context *context)
{
    const bool listens = listener != NULL;
    listener = context;
    if (context && !listens)
        before = signal(SIGINT, on_interrupt);
    else if (!context && listens) {
        void (*now)(int) = signal(SIGINT, before);
        if (now != on_interrupt)
            signal(SIGINT, now); /* somebody has set another since */
    }
}
#else
static struct sigaction before, own;

static void on_interrupt(int number, siginfo_t *info, void *place)
{
    fathom_context *context = listener;
    if (context)
        fathom_context_interrupt(context);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, place);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    struct sigaction now;
    if (listener && sigaction(number, NULL, &now) == 0 && now.sa_sigaction == before.sa_sigaction &&
        now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
        sigaction(number, &own, NULL);
}

void fathom_context_listen(fathom_context *context)
{
    struct sigaction now;
    const bool listens = listener != NULL;
    listener = context;
    if (context && !listens) {
        memset(&own, 0, sizeof own);
        own.sa_sigaction = on_interrupt;
        own.sa_flags = SA_SIGINFO;
        sigaction(SIGINT, &own, &before);
    } else if (!context && listens && sigaction(SIGINT, NULL, &now) == 0 &&
               now.sa_sigaction == on_interrupt) {
        sigaction(SIGINT, &before, NULL); /* unless somebody has set another since */
    }
}
#endif
