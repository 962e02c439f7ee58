/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a command ends before its end.
 *
 * First the context is asked: loops look at it, and what they have is printed with its bound (exit code 3 or
 * 130). A step that looks at nothing, deep inside a library, would go on for as long as it takes; so GRACE
 * seconds later an alarm ends the program with a word about it and the same exit code; seconds in which it was
 * ready and others had the processor do not count, or a busy machine would take results. Children are asked
 * with it, and are ended with it. Of several ranks rank 0 alone ends so; it takes the others along.
 */
#include "stop.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli.h"
#include "inner/files.h"
#include "platform_waited.h"
#include "ranks.h"

static const double GRACE = 1.5, TURN = 0.005;

static fathom_context *volatile watched;
static _Atomic fathom_platform_child child; /* that runs now, or 0 */
static const char *volatile command;        /* whose object is printed at the alarm, or NULL */
static volatile double stopped = NAN;       /* when the stop was, by the clock; NAN: not yet */
static volatile double waited_before;       /* and what was waited for processors by then */

static void kill_child(void)
{
    if (child > 0)
        fathom_platform_child_kill(child);
}

static double now(void)
{
    const fathom_context *context = watched;
    return context ? fathom_context_seconds(context) : 0;
}

static double waited(void)
{
    const fathom_platform_child started = child;
    return fathom_platform_waited(0) + (started > 0 ? fathom_platform_waited((long)started) : 0);
}

static void begin_grace(void)
{
    if (isnan(stopped)) {
        stopped = now();
        waited_before = waited();
    }
    platform_set_alarm(GRACE);
}

/* Seconds of the grace that are left. */
static double grace_left(void)
{
    return GRACE - fathom_platform_served(now() - stopped, waited() - waited_before);
}

static void on_interrupt(void)
{
    fathom_context *context = watched;
    if (!fathom_ranks_lead() && context && fathom_context_interrupted(context))
        return;
    if (!context || fathom_context_interrupted(context)) {
        kill_child();
        fathom_files_abandon();
        platform_end(EXIT_INTERRUPTED, NULL);
    }
    fathom_context_interrupt(context);
    if (child > 0)
        fathom_platform_child_ask(child);
    if (fathom_ranks_lead())
        begin_grace();
}

/* Nothing but what is safe in a handler: {"command": "...", "error": "...", "code": ...}. */
static void print_end(bool interrupted)
{
    const char *const name = command;
    if (!name)
        return;
    platform_put("{\"command\": \"");
    platform_put(name);
    platform_put(
        "\", \"error\": \"stopped inside a step that cannot be cut short; there is no result\", \"code\": ");
    platform_put(interrupted ? "130}\n" : "3}\n");
}

/* At the limit the grace begins; at its end so does what follows. */
static void on_alarm(void)
{
    fathom_context *context = watched;
    if (isnan(stopped)) {
        begin_grace();
        return;
    }
    const double left = grace_left();
    if (left > 0.01) {
        platform_set_alarm(fmax(left, 0.05));
        return;
    }
    const bool interrupted = context && fathom_context_interrupted(context);
    kill_child();
    fathom_files_abandon();
    print_end(interrupted);
    platform_end(interrupted ? EXIT_INTERRUPTED : EXIT_LIMIT,
                 "\nfathom: stopped inside a step that cannot be cut short; there is no result\n");
}

/* A library ended the program inside a command: the runtime of OpenMP does where it is refused memory or
 * threads, and has said so. */
static void on_exit_inside(void)
{
    if (!watched)
        return;
    kill_child();
    fathom_files_abandon();
    platform_end(EXIT_MEMORY, NULL);
}

void cli_stop_watch(fathom_context *context)
{
    static bool listening;
    watched = context;
    listening = listening || atexit(on_exit_inside) == 0;
    platform_listen(on_interrupt, on_alarm);
}

void cli_stop_say(const char *name) { command = name; }

void cli_stop_at(double seconds)
{
    stopped = NAN;
    if (seconds < 1e8 && fathom_ranks_lead())
        platform_set_alarm(fmax(seconds, 1e-6));
}

void cli_stop_end(void)
{
    platform_set_alarm(0);
    stopped = NAN;
    watched = NULL;
    command = NULL;
}

int cli_stop_wait(bool *cut, fathom_platform_child started, const fathom_context *context, double time_limit)
{
    double asked = INFINITY, before = 0;
    int code = -1;
    *cut = false;
    child = started;
    for (bool ended = false; !ended;) {
        const double seconds = fathom_context_seconds(context);
        if (!*cut && (fathom_context_interrupted(context) || (time_limit >= 0 && seconds > time_limit))) {
            fathom_platform_child_ask(started);
            asked = seconds;
            before = fathom_platform_waited((long)started);
            *cut = true;
        }
        const double most = GRACE - 0.3; /* before the alarm: what there is can still be told */
        if (seconds > asked + most &&
            fathom_platform_served(seconds - asked, fathom_platform_waited((long)started) - before) > most)
            fathom_platform_child_kill(started);
        ended = fathom_platform_child_ended(&code, started, false);
        if (!ended)
            platform_pause(TURN);
    }
    child = 0;
    return code;
}

void cli_stop_with_parent(void)
{
    if (!fathom_platform_child_follow())
        platform_end(EXIT_INTERRUPTED, NULL);
}
