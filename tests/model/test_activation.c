/* SPDX-License-Identifier: Apache-2.0 */
/* Activations at and around their kinks; tiles equal to numbers one by one. */
#include "testing.h"

#include "activation.h"

static void values_and_slopes(void **state)
{
    (void)state;
    const struct {
        fathom_net_kind kind;
        double parameter, t, value, slope;
    } rows[] = {
        {FATHOM_NET_RELU, 0, 2, 2, 1},
        {FATHOM_NET_RELU, 0, 0, 0, 0},
        {FATHOM_NET_RELU, 0, -3, 0, 0},
        {FATHOM_NET_LEAKY, 0.25, -4, -1, 0.25},
        {FATHOM_NET_LEAKY, 0.25, 0, 0, 0.25},
        {FATHOM_NET_LEAKY, 0.25, 3, 3, 1},
        {FATHOM_NET_HUBER, 0.5, -1, 0, 0},
        {FATHOM_NET_HUBER, 0.5, 0, 0, 0},
        {FATHOM_NET_HUBER, 0.5, 0.25, 0.0625, 0.5},
        {FATHOM_NET_HUBER, 0.5, 0.5, 0.25, 1},
        {FATHOM_NET_HUBER, 0.5, 2, 1.75, 1},
        {FATHOM_NET_SCALAR, 0, 1.5, 1.5, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(fathom_activation(rows[k].kind, rows[k].parameter, rows[k].t) == rows[k].value);
        assert_true(fathom_activation_slope(rows[k].kind, rows[k].parameter, rows[k].t) == rows[k].slope);
    }
}

static void tiles_equal_numbers(void **state)
{
    (void)state;
    const fathom_net_kind kinds[] = {FATHOM_NET_RELU, FATHOM_NET_LEAKY, FATHOM_NET_HUBER, FATHOM_NET_SCALAR};
    const double bias[3] = {0.5, -1, 0}, start[8] = {1, 2, 0.25, 99, -1, 1, -0.5, 99};
    for (int k = 0; k < 4; k++) {
        const double parameter = k == 1 || k == 2 ? 0.5 : 0;
        for (int biased = 0; biased < 2; biased++) {
            double z[8], g[8];
            for (int i = 0; i < 8; i++)
                z[i] = start[i], g[i] = 2;
            const double *b = biased ? bias : NULL;
            fathom_activation_apply_slope(g, 4, z, 4, 2, 3, kinds[k], parameter, k == 3 ? bias : b);
            fathom_activation_apply(z, 4, 2, 3, kinds[k], parameter, k == 3 ? bias : b);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 3; j++) {
                    const double s = start[i * 4 + j];
                    const double t = k == 3 ? bias[j] * s : biased ? s + bias[j] : s;
                    assert_true(z[i * 4 + j] == fathom_activation(kinds[k], parameter, t));
                    assert_true(g[i * 4 + j] == 2 * fathom_activation_slope(kinds[k], parameter, t));
                }
            assert_true(z[3] == 99 && g[3] == 2); /* nothing beyond the columns */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_slopes),
        cmocka_unit_test(tiles_equal_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
