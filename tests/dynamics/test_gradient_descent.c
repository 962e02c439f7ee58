/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient descent: the Huberized network of [002] against reference values (tests/README.md). */
#include "dynamics_testing.h"

/* micro.huber: p = 2, h = 0.5, biases trained, alpha_0 = 0.1, then ln^2(1/L) / p; five steps. */
static void test_huber_trace(void **state)
{
    static const double x[] = {1, 0, -1, 0, 0, 1, 0, -1}, y[] = {1, 1, -1, -1};
    static const double hidden[] = {0.3, 0.1, 0.05, -0.2, 0.05, 0.02, 0.1, 0.4, -0.01, -0.1, -0.3, 0.03};
    static const double output[] = {1, 1, -1, -1};
    static const double loss[] = {0.6470054873843121, 0.6431523084686361, 0.6391363363284036,
                                  0.6347235526010004, 0.629857921713134,  0.6244726074568768};
    static const double end[] = {0.35544572042372397,  0.07807647234183956, 0.08352219276556358,
                                 -0.23709109626625433, 0.03919020511017975, 0.046281301376434096,
                                 0.08518271422421259,  0.4616604673932525,  0.03684318161746511,
                                 -0.07966873370819356, -0.3524862724744725, 0.062155006182666055};
    /* The last weights of the table are those after step 5. */
    for (int64_t steps = 0; steps <= 6; steps++) {
        char until[32];
        dynamics_case c;
        case_begin(&c, *state);
        snprintf(until, sizeof until, "steps=%d", (int)steps);
        c.options.net = "huber:0.5", c.options.width = 4, c.options.until = until;
        c.options.step = "log2:0.5";
        case_open(&c, 4, 2, x, y, hidden, output);
        c.problem.plan.step.first = 0.1;
        assert_ok(*state, fathom_dynamics_gd(&c.run));
        assert_int_equal(c.result.end.steps, steps);
        if (steps < 6)
            assert_close(exp(c.result.end.log_loss), loss[steps], 64 * UNIT_ROUNDOFF);
        for (int k = 0; k < 12 && steps == 6; k++)
            assert_close(c.run.state.hidden[k], end[k], 256 * UNIT_ROUNDOFF);
        case_close(&c);
    }
}

/* D1, xor/raw/huber, seed 1 and shoulders/raw/relu, seed 1: 100 steps of [002, Sec. 5] from its own initialisation. */
static void test_section_5(void **state)
{
    fathom_flow_options options;
    fathom_flow_result result;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = "huber", options.until = "steps=100";
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=128,sd=0.1", &options));
    assert_close(exp(result.end.log_loss), 0.043861308008419565, 1e-9 * 0.04);
    assert_true(result.end.accuracy == 1);
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    fathom_flow_result_clear(&result);
    assert_ok(*state, run_on(&result, *state, "gen:shoulders,n=128,sd=0.1", &options));
    assert_close(exp(result.end.log_loss), 0.33037954774609624, 1e-9 * 0.33);
    fathom_flow_result_clear(&result);
}

/* Lemma 8's steps contract the loss at a linear rate, far below the smallest double: ln R decreases in every step. */
static void test_log_space(void **state)
{
    static const double x[] = {1, 0, 0, 1}, y[] = {1, -1}, hidden[] = {1500, 0, 0, 0, 1500, 0},
                        output[] = {1, -1};
    dynamics_case c;
    case_begin(&c, *state);
    c.options.net = "huber:0.5", c.options.width = 2, c.options.step = "lemma8",
    c.options.until = "steps=200";
    case_open(&c, 2, 2, x, y, hidden, output);
    assert_ok(*state, fathom_dynamics_step_start(&c.run));
    assert_ok(*state, fathom_dynamics_gd(&c.run));
    /* A step moves <v_j, x_j> by alpha R / 2 = 1/120 and, until the other unit's bias undoes it, the bias by as much. */
    assert_close(c.run.state.start_log_loss, -1499.75, 1e-9);
    assert_true(c.result.end.log_loss < -1499.75 - 200.0 / 120 + 1e-9);
    assert_true(c.result.end.log_loss > -1499.75 - 200.0 / 60);
    assert_true(isfinite(c.result.end.log_loss) && isfinite(c.result.end.smoothed_margin));
    assert_true(isinf(c.result.end.time) && c.result.end.log_time > 1490);
    case_close(&c);
}

/* A step far too long stops with the last good state. */
static void test_divergence(void **state)
{
    fathom_flow_options options;
    fathom_flow_result result;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = "relu", options.loss = 2, options.step = "const:1e3", options.until = "steps=1000";
    assert_ok(*state, run_on(&result, *state, "gen:gauss,n=30,d=4", &options));
    assert_int_equal(result.status, FATHOM_FLOW_DIVERGED);
    assert_true(isfinite(result.end.log_loss) && result.net != NULL);
    const fathom_net_weights weights = fathom_net_lend(result.net);
    for (int k = 0; k < 400; k++)
        assert_true(isfinite(weights.u[k]));
    fathom_flow_result_clear(&result);
}

/* One step with decay B differs from one without by -step B W(0), and not at all in the biases. */
static void test_decay(void **state)
{
    static const double x[] = {1, 2, -1, 0.5, 0.25, 1}, y[] = {1, -1, 0.5};
    static const double hidden[] = {0.3, 0.1, 0.05, -0.2, 0.05, 0.02}, output[] = {0.7, -0.4};
    double moved[2][8];
    for (int k = 0; k < 2; k++) {
        dynamics_case c;
        case_begin(&c, *state);
        c.options.net = "huber:0.5", c.options.width = 2, c.options.train = FATHOM_FLOW_TRAIN_BOTH;
        c.options.loss = 2, c.options.step = "const:0.1", c.options.until = "steps=1", c.options.decay = k;
        case_open(&c, 3, 2, x, y, hidden, output);
        assert_ok(*state, fathom_dynamics_gd(&c.run));
        memcpy(moved[k], c.run.state.hidden, 6 * sizeof(double));
        memcpy(moved[k] + 6, c.run.state.output, 2 * sizeof(double));
        const double norm = 0.3 * 0.3 + 0.1 * 0.1 + 0.2 * 0.2 + 0.05 * 0.05 + 0.7 * 0.7 + 0.4 * 0.4;
        fathom_flow_record start;
        memcpy(c.run.state.hidden, hidden, sizeof hidden), memcpy(c.run.state.output, output, sizeof output);
        assert_ok(*state, fathom_dynamics_monitor(&start, &c.run));
        assert_close(start.objective, exp(start.log_loss) + k * norm / 2, 64 * UNIT_ROUNDOFF);
        case_close(&c);
    }
    for (int k = 0; k < 8; k++) {
        const bool bias = k == 2 || k == 5;
        const double before = k < 6 ? hidden[k] : output[k - 6];
        assert_close(moved[1][k], moved[0][k] - (bias ? 0 : 0.1 * before), 16 * UNIT_ROUNDOFF);
    }
}

/* --targets standardize: the loss is that of the outputs in units of the targets' deviation, the network that of the targets. */
static void test_targets(void **state)
{
    fathom_flow_options options;
    fathom_flow_result result;
    fathom_data *data;
    double f[40], mean = 0, variance = 0, loss = 0;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.loss = 2, options.targets = 1, options.until = "steps=50", options.width = 10;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:gauss,n=40,d=3", NULL));
    assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
    const fathom_data_view view = fathom_data_look(data);
    assert_ok(*state, fathom_net_forward(f, result.net, data));
    for (int i = 0; i < 40; i++)
        mean += view.y[i] / 40;
    for (int i = 0; i < 40; i++)
        variance += (view.y[i] - mean) * (view.y[i] - mean) / 40;
    for (int i = 0; i < 40; i++)
        loss += (f[i] - view.y[i]) * (f[i] - view.y[i]) / (2 * 40 * variance);
    assert_close(exp(result.end.log_loss), loss, 1e-12 * loss);
    options.loss = 0;
    fathom_flow_result refused;
    assert_int_equal(fathom_flow_run(&refused, *state, data, &options), FATHOM_ERROR_USAGE);
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* Points (0,0), (1,1), (3,0), f = relu(t) - 2 relu(t - 2): at t = 2 f is 2 and the spline 1/2; f meets the points at 0 and 1,
 * and is 1 at 3. */
static void test_line(void **state)
{
    static const double x[] = {3, 0, 1}, y[] = {0, 0, 1}, hidden[] = {1, 0, 1, -2}, output[] = {1, -2};
    fathom_data_options free_bias;
    double deviation;
    dynamics_case c;
    case_begin(&c, *state);
    fathom_options_init(&free_bias, &fathom_data_option_table);
    free_bias.bias = FATHOM_BIAS_FREE;
    c.options.width = 2, c.options.loss = 2;
    assert_ok(*state, fathom_data_create(&c.data, *state, 3, 1, x, 1, 1, y, NULL, &free_bias));
    assert_ok(*state, fathom_dynamics_problem_create(&c.problem, *state, c.data, &c.options));
    assert_ok(*state, fathom_dynamics_state_create(&c.run.state, &c.problem));
    memcpy(c.run.state.hidden, hidden, sizeof hidden), memcpy(c.run.state.output, output, sizeof output);
    assert_ok(*state, fathom_dynamics_line(&deviation, &c.problem, &c.run.state));
    assert_close(deviation, 1.5, 8 * UNIT_ROUNDOFF);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_huber_trace), cmocka_unit_test(test_section_5),
        cmocka_unit_test(test_log_space),   cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_decay),       cmocka_unit_test(test_targets),
        cmocka_unit_test(test_line),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
