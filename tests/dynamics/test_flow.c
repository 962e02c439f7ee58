/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as a whole: options refused, outcomes, checkpoints bit for bit, logs, threads. */
#include "dynamics_testing.h"

#include <unistd.h>

#include "random.h"

static fathom_flow_options defaults(void)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.width = 30;
    return options;
}

static void assert_same_weights(fathom_net *left, fathom_net *right)
{
    const fathom_net_shape shape = fathom_net_look(left);
    const fathom_net_weights a = fathom_net_lend(left), b = fathom_net_lend(right);
    assert_memory_equal(a.u, b.u, (size_t)(shape.m * shape.d) * sizeof(double));
    assert_memory_equal(a.w, b.w, (size_t)shape.m * sizeof(double));
}

static void temporary(char *path, const char *name)
{
    snprintf(path, 64, "/tmp/fathom-%s-%ld", name, (long)getpid());
}

static void test_refused(void **state)
{
    static const struct {
        const char *net, *init, *step, *until, *weights;
    } row[] = {{"relu:2", NULL, NULL, NULL, NULL},     {"leaky:2", NULL, NULL, NULL, NULL},
               {"huber:0", NULL, NULL, NULL, NULL},    {"tanh", NULL, NULL, NULL, NULL},
               {NULL, "normal:-1", NULL, NULL, NULL},  {NULL, "normal:x", NULL, NULL, NULL},
               {NULL, NULL, "const:0", NULL, NULL},    {NULL, NULL, "log2:-1", NULL, NULL},
               {NULL, NULL, "theory:-3", NULL, NULL},  {NULL, NULL, NULL, "steps=1.5", NULL},
               {NULL, NULL, NULL, "step=1", NULL},     {NULL, NULL, NULL, "loss=0", NULL},
               {NULL, NULL, NULL, NULL, "fixed:zero"}, {"gated", NULL, NULL, NULL, "gaussian"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_flow_options options = defaults();
        fathom_flow_result result;
        options.net = row[k].net, options.init = row[k].init, options.step = row[k].step;
        options.until = row[k].until, options.output_weights = row[k].weights;
        assert_int_equal(run_on(&result, *state, "gen:circle,n=8", &options), FATHOM_ERROR_USAGE);
    }
}

/* Steps alone are what was asked for; steps before a loss are a limit. */
static void test_outcomes(void **state)
{
    fathom_flow_options options = defaults();
    fathom_flow_result result;
    options.until = "steps=7";
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=8", &options));
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    assert_int_equal(result.end.steps, 7);
    assert_close(result.end.time, 0.07, 8 * UNIT_ROUNDOFF);
    fathom_flow_result_clear(&result);
    options.until = "steps=7,loss=1e-9";
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=8", &options));
    assert_int_equal(result.status, FATHOM_FLOW_LIMIT);
    fathom_flow_result_clear(&result);
    options.until = "loss=0.5,steps=100000";
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=8", &options));
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    assert_true(result.end.log_loss <= log(0.5));
    fathom_flow_result_clear(&result);
}

/* A run of 500 steps, and one of 123 continued to 500, end with the same bits; so does a run on another number of threads. */
static void test_checkpoint(void **state)
{
    for (int k = 0; k < 4; k++) { /* both methods, both precisions */
        fathom_flow_options options = defaults();
        fathom_flow_result whole, part;
        char path[64];
        temporary(path, "checkpoint");
        options.method = k % 2 ? FATHOM_FLOW_SGD : FATHOM_FLOW_GD, options.precision = k / 2;
        options.until = "steps=500";
        fathom_context_set_threads(*state, 1);
        assert_ok(*state, run_on(&whole, *state, "gen:xor,n=40", &options));
        fathom_context_set_threads(*state, 2);
        options.until = "steps=123", options.checkpoint = path;
        assert_ok(*state, run_on(&part, *state, "gen:xor,n=40", &options));
        fathom_flow_result_clear(&part);
        options.until = "steps=500", options.resume = path;
        assert_ok(*state, run_on(&part, *state, "gen:xor,n=40", &options));
        assert_int_equal(part.end.steps, 500);
        assert_same_weights(whole.net, part.net);
        assert_true(whole.end.time == part.end.time && whole.end.distance == part.end.distance);
        fathom_flow_result_clear(&part);
        assert_int_equal(run_on(&part, *state, "gen:xor,n=41", &options), FATHOM_ERROR_INPUT);
        fathom_flow_result_clear(&whole);
        unlink(path);
    }
}

/* --precision single: weights are numbers of single precision, and a step that is short enough for gates to
 * stay follows the one in double to its rounding. */
static void test_single(void **state)
{
    static const char *const net[] = {"relu", "leaky:0.2"};
    for (int k = 0; k < 8; k++) {
        fathom_flow_options options = defaults();
        fathom_flow_result run[2];
        options.net = net[k % 2], options.width = 50, options.train = FATHOM_FLOW_TRAIN_BOTH;
        options.method = k / 2 % 2 ? FATHOM_FLOW_SGD : FATHOM_FLOW_GD, options.decay = k / 4 ? 0.1 : 0;
        options.until = "steps=3", options.init = "pytorch";
        for (int single = 0; single < 2; single++) {
            options.precision = single;
            assert_ok(*state, run_on(run + single, *state, "gen:gauss,n=30,d=4,target=sign", &options));
        }
        const fathom_net_weights w = fathom_net_lend(run[0].net), v = fathom_net_lend(run[1].net);
        int64_t equal = 0;
        for (int64_t t = 0; t < 50 * 4; t++) { /* three steps of roundings of weights, outputs and slopes */
            assert_true(v.u[t] == (double)(float)v.u[t]);
            assert_close(v.u[t], w.u[t], 64 * 0x1p-24 * fmax(1, fabs(w.u[t])));
            equal += v.u[t] == w.u[t];
        }
        assert_true(equal < 50 * 4); /* it was another computation */
        for (int64_t j = 0; j < 50; j++)
            assert_true(v.w[j] == (double)(float)v.w[j]);
        fathom_flow_result_clear(run);
        fathom_flow_result_clear(run + 1);
    }
    fathom_flow_options options = defaults();
    fathom_flow_result none;
    options.precision = 1, options.method = FATHOM_FLOW_FLOW;
    assert_int_equal(run_on(&none, *state, "gen:xor,n=8", &options), FATHOM_ERROR_USAGE);
    options.method = FATHOM_FLOW_GD, options.net = "scalar";
    assert_int_equal(run_on(&none, *state, "gen:xor,n=8", &options), FATHOM_ERROR_USAGE);
}

/* However a run ended (a time, a loss, a distance, within a step that was cut short), going on gives the bits
 * of a run that never did, and a time that was asked for is met exactly. */
static void check_end(fathom_context *context, fathom_flow_options options, const char *spec,
                      const char *stop, const char *end)
{
    fathom_flow_result whole, part;
    char path[64];
    temporary(path, "end");
    options.until = end;
    assert_ok(context, run_on(&whole, context, spec, &options));
    options.until = stop, options.checkpoint = path;
    assert_ok(context, run_on(&part, context, spec, &options));
    assert_int_equal(part.status, FATHOM_FLOW_REACHED);
    if (strncmp(stop, "time=", 5) == 0)
        assert_close(part.end.time, atof(stop + 5), options.method == FATHOM_FLOW_FLOW ? 1e-9 : 0);
    fathom_flow_result_clear(&part);
    options.until = end, options.resume = path;
    assert_ok(context, run_on(&part, context, spec, &options));
    assert_same_weights(whole.net, part.net);
    fathom_flow_result_clear(&part);
    fathom_flow_result_clear(&whole);
    unlink(path);
}

static void test_ends(void **state)
{
    static const struct {
        int method, accuracy;
        const char *net, *spec, *end, *stop[3];
    } row[] = {{0, 1, NULL, "gen:xor,n=20", "time=4.4", {"time=0.155", "loss=0.68", "distance=0.05"}},
               {1, 1, NULL, "gen:xor,n=20", "time=9.321", {"time=0.155", "loss=0.6", "time=1.2345"}},
               {2, 1, NULL, "gen:parity,d=4,n=12", "log_loss=-20", {"time=3.3", "log_loss=-1", "distance=2"}},
               {2,
                2,
                "leaky",
                "gen:twogauss,n=20,d=2,mean=1.8,gap=0.3",
                "log_loss=-200",
                {"time=3.3", "log_loss=-100", "distance=2"}}};
    for (size_t c = 0; c < sizeof row / sizeof *row; c++)
        for (int k = 0; k < 3; k++) {
            fathom_flow_options options = defaults();
            options.method = row[c].method, options.accuracy = row[c].accuracy;
            options.net = row[c].net, options.width = 12;
            check_end(*state, options, row[c].spec, row[c].stop[k], row[c].end);
        }
}

/* Times and distances are ends of any size: a step may be as short as the units of the data want. Steps of a
 * tenth of the time are ten, those of two sevenths three and a half; and as many at every scale. */
static void test_scales(void **state)
{
    static const double unit[] = {1e-16, 1e-11, 0x1p-30, 1e-4, 7};
    for (size_t u = 0; u < sizeof unit / sizeof *unit; u++)
        for (int c = 0; c < 6; c++) { /* gd and sgd with both steps, the flow by duals and by events */
            const bool flow = c >= 4;
            const double parts = c < 2 ? 10 : 3.5;
            char until[64], step[64];
            fathom_flow_options options = defaults();
            fathom_flow_result result;
            snprintf(until, sizeof until, "time=%.17g", unit[u]);
            snprintf(step, sizeof step, "const:%.17g", unit[u] / parts);
            options.until = until, options.width = 8, options.init = "normal:0.3";
            options.method = flow ? FATHOM_FLOW_FLOW : c % 2 ? FATHOM_FLOW_SGD : FATHOM_FLOW_GD;
            options.step = flow ? NULL : step, options.accuracy = c == 5 ? 2 : 1;
            assert_ok(*state, run_on(&result, *state, "gen:xor,n=20", &options));
            assert_int_equal(result.status, FATHOM_FLOW_REACHED);
            assert_close(result.end.time, unit[u], flow ? 1e-10 * unit[u] : 0);
            if (!flow)
                assert_int_equal(result.end.steps, (int64_t)ceil(parts));
            if (c < 2) /* whole, to rounding */
                assert_close(result.end.step, unit[u] / parts, 1e-15 * unit[u]);
            fathom_flow_result_clear(&result);
        }
    for (size_t u = 0; u < 4; u++)
        for (int accuracy = 1; accuracy < 3; accuracy++) {
            char until[64];
            fathom_flow_options options = defaults();
            fathom_flow_result result;
            snprintf(until, sizeof until, "distance=%.17g",
                     fmax(unit[u], 1e-11)); /* weights have 16 digits */
            options.until = until, options.width = 8, options.init = "normal:0.3";
            options.method = FATHOM_FLOW_FLOW, options.accuracy = accuracy;
            assert_ok(*state, run_on(&result, *state, "gen:xor,n=20", &options));
            assert_close(result.end.distance, fmax(unit[u], 1e-11), fmax(1e-9 * unit[u], 1e-14));
            fathom_flow_result_clear(&result);
        }
}

/* SGD that waits for a loss ends after a step that crosses it: one step less and the loss is above. */
static void test_crossing(void **state)
{
    static const char *const loss[] = {"loss=0.65", "loss=0.6", "loss=0.5"};
    for (int k = 0; k < 3; k++) {
        fathom_flow_options options = defaults();
        fathom_flow_result result, before;
        char until[64];
        options.method = FATHOM_FLOW_SGD, options.until = loss[k];
        assert_ok(*state, run_on(&result, *state, "gen:xor,n=40", &options));
        assert_true(result.end.log_loss <= log(atof(loss[k] + 5)));
        snprintf(until, sizeof until, "steps=%lld", (long long)result.end.steps - 1);
        options.until = until;
        assert_ok(*state, run_on(&before, *state, "gen:xor,n=40", &options));
        assert_true(before.end.log_loss > log(atof(loss[k] + 5)));
        fathom_flow_result_clear(&before);
        fathom_flow_result_clear(&result);
    }
}

/* What a resumed run takes from its file is refused beside it, unless it is the same. */
static void test_resume_refused(void **state)
{
    fathom_flow_options options = defaults();
    fathom_flow_result result;
    char path[64];
    temporary(path, "refused");
    options.until = "steps=3", options.checkpoint = path, options.width = 6;
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=20", &options));
    fathom_flow_result_clear(&result);
    options.resume = path;
    fathom_flow_options other[4] = {options, options, options, options};
    other[0].width = 7;
    other[1].net = "leaky";
    other[2].method = FATHOM_FLOW_SGD;
    other[3].init = "balanced";
    for (int k = 0; k < 4; k++)
        assert_int_equal(run_on(&result, *state, "gen:xor,n=20", other + k), FATHOM_ERROR_USAGE);
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=20", &options));
    fathom_flow_result_clear(&result);
    unlink(path);
}

/* One line per record, each of them closed by a line end. */
static void test_log(void **state)
{
    fathom_flow_options options = defaults();
    fathom_flow_result result;
    char path[64], line[4096];
    temporary(path, "log");
    options.until = "steps=10", options.every = 5, options.log = path;
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=40", &options));
    fathom_flow_result_clear(&result);
    FILE *file = fopen(path, "r");
    int lines = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        assert_true(line[0] == '{' && line[strlen(line) - 1] == '\n' && strstr(line, "\"log_loss\""));
        lines++;
    }
    fclose(file);
    unlink(path);
    assert_int_equal(lines, 3);
}

/* A checkpoint is enough: data, seed and network come from the file, whatever the context's seed and the options are. */
static void test_resume_alone(void **state)
{
    fathom_flow_options options = defaults();
    fathom_flow_result whole, part;
    fathom_data *data;
    char path[64];
    temporary(path, "alone");
    options.net = "leaky:0.2", options.width = 9, options.until = "steps=50";
    fathom_context_set_seed(*state, 11);
    assert_ok(*state, run_on(&whole, *state, "gen:xor,n=20", &options));
    options.until = "steps=20", options.checkpoint = path;
    assert_ok(*state, run_on(&part, *state, "gen:xor,n=20", &options));
    fathom_flow_result_clear(&part);
    fathom_context_set_seed(*state, 1);
    fathom_options_init(&options, &fathom_flow_option_table);
    options.resume = path, options.until = "steps=50";
    assert_ok(*state, fathom_flow_open_data(&data, *state, path, NULL, NULL));
    assert_int_equal(fathom_context_seed(*state), 11);
    assert_ok(*state, fathom_flow_run(&part, *state, data, &options));
    assert_same_weights(whole.net, part.net);
    fathom_data_free(data);
    fathom_flow_result_clear(&whole);
    fathom_flow_result_clear(&part);
    fathom_context_set_seed(*state, 1);
    unlink(path);
}

/* One linear unit group, f = (sum_j a_j^2) w x with sum_j a_j^2 = 1: a step of 2.05 multiplies the error by -1.05. The run ends after 30
 * climbs with the state before them. */
static void test_climb(void **state)
{
    const double x[] = {1}, y[] = {1};
    fathom_flow_options options = defaults();
    fathom_flow_result result;
    fathom_data *data;
    options.net = "leaky:1", options.width = 100, options.loss = 2, options.step = "const:2.05",
    options.until = "steps=500";
    assert_ok(*state, fathom_data_create(&data, *state, 1, 1, x, 1, 1, y, NULL, NULL));
    assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
    assert_int_equal(result.status, FATHOM_FLOW_DIVERGED);
    assert_int_equal(result.end.steps, 0);
    fathom_flow_result_clear(&result);
    options.step = "const:1.95";
    assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    assert_int_equal(result.end.steps, 500);
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* Sample weights: a weight of 2 is the example twice. */
static void test_weights(void **state)
{
    const double x[] = {1, 0.5, -0.3, 1, -1, 0.2, 1, 0.5}, y[] = {1, -1, 1, 1}, w[] = {2, 1, 1};
    fathom_flow_options options = defaults();
    fathom_flow_result one, two;
    fathom_data *data;
    options.until = "steps=40";
    assert_ok(*state, fathom_data_create(&data, *state, 3, 2, x, 2, 1, y, w, NULL));
    assert_ok(*state, fathom_flow_run(&one, *state, data, &options));
    fathom_data_free(data);
    assert_ok(*state, fathom_data_create(&data, *state, 4, 2, x, 2, 1, y, NULL, NULL));
    assert_ok(*state, fathom_flow_run(&two, *state, data, &options));
    fathom_data_free(data);
    assert_close(one.end.log_loss, two.end.log_loss, 1e3 * UNIT_ROUNDOFF);
    assert_close(one.end.norm, two.end.norm, 1e3 * UNIT_ROUNDOFF);
    fathom_flow_result_clear(&one);
    fathom_flow_result_clear(&two);
}

static void count_record(void *user, const fathom_flow_record *record)
{
    int64_t *last = user;
    assert_int_equal(record->steps, *last + 1);
    *last = record->steps;
}

/* Every step has one record, also the last one where it raised the loss. */
static void test_one_record(void **state)
{
    const double x[] = {1, 0.5, -0.3, 1, -1, 0.2}, y[] = {1, -1, 1};
    fathom_flow_options options = defaults();
    fathom_data *data;
    int64_t raised = 0;
    assert_ok(*state, fathom_data_create(&data, *state, 3, 2, x, 2, 1, y, NULL, NULL));
    options.step = "const:30", options.every = 1;
    for (int steps = 1; steps <= 20; steps++) {
        fathom_flow_result result;
        char until[32];
        int64_t last = -1, before = raised;
        snprintf(until, sizeof until, "steps=%d", steps);
        options.until = until;
        assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, count_record, &last));
        if (result.status == FATHOM_FLOW_REACHED)
            assert_int_equal(last, steps);
        raised = result.end.increases > before ? result.end.increases : before;
        fathom_flow_result_clear(&result);
    }
    assert_true(raised > 0);
    fathom_data_free(data);
}

/* A limit before the first measurement: the start is the result, and nothing is claimed of it. */
static void test_cut_at_start(void **state)
{
    (void)state;
    enum { METHODS = 3 };
    fathom_context *context[METHODS];
    fathom_data *data[METHODS];
    fathom_flow_result cut, start[METHODS];
    fathom_flow_options options = defaults();
    options.width = 600;
    for (int k = 0; k < METHODS; k++) {
        options.until = "steps=0";
        assert_int_equal(fathom_context_create(context + k, NULL), FATHOM_OK);
        assert_ok(context[k],
                  fathom_data_open(data + k, context[k], "gen:gauss,n=2000,d=3,target=sign", NULL));
        assert_ok(context[k], fathom_flow_run(start + k, context[k], data[k], &options));
        fathom_context_set_time_limit(context[k], 1e-9);
    }
    usleep(1300000); /* beyond the limit for so long that passes are given up */
    for (int k = 0; k < METHODS; k++) {
        options.until = NULL, options.method = k;
        assert_ok(context[k], fathom_flow_run(&cut, context[k], data[k], &options));
        assert_int_equal(cut.status, FATHOM_FLOW_LIMIT);
        assert_true(cut.end.steps == 0 && isnan(cut.end.log_loss) && isnan(cut.end.norm) && cut.net);
        assert_same_weights(cut.net, start[k].net);
        fathom_flow_result_clear(&cut);
        fathom_flow_result_clear(start + k);
        fathom_data_free(data[k]);
        fathom_context_free(context[k]);
    }
}

/* A limit before the start of a wide network: a result without one, for every kind and method. */
static void test_cut_before_start(void **state)
{
    (void)state;
    static const char *const kind[] = {"relu", "leaky", "huber", "scalar", "gated"};
    enum { RUNS = 15 };
    fathom_context *context[RUNS];
    fathom_data *data[RUNS];
    for (int k = 0; k < RUNS; k++) {
        assert_int_equal(fathom_context_create(context + k, NULL), FATHOM_OK);
        assert_ok(context[k], fathom_data_open(data + k, context[k], "gen:gauss,n=6,d=3,target=sign", NULL));
        fathom_context_set_time_limit(context[k], 1e-9);
    }
    usleep(1300000);
    for (int k = 0; k < RUNS; k++) {
        fathom_flow_options options = defaults();
        fathom_flow_result cut;
        options.width = 100000, options.net = kind[k / 3], options.method = k % 3;
        if (k / 3 == 2 && options.method == FATHOM_FLOW_FLOW) /* huber networks have no flow */
            options.method = FATHOM_FLOW_GD;
        assert_ok(context[k], fathom_flow_run(&cut, context[k], data[k], &options));
        assert_int_equal(cut.status, FATHOM_FLOW_LIMIT);
        assert_true(!cut.net && cut.end.steps == 0 && isnan(cut.end.log_loss) && isnan(cut.end.norm));
        assert_string_equal(cut.reason, "time limit before the start was made");
        fathom_flow_result_clear(&cut);
        fathom_data_free(data[k]);
        fathom_context_free(context[k]);
    }
}

/* Weights at the start of a wide network are the numbers of their indices, whatever the threads. */
static void test_wide_start(void **state)
{
    fathom_data *data;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:gauss,n=2,d=3,target=sign", NULL));
    const uint64_t seed = fathom_context_seed(*state);
    for (int k = 0; k < 6; k++) {
        fathom_flow_options options = defaults();
        fathom_flow_result result;
        options.width = 50001, options.until = "steps=0", options.init = k < 3 ? NULL : "normal:0.25";
        fathom_context_set_threads(*state, 1 + k % 3);
        assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
        const fathom_net_weights w = fathom_net_lend(result.net);
        for (int64_t l = 0; l < 3 * 50001; l += 1 + l % 7) {
            const double z = fathom_random_normal(seed, FATHOM_STREAM_HIDDEN, 0, (uint64_t)l);
            assert_true(w.u[l] == (k < 3 ? z / sqrt(3) : 0.25 * z));
        }
        for (int64_t j = 0; j < 50001; j += 1 + j % 5)
            assert_true(w.w[j] ==
                        fathom_random_normal(seed, FATHOM_STREAM_OUTPUT, 0, (uint64_t)j) / sqrt(50001));
        fathom_flow_result_clear(&result);
    }
    fathom_context_set_threads(*state, 1);
    fathom_data_free(data);
}

/* Scalar networks: |a_j| = |b_j| to the last bit, and neither changes its sign, however small they become. */
static void test_scalar_signs(void **state)
{
    (void)state;
    static const char *const spec[] = {"gen:parity,d=2,all=1", "gen:gauss,n=9,d=2,target=sign",
                                       "gen:gauss,n=12,d=3,target=sign"};
    for (int k = 0; k < 18; k++) { /* the last six: SGD, at steps that cannot jump over 0 */
        fathom_context *context;
        fathom_data *data;
        fathom_flow_options options = defaults();
        fathom_flow_result start, end;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_seed(context, (uint64_t)(k + 1));
        fathom_context_set_threads(context, 1);
        assert_ok(context, fathom_data_open(&data, context, spec[k % 3], NULL));
        options.net = "scalar", options.width = 8 + 4 * (k % 4), options.until = "steps=0";
        assert_ok(context, fathom_flow_run(&start, context, data, &options));
        options.method = k % 4 == 3 ? FATHOM_FLOW_GD : FATHOM_FLOW_FLOW, options.loss = k % 2;
        options.accuracy = k % 4 == 2 ? 2 : 1; /* reference */
        options.until = options.method == FATHOM_FLOW_GD ? "steps=3000" : "log_loss=-20,steps=1500";
        options.step = options.method == FATHOM_FLOW_GD ? "const:0.2" : NULL;
        if (k >= 12)
            options.method = FATHOM_FLOW_SGD, options.loss = 0, options.step = "const:0.1",
            options.until = "steps=20000";
        assert_ok(context, fathom_flow_run(&end, context, data, &options));
        const fathom_net_weights w0 = fathom_net_lend(start.net), w = fathom_net_lend(end.net);
        for (int64_t j = 0; j < options.width; j++)
            if (fabs(w.w[j]) != fabs(w.b[j]) || w.w[j] * w0.w[j] < 0 || w.b[j] * w0.b[j] < 0)
                fail_msg("run %d: unit %d is (%g, %g)", k, (int)j, w.w[j], w.b[j]);
        fathom_flow_result_clear(&start);
        fathom_flow_result_clear(&end);
        fathom_data_free(data);
        fathom_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_at_start), cmocka_unit_test(test_cut_before_start),
        cmocka_unit_test(test_wide_start),   cmocka_unit_test(test_scalar_signs),
        cmocka_unit_test(test_resume_alone), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_scales),       cmocka_unit_test(test_single),
        cmocka_unit_test(test_crossing),     cmocka_unit_test(test_resume_refused),
        cmocka_unit_test(test_climb),        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_checkpoint),   cmocka_unit_test(test_log),
        cmocka_unit_test(test_one_record),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
