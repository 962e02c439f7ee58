/* SPDX-License-Identifier: Apache-2.0 */
/* Time without a processor: two that share one wait for each other, whoever sleeps does not wait; deadlines count the rest. */
#include "testing.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform_waited.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spin(double until)
{
    while (seconds() < until) {
    }
}

/* Of a second that is shared with three others at least half is waited for, more or less: a tenth is asked for. Asked of
 * oneself and by one's number. */
static void shared_processor(void **state)
{
    (void)state;
    enum { RIVALS = 3 };
    cpu_set_t before, one;
    pid_t rival[RIVALS];
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; k++)
        if (CPU_ISSET(k, &before))
            CPU_SET(k, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int k = 0; k < RIVALS; k++)
        if ((rival[k] = fork()) == 0)
            for (;;)
                spin(INFINITY);
    const double first = fathom_platform_waited(0), begun = seconds();
    spin(begun + 1);
    const double waited = fathom_platform_waited(0) - first, named = fathom_platform_waited(getpid()) - first;
    for (int k = 0; k < RIVALS; k++) {
        kill(rival[k], SIGKILL);
        waitpid(rival[k], NULL, 0);
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(waited > 0.1);
    assert_true(named >= waited);
}

static void sleeping(void **state)
{
    (void)state;
    const double first = fathom_platform_waited(0), begun = seconds();
    const struct timespec nap = {0, 200000000};
    nanosleep(&nap, NULL);
    const double elapsed = seconds() - begun;
    /* waking up may have to wait: then the nap was longer than it should be, by as much at least */
    assert_true(fathom_platform_waited(0) - first <= elapsed - 0.2 + 1e-3);
}

static void nobody(void **state)
{
    (void)state;
    assert_true(fathom_platform_waited(1L << 40) == 0);
}

/* What counts: never more than has passed, never less than nothing, ten seconds at most are given. */
static void deadlines(void **state)
{
    (void)state;
    const double rows[][3] = {{2, 0, 2},   {2, 0.5, 1.5}, {2, 3, 0}, {2, -1, 2},
                              {15, 15, 5}, {15, 9, 6},    {0, 0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_true(fathom_platform_served(rows[k][0], rows[k][1]) == rows[k][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_processor),
        cmocka_unit_test(sleeping),
        cmocka_unit_test(nobody),
        cmocka_unit_test(deadlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
