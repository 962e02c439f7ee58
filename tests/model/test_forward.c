/* SPDX-License-Identifier: Apache-2.0 */
/* The forward pass of every family against its naive twin, for dense and sparse data and any number of threads.
 * Bound: 2 (d + m + 8) u times the sum of absolute values, twice the first-order bound at the head of forward.c. */
#include "model_support.h"

static void compare(const double *out, const fathom_net *net, const fathom_data_view *dense)
{
    const fathom_net_shape *s = &net->shape;
    for (int64_t i = 0; i < dense->n; i++)
        for (int64_t k = 0; k < s->outputs; k++) {
            double size;
            const double f = naive_forward(net, dense->x + i * dense->ld, k, &size);
            assert_close(out[i * s->outputs + k], f, 2 * (double)(s->d + s->m + 8) * UNIT_ROUNDOFF * size);
        }
}

static void check(fathom_context *context, fathom_net_kind kind, int64_t n, int64_t d, int64_t m,
                  int64_t outputs, int form)
{
    fathom_net *net = model_net(context, kind, d, m, outputs, form & 1, (fathom_net_scale)(form % 3));
    model_data data = model_data_make(n, d, 0.6, (uint32_t)form);
    const fathom_data_view sparse = model_sparsify(&data);
    const size_t bytes = (size_t)(n * outputs) * sizeof(double);
    double *one = malloc(bytes + 1), *three = malloc(bytes + 1);
    assert_true(one && three);
    for (int kept = 0; kept < 2; kept++) {
        const fathom_data_view *view = kept ? &sparse : &data.view;
        fathom_context_set_threads(context, 1);
        assert_ok(context, fathom_net_forward_view(one, net, view));
        compare(one, net, &data.view);
        fathom_context_set_threads(context, 3);
        assert_ok(context, fathom_net_forward_view(three, net, view));
        assert_memory_equal(one, three, bytes);
    }
    free(one), free(three);
    model_data_free(&data);
    fathom_net_free(net);
}

static void every_family(void **state)
{
    for (int k = 0; k < MODEL_KINDS; k++)
        for (int form = 0; form < 6; form++) {
            check(*state, model_kinds[k], 7, 3, 5, 1 + form % 3, form);
            check(*state, model_kinds[k], 300, 9, 40, 1 + 4 * (form % 2), form);
        }
}

/* Sizes on and beside the borders of row tiles, blocks and strips. */
static void borders(void **state)
{
    for (int k = 0; k < MODEL_KINDS; k++) {
        check(*state, model_kinds[k], 129, 2, 257, 1, 1);
        check(*state, model_kinds[k], 3, 2, 2049, 2, 0);
        check(*state, model_kinds[k], 1030, 2, 256, 1, 0);
        check(*state, model_kinds[k], 1, 1, 1, 1, 1);
    }
}

static void empty_network_is_its_constant(void **state)
{
    fathom_context *context = *state;
    const double x[4] = {1, 2, 3, 4};
    const fathom_data_view view = {.n = 2, .d = 2, .x = x, .ld = 2};
    for (int k = 0; k < MODEL_KINDS; k++) {
        fathom_net *net = model_net(context, model_kinds[k], 2, 0, 2, false, FATHOM_SCALE_MEAN);
        double out[4];
        net->weights.c[0] = 0.25, net->weights.c[1] = -3;
        assert_ok(context, fathom_net_forward_view(out, net, &view));
        assert_true(out[0] == 0.25 && out[1] == -3 && out[2] == 0.25 && out[3] == -3);
        fathom_net_free(net);
    }
}

static void wrong_width_is_refused(void **state)
{
    fathom_context *context = *state;
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 3, 1, 1, false, FATHOM_SCALE_ONE);
    const double x[2] = {1, 2};
    const fathom_data_view view = {.n = 1, .d = 2, .x = x, .ld = 2};
    double out;
    assert_int_equal(fathom_net_forward_view(&out, net, &view), FATHOM_ERROR_INPUT);
    fathom_net_free(net);
}

/* A gate at exactly zero is closed, and undefined weights show up in the output. */
static void conventions(void **state)
{
    fathom_context *context = *state;
    fathom_net *net = model_net(context, FATHOM_NET_GATED, 2, 1, 1, false, FATHOM_SCALE_ONE);
    const double x[4] = {1, 0, 0, 1};
    const fathom_data_view view = {.n = 2, .d = 2, .x = x, .ld = 2};
    double out[2];
    net->weights.v[0] = 0, net->weights.v[1] = 1, net->weights.w[0] = 5, net->weights.w[1] = 7;
    net->weights.c[0] = 0, net->weights.rho[0] = 2;
    assert_ok(context, fathom_net_forward_view(out, net, &view));
    assert_true(out[0] == 0 && out[1] == 14);
    fathom_net_free(net);
    net = model_net(context, FATHOM_NET_RELU, 2, 1, 1, false, FATHOM_SCALE_ONE);
    net->weights.u[0] = NAN;
    assert_ok(context, fathom_net_forward_view(out, net, &view));
    assert_true(isnan(out[0]));
    fathom_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family),
        cmocka_unit_test(borders),
        cmocka_unit_test(empty_network_is_its_constant),
        cmocka_unit_test(wrong_width_is_refused),
        cmocka_unit_test(conventions),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
