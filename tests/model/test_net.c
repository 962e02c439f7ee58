/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of networks: layouts, defaults, refused shapes. */
#include "model_support.h"

static void layouts(void **state)
{
    fathom_context *context = *state;
    for (int k = 0; k < MODEL_KINDS; k++) {
        fathom_net *net = model_net(context, model_kinds[k], 3, 2, 4, true, FATHOM_SCALE_ONE);
        const fathom_net_weights w = fathom_net_lend(net);
        const bool gated = model_kinds[k] == FATHOM_NET_GATED;
        assert_true(!w.u == gated && !w.v != gated && !w.b == gated && w.w && w.c && w.rho);
        assert_int_equal(net->parameters, gated ? 6 + 24 + 4 + 2 : 6 + 2 + 8 + 4 + 2);
        assert_int_equal(fathom_net_look(net).outputs, 4);
        fathom_net_free(net);
    }
    fathom_net_free(NULL);
}

static void starts_at_zero_with_unit_rho(void **state)
{
    fathom_context *context = *state;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = 2, .m = 3, .outputs = 1};
    fathom_net *net;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    assert_null(net->weights.b);
    for (int64_t k = 0; k < net->parameters; k++)
        assert_true(net->block[k] == (net->block + k >= net->weights.rho ? 1 : 0));
    fathom_net_free(net);
}

static void refuses(fathom_context *context, fathom_net_shape shape, fathom_status status)
{
    fathom_net *net = (fathom_net *)&shape;
    assert_int_equal(fathom_net_create(&net, context, &shape), status);
    assert_null(net);
}

static void bad_shapes_are_refused(void **state)
{
    const fathom_net_shape good = {.kind = FATHOM_NET_RELU, .d = 2, .m = 3, .outputs = 1};
    fathom_net_shape bad = good;
    bad.kind = (fathom_net_kind)9, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.d = 0, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.m = -1, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.outputs = 0, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.parameter = 0.1, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.parameter = NAN, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.kind = FATHOM_NET_LEAKY, bad.parameter = NAN, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.kind = FATHOM_NET_LEAKY, bad.parameter = 1.5, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.kind = FATHOM_NET_HUBER, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.kind = FATHOM_NET_GATED, bad.hidden_bias = true, refuses(*state, bad, FATHOM_ERROR_USAGE);
    bad = good, bad.d = bad.m = INT64_C(1) << 40, refuses(*state, bad, FATHOM_ERROR_MEMORY);
    bad = good, bad.d = bad.m = INT64_C(1) << 28, refuses(*state, bad, FATHOM_ERROR_MEMORY);
}

static void scales(void **state)
{
    (void)state;
    fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = 1, .m = 4, .outputs = 1};
    assert_true(fathom_net_scale_value(&shape) == 1);
    shape.scale = FATHOM_SCALE_MEAN;
    assert_true(fathom_net_scale_value(&shape) == 0.25);
    shape.scale = FATHOM_SCALE_SQRT;
    assert_true(fathom_net_scale_value(&shape) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(starts_at_zero_with_unit_rho),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(scales),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
