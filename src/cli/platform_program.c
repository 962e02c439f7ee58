/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, an alarm and the terminal where systems are POSIX; Windows: platform_windows.c. */
#include "platform_program.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void (*asked)(void), (*rung)(void);

static void on_ask(int number)
{
    (void)number;
    asked();
}

static void on_alarm(int number)
{
    (void)number;
    rung();
}

void platform_hold_streams(void)
{
    /* the other way round: what is written to a closed stream fails, as it should */
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(1);
}

void platform_listen(void (*ask)(void), void (*alarm_due)(void))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    asked = ask;
    rung = alarm_due;
    action.sa_flags = SA_RESTART;
    action.sa_handler = on_ask;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler =
        SIG_IGN; /* beyond the largest file (ulimit -f) a write fails, which is told like a full disk */
    sigaction(SIGXFSZ, &action, NULL);
}

void platform_set_alarm(double seconds)
{
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(fmod(seconds, 1) * 1e6)}};
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

void platform_put(const char *text)
{
    const ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written; /* the program ends next, and says so on the other stream */
}

void platform_end(int exit_code, const char *text)
{
    if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(exit_code);
    _exit(exit_code);
}

bool platform_set_variable(const char *name, const char *value)
{
    return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

bool platform_find_beside(char path[FATHOM_CHILD_PATH], const char *name)
{
    char *slash = fathom_platform_own_path(path) ? strrchr(path, '/') : NULL;
    if (!slash)
        return false;
    const size_t room = FATHOM_CHILD_PATH - (size_t)(slash + 1 - path);
    return (size_t)snprintf(slash + 1, room, "%s", name) < room && access(path, X_OK) == 0;
}

bool platform_is_space_limited(void)
{
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

int platform_terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDERR_FILENO))
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

bool platform_has_colours(bool error) { return isatty(error ? STDERR_FILENO : STDOUT_FILENO); }

void platform_pause(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&pause, NULL);
}

bool platform_make_folder(const char *path) { return mkdir(path, 0755) == 0 || errno == EEXIST; }

#endif
