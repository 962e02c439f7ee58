/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct texts: numbers by first appearance, found again after growth, ranked by byte value. */
#include "io_testing.h"

#include "dictionary.h"

static void numbers_and_ranks(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    fathom_dictionary d = {0};
    char text[32];
    int64_t number, *rank = malloc(2 * COUNT * sizeof *rank);
    assert_int_equal(fathom_dictionary_find(&d, "x", 1), -1);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < COUNT; k++) {
            snprintf(text, sizeof text, "%04d", (k * 7919) % COUNT);
            assert_ok(context, fathom_dictionary_add(&d, context, &number, text, 4));
            assert_int_equal(number, k);
        }
    assert_int_equal(d.count, COUNT);
    assert_int_equal(fathom_dictionary_find(&d, "00000", 5), -1);
    assert_int_equal(fathom_dictionary_find(&d, "", 0), -1);
    fathom_dictionary_rank(rank, rank + COUNT, &d);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(rank[k], (k * 7919) % COUNT);
        assert_int_equal(rank[COUNT + rank[k]], k);
    }
    fathom_dictionary_free(context, &d);
    free(rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_and_ranks)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
