/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers of philox4x32-10, and the identities that tie the fills to single draws. */
#include "testing.h"

#include "random.h"

static void known_answers(void **state)
{
    (void)state;
    const double uniform[4] = {0.8946847163350924, 0.7112680765766943, 0.8741119351871307,
                               0.6561031684921108};
    const double normal[4] = {-0.11368019704496961, -0.45786963520401464, -0.28859563518898024,
                              -0.43105247686471837};
    for (uint64_t k = 0; k < 4; k++) {
        assert_true(fathom_random_uniform(1, FATHOM_STREAM_DATA, 0, k) == uniform[k]);
        assert_close(fathom_random_normal(1, FATHOM_STREAM_DATA, 0, k), normal[k], 8 * UNIT_ROUNDOFF);
    }
}

static void fills_equal_single_draws(void **state)
{
    (void)state;
    double filled[9];
    for (uint64_t first = 0; first < 4; first++)
        for (int64_t count = 0; count <= 9; count++) {
            fathom_random_normals(filled, count, 7, FATHOM_STREAM_GATE, 3, first);
            for (int64_t k = 0; k < count; k++)
                assert_true(filled[k] == fathom_random_normal(7, FATHOM_STREAM_GATE, 3, first + (uint64_t)k));
            fathom_random_uniforms(filled, count, 7, FATHOM_STREAM_GATE, 3, first);
            for (int64_t k = 0; k < count; k++)
                assert_true(filled[k] ==
                            fathom_random_uniform(7, FATHOM_STREAM_GATE, 3, first + (uint64_t)k));
        }
}

static void permutation_is_a_permutation(void **state)
{
    (void)state;
    int64_t order[100], seen[100] = {0};
    fathom_random_permutation(order, 100, 1, FATHOM_STREAM_ORDER, 5);
    for (int i = 0; i < 100; i++)
        seen[order[i]]++;
    for (int i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(fills_equal_single_draws),
        cmocka_unit_test(permutation_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
