/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that know no failure are served whatever the system says; the failure is seen by every context
 * that is at work. */
#include "testing.h"

#include <string.h>
#include <sys/resource.h>

#include <gmp.h>

#include "context_internal.h"
#include "library_memory.h"
#include "with_context.h"

enum { LARGE = 1 << 20 }; /* bytes: blocks that need address space of their own */

/* Blocks that malloc still had by itself. */
enum { HOARD = 4096, SMALLEST = 1 << 14 };
static void *hoard[HOARD];
static int hoarded;

/* From now on nothing new is mapped, and what malloc kept of earlier blocks is taken. */
static struct rlimit close_space(void)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit tight = {1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    for (size_t size = LARGE; size >= SMALLEST; size /= 2)
        while (hoarded < HOARD && (hoard[hoarded] = malloc(size)))
            hoarded++;
    return before;
}

static void open_space(const struct rlimit *before)
{
    assert_int_equal(setrlimit(RLIMIT_AS, before), 0);
    while (hoarded > 0)
        free(hoard[--hoarded]);
}

/* Blocks of the reserve keep their bytes when they grow or shrink, and all of it can be had again and
 * again. */
static void blocks_keep_their_bytes(void **state)
{
    (void)state;
    skip_if_sanitized();
    for (int64_t round = 0; round < test_trials(20); round++) {
        unsigned char *own = fathom_library_alloc(LARGE);
        memset(own, 7, LARGE);
        const long failures = fathom_library_memory_failures();
        const struct rlimit before = close_space();
        unsigned char *a = fathom_library_alloc(LARGE);
        memset(a, (int)round, LARGE);
        a = fathom_library_resize(a, 2 * LARGE);
        own = fathom_library_resize(own, 3 * LARGE / 2);
        open_space(&before);
        assert_int_equal(fathom_library_memory_failures(), failures + 3);
        for (int k = 0; k < LARGE; k++)
            assert_true(a[k] == (unsigned char)round && own[k] == 7);
        a = fathom_library_resize(a, 16); /* back to the system */
        for (int k = 0; k < 16; k++)
            assert_int_equal(a[k], (unsigned char)round);
        fathom_library_free(a);
        fathom_library_free(own);
    }
}

/* Products of large integers without memory: the same numbers, and ERROR_MEMORY for the context at work. */
static void arithmetic_goes_on(void **state)
{
    (void)state;
    skip_if_sanitized();
    mpz_t a, product, other;
    mpz_inits(a, product, other, NULL);
    mpz_ui_pow_ui(a, 3, 2000000);
    mpz_mul(product, a, a);
    fathom_context_start_clock(context);
    assert_int_equal(fathom_context_settle(context, FATHOM_OK), FATHOM_OK);
    const struct rlimit before = close_space();
    mpz_mul(other, a, a);
    open_space(&before);
    assert_int_equal(mpz_cmp(product, other), 0);
    assert_int_not_equal(fathom_context_stop_reason(context), FATHOM_STOP_NONE);
    assert_int_equal(fathom_context_settle(context, FATHOM_OK), FATHOM_ERROR_MEMORY);
    assert_int_equal(fathom_context_settle(context, FATHOM_ERROR_INPUT), FATHOM_ERROR_INPUT);
    fathom_context_start_clock(context);
    assert_int_equal(fathom_context_settle(context, FATHOM_OK), FATHOM_OK);
    assert_int_equal(fathom_context_stop_reason(context), FATHOM_STOP_NONE);
    mpz_clears(a, product, other, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes),
        cmocka_unit_test(arithmetic_goes_on),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
