/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's listeners: log lines and one progress line, on standard error. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Standard error is one, so its state is one. */
static struct {
    bool line_shown; /* a progress line stands on the terminal */
    double last;     /* seconds at which it was written */
    int width;
} terminal;

enum { DEFAULT_WIDTH = 80 };

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return DEFAULT_WIDTH;
}

static void erase_line(void)
{
    if (terminal.line_shown)
        fprintf(stderr, "\r\033[K");
    terminal.line_shown = false;
}

static void on_log(void *user, fathom_log_level level, const char *text)
{
    (void)user;
    if (level == FATHOM_LOG_DEBUG)
        return;
    erase_line();
    fprintf(stderr, "%s%s\n", level == FATHOM_LOG_WARNING ? "warning: " : "", text);
}

/* stage  iteration 12  value 0.123  bound 0.120  gap 2.4e-02  3.1 s, cut to the terminal's width. */
static bool on_progress(void *user, const fathom_progress *progress)
{
    (void)user;
    if (terminal.line_shown && progress->seconds - terminal.last < 0.1)
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
        snprintf(line + used, sizeof line - (size_t)used, "  %.1f s", progress->seconds);
    fprintf(stderr, "\r\033[K%.*s", terminal.width - 1, line);
    fflush(stderr);
    terminal.line_shown = true;
    terminal.last = progress->seconds;
    return false;
}

void cli_listen(cli_invocation *invocation)
{
    enum { AUTO, ALWAYS };
    const int wish = invocation->run.progress;
    memset(&terminal, 0, sizeof terminal);
    terminal.width = terminal_width();
    if (invocation->run.quiet)
        return;
    fathom_context_set_log(invocation->context, on_log, NULL);
    if (wish == ALWAYS || (wish == AUTO && isatty(STDERR_FILENO)))
        fathom_context_set_progress(invocation->context, on_progress, NULL);
}

void cli_listen_end(void) { erase_line(); }
