/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KKT points of the margin problem: their conditions recomputed here from the network, the multipliers and
 * the data, whether flows go to
 * them, and whether what is called a maximum, or a way out of one, is one.
 */
#include "dynamics_testing.h"

#include <math.h>

#include "inner/data.h"
#include "random.h"

static double unit(double z, double alpha) { return z > 0 ? z : alpha * z; }

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Networks of the tests: u m x d, a m. */
typedef struct network {
    int64_t m, d;
    const double *u, *a;
    double alpha;
    bool both;
} network;

static network look(fathom_net *net, bool both)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    return (network){shape.m, shape.d, w.u, w.w, shape.parameter, both};
}

static double margin_at(const network *w, const double *x, double y)
{
    double f = 0;
    for (int64_t j = 0; j < w->m; j++)
        f += w->a[j] * unit(dot(w->u + j * w->d, x, w->d), w->alpha);
    return y * f;
}

/* min_i p_i / |W|^L. */
static double normalized(const network *w, const fathom_data_view *v, const double *y)
{
    double least = INFINITY, square = dot(w->u, w->u, w->m * w->d);
    for (int64_t i = 0; i < v->n; i++)
        least = fmin(least, margin_at(w, v->x + i * v->ld, y[i]));
    return w->both ? least / (square + dot(w->a, w->a, w->m)) : least / sqrt(square);
}

/* |v_j - a_j sum_i l_i y_i c_ji x_i| over neurons without kinks, and of all in the directions that no kink
 * takes; relative. */
static double residual(const network *w, const fathom_data_view *v, const double *y, const double *l)
{
    double left = 0, square = 0;
    double *row = malloc((size_t)w->d * sizeof *row);
    for (int64_t j = 0; j < w->m; j++) {
        const double *u = w->u + j * w->d, norm = sqrt(dot(u, u, w->d));
        bool kink = false;
        double rest = w->a[j];
        memcpy(row, u, (size_t)w->d * sizeof *row);
        for (int64_t i = 0; i < v->n; i++) {
            const double *x = v->x + i * v->ld, z = dot(u, x, w->d);
            kink = kink || !(fabs(z) > 1e-8 * norm * sqrt(dot(x, x, w->d)));
            for (int64_t k = 0; k < w->d; k++)
                row[k] -= w->a[j] * l[i] * y[i] * (z > 0 ? 1 : w->alpha) * x[k];
            rest -= l[i] * y[i] * unit(z, w->alpha);
        }
        /* across kinks slopes are free: along v they are not */
        left += kink ? (norm > 0 ? pow(dot(row, u, w->d) / norm, 2) : 0) : dot(row, row, w->d);
        left += w->both ? rest * rest : 0;
        square += norm * norm + (w->both ? w->a[j] * w->a[j] : 0);
    }
    free(row);
    return sqrt(left / square);
}

/* The conditions, from the data. */
static void check_conditions(const fathom_flow_ending *e, fathom_data *data, bool both)
{
    const fathom_data_view v = fathom_data_look(data);
    const double *y;
    int64_t outputs;
    assert_int_equal(fathom_data_code_classes(&y, &outputs, data), FATHOM_OK);
    const network w = look(e->net, both);
    assert_close(normalized(&w, &v, y), e->margin, 1e-10 * e->margin);
    assert_true(residual(&w, &v, y, e->dual) < 1e-7);
    double mass = 0, waste = 0;
    for (int64_t i = 0; i < v.n; i++) {
        assert_true(e->dual[i] >= 0);
        mass += e->dual[i];
        waste += e->dual[i] * (margin_at(&w, v.x + i * v.ld, y[i]) - 1);
    }
    assert_true(fabs(waste) <= 1e-7 * mass);
}

/* No small change of the weights raises the margin of a local maximum; 100 of them that point anywhere. */
static void check_maximum(const fathom_flow_ending *e, fathom_data *data, bool both)
{
    const fathom_data_view v = fathom_data_look(data);
    const double *y;
    int64_t outputs;
    assert_int_equal(fathom_data_code_classes(&y, &outputs, data), FATHOM_OK);
    const network w = look(e->net, both);
    const int64_t size = w.m * w.d;
    double *block = malloc((size_t)(2 * (size + w.m)) * sizeof *block), *u = block, *a = u + size,
           *noise = a + w.m;
    const double scale = 1e-5 * sqrt(dot(w.u, w.u, size) / (double)size);
    for (uint64_t trial = 0; trial < 100; trial++) {
        fathom_random_normals(noise, size + w.m, 77, FATHOM_STREAM_START, 0, trial * (uint64_t)(size + w.m));
        for (int64_t k = 0; k < size; k++)
            u[k] = w.u[k] + scale * noise[k];
        for (int64_t j = 0; j < w.m; j++)
            a[j] = w.a[j] + (both ? scale * noise[size + j] : 0);
        const network moved = {w.m, w.d, u, a, w.alpha, both};
        assert_true(normalized(&moved, &v, y) <= e->margin * (1 + 1e-12));
    }
    free(block);
}

typedef struct flow_case {
    const char *data, *net, *init;
    int64_t width;
    bool both;
} flow_case;

static void end_of(fathom_flow_result *result, fathom_data *data, fathom_context *context, const flow_case *c,
                   const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = c->net, options.init = c->init, options.width = c->width, options.until = until;
    options.method = FATHOM_FLOW_FLOW, options.ending = true;
    assert_ok(context, fathom_flow_run(result, context, data, &options));
}

/* Flows whose neurons stay apart go to the KKT point of their pattern, at the rate 1/ln(1/R). */
static void test_unclustered(void **state)
{
    skip_if_brief();
    static const flow_case cases[] = {
        {"gen:twogauss,n=40,d=2,mean=1.8,gap=0.3", "leaky", "normal:10", 12, false},
        {"gen:twogauss,n=30,d=3,mean=1.8,gap=0.3", "leaky:0.3", "normal:30", 8, false},
        {"gen:badkkt", "relu", NULL, 8, true},
        {"gen:xor,n=24,sd=0.1", "relu", NULL, 10, true},
    };
    for (int k = 0; k < 4; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fathom_data *data;
            fathom_flow_result near, far;
            fathom_context_set_seed(*state, seed);
            assert_ok(*state, fathom_data_open(&data, *state, cases[k].data, NULL));
            end_of(&near, data, *state, cases + k, "log_loss=-300");
            end_of(&far, data, *state, cases + k, "log_loss=-3000");
            if (far.ending.found == 1) { /* no claim is no fault */
                check_conditions(&far.ending, data, cases[k].both);
                if (far.ending.maximum == 1)
                    check_maximum(&far.ending, data, cases[k].both);
            } else
                assert_non_null(far.ending.reason);
            if (far.ending.found == 1 && near.ending.found == 1 && !cases[k].both &&
                far.ending.patterns == 1) {
                assert_true(far.ending.angle < 0.2 * near.ending.angle);
                assert_close(far.end.normalized_margin, far.ending.margin, 2e-3 * far.ending.margin);
            }
            fathom_flow_result_clear(&near);
            fathom_flow_result_clear(&far);
            fathom_data_free(data);
        }
}

/* The linear separator of [003, Prop. 2.6] as one neuron of several: a KKT point of half the linear margin,
 * and no local maximum. */
static void check_bad(fathom_context *context, const char *spec, double alpha, double angle, int64_t width)
{
    fathom_data *data;
    fathom_net *start;
    fathom_flow_result result;
    fathom_flow_options options;
    assert_ok(context, fathom_data_open(&data, context, spec, NULL));
    const fathom_data_view v = fathom_data_look(data);
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = v.d, .m = width, .outputs = 1};
    const double gamma = sin(asin(alpha) / 2), half = angle * 3.14159265358979323846 / 180 - acos(gamma);
    assert_ok(context, fathom_net_create(&start, context, &shape));
    const fathom_net_weights w = fathom_net_lend(start);
    w.u[0] = cos(half), w.u[1] = sin(half), w.w[0] = 1;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.width = width, options.until = "steps=0", options.method = FATHOM_FLOW_FLOW;
    options.ending = true;
    assert_ok(context, fathom_flow_watch(&result, context, data, &options, start, NULL, NULL));
    const fathom_flow_ending *e = &result.ending;
    if (e->found != 1)
        print_message("%s: %s\n", spec, e->reason);
    assert_int_equal(e->found, 1);
    assert_close(e->margin, gamma / 2, 1e-7 * gamma);
    assert_true(e->angle < 1e-3);
    check_conditions(e, data, true);
    assert_true(e->price > 1.5);
    if (width > 1) { /* alone it has no neuron to start */
        if (e->maximum != 0)
            print_message("%s: %s, price %g\n", spec, e->why, e->price);
        assert_int_equal(e->maximum, 0);
        const network out = look(e->escape, true);
        assert_close(normalized(&out, &v, v.y), e->escape_margin, 1e-9);
        assert_true(e->escape_margin > 1.01 * e->margin);
    } else
        assert_int_equal(e->maximum, 1);
    fathom_flow_result_clear(&result);
    fathom_net_free(start);
    fathom_data_free(data);
}

static void test_bad_points(void **state)
{
    fathom_context_set_seed(*state, 1);
    check_bad(*state, "gen:badkkt", 0.1, 161, 4);
    check_bad(*state, "gen:badkkt", 0.1, 161, 1);
    check_bad(*state, "gen:badkkt,n=10,d=5,apart=150,width=2,alpha=0.05", 0.05, 167, 3);
    check_bad(*state, "gen:badkkt,n=5,d=3,apart=142,width=3,alpha=0.02", 0.02, 164, 2);
}

/* Nothing is claimed where there is nothing to claim. */
static void test_no_claim(void **state)
{
    static const flow_case cases[] = {
        {"gen:xor,n=24,sd=0.1", "huber", NULL, 10, false},
        {"gen:xor,n=24,sd=0.1", "scalar", NULL, 10, true},
    };
    for (int k = 0; k < 2; k++) {
        fathom_data *data;
        fathom_flow_result result;
        fathom_flow_options options;
        assert_ok(*state, fathom_data_open(&data, *state, cases[k].data, NULL));
        fathom_options_init(&options, &fathom_flow_option_table);
        options.net = cases[k].net, options.width = 10, options.until = "steps=5", options.ending = true;
        assert_ok(*state, fathom_flow_run(&result, *state, data, &options));
        assert_true(result.ending.found == 0 && result.ending.reason && !result.ending.net);
        fathom_flow_result_clear(&result);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unclustered), cmocka_unit_test(test_bad_points),
                                       cmocka_unit_test(test_no_claim)};
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
