/* SPDX-License-Identifier: Apache-2.0 */
/* The clock does not go back; the memory of this process respects a limit on its address space. */
#include "testing.h"

#include <sys/resource.h>

#include "platform.h"

static void clock_goes_forward(void **state)
{
    (void)state;
    double last = fathom_platform_seconds();
    for (int64_t k = 0; k < test_trials(10000); k++) {
        const double now = fathom_platform_seconds();
        assert_true(now >= last);
        last = now;
    }
}

static void memory_is_within_limits(void **state)
{
    (void)state;
    const double all = fathom_platform_memory();
    assert_true(all > 0x1p20 && all < 0x1p60);
    skip_if_sanitized();
    struct rlimit before, limited;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (int bits = 28; bits < 36; bits += 3) {
        limited = before;
        limited.rlim_cur = (rlim_t)1 << bits;
        if (limited.rlim_cur > before.rlim_max) /* this process was given less */
            break;
        assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
        const double left = fathom_platform_memory();
        struct rlimit kept;
        assert_int_equal(getrlimit(RLIMIT_AS, &kept), 0);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        if (kept.rlim_cur != limited.rlim_cur) {
            print_message("this system (an emulator?) does not limit the address space: skipped\n");
            skip();
        }
        assert_true(left >= 0 && left <= ldexp(1, bits));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_goes_forward),
        cmocka_unit_test(memory_is_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
