/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient flow by frozen duals, against event-locked reference values (tests/README.md). */
#include "dynamics_testing.h"

#include <unistd.h>

/* micro.gf_small: 8 examples in R^3, 5 relu neurons, logistic loss; states at ln R = -1, -3, -10, -100. */
static const double small_x[] = {
    0.7448452997421311,  0.6620847108818944,   0.0827605888602368,   0.5146502354656655,
    0.7352146220938078,  -0.44112877325628463, 0.8304547985373997,   -0.4982728791224398,
    0.2491364395612199,  0.363696483726654,    -0.727392967453308,   -0.5819143739626463,
    -0.6135719910778964, 0.6902684899626335,   0.3834824944236852,   -0.79555728417573,
    0.556890098923011,   -0.238667185252719,   -0.44597648774829973, -0.6689647316224496,
    0.5946353169977331,  -0.722897396012249,   -0.40160966445124946, -0.5622535302317492};
static const double small_y[] = {1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0};
static const double small_a[] = {0.5, -0.4, -0.3, 0.6, 0.2};
static const double small_v[] = {0.5, 0.4,  0.1,  -0.3, 0.6, -0.2, 0.2, -0.5,
                                 0.3, -0.6, -0.1, 0.2,  0.1, 0.3,  -0.7};
static const struct level {
    double log_loss, log_time, margin, smoothed;
    int sliding;
    double a[5], v[15];
} levels[] = {
    {-1.0,
     2.416115377198536,
     0.03902603978597466,
     -0.31379099114113984,
     2,
     {1.0463842580525466, -0.9847874421100763, -0.7750710532745827, 1.0290385603437604, 0.4287493322188036},
     {0.7364779333849447, 0.8108090102284672, -0.2551646881320914, -0.7601936011510535, 0.836847047621436,
      0.14696602938798894, 0.6234599338413394, -0.7064650098237697, 0.05422212106950937, -0.6505694377945057,
      -0.7604047874845614, 0.3278175170010014, 0.19722185217493157, 0.4596791062585758, -0.6954312691934877}},
    {-3.0,
     3.586048706780013,
     0.07246501824581572,
     0.023566351370890377,
     4,
     {1.7582728574215465, -1.8824647274467352, -1.9130369600060955, 1.949544898040375, 0.6125740774179305},
     {1.0939669375875398, 1.3057024738948046, -0.5999173528705862, -1.2530011115882786, 1.384418505583253,
      0.622131068054035, 1.310370074110733, -1.4136801303754942, -0.483889623992639, -1.2258372402837114,
      -1.4156790378587043, 0.5864309265180837, 0.21954412892442995, 0.5963188122944052, -0.7221158147295874}},
    {-10.0,
     8.807297160430917,
     0.0886580760594806,
     0.07712342798935795,
     4,
     {3.191146466906559, -3.5275660991249334, -3.7369970565255066, 3.6622482511531356, 0.8058293516843759},
     {1.9490827710912235, 2.3791271073437166, -0.9456459865020749, -2.3063644016400735, 2.442032895854195,
      1.2210164479270977, 2.415182070827765, -2.6538990023711113, -1.1742498245466768, -2.313878804374493,
      -2.7933162003819523, 0.5526406937830319, 0.2918534417169533, 0.6317322456192589, -0.8456340121107156}},
    {-100.0,
     96.374117547393,
     0.09468157052714751,
     0.09362826103748632,
     3,
     {10.244964867648868, -11.769840507751285, -12.129584528159745, 11.416853410196175, 1.1257019767917065},
     {6.460489984585903, 7.680621121578442, -2.0974826543233895, -7.606256421003945, 8.046601034814314,
      4.031900373566279, 7.835066856724949, -8.295953142414652, -4.147976571207326, -7.538106020866376,
      -8.568255868417303, 0.39558915735775074, 0.3792626728100003, 0.7023033773980834, -1.086340062623397}},
};

/* Largest difference of the weights, relative to the largest weight. */
static double weight_error(const dynamics_state *state, const struct level *level)
{
    double error = 0, size = 0;
    for (int j = 0; j < 5; j++) {
        error = fmax(error, fabs(state->output[j] - level->a[j]));
        size = fmax(size, fabs(level->a[j]));
    }
    for (int k = 0; k < 15; k++)
        error = fmax(error, fabs(state->hidden[k] - level->v[k]));
    return error / size;
}

static double run_small(fathom_context *context, int accuracy, const struct level *level,
                        fathom_flow_record *record)
{
    char until[64];
    dynamics_case c;
    case_begin(&c, context);
    snprintf(until, sizeof until, "log_loss=%g", level->log_loss);
    c.options.width = 5, c.options.method = FATHOM_FLOW_FLOW, c.options.until = until;
    c.options.accuracy = accuracy;
    case_open(&c, 8, 3, small_x, small_y, small_v, small_a);
    assert_ok(context, fathom_dynamics_flow(&c.run));
    assert_int_equal(c.result.status, FATHOM_FLOW_REACHED);
    const double error = weight_error(&c.run.state, level);
    *record = c.result.end;
    case_close(&c);
    return error;
}

/* Weights, margins, time and sliding pairs: frozen duals come nearer as their tolerance falls from 1e-3 to 1e-5, at order 2
 * (steps are a tenth, errors a hundredth; between 20 and 500 times is accepted), the event-locked method is there. */
static void test_levels(void **state)
{
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        static const double allowed[] = {3e-3, 3e-5, 1e-10}; /* of the largest weight */
        static const double share[] = {1e-2, 1e-4, 1e-10};   /* of the margin, a smallest of eight */
        static const double clock[] = {1e-2, 1e-3, 1e-9};    /* of t */
        double error[3];
        for (int accuracy = 0; accuracy < 3; accuracy++) {
            fathom_flow_record r;
            error[accuracy] = run_small(*state, accuracy, levels + k, &r);
            assert_true(error[accuracy] < allowed[accuracy]);
            assert_close(r.normalized_margin, levels[k].margin, share[accuracy] * levels[k].margin);
            assert_close(r.log_time, levels[k].log_time, clock[accuracy]);
            assert_close(r.log_loss, levels[k].log_loss, 2e-9 * fabs(levels[k].log_loss));
            assert_true(r.balance < 1e-11 * r.norm * r.norm);
            if (accuracy > 0)
                assert_int_equal(r.sliding_pairs, levels[k].sliding);
        }
        assert_true(error[0] > 20 * error[1] && error[0] < 500 * error[1]);
    }
}

/* micro.sliding: one neuron with fixed output weight, exponential loss; from t = 2.928 on it slides along the kink of the
 * second example: v(20) = (2.783142371693735, 0). */
static void test_sliding(void **state)
{
    static const double x[] = {0.7071067811865475, 0.7071067811865475, 0, 1}, y[] = {1, -1};
    static const double v[] = {1, -0.5}, a[] = {1};
    dynamics_case c;
    case_begin(&c, *state);
    c.options.width = 1, c.options.method = FATHOM_FLOW_FLOW, c.options.train = FATHOM_FLOW_TRAIN_FIRST;
    c.options.loss = 1, c.options.until = "time=20", c.options.accuracy = 2;
    case_open(&c, 2, 2, x, y, v, a);
    assert_ok(*state, fathom_dynamics_flow(&c.run));
    assert_close(c.run.state.time, 20, 1e-10);
    assert_close(c.run.state.hidden[0], 2.783142371693735, 1e-10);
    assert_close(c.run.state.hidden[1], 0, 1e-14);
    assert_int_equal(c.result.end.sliding_pairs, 1);
    case_close(&c);
}

/* D2.signature, parity in R^20, m = 16, seed 1: margin, time, norm and sliding pairs at loss 1e-3 and 1e-100. */
static void test_parity(void **state)
{
    skip_if_brief();
    static const struct {
        const char *until;
        double margin, smoothed, log_time, norm;
        int64_t sliding;
    } row[] = {
        {"loss=1e-3", 0.02510700458521634, 0.012179991655566835, 7.336614951750796, 14.93473320241142, 65},
        {"loss=1e-100", 0.03381925764250195, 0.03342069895076042, 226.7963235496866, 82.25118394378136, 96}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_flow_options options;
        fathom_flow_result result;
        fathom_options_init(&options, &fathom_flow_option_table);
        options.method = FATHOM_FLOW_FLOW, options.width = 16, options.until = row[k].until;
        for (options.accuracy = test_briefly() && k == 0 ? 2 : 1;
             options.accuracy < (test_briefly() && k ? 2 : 3); options.accuracy++) {
            const double part = options.accuracy == 1 ? 2e-5 : 1e-10;
            assert_ok(*state, run_on(&result, *state, "gen:parity,d=20,n=64", &options));
            assert_close(result.end.normalized_margin, row[k].margin, part * row[k].margin);
            assert_close(result.end.smoothed_normalized_margin, row[k].smoothed, part * row[k].smoothed);
            assert_close(result.end.log_time, row[k].log_time, 10 * part);
            assert_close(result.end.norm, row[k].norm, part * row[k].norm);
            assert_int_equal(result.end.sliding_pairs, row[k].sliding);
            fathom_flow_result_clear(&result);
        }
    }
}

/* Gradient descent with small steps follows the flow; both are at time 5. */
static void test_small_step_descent(void **state)
{
    static const char *const net[] = {"relu", "leaky:0.1", "scalar", "gated"};
    for (int k = 0; k < 4; k++) {
        fathom_flow_options options;
        fathom_flow_result flow, gd;
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = net[k], options.width = 12, options.until = "time=5", options.method = FATHOM_FLOW_FLOW;
        options.accuracy = 2;
        if (k == 1)
            options.init = "normal:0.3", options.output_weights = "fixed:0.4";
        assert_ok(*state, run_on(&flow, *state, "gen:xor,n=24", &options));
        options.method = FATHOM_FLOW_GD, options.step = "const:0.0005";
        assert_ok(*state, run_on(&gd, *state, "gen:xor,n=24", &options));
        assert_close(flow.end.time, 5, 1e-6);
        assert_close(flow.end.log_loss, gd.end.log_loss, 2e-3);
        assert_close(flow.end.norm, gd.end.norm, 2e-3);
        fathom_flow_result_clear(&flow);
        fathom_flow_result_clear(&gd);
    }
}

/* The same bits on one thread and on two, and after a checkpoint. */
static void check_bits(void **state, int accuracy)
{
    fathom_flow_options options;
    fathom_flow_result one, two;
    char path[64];
    snprintf(path, sizeof path, "/tmp/fathom-flow-%ld", (long)getpid());
    fathom_options_init(&options, &fathom_flow_option_table);
    options.method = FATHOM_FLOW_FLOW, options.width = 16, options.until = "steps=120";
    options.accuracy = accuracy;
    fathom_context_set_threads(*state, 1);
    assert_ok(*state, run_on(&one, *state, "gen:parity,d=20,n=64", &options));
    fathom_context_set_threads(*state, 2);
    options.until = "steps=77", options.checkpoint = path;
    assert_ok(*state, run_on(&two, *state, "gen:parity,d=20,n=64", &options));
    fathom_flow_result_clear(&two);
    options.until = "steps=120", options.resume = path;
    assert_ok(*state, run_on(&two, *state, "gen:parity,d=20,n=64", &options));
    assert_memory_equal(fathom_net_lend(one.net).u, fathom_net_lend(two.net).u, 320 * sizeof(double));
    assert_memory_equal(fathom_net_lend(one.net).w, fathom_net_lend(two.net).w, 16 * sizeof(double));
    assert_true(one.end.log_time == two.end.log_time && one.end.evaluations == two.end.evaluations);
    assert_int_equal(one.end.sliding_pairs, two.end.sliding_pairs);
    unlink(path);
    fathom_flow_result_clear(&one);
    fathom_flow_result_clear(&two);
}

static void test_bits(void **state)
{
    skip_if_brief();
    for (int accuracy = 0; accuracy < 3; accuracy++)
        check_bits(state, accuracy);
}

/* Late: two Gaussians to ln R = -1e6 in few steps; the angle to the predicted limit falls like 1/ln(1/R), the smoothed margin never
 * falls, and the limit of the margin is that of the pattern program. */
static void watch_margin(void *user, const fathom_flow_record *r)
{
    double *top = user;
    if (r->log_loss < log(log(2) / 100)) {
        assert_true(r->smoothed_normalized_margin >= *top * (1 - 1e-7));
        *top = r->smoothed_normalized_margin;
    }
}

static void test_late(void **state)
{
    skip_if_brief();
    static const char *const until[] = {"log_loss=-100", "log_loss=-1000", "log_loss=-1e6"};
    static const double length[] = {100, 1000, 1e6};
    fathom_data *data;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:twogauss,n=100,d=2,mean=1.8,gap=0.3", NULL));
    double scaled[3];
    for (int k = 0; k < 3; k++) {
        fathom_flow_options options;
        fathom_flow_result result;
        double top = 0;
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = "leaky", options.method = FATHOM_FLOW_FLOW, options.until = until[k];
        assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, watch_margin, &top));
        assert_int_equal(result.status, FATHOM_FLOW_REACHED);
        assert_true(result.end.steps < 1500);
        assert_true(result.limit.par_consistent == 0 && result.limit.kinks == 1);
        scaled[k] = result.end.limit_angle * length[k];
        assert_true(result.end.limit_angle < 0.2);
        if (k == 2)
            assert_close(result.end.normalized_margin, 0.1 * sqrt(50) * result.limit.lower, 1e-5);
        fathom_flow_result_clear(&result);
    }
    assert_close(scaled[1], scaled[0], 0.1 * scaled[0]);
    assert_close(scaled[2], scaled[0], 0.1 * scaled[0]);
    fathom_data_free(data);
}

/* The first step is as short as the width wants it: few tries, the flow is that of a smaller tolerance. */
static void test_wide_first_step(void **state)
{
    static const char *const net[] = {"relu", "leaky", "scalar", "gated"};
    for (int k = 0; k < 4; k++) {
        fathom_flow_options options;
        fathom_flow_result result[2];
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = net[k], options.method = FATHOM_FLOW_FLOW, options.width = 12000;
        options.init = k == 2 ? NULL : "normal:1", options.branches = 1;
        options.until = "steps=1";
        assert_ok(*state, run_on(result, *state, "gen:gauss,n=7,d=4,target=sign", &options));
        assert_int_equal(result[0].end.steps, 1);
        if (result[0].end.evaluations > 9)
            fail_msg("%s: %d evaluations", net[k], (int)result[0].end.evaluations);
        fathom_flow_result_clear(result);
        options.until = "time=1e-5";
        for (int fine = 0; fine < 2; fine++) {
            options.accuracy = 1 + fine;
            assert_ok(*state, run_on(result + fine, *state, "gen:gauss,n=7,d=4,target=sign", &options));
        }
        assert_close(result[0].end.log_loss, result[1].end.log_loss, 1e-4);
        fathom_flow_result_clear(result);
        fathom_flow_result_clear(result + 1);
    }
}

/* Narrow networks on all corners of parity in the plane and in space: most end with corners wrong for ever,
 * neurons held
 * between antipodes whose duals are far apart, and in space go on for ever under forces far smaller than
 * those that hold
 * them. A run that says that nothing moves stands where nothing moves: the gradient is rounding, R is that
 * of k corners at
 * l(0), a_j^2 = |v_j|^2 still; and its record is the end's, wherever others lie. */
static void test_stuck(void **state)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.method = FATHOM_FLOW_FLOW;
    options.init = "balanced";
    options.until = "log_loss=-50";
    int stuck = 0;
    for (int trial = 0; trial < (int)test_trials(36); trial++) {
        fathom_flow_result result[2];
        const int d = 2 + trial / 6 % 2;
        fathom_context_set_seed(*state, (uint64_t)(trial / 12 + 7));
        options.width = trial % 6 + 1;
        for (int k = 0; k < 2; k++) {
            options.every = k;
            assert_ok(*state, run_on(result + k, *state,
                                     d == 2 ? "gen:parity,d=2,all=1" : "gen:parity,d=3,all=1", &options));
        }
        const fathom_flow_record *end = &result[0].end;
        assert_int_equal(end->steps, result[1].end.steps);
        assert_true(end->log_loss == result[1].end.log_loss);
        assert_true(end->balance <=
                    64 * UNIT_ROUNDOFF * fmax(1, end->norm * end->norm)); /* it starts near 1 */
        if (result[0].status == FATHOM_FLOW_STUCK) {
            const double wrong = (1 << d) * exp(end->log_loss) / log(2);
            stuck++;
            /* outputs there are sums of a_j <v_j, x_i>, which are 0 but for the rounding of a_j |v_j| */
            assert_close(wrong, floor(wrong + 0.5),
                         UNIT_ROUNDOFF * (16 + 4 * end->norm * end->norm) * (1 << d));
            assert_true(!(end->log_gradient > log(64 * UNIT_ROUNDOFF)));
        }
        fathom_flow_result_clear(result);
        fathom_flow_result_clear(result + 1);
    }
    assert_true(stuck > 0);
    fathom_context_set_seed(*state, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_parity),
        cmocka_unit_test(test_small_step_descent),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_wide_first_step),
        cmocka_unit_test(test_stuck),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
