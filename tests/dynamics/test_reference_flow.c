/* SPDX-License-Identifier: Apache-2.0 */
/* The event-locked method and its late phase by CVODE: against frozen duals, conserved quantities, plateaus, resumed runs. */
#include "dynamics_testing.h"

#include <unistd.h>

#include "random.h"

static fathom_flow_options options_for(const char *net, int64_t width, const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.method = FATHOM_FLOW_FLOW, options.net = net, options.width = width, options.until = until;
    options.accuracy = 2;
    return options;
}

static const char two[] = "gen:twogauss,n=30,d=3,mean=1.8,gap=0.3";

/* To ln R = -1e6: both methods arrive at the same margins and angles; the reference in chunks. */
static void test_late(void **state)
{
    fathom_flow_options options = options_for("leaky:0.2", 8, "log_loss=-1e6");
    fathom_flow_result reference, frozen;
    assert_ok(*state, run_on(&reference, *state, two, &options));
    options.accuracy = 1;
    assert_ok(*state, run_on(&frozen, *state, two, &options));
    assert_int_equal(reference.status, FATHOM_FLOW_REACHED);
    assert_true(reference.end.steps < 3000);
    assert_close(reference.end.log_loss, -1e6, 1e-3);
    assert_close(reference.end.normalized_margin, frozen.end.normalized_margin, 1e-8);
    assert_close(reference.end.limit_angle, frozen.end.limit_angle, 1e-2 * frozen.end.limit_angle + 1e-9);
    assert_close(reference.end.log_time, frozen.end.log_time, 1e-2);
    assert_true(reference.end.kkt_residual < 1e-8);
    fathom_flow_result_clear(&reference);
    fathom_flow_result_clear(&frozen);
}

/* The curve does not depend on where records are made or the run is interrupted, late or early. */
static void test_resume(void **state)
{
    static const char *const stop[] = {"log_loss=-3", "log_loss=-1000"};
    char path[64];
    snprintf(path, sizeof path, "/tmp/fathom-reference-%ld", (long)getpid());
    for (int k = 0; k < 2; k++) {
        fathom_flow_options options = options_for("leaky:0.2", 8, stop[k]);
        fathom_flow_result result;
        options.checkpoint = path;
        assert_ok(*state, run_on(&result, *state, two, &options));
        const int64_t steps = result.end.steps;
        fathom_flow_result_clear(&result);
        options.until = "log_loss=-5000", options.resume = path;
        assert_ok(*state, run_on(&result, *state, two, &options));
        assert_int_equal(result.status, FATHOM_FLOW_REACHED);
        assert_true(result.end.steps > steps);
        assert_close(result.end.log_loss, -5000, 1e-6);
        fathom_flow_result_clear(&result);
    }
    unlink(path);
}

/* a_j^2 - |v_j|^2 is conserved to the tolerance of the integrator, and the smoothed margin never falls. */
static void watch(void *user, const fathom_flow_record *r)
{
    double *top = user;
    if (r->log_loss < log(log(2) / 16)) {
        assert_true(r->smoothed_normalized_margin >= *top);
        *top = r->smoothed_normalized_margin;
    }
    assert_true(r->balance < 1e-10 * r->norm * r->norm);
}

static void test_laws(void **state)
{
    fathom_flow_options options = options_for("relu", 12, "log_loss=-30");
    fathom_flow_result result;
    fathom_data *data;
    double top = -INFINITY;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:parity,d=4,all=1", NULL));
    assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, watch, &top));
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* No ReLU network classifies the cube: the run says that the loss no longer falls. */
static void test_plateau(void **state)
{
    for (int accuracy = 1; accuracy < 3; accuracy++) {
        fathom_flow_options options = options_for("relu", 16, "log_loss=-10");
        fathom_flow_result result;
        options.accuracy = accuracy;
        assert_ok(*state, run_on(&result, *state, "gen:cube,d=3", &options));
        assert_int_equal(result.status, FATHOM_FLOW_STUCK);
        fathom_flow_result_clear(&result);
    }
}

/* Examples on few hyperplanes: row i is a multiple of one of N / 3 Gaussian directions, from either side,
 * with any label; or parity samples, in which rows repeat and come with their opposite. */
static void draw_parallel(double *x, double *y, int64_t n, int64_t d, bool parity, uint32_t seed)
{
    static const double factor[] = {1, -1, 1, 2, -0.5};
    double unit[64];
    for (int64_t i = 0; i < n; i++) {
        fathom_random_normals(unit, d, seed, FATHOM_STREAM_DATA, 0, (uint64_t)(parity ? i : i % (n / 3)) * 8);
        for (int64_t k = 0; k < d; k++)
            x[i * d + k] = parity ? (unit[k] > 0 ? 1 : -1) / sqrt((double)d) : factor[i % 5] * unit[k];
        y[i] = parity ? (x[i * d] * x[i * d + 1] > 0 ? 1 : -1)
                      : fathom_random_sign(seed, FATHOM_STREAM_LABEL, 0, (uint64_t)i);
    }
}

/* A network as plain arrays, moved by steps of length h along the gradient of the smoothed margin: sums over
 * examples, one by one. */
typedef struct twin {
    int64_t n, d, m;
    const double *x, *y;
    double v[256], a[32], dv[256], da[32], p[64];
    double log_loss;
} twin;

static void twin_field(twin *t)
{
    double sum = 0, slope[64], mass = 0;
    memset(t->dv, 0, sizeof t->dv), memset(t->da, 0, sizeof t->da);
    for (int64_t i = 0; i < t->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < t->m; j++) {
            double z = 0;
            for (int64_t k = 0; k < t->d; k++)
                z += t->v[j * t->d + k] * t->x[i * t->d + k];
            f += z > 0 ? t->a[j] * z : 0;
        }
        t->p[i] = t->y[i] * f;
        sum += log1p(exp(-t->p[i]));
        slope[i] = 1 / (1 + exp(t->p[i]));
    }
    mass = -expm1(-sum); /* |l'| at the smoothed margin */
    t->log_loss = log(sum / (double)t->n);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = 0; j < t->m; j++) {
            double z = 0;
            const double q = slope[i] / mass * t->y[i];
            for (int64_t k = 0; k < t->d; k++)
                z += t->v[j * t->d + k] * t->x[i * t->d + k];
            if (!(z > 0))
                continue;
            t->da[j] += q * z;
            for (int64_t k = 0; k < t->d; k++)
                t->dv[j * t->d + k] += q * t->a[j] * t->x[i * t->d + k];
        }
}

/* Until ln R = target; the last step is cut by interpolation. */
static void twin_run(twin *t, double h, double target)
{
    twin_field(t);
    for (int64_t step = 0; t->log_loss > target && step < 4000000; step++) {
        const twin before = *t;
        for (int64_t k = 0; k < t->m * t->d; k++)
            t->v[k] += h * t->dv[k];
        for (int64_t j = 0; j < t->m; j++)
            t->a[j] += h * t->da[j];
        twin_field(t);
        const double part = (before.log_loss - target) / (before.log_loss - t->log_loss);
        for (int64_t k = 0; t->log_loss < target && k < t->m * t->d; k++)
            t->v[k] = before.v[k] + part * (t->v[k] - before.v[k]);
        for (int64_t j = 0; t->log_loss < target && j < t->m; j++)
            t->a[j] = before.a[j] + part * (t->a[j] - before.a[j]);
    }
}

static void take_net(twin *t, fathom_net *net)
{
    const fathom_net_weights w = fathom_net_lend(net);
    memcpy(t->v, w.u, (size_t)(t->m * t->d) * sizeof(double));
    memcpy(t->a, w.w, (size_t)t->m * sizeof(double));
}

static double twin_distance(const twin *t, fathom_net *net)
{
    const fathom_net_weights w = fathom_net_lend(net);
    double sum = 0, size = 0;
    for (int64_t k = 0; k < t->m * t->d; k++)
        sum += pow(t->v[k] - w.u[k], 2), size += w.u[k] * w.u[k];
    for (int64_t j = 0; j < t->m; j++)
        sum += pow(t->a[j] - w.w[j], 2), size += w.w[j] * w.w[j];
    return sqrt(sum / size);
}

/* Parallel rows are one hyperplane: both methods follow the curve to which small steps over single examples
 * converge. */
static void test_parallel(void **state)
{
    skip_if_brief();
    enum { N = 30, D = 5, M = 12 };
    int64_t compared = 0;
    for (uint32_t trial = 0; trial < 2 * test_trials(3); trial++) {
        double x[N * D], y[N];
        fathom_data *data;
        fathom_flow_result start, result;
        twin t = {.n = N, .d = D, .m = M, .x = x, .y = y};
        const double fall = trial % 2 ? 2.5 : 0.3;
        draw_parallel(x, y, N, D, trial % 2, 7 + trial);
        fathom_flow_options options = options_for("relu", M, "steps=0");
        assert_ok(*state, fathom_data_create(&data, *state, N, D, x, D, 1, y, NULL, NULL));
        assert_ok(*state, fathom_flow_run(&start, *state, data, &options));
        char until[64];
        snprintf(until, sizeof until, "log_loss=%.17g", start.end.log_loss - fall);
        options.until = until;
        for (options.accuracy = 1; options.accuracy < 3; options.accuracy++) {
            assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
            if (result.status == FATHOM_FLOW_REACHED && result.nonunique == 0) {
                take_net(&t, start.net);
                twin_run(&t, 2e-4, start.end.log_loss - fall);
                assert_true(twin_distance(&t, result.net) < 6e-4);
                compared++;
            } else
                assert_true(result.status == FATHOM_FLOW_REACHED || result.status == FATHOM_FLOW_STUCK);
            fathom_flow_result_clear(&result);
        }
        fathom_flow_result_clear(&start);
        fathom_data_free(data);
    }
    assert_true(compared >= 2 * test_trials(3)); /* the six of an ordinary run */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_late), cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_laws), cmocka_unit_test(test_plateau),
                                       cmocka_unit_test(test_parallel)};
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
