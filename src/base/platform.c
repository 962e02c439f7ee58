/* SPDX-License-Identifier: Apache-2.0 */
#include "platform.h"

#include <math.h>

#ifdef _WIN32

#include <windows.h>

double fathom_platform_seconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

double fathom_platform_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    if (!GlobalMemoryStatusEx(&status))
        return INFINITY;
    return fmin((double)status.ullAvailPhys, (double)status.ullAvailVirtual);
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double fathom_platform_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The number after `key` in a file of lines, infinity where there is none. An empty key: the first line's number. */
static double number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char line[256], *end;
    double found = INFINITY;
    while (file && found == INFINITY && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) {
            const unsigned long long number = strtoull(line + strlen(key), &end, 10);
            found = end == line + strlen(key) ? INFINITY : (double)number;
        }
    if (file)
        fclose(file);
    return found;
}

/* What the system says can be had, else all physical memory (macOS has no estimate). */
static double of_system(void)
{
    const double kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    if (kilobytes < INFINITY)
        return 1024 * kilobytes;
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* limit - used + what files hold and can give back; infinity where there is no limit. */
static double left_of(const char *limit, const char *used, const char *statistics)
{
    const double bytes = number_in(limit, ""), taken = number_in(used, ""),
                 files = number_in(statistics, "inactive_file ");
    if (isinf(bytes) || isinf(taken))
        return bytes;
    return fmax(0, bytes - taken + (isinf(files) ? 0 : files));
}

/* What the control group of a container leaves, second and first version. */
static double of_group(void)
{
#define GROUP "/sys/fs/cgroup/memory"
    return fmin(
        left_of(GROUP ".max", GROUP ".current", GROUP ".stat"),
        left_of(GROUP "/memory.limit_in_bytes", GROUP "/memory.usage_in_bytes", GROUP "/memory.stat"));
#undef GROUP
}

/* What the limit on the address space leaves (ulimit -v). */
static double of_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    const double pages = number_in("/proc/self/statm", ""),
                 used = pages < INFINITY ? pages * (double)sysconf(_SC_PAGESIZE) : 0;
    return fmax(0, (double)limit.rlim_cur - used);
}

double fathom_platform_memory(void) { return fmin(of_system(), fmin(of_group(), of_limit())); }

#endif
