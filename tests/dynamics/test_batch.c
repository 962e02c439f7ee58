/* SPDX-License-Identifier: Apache-2.0 */
/* More outputs than one: steps against the gradients of the model layer, softmax of two classes against one output. */
#include "dynamics_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "inner/data.h"
#include "random.h"

enum { N = 7, D = 4, O = 3, M = 11 };
static const char *const nets[] = {"relu", "leaky:0.3", "huber:0.5", "scalar", "gated"};
static const char *const inits[] = {"normal:1", "normal:1", "normal:1", "pytorch", "normal:1"};

static const double x[N * D] = {0.3, -1.2, 0.7, 1, 1.4,  0.2, -0.6, 1,   -0.9, 0.8, 0.5,  1,    0.1, 1.1,
                                0.4, 1,    -1,  0, 0.25, 1,   0.6,  0.6, -1.3, 1,   -0.2, -0.7, 1.9, 1};
static const double classes[N] = {0, 1, 2, 2, 0, 1, 0};
static const double weights[N] = {1, 2, 0.5, 1, 3, 0.25, 1};
static const double vectors[N * O] = {0.1,  -2, 0.3, 1, 0.5, 0, -1, 1, 2,   0.7, 0.2,
                                      -0.4, 1,  1,   1, 0,   3, -1, 2, 0.5, 0.25};

static fathom_flow_options options_of(int net, int train, int method, const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = nets[net], options.init = inits[net], options.width = M, options.train = train;
    options.method = method, options.until = until, options.step = "const:0.5";
    return options;
}

static fathom_data *data_of(fathom_context *context, bool numbers, int64_t n)
{
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, n, D, x, D, numbers ? O : 1,
                                          numbers ? vectors : classes, weights, NULL));
    return data;
}

/* The trained parameters of a network in one array; `out` holds M (D + 1) + M O D. */
static int64_t gather(double *out, const fathom_net_shape *shape, fathom_net_weights w, bool first,
                      bool output)
{
    const bool gated = shape->kind == FATHOM_NET_GATED, scalar = shape->kind == FATHOM_NET_SCALAR;
    const struct {
        const double *value;
        int64_t count;
    } part[] = {{w.u, first && !gated && !scalar ? shape->m * shape->d : 0},
                {w.b, first && (shape->hidden_bias || scalar) ? shape->m : 0},
                {w.w, gated    ? shape->m * shape->outputs * shape->d
                      : output ? shape->m * shape->outputs
                               : 0}};
    int64_t count = 0;
    for (int k = 0; k < 3; k++)
        for (int64_t l = 0; l < part[k].count; l++)
            out[count++] = part[k].value[l];
    return count;
}

/* The gradient of the mean loss at `net` by the model layer. */
static int64_t gradient_of(double *out, fathom_context *context, const fathom_net *net, fathom_data *data,
                           bool numbers, bool first, bool output)
{
    const fathom_net_shape shape = fathom_net_look(net);
    fathom_net *holder;
    const double *y = vectors;
    int64_t outputs = O;
    if (!numbers)
        assert_ok(context, fathom_data_code_classes(&y, &outputs, data));
    assert_int_equal(outputs, O);
    assert_ok(context, fathom_net_create(&holder, context, &shape));
    fathom_net_weights gradient = fathom_net_lend(holder);
    gradient.v = gradient.rho = NULL;
    assert_ok(context, fathom_net_gradient(NULL, &gradient, net, data, y,
                                           numbers ? FATHOM_LOSS_SQUARED : FATHOM_LOSS_SOFTMAX, true));
    const int64_t count = gather(out, &shape, fathom_net_lend(holder), first, output);
    fathom_net_free(holder);
    return count;
}

/* One step of 1/2 is half the gradient by fathom_net_gradient, for every family, part and loss, examples weighted. */
static void test_step(void **state)
{
    for (int c = 0; c < 5 * 3 * 2; c++) {
        const int net = c / 6, train = 1 + c / 2 % 3;
        const bool numbers = c % 2, first = train != FATHOM_FLOW_TRAIN_OUTPUT, output = train > 1;
        fathom_flow_result start, end;
        double g[M * (D + 1) + M * O * D], before[M * (D + 1) + M * O * D], after[M * (D + 1) + M * O * D];
        if (net == 4 && output)
            continue;
        fathom_data *data = data_of(*state, numbers, N);
        fathom_flow_options options = options_of(net, train, FATHOM_FLOW_GD, "steps=0");
        options.loss = numbers ? 2 : 0;
        assert_ok(*state, fathom_flow_run(&start, *state, data, &options));
        options.until = "steps=1";
        assert_ok(*state, fathom_flow_run(&end, *state, data, &options));
        const int64_t count = gradient_of(g, *state, start.net, data, numbers, first, output);
        const fathom_net_shape shape = fathom_net_look(start.net);
        assert_int_equal(gather(before, &shape, fathom_net_lend(start.net), first, output), count);
        gather(after, &shape, fathom_net_lend(end.net), first, output);
        double largest = 0;
        for (int64_t k = 0; k < count; k++)
            largest = fmax(largest, fabs(g[k]) + fabs(before[k]));
        assert_true(largest > 0);
        for (int64_t k = 0; k < count; k++) /* a sum over N examples of products over D, O and M */
            assert_close(after[k], before[k] - g[k] / 2, (N + D + O + M) * UNIT_ROUNDOFF * largest);
        fathom_flow_result_clear(&start);
        fathom_flow_result_clear(&end);
        fathom_data_free(data);
    }
}

/* On a single example SGD is gradient descent; vectors, since one example has one class. */
static void test_single_example(void **state)
{
    fathom_data *data = data_of(*state, true, 1);
    for (int c = 0; c < 5 * 3; c++) {
        fathom_flow_result gd, sgd;
        if (c > 12)
            continue;
        fathom_flow_options options = options_of(c / 3, 1 + c % 3, FATHOM_FLOW_GD, "steps=40");
        options.step = "const:0.02", options.loss = 2;
        assert_ok(*state, fathom_flow_run(&gd, *state, data, &options));
        options.method = FATHOM_FLOW_SGD;
        assert_ok(*state, fathom_flow_run(&sgd, *state, data, &options));
        assert_true(gd.end.distance > 0);
        assert_close(sgd.end.norm, gd.end.norm, 1e-12 * gd.end.norm);
        assert_close(sgd.end.distance, gd.end.distance, 1e-12 * gd.end.norm);
        fathom_flow_result_clear(&gd);
        fathom_flow_result_clear(&sgd);
    }
    fathom_data_free(data);
}

/* Two one-hot columns: a block of units with weight V for each output is +V and -V on one, and softmax is logistic. */
static void test_two_classes(void **state)
{
    const double one_hot[] = {1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0}, sign[] = {1, -1, -1, 1, -1, 1, 1};
    for (int method = FATHOM_FLOW_GD; method <= FATHOM_FLOW_SGD; method++) {
        fathom_data *two, *one;
        fathom_flow_result softmax, logistic;
        assert_ok(*state, fathom_data_create(&two, *state, N, D, x, D, 2, one_hot, weights, NULL));
        assert_ok(*state, fathom_data_create(&one, *state, N, D, x, D, 1, sign, weights, NULL));
        fathom_flow_options options = options_of(1, FATHOM_FLOW_TRAIN_FIRST, method, "steps=4000");
        options.output_weights = "fixed:0.4";
        assert_ok(*state, fathom_flow_run(&softmax, *state, two, &options));
        assert_ok(*state, fathom_flow_run(&logistic, *state, one, &options));
        const fathom_flow_record *s = &softmax.end, *l = &logistic.end;
        const double tolerance =
            4000 * (D + M) * UNIT_ROUNDOFF; /* a rounding of each product, step by step */
        assert_int_equal(softmax.loss, FATHOM_LOSS_SOFTMAX);
        assert_close(s->log_loss, l->log_loss, tolerance);
        assert_close(s->margin, l->margin, tolerance);
        assert_close(s->smoothed_normalized_margin, l->smoothed_normalized_margin, tolerance);
        assert_close(s->log_gradient, l->log_gradient, 10 * tolerance);
        assert_close(s->kkt_residual, l->kkt_residual, 10 * tolerance);
        assert_close(s->kkt_slack, l->kkt_slack, 10 * tolerance);
        assert_true(s->accuracy == l->accuracy && s->activation_changes == l->activation_changes);
        assert_true(isnan(s->cluster_ratio) && s->nar == -1 && isnan(s->lemma6));
        fathom_flow_result_clear(&softmax);
        fathom_flow_result_clear(&logistic);
        fathom_data_free(two);
        fathom_data_free(one);
    }
}

/* Lemma 8's steps far below the smallest double. Each class has its axis and its unit, V = 900 I, A = I: all margins are
 * equal, and ln R falls in every step. */
static void test_log_space(void **state)
{
    const double axes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, label[] = {0, 1, 2};
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_HUBER, .d = 3, .m = 3, .outputs = 3, .parameter = 0.5, .hidden_bias = true};
    fathom_flow_options options = options_of(2, FATHOM_FLOW_TRAIN_FIRST, FATHOM_FLOW_GD, "steps=300");
    fathom_flow_result result;
    fathom_data *data;
    fathom_net *net;
    assert_ok(*state, fathom_data_create(&data, *state, 3, 3, axes, 3, 1, label, NULL, NULL));
    assert_ok(*state, fathom_net_create(&net, *state, &shape));
    for (int k = 0; k < 3; k++)
        fathom_net_lend(net).u[4 * k] = 900, fathom_net_lend(net).w[4 * k] = 1;
    options.step = "lemma8", options.width = 3;
    assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, net, NULL, NULL));
    const fathom_flow_record *r = &result.end;
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    assert_int_equal(r->increases, 0);
    assert_true(r->margin > 900 && r->accuracy == 1);
    /* l_i = ln(1 + 2 e^-p), to rounding 2 e^-p, on all three. */
    assert_close(r->log_loss, log(2) - r->margin, 16 * UNIT_ROUNDOFF * r->margin);
    assert_close(r->kkt_slack, 0, 16 * UNIT_ROUNDOFF);
    fathom_flow_result_clear(&result);
    fathom_net_free(net);
    fathom_data_free(data);
}

/* |a_j|^2 - |v_j|^2 is conserved by the flow: descent drifts in proportion to its step. */
static void test_balance(void **state)
{
    fathom_data *data = data_of(*state, false, N);
    double drift[2];
    for (int half = 0; half < 2; half++) {
        fathom_flow_result result;
        fathom_flow_options options = options_of(0, FATHOM_FLOW_TRAIN_BOTH, FATHOM_FLOW_GD, "time=1");
        options.step = half ? "const:0.0005" : "const:0.001";
        assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
        drift[half] = result.end.balance;
        fathom_flow_result_clear(&result);
    }
    assert_true(drift[1] > 0);
    assert_close(drift[0] / drift[1], 2, 0.02);
    fathom_data_free(data);
}

static void assert_same(const fathom_flow_result *left, const fathom_flow_result *right)
{
    const fathom_net_shape shape = fathom_net_look(left->net);
    const int64_t parts = shape.kind == FATHOM_NET_GATED ? shape.d : 1;
    assert_int_equal(shape.outputs, O);
    assert_memory_equal(fathom_net_lend(left->net).w, fathom_net_lend(right->net).w,
                        (size_t)(shape.m * O * parts) * sizeof(double));
    assert_true(left->end.norm == right->end.norm && left->end.log_loss == right->end.log_loss);
}

/* A run in two parts, through a checkpoint or through the network itself, takes the steps of the whole bit for bit. */
static void test_parts(void **state)
{
    fathom_data *data = data_of(*state, false, N);
    char path[64];
    snprintf(path, sizeof path, "/tmp/fathom-classes-%ld", (long)getpid());
    for (int c = 0; c < 10; c++) {
        fathom_flow_result whole, part, rest;
        fathom_flow_options options = options_of(c / 2, 0, c % 2, "steps=70");
        assert_ok(*state, fathom_flow_run(&whole, *state, data, &options));
        options.until = "steps=28", options.checkpoint = path; /* four epochs */
        assert_ok(*state, fathom_flow_run(&part, *state, data, &options));
        options.until = "steps=70", options.resume = path;
        assert_ok(*state, fathom_flow_run(&rest, *state, data, &options));
        assert_same(&whole, &rest);
        fathom_flow_result_clear(&rest);
        options.until = "steps=42", options.resume = options.checkpoint = NULL;
        if (c % 2 == FATHOM_FLOW_GD) { /* SGD would begin with the first permutation again */
            assert_ok(*state, fathom_flow_watch(&rest, *state, data, &options, part.net, NULL, NULL));
            assert_same(&whole, &rest);
            fathom_flow_result_clear(&rest);
        }
        fathom_flow_result_clear(&whole);
        fathom_flow_result_clear(&part);
        unlink(path);
    }
    fathom_data_free(data);
}

/* What more than two classes do not have, and a network that does not fit. */
static void test_refused(void **state)
{
    fathom_data *data = data_of(*state, false, N);
    fathom_flow_result result, binary;
    fathom_flow_options options = options_of(0, 0, FATHOM_FLOW_FLOW, "steps=1");
    options.step = NULL;
    assert_int_equal(fathom_flow_run(&result, *state, data, &options), FATHOM_ERROR_USAGE);
    for (int loss = 1; loss <= 3; loss += 2) { /* exponential, hinge */
        options = options_of(0, 0, FATHOM_FLOW_GD, "steps=1");
        options.loss = loss;
        assert_int_equal(fathom_flow_run(&result, *state, data, &options), FATHOM_ERROR_USAGE);
    }
    options = options_of(4, FATHOM_FLOW_TRAIN_BOTH, FATHOM_FLOW_GD, "steps=1");
    assert_int_equal(fathom_flow_run(&result, *state, data, &options), FATHOM_ERROR_USAGE);
    options = options_of(0, 0, FATHOM_FLOW_GD, "steps=1");
    assert_ok(*state, run_on(&binary, *state, "gen:gauss,n=5,d=4,target=sign", &options));
    assert_int_equal(fathom_flow_watch(&result, *state, data, &options, binary.net, NULL, NULL),
                     FATHOM_ERROR_INPUT);
    fathom_flow_result_clear(&binary);
    fathom_data_free(data);
}

/* Data and weights of one case of test_tiles: drawn, a few zeros among them. */
static void fill(double *value, int64_t count, uint32_t stream)
{
    fathom_random_normals(value, count, 77, stream, 0, 0);
    for (int64_t k = 0; k < count; k += 17)
        value[k] = 0;
}

/* Loss, outputs and gradients by tiles are those of all pairs: to rounding beside the whole, bit for bit beside other
 * numbers of threads; pairs that changed are counted alike. Widths and numbers of examples beside the tiles' sizes. */
static void test_tiles(void **state)
{
    static const struct {
        int64_t n, m;
        const char *net;
        int train;
    } shape[] = {
        {5, 2051, "relu", FATHOM_FLOW_TRAIN_BOTH},         {131, 1024, "leaky:0.2", FATHOM_FLOW_TRAIN_BOTH},
        {260, 1030, "huber:0.5", FATHOM_FLOW_TRAIN_FIRST}, {7, 3000, "scalar", FATHOM_FLOW_TRAIN_BOTH},
        {130, 1500, "gated", FATHOM_FLOW_TRAIN_FIRST},     {129, 1025, "relu", FATHOM_FLOW_TRAIN_OUTPUT}};
    for (size_t c = 0; c < sizeof shape / sizeof *shape; c++) {
        const int64_t n = shape[c].n, m = shape[c].m, d = 3;
        double *points = malloc((size_t)(n * (d + 1)) * sizeof(double)), *targets = points + n * d;
        fill(points, n * (d + 1), (uint32_t)c);
        for (int64_t i = 0; i < n; i++)
            targets[i] = i % 3 ? 1 : -1;
        dynamics_batch found[3];
        int64_t changes[3];
        dynamics_case whole;
        for (int k = 0; k < 3; k++) { /* all pairs; tiles on one thread and on three */
            dynamics_case t;
            case_begin(&t, *state);
            t.options.net = shape[c].net, t.options.width = m, t.options.train = shape[c].train;
            t.options.method = FATHOM_FLOW_GD, t.options.init = c == 3 ? "pytorch" : "normal:1";
            fathom_context_set_threads(*state, k == 2 ? 3 : 1);
            assert_ok(*state, fathom_data_create(&t.data, *state, n, d, points, d, 1, targets, NULL, NULL));
            assert_ok(*state, fathom_dynamics_problem_create(&t.problem, *state, t.data, &t.options));
            assert_false(t.problem.tiled);
            t.problem.tiled = k > 0;
            t.run = (dynamics_run){.problem = &t.problem, .result = &t.result, .log = -1};
            t.result = (fathom_flow_result){.end = {.steps = -1}};
            assert_ok(*state, fathom_dynamics_state_create(&t.run.state, &t.problem));
            assert_ok(*state, fathom_dynamics_state_create(&t.run.good, &t.problem));
            assert_ok(*state, fathom_dynamics_batch_create(&t.run.batch, &t.problem));
            assert_ok(*state, fathom_dynamics_init(&t.problem, &t.run.state));
            assert_true((t.problem.gate == NULL) == (k > 0 || c < 3 || c == 5));
            for (int64_t j = 0; j < t.problem.m * t.problem.h; j += 5)
                t.run.state.hidden[j] *= -0.5;
            fathom_flow_record record;
            fathom_dynamics_monitor(&record, &t.run);
            changes[k] = record.activation_changes;
            dynamics_batch *batch = &t.run.batch;
            assert_ok(*state, fathom_dynamics_forward(batch, &t.problem, &t.run.state, FATHOM_SLOPE_MEAN));
            assert_ok(*state, fathom_dynamics_backward(batch, &t.problem, &t.run.state));
            found[k] = *batch;
            t.run.batch = (dynamics_batch){
                .z = batch->z, .work = batch->work, .tile = batch->tile, .part = batch->part};
            if (k == 0)
                whole = t;
            else
                case_close(&t);
        }
        assert_int_equal(changes[0], changes[1]);
        assert_int_equal(changes[0], changes[2]);
        assert_true(changes[0] > 0 || c >= 4);
        const int64_t size[] = {n, n, whole.problem.plan.first ? m * whole.problem.h : 0,
                                whole.problem.plan.output ? m : 0};
        for (int part = 0; part < 4; part++) {
            const double *value[3];
            double largest = 0;
            for (int k = 0; k < 3; k++)
                value[k] = part == 0   ? found[k].f
                           : part == 1 ? found[k].slope
                           : part == 2 ? found[k].hidden
                                       : found[k].output;
            for (int64_t k = 0; k < size[part]; k++)
                largest = fmax(largest, fabs(value[0][k]));
            for (int64_t k = 0; k < size[part]; k++)
                assert_close(value[1][k], value[0][k], (double)(m + n) * UNIT_ROUNDOFF * (1 + largest));
            assert_memory_equal(value[1] ? value[1] : value[0], value[2] ? value[2] : value[0],
                                (size_t)size[part] * sizeof(double));
        }
        for (int k = 0; k < 3; k++) {
            found[k].z = found[k].work = found[k].tile = found[k].part = NULL;
            fathom_dynamics_batch_free(found + k, *state);
        }
        case_close(&whole);
        free(points);
    }
    fathom_context_set_threads(*state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),        cmocka_unit_test(test_single_example),
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_log_space),
        cmocka_unit_test(test_balance),     cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
