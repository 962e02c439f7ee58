/* SPDX-License-Identifier: Apache-2.0 */
/* Time without a processor; see the header. Linux: the second number of /proc/PROCESS/task/THREAD/schedstat, nanoseconds. */
#include "platform_waited.h"

#include <math.h>

static const double MOST = 10;

double fathom_platform_served(double elapsed, double waited)
{
    return elapsed - fmin(fmin(fmax(waited, 0), elapsed), MOST);
}

#ifndef __linux__

double fathom_platform_waited(long process) { return 0 * (double)process; }

#else

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH = 64, NAMES = 4096 };

/* What getdents64 gives; readdir allocates, which no handler may. */
typedef struct entry {
    uint64_t number;
    int64_t next;
    uint16_t length;
    uint8_t kind;
    char name[];
} entry;

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = 0;
    return to;
}

/* "/proc/self/task" or "/proc/<process>/task"; its end. */
static char *tasks(char path[PATH], long process)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = 0;
    for (long left = process; left > 0; left /= 10)
        *--at = (char)('0' + left % 10);
    return append(append(append(path, "/proc/"), process > 0 ? at : "self"), "/task");
}

static double nanoseconds(const char *path)
{
    char text[80];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    double value = 0;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    const char *second = strchr(text, ' ');
    for (second = second ? second + 1 : text + strlen(text); *second >= '0' && *second <= '9'; second++)
        value = 10 * value + (*second - '0');
    return value;
}

double fathom_platform_waited(long process)
{
    char path[PATH];
    _Alignas(entry) char names[NAMES];
    char *end = tasks(path, process);
    double sum = 0;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    for (long got; (got = syscall(SYS_getdents64, folder, names, sizeof names)) > 0;)
        for (long at = 0; at < got;) {
            const entry *e = (const entry *)(names + at);
            if (*e->name >= '0' && *e->name <= '9' && strlen(e->name) < 20) {
                append(append(append(end, "/"), e->name), "/schedstat");
                sum += nanoseconds(path);
            }
            at += e->length;
        }
    close(folder);
    return 1e-9 * sum;
}

#endif
