/* SPDX-License-Identifier: Apache-2.0 */
/* What is watched, on the papers' own experiments; reference values: tests/README.md. */
#include "dynamics_testing.h"

static fathom_flow_options options_for(const char *net, int64_t width, const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = net, options.width = width, options.until = until;
    return options;
}

/* D1.accept_statistical and D1.runs: 100 steps of [002, Sec. 5] on five data sets each, Huberized: the loss of seed 1 to 9 digits, all in their
 * ranges, at most the first step raises it. */
static void test_section_5(void **state)
{
    static const struct {
        const char *data;
        double low, high, first;
    } row[] = {{"gen:xor,n=128", 0.03, 0.08, 0.043861308008419565},
               {"gen:shoulders,n=128", 0.25, 0.45, 0.33037954774609624}};
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            fathom_flow_options options = options_for("huber", 0, "steps=100");
            fathom_flow_result result;
            fathom_context_set_seed(*state, seed);
            assert_ok(*state, run_on(&result, *state, row[k].data, &options));
            const double loss = exp(result.end.log_loss);
            assert_true(loss > row[k].low && loss < row[k].high);
            assert_true(result.end.increases <= 1);
            if (seed == 1)
                assert_close(loss, row[k].first, 1e-9 * row[k].first);
            fathom_flow_result_clear(&result);
        }
    fathom_context_set_seed(*state, 1);
}

/* The same with ReLU units: D1.runs, xor/raw/relu and shoulders/raw/relu, seed 1. */
static void test_section_5_relu(void **state)
{
    static const char *const data_of[] = {"gen:xor,n=128", "gen:shoulders,n=128"};
    static const double loss[] = {0.053802634182302286, 0.3364323274580251};
    for (int k = 0; k < 2; k++) {
        fathom_flow_options options = options_for("relu", 200, "steps=100");
        fathom_data_options bias;
        fathom_flow_result result;
        fathom_data *data;
        char init[48];
        fathom_options_init(&bias, &fathom_data_option_table);
        bias.bias = FATHOM_BIAS_FREE;
        snprintf(init, sizeof init, "normal:%.17g", pow(400, -0.625));
        options.train = FATHOM_FLOW_TRAIN_FIRST, options.output_weights = "fixed:1", options.init = init;
        options.step = "log2";
        assert_ok(*state, fathom_data_open(&data, *state, data_of[k], &bias));
        assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
        assert_close(exp(result.end.log_loss), loss[k], 1e-9 * loss[k]);
        fathom_flow_result_clear(&result);
        fathom_data_free(data);
    }
}

/* D1.section5_lemmas, unit-norm XOR, seed 1: the quantities of Lemmas 6, 7, 8 and 10 over the run. */
typedef struct extremes {
    double rho_low, rho_last, lemma6, lemma8;
} extremes;

static void collect(void *user, const fathom_flow_record *r)
{
    extremes *e = user;
    if (r->steps < 1)
        return;
    e->rho_low = fmin(e->rho_low, r->rho);
    e->rho_last = r->rho;
    e->lemma6 = fmax(e->lemma6, r->lemma6);
    e->lemma8 = fmax(e->lemma8, r->lemma8);
    assert_true(r->lemma7 <= 1);
}

static void test_lemmas(void **state)
{
    fathom_flow_options options = options_for("huber", 0, "steps=100");
    fathom_data_options unit;
    fathom_flow_result result;
    fathom_data *data;
    extremes e = {.rho_low = INFINITY};
    fathom_options_init(&unit, &fathom_data_option_table);
    unit.normalize = FATHOM_NORMALIZE_UNIT;
    options.every = 1;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:xor,n=128", &unit));
    assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, collect, &e));
    assert_close(e.rho_low, 1.0164894198881531, 1e-9);
    assert_close(e.rho_last, 1.0197173523282137, 1e-9);
    assert_close(e.lemma8, 32.47998125480929, 1e-9 * 32.48);
    assert_close(e.lemma6 / 5, 0.07960514064046248,
                 1e-3); /* a norm estimated from below by a few power steps */
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* [002, App. A]: with x' = (x, 1)/sqrt 2, v' = sqrt 2 (v, b) and the step doubled the network without biases takes the same steps. */
static void test_bias_reduction(void **state)
{
    enum { N = 12, D = 2, M = 6 };
    double x[N * D], y[N], xt[N * (D + 1)], v[M * (D + 1)], vt[M * (D + 1)], a[M];
    for (int i = 0; i < N; i++) {
        x[2 * i] = cos(i), x[2 * i + 1] = sin(i), y[i] = i % 2 ? 1 : -1;
        for (int l = 0; l < D; l++)
            xt[i * 3 + l] = x[2 * i + l] / sqrt(2);
        xt[i * 3 + 2] = 1 / sqrt(2);
    }
    for (int k = 0; k < M * 3; k++) {
        v[k] = sin(1 + k) / 3;
        vt[k] = sqrt(2) * v[k];
    }
    for (int j = 0; j < M; j++)
        a[j] = j < M / 2 ? 1 : -1;
    dynamics_case with, without;
    case_begin(&with, *state);
    with.options = options_for("huber:0.3", M, "steps=100"), with.options.step = "const:0.05";
    case_open(&with, N, D, x, y, v, a);
    case_begin(
        &without,
        *state); /* a relu-like plan would bend elsewhere: the same units, the bias column switched off */
    without.options = options_for("huber:0.3", M, "steps=100"), without.options.step = "const:0.1";
    case_open(&without, N, D, x, y, vt, a);
    memcpy(without.problem.x, xt, sizeof xt);
    assert_ok(*state, fathom_dynamics_gd(&with.run));
    assert_ok(*state, fathom_dynamics_gd(&without.run));
    for (int k = 0; k < M * 3; k++)
        assert_close(without.run.state.hidden[k], sqrt(2) * with.run.state.hidden[k], 1e-13);
    assert_close(with.result.end.log_loss, without.result.end.log_loss, 1e-13);
    case_close(&with);
    case_close(&without);
}

/* D2.fig1_accept: rotations and norms of [003, Fig. 1] at loss 1e-3, and the smoothed margin that never falls once n R < ln 2. */
static void never_falls(void *user, const fathom_flow_record *r)
{
    double *top = user;
    if (r->log_loss < log(log(2) / 64)) {
        assert_true(r->smoothed_normalized_margin >= *top);
        *top = r->smoothed_normalized_margin;
    }
}

static void test_figure_1(void **state)
{
    skip_if_brief();
    static const struct {
        int64_t width;
        double cosine[2], norm[2];
    } row[] = {{16, {0.5, 0.85}, {0.05, 0.3}}, {256, {0.94, 0.98}, {0.03, 0.16}}};
    for (int k = 0; k < 2; k++) {
        fathom_flow_options options = options_for("relu", row[k].width, "loss=1e-3");
        fathom_flow_result result;
        fathom_data *data;
        double top = -INFINITY;
        options.method = FATHOM_FLOW_FLOW;
        options.accuracy =
            k == 0; /* the wide run at the fast setting: quantiles, not weights, are compared */
        assert_ok(*state, fathom_data_open(&data, *state, "gen:parity,d=20,n=64", NULL));
        assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, never_falls, &top));
        assert_true(result.end.rotation[3] > row[k].cosine[0] && result.end.rotation[3] < row[k].cosine[1]);
        assert_true(result.end.neuron_norm[3] > row[k].norm[0] && result.end.neuron_norm[3] < row[k].norm[1]);
        assert_true(result.end.sliding_pairs > 10);
        fathom_flow_result_clear(&result);
        fathom_data_free(data);
    }
}

/* [004, Sec. 17]: with the outlier (-8, 4) SGD enters a regime in which the neurons of a group agree, but never perfect agreement. */
typedef struct regimes {
    int64_t nar, par;
} regimes;

static void count_regimes(void *user, const fathom_flow_record *r)
{
    regimes *seen = user;
    seen->nar += r->nar == 1 && r->steps > 0;
    seen->par += r->par == 1;
}

static void test_outlier(void **state)
{
    fathom_flow_options options = options_for("leaky:0.3", 20, "epochs=100");
    fathom_flow_result result;
    fathom_data *data;
    regimes seen = {0, 0};
    options.init = "normal:1e-4", options.method = FATHOM_FLOW_SGD, options.every = 61;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:outlier,n=60,x=-8,y=4", NULL));
    assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, count_regimes, &seen));
    assert_true(seen.nar > 50);
    assert_int_equal(seen.par, 0);
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* Four neurons on three points by hand: w = (1,0), (1,1)/2 and u = (-1,0), (-1,3): the second w sees (0.5,-1) on the other side, both u see
 * all three as they should. */
static void test_shares(void **state)
{
    const double x[] = {1, 0, 0.5, -1, -1, 0.5}, y[] = {1, 1, -1}, hidden[] = {1, 0, 0.5, 0.5, -1, 0, -1, 3};
    const double output[] = {0.1, 0.1, -0.1, -0.1};
    dynamics_case c;
    fathom_flow_record record;
    case_begin(&c, *state);
    c.options.net = "leaky:0.1", c.options.width = 4;
    case_open(&c, 3, 2, x, y, hidden, output);
    assert_ok(c.context, fathom_dynamics_monitor(&record, &c.run));
    assert_true(record.par_share_w == 0.5 && record.par_share_u == 1);
    assert_true(record.disagreements_w == 1 && record.disagreements_u == 0);
    case_close(&c);
}

/* The test set is treated as the training set: with the same points the same numbers come out, whatever the pair of classes. */
static void test_second_data(void **state)
{
    static const char *const pair[] = {"0,1", "1,0", "2,0"};
    for (int k = 0; k < 3; k++) {
        fathom_flow_options options = options_for("leaky", 10, "steps=40");
        fathom_data_options chosen;
        fathom_flow_result result;
        fathom_data *data;
        fathom_options_init(&chosen, &fathom_data_option_table);
        chosen.classes = pair[k], chosen.normalize = FATHOM_NORMALIZE_STANDARDIZE;
        options.test = "builtin:digits", options.step = "const:0.1";
        assert_ok(*state, fathom_data_open(&data, *state, "builtin:digits", &chosen));
        assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
        assert_true(result.end.accuracy > 0.8 && result.end.test_accuracy == result.end.accuracy);
        assert_true(result.end.test_linear_fraction == result.end.linear_fraction);
        fathom_flow_result_clear(&result);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_section_5), cmocka_unit_test(test_section_5_relu),
        cmocka_unit_test(test_lemmas),    cmocka_unit_test(test_bias_reduction),
        cmocka_unit_test(test_figure_1),  cmocka_unit_test(test_outlier),
        cmocka_unit_test(test_shares),    cmocka_unit_test(test_second_data)};
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
