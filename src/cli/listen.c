/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's listeners: log lines and one progress line on standard error, and the trace of a run. */
#include "cli.h"
#include "inner/json.h"
#include "picture.h"
#include "platform_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH = 80, TRACE_SIZE = 400 };

/* Standard error is one, so its state is one. */
static struct {
    bool wanted;     /* show a progress line at all */
    bool line_shown; /* a progress line stands on the terminal */
    double last;     /* seconds at which it was written */
    int width;
} terminal;

/* Every stride-th report; when the room is full, every second one is dropped and the stride doubles. */
static struct {
    fathom_progress point[TRACE_SIZE];
    int count;
    int64_t seen, stride;
} trace;

static void trace_record(const fathom_progress *progress)
{
    if (isnan(progress->value) && isnan(progress->bound))
        return;
    if (trace.seen++ % trace.stride != 0)
        return;
    if (trace.count == TRACE_SIZE) {
        for (int k = 0; k < TRACE_SIZE / 2; k++)
            trace.point[k] = trace.point[2 * k];
        trace.count = TRACE_SIZE / 2;
        trace.stride *= 2;
    }
    trace.point[trace.count++] = *progress;
}

static fathom_status trace_point(fathom_json *list, const fathom_progress *point)
{
    fathom_json *item;
    FATHOM_TRY(fathom_json_append_object(list, &item));
    return CLI_SET(item, cli_text("stage", point->stage), cli_integer("iteration", point->iteration),
                   cli_real("value", point->value), cli_real("bound", point->bound),
                   cli_real("seconds", point->seconds));
}

static fathom_status trace_write(fathom_json *result)
{
    fathom_json *list;
    if (trace.count == 0 || !result)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_set_list(result, "progress", &list));
    for (int k = 0; k < trace.count; k++)
        FATHOM_TRY(trace_point(list, trace.point + k));
    return FATHOM_OK;
}

void cli_progress_end(void)
{
    if (terminal.line_shown)
        fprintf(stderr, "\r\033[K");
    terminal.line_shown = false;
}

static void on_log(void *user, fathom_log_level level, const char *text)
{
    const cli_invocation *invocation = user;
    if (level == FATHOM_LOG_DEBUG && !invocation->run.verbose)
        return;
    cli_progress_end();
    fprintf(stderr, "%s", level == FATHOM_LOG_WARNING ? "warning: " : "");
    cli_print(stderr, text);
    putc('\n', stderr);
}

/* stage  iteration 12  value 0.123  bound 0.120  gap 2.4e-02  3.1 s  40%, about 5 s left, cut to the terminal's width. */
static bool on_progress(void *user, const fathom_progress *progress)
{
    (void)user;
    trace_record(progress);
    if (!terminal.wanted || (terminal.line_shown && progress->seconds - terminal.last < 0.1))
        return false;
    char line[256];
    int used = snprintf(line, sizeof line, "%s", progress->stage);
    const int room = (int)sizeof line;
    if (progress->iteration > 0 && used < room)
        used += snprintf(line + used, sizeof line - (size_t)used, "  iteration %lld",
                         (long long)progress->iteration);
    if (!isnan(progress->value) && used < room)
        used += snprintf(line + used, sizeof line - (size_t)used, "  value %.8g", progress->value);
    if (!isnan(progress->bound) && used < room)
        used += snprintf(line + used, sizeof line - (size_t)used, "  bound %.8g", progress->bound);
    if (!isnan(progress->value - progress->bound) && progress->value != 0 && used < room)
        used += snprintf(line + used, sizeof line - (size_t)used, "  gap %.1e",
                         (progress->value - progress->bound) / fabs(progress->value));
    if (used < room)
        used += snprintf(line + used, sizeof line - (size_t)used, "  %.1f s", progress->seconds);
    if (progress->done > 0 && used < room)
        snprintf(line + used, sizeof line - (size_t)used, "  %.0f%%, about %.0f s left", 100 * progress->done,
                 progress->seconds * (1 / progress->done - 1));
    fprintf(stderr, "\r\033[K%.*s", terminal.width - 1, line);
    fflush(stderr);
    terminal.line_shown = true;
    terminal.last = progress->seconds;
    return false;
}

void cli_progress(const cli_invocation *invocation, const char *stage)
{
    if (!terminal.wanted)
        return;
    fprintf(stderr, "\r\033[K%.*s", terminal.width - 1, stage);
    fflush(stderr);
    terminal.line_shown = true;
    terminal.last = fathom_context_seconds(invocation->context);
}

void cli_listen(cli_invocation *invocation)
{
    enum { AUTO, ALWAYS };
    const int wish = invocation->run.progress;
    memset(&terminal, 0, sizeof terminal);
    memset(&trace, 0, sizeof trace);
    cli_picture_begin();
    trace.stride = 1;
    const int width = platform_terminal_width();
    terminal.width = width > 0 ? width : DEFAULT_WIDTH;
    terminal.wanted = !invocation->run.quiet && (wish == ALWAYS || (wish == AUTO && width > 0));
    if (!invocation->run.quiet)
        fathom_context_set_log(invocation->context, on_log, invocation);
    fathom_context_set_progress(invocation->context, on_progress, NULL);
}

fathom_status cli_listen_end(cli_invocation *invocation)
{
    cli_progress_end();
    FATHOM_TRY(trace_write(invocation->result));
    return cli_picture_end(invocation->result);
}
