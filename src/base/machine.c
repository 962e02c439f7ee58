/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors and memory that this process may use.
 *
 * A control group of Linux grants time as quota / period: version 2 in one file, cpu.max ("max 100000" or
 * "50000 100000"), version 1 in two; the groups above bind as well. More threads than that only wait for each
 * other in turns of a tenth of a second.
 */
#include "machine.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"

enum { PATH = 1024, TRIED = 256 }; /* of a path; threads that are tried at most */

/* The first one or two numbers of a file; how many there are. "max" is infinite. */
static int read_numbers(double number[2], const char *path)
{
    char text[128], *at = text, *end;
    int count = 0;
    FILE *file = fopen(path, "r");
    const bool some = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    for (; some && count < 2; count++, at = end) {
        number[count] = strncmp(at, "max", 3) == 0 ? INFINITY : strtod(at, &end);
        if (isinf(number[count]))
            end = at + 3;
        else if (end == at)
            break;
    }
    return count;
}

/* The folder of the group for `controller` (version 1) or of the one group (version 2, controller ""): mount,
 * and its path there. */
static bool find_group(char folder[PATH], const char *groups, const char *mount, const char *controller)
{
    char line[PATH];
    bool found = false;
    FILE *file = fopen(groups, "r");
    while (file && !found && fgets(line, sizeof line, file)) { /* number:controllers:path */
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        names++;
        bool named = *controller == 0 && *names == 0;
        for (char *next, *name = names; *controller && name && !named; name = next) {
            next = strchr(name, ',');
            if (next)
                *next++ = 0;
            named = strcmp(name, controller) == 0;
        }
        found = named && snprintf(folder, PATH, "%s%s%s%s", mount, *controller ? "/" : "", controller,
                                  strcmp(path, "/") == 0 ? "" : path) < PATH;
    }
    if (file)
        fclose(file);
    return found;
}

/* The value of one group: version 2 from one file, version 1 from one or two. */
typedef double group_value(const char *folder);

static double with_file(double number[2], int *count, const char *folder, const char *name)
{
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *count = read_numbers(number, path);
    return *count > 0 ? number[0] : INFINITY;
}

static double quota_2(const char *folder)
{
    double number[2];
    int count;
    const double quota = with_file(number, &count, folder, "cpu.max");
    return count == 2 && number[1] > 0 ? quota / number[1] : INFINITY;
}

static double quota_1(const char *folder)
{
    double number[2];
    int count;
    const double quota = with_file(number, &count, folder, "cpu.cfs_quota_us");
    const double period = with_file(number, &count, folder, "cpu.cfs_period_us");
    return quota > 0 && period > 0 && isfinite(period) ? quota / period : INFINITY; /* -1: none */
}

static double memory_2(const char *folder)
{
    double number[2];
    int count;
    return with_file(number, &count, folder, "memory.max");
}

static double memory_1(const char *folder)
{
    double number[2];
    int count;
    const double limit = with_file(number, &count, folder, "memory.limit_in_bytes");
    return limit < 9e18 ? limit : INFINITY; /* "no limit" is the largest multiple of a page */
}

/* The least value over a group and those above it, down to the mount (and the controller's folder there). */
static double least_above(const char *groups, const char *mount, const char *controller, group_value *value)
{
    char folder[PATH];
    double least = INFINITY;
    if (!find_group(folder, groups, mount, controller))
        return INFINITY;
    const size_t root = strlen(mount) + (*controller ? 1 + strlen(controller) : 0);
    for (;;) {
        least = fmin(least, value(folder));
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < root)
            return least;
        *last = 0;
    }
}

double fathom_machine_quota(const char *groups, const char *mount)
{
    return fmin(least_above(groups, mount, "", quota_2), least_above(groups, mount, "cpu", quota_1));
}

double fathom_machine_memory_group(const char *groups, const char *mount)
{
    return fmin(least_above(groups, mount, "", memory_2), least_above(groups, mount, "memory", memory_1));
}

/* A positive whole number from the environment, or 0. */
static int from_environment(const char *name)
{
    const char *text = getenv(name);
    const long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= 4096 ? (int)number : 0;
}

double fathom_machine_memory_asked(void)
{
    const char *text = getenv("FATHOM_MEMORY_GB");
    const double asked = text ? strtod(text, NULL) : 0;
    return asked > 0 ? 1e9 * asked : INFINITY;
}

int fathom_machine_threads(void)
{
    const int given = from_environment("FATHOM_THREADS"), bound = from_environment("OMP_NUM_THREADS");
    if (given > 0)
        return given;
    const double quota = fathom_machine_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    int threads = omp_get_num_procs();
    if (bound > 0 && bound < threads)
        threads = bound;
    if (quota < threads)
        threads = (int)fmax(1, ceil(quota));
    return threads;
}

int fathom_machine_startable(int wanted)
{
    static atomic_int proven = 1;
    const int tried = wanted - 1 < TRIED ? wanted - 1 : TRIED;
    if (wanted <= atomic_load(&proven))
        return wanted;
    const int found = 1 + fathom_platform_try_threads(tried);
    if (found <= tried) /* one fewer than fit, for what else has to */
        return found > 1 ? found - 1 : 1;
    atomic_store(&proven, wanted);
    return wanted;
}

fathom_machine fathom_machine_look(void)
{
    const int given = from_environment("FATHOM_THREADS");
    return (fathom_machine){
        .processors = fathom_platform_processors(),
        .allowed = omp_get_num_procs(),
        .quota = fathom_machine_quota("/proc/self/cgroup", "/sys/fs/cgroup"),
        .asked = given > 0 ? given : from_environment("OMP_NUM_THREADS"),
        .threads = fathom_machine_threads(),
        .memory = fathom_platform_physical_memory(),
        .memory_group = fathom_machine_memory_group("/proc/self/cgroup", "/sys/fs/cgroup"),
        .address_space = fathom_platform_limit_space(),
        .stack = fathom_platform_limit_stack(),
        .open_files = fathom_platform_limit_files(),
    };
}
