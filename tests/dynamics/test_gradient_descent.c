/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient descent: the Huberized network of [002] against the values of ../shared/math/dynamics-oracles.json. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_huber_trace),
        cmocka_unit_test(test_section_5),
        cmocka_unit_test(test_log_space),
        cmocka_unit_test(test_divergence),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
