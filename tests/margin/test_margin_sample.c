/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling against closed forms: unbiased averages over circles, and intervals that hold the truth. */
#include "margin_cases.h"

#include "fathom/margin.h"
#include "margin_circle.h"

static fathom_margin_points points_of(const margin_case *c)
{
    return (fathom_margin_points){
        .n = c->n, .d = c->d, .columns = c->d, .x = c->x, .y = c->y, .z = c->z, .radius = 1 + 0x1p-40};
}

/* In the plane every great circle is the whole circle: one of them gives the exact averages. */
static void plane_is_exact(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(20); seed++) {
        margin_case c = case_portable(9, 2, seed);
        double q[9], slope[9] = {0}, sum = 0;
        portable g = {.state = seed};
        for (int i = 0; i < 9; i++)
            sum += q[i] = portable_uniform(&g);
        for (int i = 0; i < 9; i++)
            q[i] /= sum;
        const fathom_margin_points points = points_of(&c);
        const fathom_circle_plan plan = {&points, q, 1e-3, 0, slope, 1, false, NULL};
        fathom_circle_sums sums;
        fathom_margin_gates gates;
        assert_ok(context, fathom_circle_sums_create(&sums, context, 9));
        assert_ok(context, fathom_circle_sample(&sums, context, &plan, 0, 3));
        assert_ok(context, fathom_margin_arcs(&gates, context, 9, c.x));
        const fathom_margin_problem p = {9, 2, gates.m, 1, c.z, gates.bits, gates.rho, NULL, NULL};
        double least, value, *w = calloc((size_t)(2 * gates.m), sizeof *w);
        for (int64_t j = 0; j < gates.m; j++) { /* the smoothed map on every arc */
            double s[2] = {0, 0};
            for (int i = 0; i < 9; i++)
                for (int k = 0; k < 2; k++)
                    s[k] += gates.bits[j] >> i & 1 ? q[i] * c.z[2 * i + k] : 0;
            for (int k = 0; k < 2; k++)
                w[2 * j + k] = s[k] / sqrt(s[0] * s[0] + s[1] * s[1] + 1e-6);
        }
        plain_sides(&least, &value, &p, q, w);
        double lowest = INFINITY;
        for (int i = 0; i < 9; i++)
            lowest = fmin(lowest, sums.plain[i] / 3);
        assert_int_equal(sums.count, 3);
        /* each of 18 arcs carries the rounding of two angles, and v(S) amplifies S by at most 1 / mu */
        assert_close(sums.s / 3, value, 1000 * UNIT_ROUNDOFF);
        assert_close(lowest, least, 1000 * UNIT_ROUNDOFF / 1e-3);
        free(w);
        fathom_margin_gates_free(context, &gates);
        fathom_circle_sums_free(&sums, context);
        case_free(&c);
    }
    fathom_context_free(context);
}

/* (K q)_i is the expectation of Y_i: orthonormal points have K = I / 2. 4000 circles, |Y_i| <= q_i: by Hoeffding a
 * deviation beyond 0.08 q_i has probability below 2 exp(-4000 x 0.08^2 / 2) = 6e-6 for each of 4 points; the seed is fixed. */
static void kernel_is_the_expectation(void **state)
{
    (void)state;
    margin_case c = case_create(4, 4);
    memset(c.x, 0, 16 * sizeof(double));
    for (int i = 0; i < 4; i++) {
        c.x[5 * i] = 1;
        c.y[i] = i % 2 ? 1 : -1;
    }
    case_sign(&c);
    const double q[4] = {0.1, 0.2, 0.3, 0.4}, slope[4] = {0};
    const fathom_margin_points points = points_of(&c);
    const fathom_circle_plan plan = {&points, q, 1e-3, 0, slope, 1, false, NULL};
    double centred[2][4];
    for (int run = 0; run < 2; run++) {
        fathom_context *context;
        fathom_circle_sums sums;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_threads(context, 1 + 2 * run);
        assert_ok(context, fathom_circle_sums_create(&sums, context, 4));
        assert_ok(context, fathom_circle_sample(&sums, context, &plan, 0, 4000));
        for (int i = 0; i < 4; i++)
            assert_close(sums.y[i] / 4000, q[i] / 2, 0.08 * q[i]);
        memcpy(centred[run], sums.z, sizeof centred[run]);
        fathom_circle_sums_free(&sums, context);
        fathom_context_free(context);
    }
    assert_memory_equal(centred[0], centred[1], sizeof centred[0]); /* one thread and three: the same bits */
    case_free(&c);
}

/* The parity cube in R^4, gamma = (2 + sqrt 3) / 24, at confidence 0.999: of 8 seeds more than 3 miss with probability
 * below 70 * 1e-12. */
static void intervals_cover(void **state)
{
    (void)state;
    const double truth = (2 + sqrt(3.0)) / 24;
    const int64_t trials = 8;
    int64_t missed = 0;
    margin_case c = case_parity(4, 2, 0.5);
    for (int64_t seed = 1; seed <= trials; seed++) {
        fathom_context *context;
        fathom_data *data;
        fathom_margin_result *result;
        fathom_margin_options options;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_seed(context, (uint64_t)seed);
        fathom_options_init(&options, &fathom_margin_option_table);
        options.method = FATHOM_MARGIN_SAMPLE;
        options.confidence = 0.999;
        options.samples = 60000;
        options.gap = 1e-3;
        assert_ok(context, fathom_data_create(&data, context, c.n, c.d, c.x, c.d, 1, c.y, NULL, NULL));
        assert_ok(context, fathom_margin(&result, context, data, &options));
        const fathom_margin_view view = fathom_margin_look(result);
        missed += !(view.lower <= truth && truth <= view.upper);
        assert_false(view.exact);
        assert_true(view.confidence == 0.999);
        assert_true(view.samples <= options.samples);
        assert_true(view.upper - view.lower < 0.2 * truth);
        fathom_margin_free(result);
        fathom_data_free(data);
        fathom_context_free(context);
    }
    assert_true(missed <= 3);
    case_free(&c);
}

/* g(0) = B(0) and g(1): reference values (tests/README.md), printed to 16 digits; the quadrature's tail and steps
 * cost less than 1e-13. */
static void table_of_both_layers(void **state)
{
    (void)state;
    const struct {
        int64_t d;
        double zero, one;
    } cases[] = {{2, 0.5965344602406745, 1.0242964721392975},
                 {3, 0.6027457671206128, 1.0698501455750709},
                 {8, 0.6136851964885055, 1.1285063826371085}};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_full_table table;
        double a, b;
        assert_ok(context, fathom_full_table_create(&table, context, cases[k].d));
        fathom_full_look_up(&a, &b, &table, 1);
        assert_close(a + b, cases[k].one, 1e-12);
        fathom_full_look_up(&a, &b, &table, 0);
        assert_close(b, cases[k].zero, 1e-12 + table.error);
        assert_true(table.error < 1e-6);
        fathom_full_table_free(&table, context);
    }
    fathom_context_free(context);
}

/* E |a| 1[r^2 + a^2 < 4], r = chi_d / sqrt(d), by Simpson's rule: a is integrated in closed form. */
static double plain_zero(int64_t d)
{
    enum { STEPS = 20000 };
    const double half = (double)d / 2, pi = acos(-1), log_k = log(2) + half * log(half) - lgamma(half);
    double total = 0;
    for (int k = 1; k < STEPS;
         k++) { /* r = 2 sin t: both ends vanish or are smooth; at t = 0 only d = 1 is not 0 */
        const double t = pi / 2 * k / STEPS, r = 2 * sin(t), end = 2 * cos(t);
        total += (k % 2 ? 4 : 2) * end * exp(log_k + (double)(d - 1) * log(r) - half * r * r) * sqrt(2 / pi) *
                 (1 - exp(-end * end / 2));
    }
    if (d == 1)
        total += 2 * exp(log_k) * sqrt(2 / pi) * (1 - exp(-2.0));
    return total * pi / 2 / STEPS / 3;
}

/* The same integral in every dimension, with E r^2 1[..] + E a^2 1[..] <= 2 and near it where |w| < 2 is likely. */
static void table_of_many_dimensions(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t d = 1; d <= 1024; d *= 4) {
        fathom_full_table table;
        double a, b;
        assert_ok(context, fathom_full_table_create(&table, context, d));
        fathom_full_look_up(&a, &b, &table, 0);
        assert_close(b, plain_zero(d), 1e-11 + table.error); /* Simpson's error is below 1e-11 */
        assert_true(table.error < 1e-6 && table.doubt < 1e-12);
        assert_true(table.aa > 0.5 && table.rr > 0.5 && table.rr + table.aa < 2);
        fathom_full_table_free(&table, context);
    }
    fathom_context_free(context);
}

/* gamma_ntk of the parity cubes in R^2 and R^3 by quadrature (margins.md, F8), at confidence 1 - 1e-10. */
static void both_layers(void **state)
{
    (void)state;
    const double truth[2] = {0.25076348262972, 0.14639853861699};
    for (int64_t d = 2; d <= 3; d++) {
        margin_case c = case_parity(d, 2, 1 / sqrt((double)d));
        fathom_context *context;
        fathom_data *data;
        fathom_margin_result *result;
        fathom_margin_options options;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_options_init(&options, &fathom_margin_option_table);
        options.kind = FATHOM_MARGIN_NTK_FULL;
        options.confidence = 1 - 1e-10;
        options.samples = 100000;
        assert_ok(context, fathom_data_create(&data, context, c.n, c.d, c.x, c.d, 1, c.y, NULL, NULL));
        assert_ok(context, fathom_margin(&result, context, data, &options));
        const fathom_margin_view view = fathom_margin_look(result);
        assert_true(view.lower <= truth[d - 2] && truth[d - 2] <= view.upper);
        assert_true(view.upper - view.lower < 0.25 * truth[d - 2]);
        fathom_margin_free(result);
        fathom_data_free(data);
        fathom_context_free(context);
        case_free(&c);
    }
}

/* Stops the run after the third look, or in the middle of training. */
typedef struct stopper {
    const char *stage;
    int64_t at;
} stopper;

static bool stop_at(void *user, const fathom_progress *progress)
{
    const stopper *s = user;
    return s->stage && strcmp(progress->stage, s->stage) == 0 && progress->iteration >= s->at;
}

/* One run on 30 points of R^6 with 60,000 samples, its bounds and its q. */
static void run_resumable(double bound[2], double *q, const char *checkpoint, const char *resume,
                          stopper stop)
{
    margin_case c = case_portable(30, 6, 4);
    fathom_context *context;
    fathom_data *data;
    fathom_margin_result *result;
    fathom_margin_options options;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_progress(context, stop_at, &stop);
    fathom_options_init(&options, &fathom_margin_option_table);
    options.samples = 60000;
    options.gap = 1e-6;
    options.checkpoint = checkpoint;
    options.resume = resume;
    assert_ok(context, fathom_data_create(&data, context, c.n, c.d, c.x, c.d, 1, c.y, NULL, NULL));
    assert_ok(context, fathom_margin(&result, context, data, &options));
    const fathom_margin_view view = fathom_margin_look(result);
    bound[0] = view.lower;
    bound[1] = view.upper;
    memcpy(q, view.q, 30 * sizeof *q);
    fathom_margin_free(result);
    fathom_data_free(data);
    fathom_context_free(context);
    case_free(&c);
}

/* A run that is stopped and resumed ends with the bits of one that is not. */
static void resumed_run_is_the_same(void **state)
{
    (void)state;
    const char *file = "test_margin_sample.npz";
    const stopper never = {NULL, 0}, stops[2] = {{"sampling", 3}, {"interior point", 2}};
    double whole[2], parts[2], q[30], resumed_q[30];
    run_resumable(whole, q, NULL, NULL, never);
    for (int k = 0; k < 2; k++) {
        run_resumable(parts, resumed_q, file, NULL, stops[k]);
        assert_true(parts[1] - parts[0] > whole[1] - whole[0]);
        run_resumable(parts, resumed_q, NULL, file, never);
        assert_memory_equal(parts, whole, sizeof whole);
        assert_memory_equal(resumed_q, q, sizeof q);
    }
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_is_exact),           cmocka_unit_test(kernel_is_the_expectation),
        cmocka_unit_test(intervals_cover),          cmocka_unit_test(table_of_both_layers),
        cmocka_unit_test(table_of_many_dimensions), cmocka_unit_test(both_layers),
        cmocka_unit_test(resumed_run_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
