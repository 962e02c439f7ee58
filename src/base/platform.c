/* SPDX-License-Identifier: Apache-2.0 */
#include "platform.h"

#include <math.h>

static const double USUAL_CACHE = 524288;

#ifdef _WIN32

#include <malloc.h>
#include <windows.h>

double fathom_platform_seconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

double fathom_platform_children_seconds(void) { return 0; }

double fathom_platform_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    if (!GlobalMemoryStatusEx(&status))
        return INFINITY;
    return fmin((double)status.ullAvailPhys, (double)status.ullAvailVirtual);
}

size_t fathom_platform_block_size(const void *block) { return _msize((void *)block); }

void *fathom_platform_reserve(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

bool fathom_platform_has_space(size_t size)
{
    void *space = VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_READWRITE);
    return space && VirtualFree(space, 0, MEM_RELEASE);
}

double fathom_platform_thread_seconds(void)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user))
        return 0;
    const double high = 4294967296.0;
    return 1e-7 * ((double)kernel.dwLowDateTime + high * (double)kernel.dwHighDateTime +
                   (double)user.dwLowDateTime + high * (double)user.dwHighDateTime);
}

double fathom_platform_cache(void) { return USUAL_CACHE; }

double fathom_platform_physical_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (double)status.ullTotalPhys : INFINITY;
}

int fathom_platform_processors(void)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return (int)system.dwNumberOfProcessors;
}

double fathom_platform_limit_space(void) { return INFINITY; }
double fathom_platform_limit_stack(void) { return INFINITY; }
double fathom_platform_limit_files(void) { return 8192; } /* of its C library, at most */

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
#include <malloc.h>
#endif

double fathom_platform_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fathom_platform_children_seconds(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 0;
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec);
}

double fathom_platform_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifdef __APPLE__
double fathom_platform_cache(void)
{
    int64_t bytes = 0;
    size_t size = sizeof bytes;
    return sysctlbyname("hw.l2cachesize", &bytes, &size, NULL, 0) == 0 && bytes > 0 ? (double)bytes
                                                                                    : USUAL_CACHE;
}
#else
double fathom_platform_cache(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0)
        return (double)bytes;
#endif
    return USUAL_CACHE;
}
#endif

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

double fathom_platform_physical_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* What the system says can be had, else all physical memory (macOS has no estimate). */
static double of_system(void)
{
    const double kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    if (kilobytes < INFINITY)
        return 1024 * kilobytes;
    return fathom_platform_physical_memory();
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

/* A limit that getrlimit answered with `code`. */
static double limit_of(int code, const struct rlimit *limit)
{
    return code != 0 || limit->rlim_cur == RLIM_INFINITY ? INFINITY : (double)limit->rlim_cur;
}

double fathom_platform_limit_space(void)
{
    struct rlimit limit;
    return limit_of(getrlimit(RLIMIT_AS, &limit), &limit);
}

double fathom_platform_limit_stack(void)
{
    struct rlimit limit;
    return limit_of(getrlimit(RLIMIT_STACK, &limit), &limit);
}

double fathom_platform_limit_files(void)
{
    struct rlimit limit;
    return limit_of(getrlimit(RLIMIT_NOFILE, &limit), &limit);
}

int fathom_platform_processors(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

/* What the limit on the address space leaves (ulimit -v). */
static double of_limit(void)
{
    const double limit = fathom_platform_limit_space();
    const double pages = number_in("/proc/self/statm", ""),
                 used = pages < INFINITY ? pages * (double)sysconf(_SC_PAGESIZE) : 0;
    return fmax(0, limit - used);
}

double fathom_platform_memory(void) { return fmin(of_system(), fmin(of_group(), of_limit())); }

size_t fathom_platform_block_size(const void *block)
{
#if defined(__APPLE__)
    return malloc_size(block);
#elif defined(__linux__)
    return malloc_usable_size((void *)block);
#else
    (void)block;
    return 0;
#endif
}

static void *map(size_t size)
{
    void *space = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return space == MAP_FAILED ? NULL : space;
}

void *fathom_platform_reserve(size_t size) { return map(size); }

bool fathom_platform_has_space(size_t size)
{
    void *space = map(size);
    return space && munmap(space, size) == 0;
}

#endif
