/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a command ends before its end.
 *
 * First the context is asked: loops look at it, and what they have is printed with its bound (exit code 3 or
 * 130). A step that looks at nothing, deep inside a library, would go on for as long as it takes; so GRACE
 * seconds later an alarm ends the program with a word about it and the same exit code. Children are asked
 * with it, and are ended with it.
 */
#include "stop.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli.h"

static const double GRACE = 1.5;
static const char *const PARENT = "FATHOM_PARENT"; /* environment: whose child a program is */

static fathom_context *volatile watched;
static volatile sig_atomic_t child; /* that runs now, or 0 */

static void set_alarm(double seconds)
{
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(fmod(seconds, 1) * 1e6)}};
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void tell_child(int signal_number)
{
    if (child > 0)
        kill((pid_t)child, signal_number);
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    fathom_context *context = watched;
    if (!context || fathom_context_interrupted(context)) {
        tell_child(SIGKILL);
        _exit(EXIT_INTERRUPTED);
    }
    fathom_context_interrupt(context);
    tell_child(SIGINT);
    set_alarm(GRACE);
}

/* Nothing but what is safe in a handler. */
static void on_alarm(int signal_number)
{
    static const char text[] =
        "\nfathom: stopped inside a step that cannot be cut short; there is no result\n";
    (void)signal_number;
    fathom_context *context = watched;
    const bool interrupted = context && fathom_context_interrupted(context);
    tell_child(SIGKILL);
    if (write(2, text, sizeof text - 1) < 0)
        _exit(EXIT_LIMIT);
    _exit(interrupted ? EXIT_INTERRUPTED : EXIT_LIMIT);
}

/* A library ended the program inside a command: the runtime of OpenMP does where it is refused memory or
 * threads, and has said so. */
static void on_exit_inside(void)
{
    if (!watched)
        return;
    tell_child(SIGKILL);
    _exit(EXIT_MEMORY);
}

void cli_stop_watch(fathom_context *context)
{
    static bool listening;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    watched = context;
    listening = listening || atexit(on_exit_inside) == 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
}

void cli_stop_at(double seconds)
{
    if (seconds < 1e8)
        set_alarm(seconds + GRACE);
}

void cli_stop_end(void)
{
    set_alarm(0);
    watched = NULL;
}

int cli_stop_wait(bool *cut, pid_t pid, const fathom_context *context, double time_limit)
{
    const struct timespec pause = {0, 5000000};
    double asked = INFINITY;
    int status = 0;
    *cut = false;
    child = (sig_atomic_t)pid;
    for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
        const double now = fathom_context_seconds(context);
        if (!*cut && (fathom_context_interrupted(context) || (time_limit >= 0 && now > time_limit))) {
            kill(pid, SIGINT);
            asked = now;
            *cut = true;
        }
        if (now > asked + GRACE - 0.3) /* before the alarm: what there is can still be told */
            kill(pid, SIGKILL);
        ended = waitpid(pid, &status, WNOHANG);
        if (ended == 0)
            nanosleep(&pause, NULL);
    }
    child = 0;
    return status;
}

void cli_stop_with_parent(void)
{
#ifdef __linux__
    const char *parent = getenv(PARENT);
    if (!parent)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)strtol(parent, NULL, 10)) /* it ended before that call */
        _exit(EXIT_INTERRUPTED);
    unsetenv(PARENT);
#endif
}

void cli_stop_adopt(void)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", (long)getpid());
    setenv(PARENT, text, 1);
}
