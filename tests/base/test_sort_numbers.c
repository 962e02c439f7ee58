/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted numbers: in order, the same ones, and equal ones as they stood. */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "random.h"
#include "sort_numbers.h"

enum { MOST = 3000 };

/* Of every size, with ties, zeros of both signs, infinities and subnormal numbers. */
static double draw(uint32_t trial, uint64_t i)
{
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, DBL_MIN / 8, -DBL_MIN / 8, DBL_MAX, 1};
    const double u = fathom_random_uniform(3, FATHOM_STREAM_DATA, trial, i),
                 z = fathom_random_normal(3, FATHOM_STREAM_SAMPLE, trial, i);
    if (u < 0.3)
        return special[(int)(u / 0.3 * 8)];
    return trial % 3 == 0 ? floor(3 * z) : trial % 3 == 1 ? z : z * pow(10, 600 * (u - 0.65));
}

/* The naive twin: insertion, which keeps equal numbers in their order. */
static void insert_all(double *sorted, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i;
        for (; at > 0 && sorted[at - 1] > value[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value[i];
    }
}

static void numbers_come_in_order(void **state)
{
    (void)state;
    static double value[MOST], room[MOST], expected[MOST];
    const int64_t counts[] = {0, 1, 2, 3, 10, 255, 1000, MOST};
    for (uint32_t trial = 0; trial < 24; trial++) {
        const int64_t count = counts[trial % 8];
        for (int64_t i = 0; i < count; i++)
            value[i] = draw(trial, (uint64_t)i);
        insert_all(expected, value, count);
        fathom_sort_numbers(value, room, count);
        assert_memory_equal(value, expected, (size_t)count * sizeof *value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_come_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
