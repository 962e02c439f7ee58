/* SPDX-License-Identifier: Apache-2.0 */
/* Cone decompositions: same outputs on the data, least norms that no feasible point beats, fewest neurons. */
#include <string.h>

#include "fathom/decompose.h"
#include "fathom/equivalence.h"
#include "random.h"
#include "testing.h"

typedef struct instance {
    int64_t n, d, m, outputs;
    double *x, *y;
    fathom_context *context;
    fathom_data *data;
    fathom_net *gated;
} instance;

static void open_instance(instance *s, uint32_t trial, int64_t n, int64_t d, int64_t m, int64_t outputs)
{
    *s = (instance){.n = n, .d = d, .m = m, .outputs = outputs};
    s->x = malloc((size_t)(n * d) * sizeof(double));
    s->y = calloc((size_t)n, sizeof(double));
    fathom_random_normals(s->x, n * d, 21, FATHOM_STREAM_DATA, trial, 0);
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    assert_ok(s->context, fathom_data_create(&s->data, s->context, n, d, s->x, d, 1, s->y, NULL, NULL));
    const fathom_net_shape shape = {.kind = FATHOM_NET_GATED, .d = d, .m = m, .outputs = outputs};
    assert_ok(s->context, fathom_net_create(&s->gated, s->context, &shape));
    const fathom_net_weights net = fathom_net_lend(s->gated);
    fathom_random_normals(net.v, m * d, 21, FATHOM_STREAM_GATE, trial, 0);
    fathom_random_normals(net.w, m * outputs * d, 21, FATHOM_STREAM_HIDDEN, trial, 0);
}

static void close_instance(instance *s)
{
    fathom_net_free(s->gated);
    fathom_data_free(s->data);
    fathom_context_free(s->context);
    free(s->x);
    free(s->y);
}

/* All kinds agree with the gated network, and pay at least its norm; the least norm pays least. */
static void test_outputs_agree_and_norms_are_ordered(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < test_trials(12); trial++) {
        instance s;
        double inflation[3];
        open_instance(&s, trial, 20 + trial, 2 + trial % 4, 5, 1 + trial % 2);
        for (int how = 0; how < 3; how++) {
            fathom_net *relu;
            double difference;
            assert_ok(s.context, fathom_net_decompose(&relu, inflation + how, s.context, s.gated, s.data,
                                                      (fathom_decompose)how));
            assert_ok(s.context, fathom_net_difference(&difference, s.gated, relu, s.data));
            assert_true(difference <= 1e5 * UNIT_ROUNDOFF * inflation[how]);
            assert_true(fathom_net_look(relu).m <= s.m * 2 * s.outputs);
            fathom_net_free(relu);
        }
        assert_true(inflation[FATHOM_DECOMPOSE_MIN_NORM] >= 1 - 1e-12);
        assert_true(inflation[FATHOM_DECOMPOSE_SPARSE] <= inflation[FATHOM_DECOMPOSE_THEOREM]);
        if (s.outputs == 1)
            assert_true(inflation[FATHOM_DECOMPOSE_MIN_NORM] <=
                        inflation[FATHOM_DECOMPOSE_SPARSE] * (1 + 1e-12));
        close_instance(&s);
    }
}

/* One gate in the plane: |u| + |u - w| over u on a fine grid of the feasible set is never less. */
static void test_least_norm_against_a_grid(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < test_trials(6); trial++) {
        instance s;
        fathom_net *relu;
        double inflation;
        open_instance(&s, 100 + trial, 6, 2, 1, 1);
        assert_ok(s.context, fathom_net_decompose(&relu, &inflation, s.context, s.gated, s.data,
                                                  FATHOM_DECOMPOSE_MIN_NORM));
        const fathom_net_weights net = fathom_net_lend(s.gated);
        const double size = hypot(net.w[0], net.w[1]), found = inflation * size, reach = 2 * found;
        double best = INFINITY;
        enum { SIDE = 600 };
        for (int a = 0; a < SIDE; a++)
            for (int b = 0; b < SIDE; b++) {
                const double u[] = {reach * (2.0 * a / SIDE - 1), reach * (2.0 * b / SIDE - 1)};
                bool feasible = true;
                for (int64_t i = 0; i < s.n && feasible; i++) {
                    const double *x = s.x + 2 * i, side = x[0] * net.v[0] + x[1] * net.v[1] > 0 ? 1 : -1;
                    const double t = side * (x[0] * u[0] + x[1] * u[1]);
                    feasible = t >= 0 && t >= side * (x[0] * net.w[0] + x[1] * net.w[1]);
                }
                if (feasible)
                    best = fmin(best, hypot(u[0], u[1]) + hypot(u[0] - net.w[0], u[1] - net.w[1]));
            }
        assert_true(found <= best * (1 + 1e-9));
        assert_true(best <= found + 8 * reach / SIDE || isinf(best)); /* thin cones miss the grid */
        fathom_net_free(relu);
        close_instance(&s);
    }
}

/* w inside the cone, -w inside it, w = 0: one neuron, one, none. */
static void test_one_neuron_where_one_does(void **state)
{
    (void)state;
    instance s;
    open_instance(&s, 7, 15, 3, 3, 1);
    const fathom_net_weights net = fathom_net_lend(s.gated);
    for (int k = 0; k < 3; k++) {
        net.w[k] = 2 * net.v[k];
        net.w[3 + k] = -net.v[3 + k];
        net.w[6 + k] = 0;
    }
    for (int how = FATHOM_DECOMPOSE_SPARSE; how <= FATHOM_DECOMPOSE_MIN_NORM; how++) {
        fathom_net *relu;
        double inflation;
        assert_ok(s.context,
                  fathom_net_decompose(&relu, &inflation, s.context, s.gated, s.data, (fathom_decompose)how));
        assert_int_equal(fathom_net_look(relu).m, 2);
        assert_close(inflation, 1, 8 * UNIT_ROUNDOFF);
        fathom_net_free(relu);
    }
    close_instance(&s);
}

/* An orientation on a hyperplane: the weights need both signs there, which no cone gives. */
static void test_orientation_on_a_hyperplane(void **state)
{
    (void)state;
    instance s;
    fathom_net *relu;
    double inflation;
    open_instance(&s, 8, 2, 2, 1, 1);
    const double x[] = {1, 0, -1, 0}, v[] = {0, 1}, w[] = {1, 0};
    fathom_data_free(s.data);
    assert_ok(s.context, fathom_data_create(&s.data, s.context, 2, 2, x, 2, 1, s.y, NULL, NULL));
    memcpy(fathom_net_lend(s.gated).v, v, sizeof v);
    memcpy(fathom_net_lend(s.gated).w, w, sizeof w);
    for (int how = 0; how < 3; how++)
        assert_int_equal(
            fathom_net_decompose(&relu, &inflation, s.context, s.gated, s.data, (fathom_decompose)how),
            FATHOM_ERROR_INPUT);
    close_instance(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs_agree_and_norms_are_ordered),
        cmocka_unit_test(test_least_norm_against_a_grid),
        cmocka_unit_test(test_one_neuron_where_one_does),
        cmocka_unit_test(test_orientation_on_a_hyperplane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
