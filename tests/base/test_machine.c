/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of control groups read from trees made here: both versions, groups above, none. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

static char root[] = "/tmp/fathom-machine-XXXXXX";

/* Writes a file under the root, with the folders on its way. */
static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static double quota(const char *groups, const char *mount)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "%s/%s", root, groups);
    snprintf(b, sizeof b, "%s/%s", root, mount);
    return fathom_machine_quota(a, b);
}

static double memory(const char *groups, const char *mount)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "%s/%s", root, groups);
    snprintf(b, sizeof b, "%s/%s", root, mount);
    return fathom_machine_memory_group(a, b);
}

static void version_2(void **state)
{
    (void)state;
    put("groups2", "0::/user/job\n");
    put("two/user/job/cpu.max", "max 100000\n");
    put("two/user/cpu.max", "150000 100000\n");
    put("two/cpu.max", "max 100000\n");
    put("two/user/job/memory.max", "1000000\n");
    put("two/user/memory.max", "max\n");
    assert_true(quota("groups2", "two") == 1.5);
    assert_true(memory("groups2", "two") == 1000000);
    put("two/user/job/cpu.max", "50000 100000\n");
    assert_true(quota("groups2", "two") == 0.5);
}

static void version_1(void **state)
{
    (void)state;
    put("groups1", "3:memory:/box\n2:cpuacct,cpu:/box\n1:name=systemd:/\n");
    put("one/cpu/box/cpu.cfs_quota_us", "200000\n");
    put("one/cpu/box/cpu.cfs_period_us", "100000\n");
    put("one/cpu/cpu.cfs_quota_us", "-1\n");
    put("one/cpu/cpu.cfs_period_us", "100000\n");
    put("one/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(quota("groups1", "one") == 2);
    assert_true(memory("groups1", "one") == INFINITY);
}

static void none(void **state)
{
    (void)state;
    put("groups0", "nonsense\n0::/gone\n");
    put("zero/cpu.max", "nonsense\n");
    assert_true(quota("groups0", "zero") == INFINITY);
    assert_true(quota("no such file", "zero") == INFINITY);
}

static void threads(void **state)
{
    (void)state;
    assert_int_equal(setenv("FATHOM_THREADS", "5", 1), 0);
    assert_int_equal(fathom_machine_threads(), 5);
    assert_int_equal(fathom_machine_look().threads, 5);
    assert_int_equal(setenv("FATHOM_THREADS", "many", 1), 0);
    assert_int_equal(setenv("OMP_NUM_THREADS", "1", 1), 0);
    assert_int_equal(fathom_machine_threads(), 1);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("FATHOM_THREADS");
    const fathom_machine machine = fathom_machine_look();
    assert_true(machine.threads >= 1 && machine.threads <= machine.allowed);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2),
        cmocka_unit_test(version_1),
        cmocka_unit_test(none),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
