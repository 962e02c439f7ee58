/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that meet, that fall out of step, that end early; files of rank 0 and checksums. */
#include "fake_ranks.h"

#include "context_internal.h"
#include "memory.h"

static fathom_status at_other_steps(fathom_context *context, fake_notes *notes, int rank)
{
    bool parted;
    (void)notes;
    return fathom_ranks_meet(&parted, context, rank == 2 ? 6 : 5, FATHOM_OK);
}

static void ranks_at_other_steps_are_found_out(void **state)
{
    (void)state;
    fake_notes *notes = fake_run(at_other_steps, 3);
    assert_int_equal(notes->status[0], FATHOM_ERROR_RUNTIME);
    assert_string_equal(notes->text[0], "rank 2 is at step 1 of 6 tasks, rank 0 at step 1 of 5");
    assert_false(notes->returned[2]);
    fake_forget(notes);
}

static fathom_status ends_early(fathom_context *context, fake_notes *notes, int rank)
{
    bool parted;
    (void)notes;
    return rank == 1 ? fathom_error_set(context, FATHOM_ERROR_INPUT, "no such file")
                     : fathom_ranks_meet(&parted, context, 1, FATHOM_OK);
}

static void a_rank_that_ends_early_ends_all_with_its_words(void **state)
{
    (void)state;
    fake_notes *notes = fake_run(ends_early, 4);
    assert_int_equal(notes->status[0], FATHOM_ERROR_INPUT);
    assert_non_null(strstr(notes->text[0], "rank 1 on here: no such file"));
    fake_forget(notes);
}

/* The first failure by rank, whoever comes first. */
static fathom_status two_fail(fathom_context *context, fake_notes *notes, int rank)
{
    bool parted;
    (void)notes;
    if (rank == 1)
        usleep(50000);
    return fathom_ranks_meet(
        &parted, context, 1,
        rank == 0 ? FATHOM_OK : fathom_error_set(context, FATHOM_ERROR_INPUT, "failure of %d", rank));
}

static void the_first_failure_by_rank_is_told(void **state)
{
    (void)state;
    fake_notes *notes = fake_run(two_fail, 3);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(notes->status[r], FATHOM_ERROR_INPUT);
        assert_string_equal(notes->text[r], "failure of 1");
    }
    fake_forget(notes);
}

static fathom_status unlike(fathom_context *context, fake_notes *notes, int rank)
{
    notes->stop[rank] = (int)fathom_ranks_agree(context, 7, "words");
    return fathom_ranks_agree(context, rank == 2 ? 1 : 7, "data");
}

static void other_checksums_are_found_out(void **state)
{
    (void)state;
    fake_notes *notes = fake_run(unlike, 4);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(notes->stop[r], FATHOM_OK);
        assert_int_equal(notes->status[r], FATHOM_ERROR_INPUT);
        assert_string_equal(notes->text[r], "rank 2 has data other than those of rank 0");
    }
    fake_forget(notes);
}

/* The bytes of a file, of an empty one, of one that is not there; the others have none of these names. */
static fathom_status shared_file(fathom_context *context, fake_notes *notes, int rank)
{
    void *bytes;
    int64_t size;
    const fathom_status status = fathom_ranks_share(
        &bytes, &size, context, rank == 0 ? FATHOM_SOURCE_ROOT "/CHANGELOG.md" : "elsewhere");
    for (int64_t i = 0; status == FATHOM_OK && i < size; i++)
        notes->values[rank][0] += (double)(i % 97 + 1) * ((const char *)bytes)[i];
    notes->taken[rank][0] = size;
    fathom_memory_free(context, bytes);
    FATHOM_TRY(status);
    FATHOM_TRY(fathom_ranks_share(&bytes, &size, context, rank == 0 ? "/dev/null" : "elsewhere"));
    fathom_memory_free(context, bytes);
    notes->taken[rank][1] = size;
    notes->stop[rank] = (int)fathom_ranks_share(&bytes, &size, context, "there/is/none");
    notes->several[rank] = fathom_ranks_several();
    return FATHOM_OK;
}

static void files_of_rank_0_reach_all(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 3; ranks++) {
        fake_notes *notes = fake_run(shared_file, ranks);
        assert_true(notes->taken[0][0] > 10000);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(notes->status[r], FATHOM_OK);
            assert_int_equal(notes->taken[r][0], notes->taken[0][0]);
            assert_int_equal(notes->taken[r][1], 0);
            assert_true(notes->values[r][0] == notes->values[0][0]);
            assert_int_equal(notes->stop[r], FATHOM_ERROR_INPUT);
            assert_int_equal(notes->several[r], ranks > 1);
        }
        fake_forget(notes);
    }
}

/* A limit that has passed at rank 0: it goes on alone. */
static fathom_status out_of_time(fathom_context *context, fake_notes *notes, int rank)
{
    bool parted;
    if (rank == 0)
        fathom_context_interrupt(context);
    notes->stop[rank] = (int)fathom_context_stop_reason(context);
    notes->several[rank] = fathom_ranks_several();
    return fathom_ranks_meet(&parted, context, 1, FATHOM_OK);
}

static void rank_0_goes_on_alone_after_a_stop(void **state)
{
    (void)state;
    fake_notes *notes = fake_run(out_of_time, 3);
    assert_int_equal(notes->status[0], FATHOM_OK);
    assert_int_equal(notes->stop[0], FATHOM_STOP_INTERRUPT);
    assert_false(notes->several[0]);
    assert_false(notes->returned[1] || notes->returned[2]);
    fake_forget(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_at_other_steps_are_found_out),
        cmocka_unit_test(a_rank_that_ends_early_ends_all_with_its_words),
        cmocka_unit_test(the_first_failure_by_rank_is_told),
        cmocka_unit_test(other_checksums_are_found_out),
        cmocka_unit_test(files_of_rank_0_reach_all),
        cmocka_unit_test(rank_0_goes_on_alone_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
