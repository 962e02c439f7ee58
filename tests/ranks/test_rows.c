/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of rows cover all rows; sums over them have the same bits for every number of ranks, and for one that is left alone. */
#include "fake_ranks.h"

#include "context_internal.h"
#include "memory.h"
#include "platform.h"
#include "rows.h"

enum { NUMBERS = 3, LINES = 2 };

static int64_t rows_of_story; /* set before ranks begin */

static void blocks_cover_all_rows(void **state)
{
    static const int64_t counts[] = {0,      1,       32768,   32769,    37500,
                                     100000, 2097152, 2097153, 10000000, 123456789};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const fathom_rows rows = fathom_rows_cut(counts[c]);
        int64_t next = 0;
        assert_true(rows.blocks >= 1 && rows.blocks <= 64);
        for (int64_t b = 0; b < rows.blocks; b++) {
            const fathom_row_range range = fathom_rows_block(rows, b);
            assert_true(range.first == next && (range.end > next || rows.n == 0) && range.first % 512 == 0);
            next = range.end;
        }
        assert_true(next == counts[c] && (rows.blocks > 1) == (counts[c] > 32768));
        const fathom_row_range own = fathom_rows_own(rows);
        assert_true(own.first == 0 && own.end == counts[c]);
    }
}

/* Numbers whose sum depends on the order of additions. */
static double entry(int64_t i, int64_t k)
{
    return 1 / (double)(i + 3 * k + 1) - 1 / (double)(2 * i + k + 7);
}

/* What a block adds: sums of entries, over the vector `user` where there is one. */
static void add_entries(double *part, void *user, fathom_row_range range)
{
    const double *x = user;
    for (int64_t k = 0; k < NUMBERS; k++) {
        part[k] = 0;
        for (int64_t i = range.first; i < range.end; i++)
            part[k] += x ? x[i] * entry(i, k) : entry(i, k);
    }
}

static fathom_status sum_and_gather(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_rows rows = fathom_rows_cut(rows_of_story);
    const fathom_row_range own = fathom_rows_own(rows);
    double *room = fathom_memory_alloc(context, fathom_rows_room(rows, NUMBERS), sizeof *room);
    double *x = fathom_memory_zero(context, LINES * rows.n, sizeof *x);
    double *sum = notes->values[rank];
    if (!room || !x)
        return FATHOM_ERROR_MEMORY;
    fathom_rows_sum(sum, NUMBERS, context, rows, add_entries, NULL, room);
    for (int64_t i = own.first; i < own.end; i++) {
        x[i] = sum[0] + (double)i;
        x[rows.n + i] = (double)-i;
    }
    fathom_rows_sum(sum + NUMBERS, NUMBERS, context, rows, add_entries, x, room);
    bool right = fathom_rows_gather(x, LINES, context, rows);
    for (int64_t i = 0; i < rows.n; i++)
        right = right && x[i] == sum[0] + (double)i && x[rows.n + i] == (double)-i;
    notes->takes[rank] = right;
    notes->taken[rank][0] = own.end - own.first;
    FATHOM_FREE(context, room, x);
    return fathom_rows_failure();
}

static void sums_have_the_same_bits(void **state)
{
    static const int64_t counts[] = {32769, 70001, 500000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        double first[2 * NUMBERS];
        rows_of_story = counts[c];
        for (int ranks = 1; ranks <= FAKE_MOST; ranks++) {
            int64_t all = 0;
            fake_notes *notes = fake_run(sum_and_gather, ranks);
            if (ranks == 1)
                memcpy(first, notes->values[0], sizeof first);
            for (int r = 0; r < ranks; r++) {
                assert_int_equal(notes->status[r], FATHOM_OK);
                assert_true(notes->takes[r]);
                assert_memory_equal(notes->values[r], first, sizeof first);
                all += notes->taken[r][0];
            }
            assert_true(all == counts[c]); /* every row is one rank's */
            fake_forget(notes);
        }
    }
}

/* Rank 0 is interrupted while the others are late: it goes on alone, and its sum is that of one rank. */
static fathom_status stopped(fathom_context *context, fake_notes *notes, int rank)
{
    const fathom_rows rows = fathom_rows_cut(rows_of_story);
    double *room = fathom_memory_alloc(context, fathom_rows_room(rows, NUMBERS), sizeof *room);
    if (!room)
        return FATHOM_ERROR_MEMORY;
    if (rank == 0)
        fathom_context_interrupt(context);
    for (int k = 0; rank > 0 && k < 50; k++)
        fathom_platform_nap();
    if (rank == 1)
        while (!notes->several[0])
            fathom_platform_nap();
    fathom_rows_sum(notes->values[rank], NUMBERS, context, rows, add_entries, NULL, room);
    notes->several[rank] = true;
    fathom_memory_free(context, room);
    return fathom_rows_failure();
}

static void a_rank_left_alone_has_the_same_bits(void **state)
{
    double expected[NUMBERS];
    (void)state;
    rows_of_story = 200000;
    fake_notes *notes = fake_run(stopped, 1);
    memcpy(expected, notes->values[0], sizeof expected);
    fake_forget(notes);
    notes = fake_run(stopped, 3);
    assert_int_equal(notes->status[0], FATHOM_OK);
    assert_memory_equal(notes->values[0], expected, sizeof expected);
    assert_true(notes->left[1] && notes->left[2]);
    fake_forget(notes);
}

/* Rank 1 fails before the sum: rank 0 hears of it afterwards. */
static fathom_status failing(fathom_context *context, fake_notes *notes, int rank)
{
    if (rank == 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "row 7 is missing");
    return sum_and_gather(context, notes, rank);
}

static void a_failure_is_heard(void **state)
{
    (void)state;
    rows_of_story = 100000;
    fake_notes *notes = fake_run(failing, 3);
    assert_int_equal(notes->status[0], FATHOM_ERROR_INPUT);
    assert_non_null(strstr(notes->text[0], "row 7 is missing"));
    fake_forget(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_cover_all_rows),
        cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(a_rank_left_alone_has_the_same_bits),
        cmocka_unit_test(a_failure_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
