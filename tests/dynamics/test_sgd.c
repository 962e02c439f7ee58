/* SPDX-License-Identifier: Apache-2.0 */
/* SGD: the leaky network of [004] against reference values (tests/README.md), and the families against GD. */
#include "dynamics_testing.h"

/* micro.leaky: k = 2, v = 0.5, alpha = 0.2, eta = 0.1, three epochs in the order 2, 0, 3, 1; weights and monitors. */
static void test_leaky_epochs(void **state)
{
    static const double x[] = {-0.7, -0.6, 1, 0.5, -1.2, 0.1, 0.8, -0.2}, y[] = {-1, 1, -1, 1};
    static const double hidden[] = {0.01, 0.02, -0.01, 0.005, 0.015, -0.01, -0.02, -0.01};
    static const double output[] = {0.5, 0.5, -0.5, -0.5};
    static const double end[] = {0.16603740749784424,  0.04858797454528627,  0.15997125799011985,
                                 0.04553127496723681,  -0.15220918792838556, -0.048625519139689516,
                                 -0.18137958239730323, -0.05068709154996107};
    double rows[24], labels[12];
    dynamics_case c;
    for (int k = 0; k < 12; k++) {
        memcpy(rows + 2 * k, x + 2 * (k % 4), 2 * sizeof *x);
        labels[k] = y[k % 4];
    }
    case_begin(&c, *state);
    c.options.net = "leaky:0.2", c.options.width = 4, c.options.step = "const:0.1",
    c.options.method = FATHOM_FLOW_SGD;
    c.options.output_weights = "fixed:0.5", c.options.sample = 1;
    case_open(&c, 12, 2, rows, labels, hidden, output);
    assert_ok(*state, fathom_dynamics_sgd(&c.run));
    for (int k = 0; k < 8; k++)
        assert_close(c.run.state.hidden[k], end[k], 64 * UNIT_ROUNDOFF);
    const fathom_flow_record *r = &c.result.end;
    assert_int_equal(r->steps, 12);
    assert_close(r->log_loss, -0.5097034720291043, 1e-13);
    assert_close(r->norm, 0.3443732343024634, 1e-14);
    assert_close(r->cluster_ratio, 0.04254321811645891, 1e-14);
    assert_close(r->max_angle, 2.103678325006868, 1e-11);
    assert_close(r->normalized_margin, 0.4230653725203093, 1e-13);
    /* Every example stands three times: the smoothed margin of n = 12 rows is that of 3 sum l. */
    assert_true(r->smoothed_normalized_margin < -6.70 && r->accuracy == 1);
    assert_true(r->nar == 1 && r->par == 1);
    assert_true(r->linear_fraction == 1 && r->linear_fraction_sharp == 1);
    case_close(&c);
}

/* On a single example SGD is gradient descent, for every family and both trained parts. */
static void test_single_example(void **state)
{
    static const char *const net[] = {"relu", "leaky:0.3", "huber:0.5", "scalar", "gated"};
    static const char *const init[] = {"normal:1", "normal:1", "normal:1", "pytorch", "normal:1"};
    for (int k = 0; k < 5; k++)
        for (int train = 1; train <= 3; train++) {
            fathom_flow_options options;
            fathom_flow_result gd, sgd;
            if (k == 4 && train != 1)
                continue;
            fathom_options_init(&options, &fathom_flow_option_table);
            options.net = net[k], options.init = init[k], options.width = 13, options.train = train;
            options.until = "steps=40", options.step = "const:0.05", options.loss = FATHOM_FLOW_GD + 2;
            assert_ok(*state, run_on(&gd, *state, "gen:gauss,n=1,d=5", &options));
            options.method = FATHOM_FLOW_SGD;
            assert_ok(*state, run_on(&sgd, *state, "gen:gauss,n=1,d=5", &options));
            assert_close(sgd.end.norm, gd.end.norm, 1e-12 * gd.end.norm);
            assert_close(sgd.end.distance, gd.end.distance, 1e-12 * gd.end.norm);
            fathom_flow_result_clear(&gd);
            fathom_flow_result_clear(&sgd);
        }
}

/* [004]: a small initialisation clusters and becomes linear, a large one does not; D3.fig2_accept, seed 1. */
static void test_small_and_large_init(void **state)
{
    skip_if_brief();
    static const char *const init[] = {"normal:1e-3", "normal:1"};
    for (int large = 0; large < 2; large++) {
        fathom_flow_options options;
        fathom_flow_result result;
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = "leaky", options.init = init[large], options.method = FATHOM_FLOW_SGD;
        options.until = "epochs=100";
        assert_ok(*state,
                  run_on(&result, *state, "gen:twogauss,n=400,d=50,mean=2.12132034,gap=0.3", &options));
        assert_true(large ? result.end.linear_fraction <= 0.01 : result.end.linear_fraction >= 0.97);
        assert_true(large ? result.end.max_angle > 90 : result.end.max_angle < 5);
        fathom_flow_result_clear(&result);
    }
}

/* Weights after 30 steps, gates of all pairs kept or made for the example of every step. */
static void run_gates(double *weights, fathom_context *context, fathom_data *data,
                      const fathom_flow_options *options, bool tiled)
{
    dynamics_case t;
    case_begin(&t, context);
    t.options = *options;
    assert_ok(context, fathom_dynamics_problem_create(&t.problem, context, data, &t.options));
    assert_false(t.problem.tiled);
    t.problem.tiled = tiled;
    t.result = (fathom_flow_result){.end = {.steps = -1}};
    t.run = (dynamics_run){.problem = &t.problem, .result = &t.result, .log = -1};
    assert_ok(context, fathom_dynamics_state_create(&t.run.state, &t.problem));
    assert_ok(context, fathom_dynamics_state_create(&t.run.good, &t.problem));
    assert_ok(context, fathom_dynamics_batch_create(&t.run.batch, &t.problem));
    assert_ok(context, fathom_dynamics_init(&t.problem, &t.run.state));
    assert_true((t.problem.gate == NULL) == tiled);
    assert_ok(context, fathom_dynamics_sgd(&t.run));
    assert_int_equal(t.run.state.steps, 30);
    const size_t hidden = (size_t)(t.problem.m * t.problem.h), output = (size_t)(t.problem.m * t.problem.o);
    memcpy(weights, t.run.state.hidden, hidden * sizeof(double));
    memcpy(weights + hidden, t.run.state.output, output * sizeof(double));
    case_close(&t);
}

/* Wide scalar and gated networks make gates example by example: the run is that with all gates kept. */
static void test_gates(void **state)
{
    static const char *const spec[] = {"gen:gauss,n=9,d=3,target=sign", "gen:gauss,n=11,d=6,target=sign",
                                       "builtin:iris"};
    enum { MOST = 3 * 37 * (6 + 3) };
    for (int k = 0; k < 12; k++) {
        double weights[2][MOST] = {{0}};
        fathom_flow_options options;
        fathom_data *data;
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = k % 2 ? "scalar" : "gated", options.width = k < 6 ? 37 : 16;
        options.method = FATHOM_FLOW_SGD, options.until = "steps=30", options.step = "const:0.05";
        options.decay = k < 6 ? 0 : 0.1, options.sample = 0;
        assert_ok(*state, fathom_data_open(&data, *state, spec[k / 2 % 3], NULL));
        for (int tiled = 0; tiled < 2; tiled++)
            run_gates(weights[tiled], *state, data, &options, tiled);
        for (int l = 0; l < MOST; l++)
            assert_close(weights[1][l], weights[0][l], 1e-13 * (1 + fabs(weights[0][l])));
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaky_epochs),
        cmocka_unit_test(test_single_example),
        cmocka_unit_test(test_small_and_large_init),
        cmocka_unit_test(test_gates),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
