/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C for a context, on top of the handler that the program has. */
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
    if (before != SIG_DFL && before != SIG_IGN)
        before(number);
}

void fathom_context_listen(fathom_context *context)
{
    const bool listens = listener != NULL;
    listener = context;
    if (context && !listens)
        before = signal(SIGINT, on_interrupt);
    else if (!context && listens)
        signal(SIGINT, before);
}
#else
static struct sigaction before;

static void on_interrupt(int number, siginfo_t *info, void *place)
{
    fathom_context *context = listener;
    if (context)
        fathom_context_interrupt(context);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, place);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
}

void fathom_context_listen(fathom_context *context)
{
    struct sigaction action, now;
    const bool listens = listener != NULL;
    listener = context;
    if (context && !listens) {
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_interrupt;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGINT, &action, &before);
    } else if (!context && listens && sigaction(SIGINT, NULL, &now) == 0 &&
               now.sa_sigaction == on_interrupt) {
        sigaction(SIGINT, &before, NULL); /* unless somebody has set another since */
    }
}
#endif
