/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions after fork: children of every kind run theirs, and the parent goes on. A child that hangs is
 * ended by its alarm, which its parent sees. */
#include "with_context.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORK = 1000, LIMIT = 60 };

/* Sum of 0..WORK-1 by a region of `threads` threads. */
static bool region_is_right(int threads)
{
    int64_t sum = 0;
    (void)threads; /* only the pragma reads it */
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
    for (int64_t i = 0; i < WORK; i++)
        sum += i;
    return sum == (int64_t)WORK * (WORK - 1) / 2;
}

/* Forks `generations` deep; each runs regions of the sizes given. False if one fails or hangs. */
static bool children_work(int generations, int first, int second)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT);
        const bool right = region_is_right(first) && region_is_right(second);
        _exit(right && (generations == 1 || children_work(generations - 1, second, first)) ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void children_of_every_size(void **state)
{
    (void)state;
    for (int before = 1; before <= 8; before *= 2)
        for (int after = 1; after <= 8; after *= 2) {
            assert_true(region_is_right(before));
            assert_true(children_work(1, after, before));
            assert_true(region_is_right(after)); /* the parent begins anew as well */
        }
}

static void grandchildren(void **state)
{
    (void)state;
    assert_true(region_is_right(4));
    assert_true(children_work(3, 2, 5));
}

static void *fork_in_thread(void *user)
{
    *(bool *)user = region_is_right(4) && children_work(2, 3, 4) && region_is_right(2);
    return NULL;
}

static void from_another_thread(void **state)
{
    (void)state;
    pthread_t thread;
    bool right = false;
    assert_true(region_is_right(3));
    assert_int_equal(pthread_create(&thread, NULL, fork_in_thread, &right), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(right);
}

static atomic_bool enough;

static void *keep_running(void *user)
{
    bool right = true;
    while (!atomic_load(&enough))
        right = region_is_right(3) && right;
    *(bool *)user = right;
    return NULL;
}

static void while_others_run(void **state)
{
    (void)state;
    pthread_t thread;
    bool right = false;
    assert_int_equal(pthread_create(&thread, NULL, keep_running, &right), 0);
    for (int64_t k = 0; k < test_trials(20); k++) {
        assert_true(region_is_right(2));
        assert_true(children_work(1, 3, 2));
    }
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(right);
}

static void inside_a_region(void **state)
{
    (void)state;
    bool right = true;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        right = children_work(1, 4, 2);
    assert_true(right);
    assert_true(region_is_right(4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_of_every_size), cmocka_unit_test(grandchildren),
        cmocka_unit_test(from_another_thread),    cmocka_unit_test(while_others_run),
        cmocka_unit_test(inside_a_region),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
