/* SPDX-License-Identifier: Apache-2.0 */
/* Arc kernels against their definition in long double. */
#include "testing.h"

#include "arc.h"
#include "random.h"

/* pi and the formulas of arc.h with 64-bit mantissas. */
static double reference(double c, bool both)
{
    const long double theta = acosl(c), pi = acosl(-1);
    const long double first = c * (pi - theta) / (2 * pi);
    return (double)(both ? 2 * first + sinl(theta) / (2 * pi) : first);
}

/* Every value is below 1 (both: 1); a handful of roundings, the largest relative to 1/2. */
static void values_agree_with_definition(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    double c[COUNT], one[COUNT], first[COUNT], both[COUNT];
    fathom_random_uniforms(c, COUNT, 5, FATHOM_STREAM_DATA, 0, 0);
    const double special[] = {0, -0.0, 0.5, -0.5, 1, -1, 0.25, 0x1p-60, 1 - 0x1p-53, -1 + 0x1p-53};
    for (int64_t k = 0; k < COUNT; k++) {
        c[k] = k < 10 ? special[k] : 2 * c[k] - 1;
        one[k] = 1;
    }
    fathom_arc_first(first, c, one, 1, COUNT);
    fathom_arc_both(both, c, one, 1, COUNT);
    for (int64_t k = 0; k < COUNT; k++) {
        assert_close(first[k], reference(c[k], false), 2 * UNIT_ROUNDOFF);
        assert_close(both[k], reference(c[k], true), 4 * UNIT_ROUNDOFF);
    }
}

static void scale_and_weight_multiply(void **state)
{
    (void)state;
    const double c[] = {0.3, -0.7}, weight[] = {4, 8};
    double out[2];
    fathom_arc_first(out, c, weight, 0.5, 2);
    assert_close(out[0], 2 * reference(0.3, false), 4 * UNIT_ROUNDOFF);
    assert_close(out[1], 4 * reference(-0.7, false), 8 * UNIT_ROUNDOFF);
}

/* Unit vectors at a tiny angle: the cosine rounds to 1, the half sine does not. phi is known in long double. */
static void near_pairs_keep_their_angle(void **state)
{
    (void)state;
    const double angle[] = {1e-3, 1e-6, 1e-9, 1e-12, 0};
    for (int k = 0; k < 5; k++)
        for (int opposite = 0; opposite < 2; opposite++) {
            const double sign = opposite ? -1 : 1, u[2] = {1, 0};
            const double v[2] = {sign * cos(angle[k]), sign * sin(angle[k])};
            const double t = fathom_arc_half_sine(u, v, 2, opposite);
            const double first = fathom_arc_near(t, opposite, false);
            const long double pi = acosl(-1), theta = opposite ? pi - angle[k] : angle[k];
            assert_close(first, (double)(cosl(theta) * (pi - theta) / (2 * pi)), 3 * UNIT_ROUNDOFF);
            const double both = fathom_arc_near(t, opposite, true);
            assert_close(both, (double)(2 * cosl(theta) * (pi - theta) / (2 * pi) + sinl(theta) / (2 * pi)),
                         5 * UNIT_ROUNDOFF);
        }
    assert_true(fathom_arc_near(0, false, false) == 0.5);
    assert_true(fathom_arc_near(0, true, false) == 0);
}

/* The interleaved sum against a plain one, for every remainder of d by 8. */
static void half_sine_agrees_with_plain_sum(void **state)
{
    (void)state;
    double u[40], v[40];
    fathom_random_normals(u, 40, 1, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(v, 40, 1, FATHOM_STREAM_DATA, 1, 0);
    for (int64_t d = 0; d <= 40; d++) {
        long double minus = 0, plus = 0;
        for (int64_t k = 0; k < d; k++) {
            minus += ((long double)u[k] - v[k]) * ((long double)u[k] - v[k]) / 4;
            plus += ((long double)u[k] + v[k]) * ((long double)u[k] + v[k]) / 4;
        }
        assert_close(fathom_arc_half_sine(u, v, d, false), (double)minus,
                     (double)(d + 3) * UNIT_ROUNDOFF * (double)minus);
        assert_close(fathom_arc_half_sine(u, v, d, true), (double)plus,
                     (double)(d + 3) * UNIT_ROUNDOFF * (double)plus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_definition),
        cmocka_unit_test(scale_and_weight_multiply),
        cmocka_unit_test(near_pairs_keep_their_angle),
        cmocka_unit_test(half_sine_agrees_with_plain_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
