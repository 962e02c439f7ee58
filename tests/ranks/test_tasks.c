/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks are dealt once each and gathered in order by every rank; failures and stops of one rank reach all. */
#include "fake_ranks.h"

#include "context_internal.h"
#include "platform.h"
#include "tasks.h"

static int64_t tasks_of_story; /* set before ranks begin */

static double value_of(int64_t k) { return 1 / (double)(k + 3); }

/* Deals the story's tasks once; `task` does one. */
static fathom_status deal_once(fathom_context *context, fake_notes *notes, int rank,
                               fathom_status (*task)(fathom_context *, fake_notes *, int, int64_t))
{
    fathom_status status = FATHOM_OK;
    fathom_tasks tasks = fathom_tasks_deal(context, tasks_of_story);
    while (fathom_tasks_next(&tasks)) {
        for (int64_t k = 0; k < tasks.count; k++)
            if (fathom_tasks_mine(&tasks, k) && status == FATHOM_OK) {
                atomic_fetch_add(&notes->runs[rank][k], 1);
                notes->values[rank][k] = value_of(k);
                status = task ? task(context, notes, rank, k) : FATHOM_OK;
            }
        status = fathom_tasks_share_array(&tasks, status, notes->values[rank], sizeof(double));
    }
    return status;
}

static fathom_status plain(fathom_context *context, fake_notes *notes, int rank)
{
    return deal_once(context, notes, rank, NULL);
}

/* Every rank has the values of all tasks. */
static void assert_values(const fake_notes *notes, int ranks)
{
    for (int r = 0; r < ranks; r++)
        for (int64_t k = 0; k < tasks_of_story; k++)
            assert_true(notes->values[r][k] == value_of(k));
}

static void each_task_runs_once_and_reaches_all(void **state)
{
    static const int64_t counts[] = {0, 1, 2, 6, 7, 8, 63};
    (void)state;
    for (int ranks = 1; ranks <= FAKE_MOST; ranks++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            tasks_of_story = counts[c];
            fake_notes *notes = fake_run(plain, ranks);
            for (int r = 0; r < ranks; r++) {
                assert_int_equal(notes->status[r], FATHOM_OK);
                for (int64_t k = 0; k < FAKE_TASKS; k++)
                    assert_int_equal(notes->runs[r][k], k < tasks_of_story && k % ranks == r);
            }
            assert_values(notes, ranks);
            fake_forget(notes);
        }
}

/* Results of many sizes, 0 too: task k is k % 5 * 1000 bytes of the letter k % 5. */
static int64_t letters_size(void *user, int64_t k)
{
    (void)user;
    return k % 5 * 1000;
}

static void letters_put(void *bytes, void *user, int64_t k)
{
    memset(bytes, 'a' + (int)(k % 5), (size_t)letters_size(user, k));
}

static fathom_status letters_take(void *user, int64_t k, const void *bytes, int64_t size)
{
    fake_notes *notes = user;
    const char *text = bytes;
    bool right = size == letters_size(user, k);
    for (int64_t i = 0; i < size; i++)
        right = right && text[i] == 'a' + k % 5;
    notes->taken[fake.rank][notes->takes[fake.rank]++] = right ? k : -1;
    return FATHOM_OK;
}

static fathom_status letters(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_task_results results = {letters_size, letters_put, letters_take, notes};
    fathom_status status = FATHOM_OK;
    fathom_tasks tasks = fathom_tasks_deal(context, tasks_of_story);
    (void)rank;
    while (fathom_tasks_next(&tasks))
        status = fathom_tasks_share(&tasks, status, &results);
    return status;
}

static void results_of_many_sizes_come_rank_by_rank(void **state)
{
    (void)state;
    tasks_of_story = 23;
    for (int ranks = 1; ranks <= FAKE_MOST; ranks += 2) {
        fake_notes *notes = fake_run(letters, ranks);
        for (int r = 0; r < ranks; r++) {
            int got = 0;
            for (int from = 0; from < ranks; from++)
                for (int64_t k = from; k < tasks_of_story && from != r; k += ranks)
                    assert_int_equal(notes->taken[r][got++], k);
            assert_int_equal(notes->takes[r], got);
        }
        fake_forget(notes);
    }
}

/* Tasks inside a task, and inside a parallel loop, are not dealt. */
static fathom_status deal_inside(fathom_context *context, fake_notes *notes, int rank, int64_t k)
{
    (void)k;
    notes->several[rank] = notes->several[rank] || fathom_tasks_deal(context, 5).ranks > 1;
    return FATHOM_OK;
}

static fathom_status nested(fathom_context *context, fake_notes *notes, int rank)
{
    bool several = false;
    const fathom_status status = deal_once(context, notes, rank, deal_inside);
#pragma omp parallel num_threads(2) reduction(|| : several)
    several = several || fathom_tasks_deal(context, 5).ranks > 1;
    notes->several[rank] =
        notes->several[rank] || several || fathom_tasks_deal(context, 5).ranks != fake.count;
    return status;
}

static void tasks_inside_tasks_are_not_dealt(void **state)
{
    (void)state;
    tasks_of_story = 9;
    fake_notes *notes = fake_run(nested, 3);
    for (int r = 0; r < 3; r++)
        assert_false(notes->several[r]);
    assert_values(notes, 3);
    fake_forget(notes);
}

/* Task 4 fails, then another deal is made. */
static fathom_status fail_at_four(fathom_context *context, fake_notes *notes, int rank, int64_t k)
{
    (void)notes;
    return k == 4 ? fathom_error_set(context, FATHOM_ERROR_INPUT, "task 4 of rank %d", rank) : FATHOM_OK;
}

static fathom_status failing(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_status status = deal_once(context, notes, rank, fail_at_four);
    notes->stop[rank] = (int)deal_once(context, notes, rank, NULL);
    return status;
}

static void a_failed_task_fails_everywhere(void **state)
{
    (void)state;
    tasks_of_story = 11;
    for (int ranks = 1; ranks <= 5; ranks++) {
        char text[40];
        fake_notes *notes = fake_run(failing, ranks);
        snprintf(text, sizeof text, "task 4 of rank %d", 4 % ranks);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(notes->status[r], FATHOM_ERROR_INPUT);
            assert_int_equal(notes->stop[r], FATHOM_OK); /* all are still together */
        }
        assert_non_null(strstr(notes->text[0], text));
        assert_values(notes, ranks);
        fake_forget(notes);
    }
}

/* Tasks of followers last until they are stopped; rank 0 is interrupted once they are under way. */
static fathom_status endless(fathom_context *context, fake_notes *notes, int rank, int64_t k)
{
    (void)k;
    if (rank > 0)
        atomic_fetch_add(&notes->begun, 1);
    while (rank == 0 && atomic_load(&notes->begun) < fake.count - 1)
        fathom_platform_nap();
    if (rank == 0)
        fathom_context_interrupt(context);
    while (fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
        fathom_platform_nap();
    return FATHOM_OK;
}

static fathom_status interrupted(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_status status = deal_once(context, notes, rank, endless);
    notes->several[rank] = fathom_ranks_several();
    return status;
}

static void at_a_stop_rank_0_ends_the_tasks_of_all(void **state)
{
    (void)state;
    tasks_of_story = 8;
    for (int ranks = 2; ranks <= 4; ranks++) {
        fake_notes *notes = fake_run(interrupted, ranks);
        assert_int_equal(notes->status[0], FATHOM_OK);
        assert_false(notes->several[0]);
        assert_values(notes, 1);
        for (int64_t k = 0; k < tasks_of_story; k++)
            assert_int_equal(notes->runs[0][k], 1);
        for (int r = 1; r < ranks; r++)
            assert_false(notes->returned[r]); /* they left from inside */
        fake_forget(notes);
    }
}

/* A follower's own stop, in a task or between two deals, stops rank 0. */
static fathom_status stop_rank_1(fathom_context *context, fake_notes *notes, int rank, int64_t k)
{
    (void)notes;
    if (rank == 1 && k == 1)
        fathom_context_interrupt(context);
    return FATHOM_OK;
}

static fathom_status stopped_inside(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_status status = deal_once(context, notes, rank, stop_rank_1);
    notes->stop[rank] = (int)fathom_context_stop_reason(context);
    return status;
}

static fathom_status stopped_between(fathom_context *context, fake_notes *notes, int rank)
{
    if (rank == 1)
        fathom_context_interrupt(context);
    const fathom_status status = deal_once(context, notes, rank, NULL);
    notes->stop[rank] = (int)fathom_context_stop_reason(context);
    return status;
}

static void a_stop_of_a_follower_stops_rank_0(void **state)
{
    fake_story *const stories[] = {stopped_inside, stopped_between};
    (void)state;
    tasks_of_story = 8;
    for (int s = 0; s < 2; s++) {
        fake_notes *notes = fake_run(stories[s], 3);
        assert_int_equal(notes->status[0], FATHOM_OK);
        assert_int_equal(notes->stop[0], FATHOM_STOP_INTERRUPT);
        assert_values(notes, 1);
        fake_forget(notes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_runs_once_and_reaches_all),
        cmocka_unit_test(results_of_many_sizes_come_rank_by_rank),
        cmocka_unit_test(tasks_inside_tasks_are_not_dealt),
        cmocka_unit_test(a_failed_task_fails_everywhere),
        cmocka_unit_test(at_a_stop_rank_0_ends_the_tasks_of_all),
        cmocka_unit_test(a_stop_of_a_follower_stops_rank_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
