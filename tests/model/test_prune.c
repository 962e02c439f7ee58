/* SPDX-License-Identifier: Apache-2.0 */
/* Pruned networks: what they say of their deviation holds on the data and at every corner of its box. */
#include "with_context.h"

#include <string.h>

#include "fathom/equivalence.h"
#include "random.h"

enum { N = 30, D = 3, M = 12 };

static fathom_data *random_data(void)
{
    fathom_data *data;
    double x[N * D];
    fathom_random_normals(x, N * D, 31, FATHOM_STREAM_DATA, 0, 0);
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 0, NULL, NULL, NULL));
    return data;
}

/* Neuron j has outer weights of size 2^-j: small ones are worth dropping. */
static fathom_net *random_net(fathom_net_kind kind, int64_t outputs, fathom_net_scale scale)
{
    fathom_net *net;
    const fathom_net_shape shape = {.kind = kind,
                                    .d = D,
                                    .m = M,
                                    .outputs = outputs,
                                    .scale = scale,
                                    .hidden_bias = kind == FATHOM_NET_RELU || kind == FATHOM_NET_HUBER,
                                    .parameter = kind == FATHOM_NET_LEAKY   ? 0.25
                                                 : kind == FATHOM_NET_HUBER ? 0.5
                                                                            : 0};
    assert_ok(context, fathom_net_create(&net, context, &shape));
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t columns = kind == FATHOM_NET_GATED ? outputs * D : outputs;
    fathom_random_normals(kind == FATHOM_NET_GATED ? w.v : w.u, M * D, 32, FATHOM_STREAM_HIDDEN, 0, 0);
    fathom_random_normals(w.w, M * columns, 32, FATHOM_STREAM_OUTPUT, 0, 0);
    for (int64_t j = 0; j < M; j++) {
        w.rho[j] = j % 3 == 0 ? -1.5 : 1;
        for (int64_t k = 0; k < columns; k++)
            w.w[j * columns + k] = ldexp(w.w[j * columns + k], -(int)j);
        if (w.b)
            w.b[j] = kind == FATHOM_NET_SCALAR ? (j % 2 ? 0.75 : -2) : 0.5 - 0.125 * (double)j;
    }
    w.c[0] = 0.25;
    return net;
}

/* The largest deviation at the corners of the box of the data and at random points inside. */
static double search(const fathom_net *net, const fathom_net *small, const fathom_data *data)
{
    enum { CORNERS = 1 << D, INSIDE = 500 };
    const fathom_data_view view = fathom_data_look(data);
    double x[(CORNERS + INSIDE) * D], low[D], high[D], most;
    fathom_data *points;
    for (int64_t k = 0; k < D; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (int64_t i = 0; i < N; i++) {
            low[k] = fmin(low[k], view.x[i * view.ld + k]);
            high[k] = fmax(high[k], view.x[i * view.ld + k]);
        }
    }
    for (int64_t i = 0; i < CORNERS + INSIDE; i++)
        for (int64_t k = 0; k < D; k++) {
            const double share =
                i < CORNERS ? (double)(i >> k & 1)
                            : fathom_random_uniform(33, FATHOM_STREAM_DATA, 0, (uint64_t)(i * D + k));
            x[i * D + k] = share >= 1 ? high[k] : low[k] + share * (high[k] - low[k]);
        }
    assert_ok(context, fathom_data_create(&points, context, CORNERS + INSIDE, D, x, D, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_net_difference(&most, net, small, points));
    fathom_data_free(points);
    return most;
}

/* Every family, scale and number of outputs: the deviation on the data is the one stated and within the
 * share; the bound holds over the box; a larger share never keeps more. */
static void deviations_are_as_stated(void **state)
{
    (void)state;
    const fathom_net_kind kinds[] = {FATHOM_NET_RELU, FATHOM_NET_LEAKY, FATHOM_NET_HUBER, FATHOM_NET_GATED,
                                     FATHOM_NET_SCALAR};
    const double shares[] = {0, 1e-3, 0.01, 0.1, 1};
    fathom_data *data = random_data();
    for (int k = 0; k < 5; k++)
        for (int64_t outputs = 1; outputs <= 2; outputs++)
            for (int s = 0; s < 3; s++) {
                fathom_net *net = random_net(kinds[k], outputs, (fathom_net_scale)s), *small;
                int64_t before = 0;
                for (int a = 0; a < 5; a++) {
                    fathom_prune_report report;
                    double apart;
                    assert_ok(context, fathom_net_prune(&small, &report, context, net, data, shares[a]));
                    assert_int_equal(fathom_net_look(small).m, M - report.dropped);
                    assert_int_equal(fathom_net_look(small).kind, kinds[k]);
                    assert_ok(context, fathom_net_difference(&apart, net, small, data));
                    assert_true(apart == report.lower);
                    assert_true(report.lower <= shares[a] * report.spread);
                    assert_true(report.lower <= report.upper);
                    assert_true(search(net, small, data) <= report.upper);
                    assert_true(report.dropped >= before);
                    before = report.dropped;
                    fathom_net_free(small);
                }
                assert_true(before > M / 2);
                fathom_net_free(net);
            }
    fathom_data_free(data);
}

/* One dropped neuron with one output: its interval has both ends at corners, so that the bound is attained
 * there up to rounding. A bound that is only large would not pass. */
static void bound_of_one_neuron_is_attained(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    fathom_net *net = random_net(FATHOM_NET_RELU, 1, FATHOM_SCALE_ONE), *small;
    fathom_prune_report report;
    for (int64_t j = 0; j < M - 1; j++) /* all but one are large */
        fathom_net_lend(net).w[j] = 4;
    assert_ok(context, fathom_net_prune(&small, &report, context, net, data, 1e-3));
    assert_int_equal(report.dropped, 1);
    const double found = search(net, small, data);
    assert_close(report.upper, found, 1e3 * UNIT_ROUNDOFF * (1 + report.spread));
    fathom_net_free(small);
    fathom_net_free(net);
    fathom_data_free(data);
}

/* Neurons that add nothing go at share 0; one that adds a constant goes, up to rounding, and the constant
 * stays. */
static void neurons_without_effect_go(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    fathom_net *net = random_net(FATHOM_NET_RELU, 2, FATHOM_SCALE_ONE), *small;
    const fathom_net_weights w = fathom_net_lend(net);
    fathom_prune_report report;
    w.w[2 * 3] = w.w[2 * 3 + 1] = 0;
    w.rho[5] = 0;
    memset(w.u + 7 * D, 0, D * sizeof *w.u);
    w.b[7] = 2, w.w[2 * 7] = 1, w.w[2 * 7 + 1] = 0.5;
    assert_ok(context, fathom_net_prune(&small, &report, context, net, data, 0));
    assert_true(report.dropped >= 2 && report.lower == 0);
    fathom_net_free(small);
    assert_ok(context, fathom_net_prune(&small, &report, context, net, data, 4 * (M + 1) * UNIT_ROUNDOFF));
    assert_int_equal(report.dropped, 3);
    assert_true(fathom_net_lend(small).c[0] == 2.25 && fathom_net_lend(small).c[1] == 1);
    fathom_net_free(small);
    fathom_net_free(net);
    fathom_data_free(data);
}

static void wrong_inputs_are_refused(void **state)
{
    (void)state;
    const double x[] = {1, 2};
    fathom_data *data = random_data(), *narrow;
    fathom_net *net = random_net(FATHOM_NET_RELU, 1, FATHOM_SCALE_ONE), *small;
    fathom_prune_report report;
    assert_ok(context, fathom_data_create(&narrow, context, 1, 2, x, 2, 0, NULL, NULL, NULL));
    assert_int_equal(fathom_net_prune(&small, &report, context, net, narrow, 0.1), FATHOM_ERROR_INPUT);
    assert_null(small);
    assert_int_equal(fathom_net_prune(&small, &report, context, net, data, NAN), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_net_prune(&small, &report, context, net, data, 1.5), FATHOM_ERROR_USAGE);
    fathom_net_free(net);
    fathom_data_free(narrow);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviations_are_as_stated),
        cmocka_unit_test(bound_of_one_neuron_is_attained),
        cmocka_unit_test(neurons_without_effect_go),
        cmocka_unit_test(wrong_inputs_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
