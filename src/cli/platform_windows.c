/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, an alarm and the terminal of Windows: a console's Ctrl-C and the alarm come on threads of their own. */
#include "platform_program.h"

#ifdef _WIN32

#include <direct.h>
#include <errno.h>
#include <io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };

static void (*asked)(void), (*rung)(void);
static HANDLE alarm_timer;

static BOOL WINAPI on_console(DWORD event)
{
    (void)event;
    asked();
    return TRUE;
}

static void CALLBACK on_alarm(PVOID user, BOOLEAN fired)
{
    (void)user, (void)fired;
    rung();
}

void platform_listen(void (*ask)(void), void (*alarm_due)(void))
{
    asked = ask;
    rung = alarm_due;
    SetConsoleCtrlHandler(on_console, TRUE);
}

void platform_set_alarm(double seconds)
{
    if (alarm_timer)
        DeleteTimerQueueTimer(NULL, alarm_timer, NULL);
    alarm_timer = NULL;
    if (seconds > 0)
        CreateTimerQueueTimer(&alarm_timer, NULL, on_alarm, NULL, (DWORD)fmin(1e3 * seconds + 1, 4e9), 0,
                              WT_EXECUTEONLYONCE);
}

/* The C library opens them all. */
void platform_hold_streams(void) {}

void platform_put(const char *text)
{
    const int written = _write(STANDARD_OUTPUT, text, (unsigned)strlen(text));
    (void)written;
}

void platform_end(int exit_code, const char *text)
{
    if (text && _write(STANDARD_ERROR, text, (unsigned)strlen(text)) < 0)
        _exit(exit_code);
    _exit(exit_code);
}

bool platform_set_variable(const char *name, const char *value)
{
    return _putenv_s(name, value ? value : "") == 0 && SetEnvironmentVariableA(name, value);
}

bool platform_find_beside(char path[FATHOM_CHILD_PATH], const char *name)
{
    char *slash = fathom_platform_own_path(path) ? strrchr(path, '\\') : NULL;
    if (!slash)
        return false;
    const size_t room = FATHOM_CHILD_PATH - (size_t)(slash + 1 - path);
    return (size_t)snprintf(slash + 1, room, "%s.exe", name) < room && _access(path, 0) == 0;
}

bool platform_is_space_limited(void) { return false; }

int platform_terminal_width(void)
{
    CONSOLE_SCREEN_BUFFER_INFO screen;
    if (!_isatty(STANDARD_ERROR))
        return 0;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &screen))
        return 80;
    return screen.srWindow.Right - screen.srWindow.Left + 1;
}

/* Older consoles print the sequences. */
bool platform_has_colours(bool error)
{
    (void)error;
    return false;
}

void platform_pause(double seconds) { Sleep((DWORD)(1e3 * seconds) + 1); }

bool platform_make_folder(const char *path) { return _mkdir(path) == 0 || errno == EEXIST; }

#endif
