/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReLU networks on given gates, judged from raw data: with all cones the optimum is that of all networks, known for the
 * instances with reference values (tests/README.md); on other gates neurons must lie in cones of those gates.
 */
#include "on_cones.h"

static double loss_at(fathom_train_loss loss, double f, double y)
{
    if (loss == FATHOM_TRAIN_LOGISTIC)
        return y * f > 0 ? log1p(exp(-y * f)) : -y * f + log1p(exp(y * f));
    if (loss == FATHOM_TRAIN_HINGE)
        return fmax(0, 1 - y * f);
    return (f - y) * (f - y) / 2;
}

/* Objective of the network by plain loops over U and w. */
static double objective_of(const instance *s, const fathom_train_result *result, fathom_train_loss loss,
                           double divisor)
{
    const fathom_net_weights net = fathom_net_lend(result->net);
    double total = 0, norm = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < result->neurons; j++) {
            double t = 0;
            for (int64_t k = 0; k < s->d; k++)
                t += net.u[j * s->d + k] * s->x[i * s->d + k];
            f += net.w[j] * (t > 0 ? t : 0);
        }
        total += (s->weight ? s->weight[i] : 1) * loss_at(loss, f, s->y[i]);
    }
    for (int64_t j = 0; j < result->neurons; j++) {
        double square = 0;
        for (int64_t k = 0; k < s->d; k++)
            square += net.u[j * s->d + k] * net.u[j * s->d + k];
        norm += fabs(net.w[j]) * sqrt(square);
    }
    return total / divisor + result->beta * norm;
}

static void check_reached(const instance *s, const fathom_train_result *result, fathom_train_loss loss,
                          double divisor, double gap)
{
    assert_true(result->status != FATHOM_TRAIN_LIMIT);
    assert_true(result->relative_gap <= gap && result->lower_bound <= result->objective);
    assert_close(objective_of(s, result, loss, divisor), result->objective,
                 1e4 * UNIT_ROUNDOFF * result->objective);
}

/* Brackets of convex-oracles.json (train_large, train_mid). */
static void test_all_cones_give_the_global_optimum(void **state)
{
    (void)state;
    const struct {
        int64_t n, d;
        uint64_t seed;
        fathom_train_loss loss;
        double beta, lower, upper;
    } row[] = {
        {20, 2, 41, FATHOM_TRAIN_SQUARED, 0.67, 7.60531180062717, 7.60531180210497},
        {50, 3, 42, FATHOM_TRAIN_SQUARED, 1.01, 20.0342344359839, 20.0342344379546},
        {50, 3, 42, FATHOM_TRAIN_SQUARED, 0.202, 14.7223983569638, 14.7223983625322},
        {20, 3, 501, FATHOM_TRAIN_HINGE, 0.5, 11.2866266802846, 11.2866266819244},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        instance s;
        fathom_train_result result;
        open_instance(&s, row[k].n, row[k].d, row[k].seed, row[k].loss == FATHOM_TRAIN_HINGE, false, NULL);
        const fathom_train_options options = cone_options(row[k].loss, row[k].beta, "all");
        assert_ok(s.context, fathom_train(&result, s.context, s.data, NULL, &options));
        assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
        check_reached(&s, &result, row[k].loss, 1, options.gap);
        assert_true(result.lower_bound <= row[k].upper * (1 + 1e-9));
        assert_true(result.objective >= row[k].lower * (1 - 1e-9));
        fathom_train_result_clear(&result);
        close_instance(&s);
    }
}

/* Instance t1 of the oracles, by hand: its four losses, and beta_max as the price at f = 0. */
static void test_small_instances(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7}, y[] = {1, -1, 2, 0.5, -1.5, 1};
    const double label[] = {1, -1, 1, 1, -1, 1};
    const struct {
        fathom_train_loss loss;
        double beta, optimum;
    } row[] = {{FATHOM_TRAIN_SQUARED, 0.3, 0.881303494730838},
               {FATHOM_TRAIN_HINGE, 0.2, 0.395198361734577},
               {FATHOM_TRAIN_LOGISTIC, 0.2, 1.35383560610608}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_context *context;
        fathom_data *data;
        fathom_train_result result;
        assert_ok(NULL, fathom_context_create(&context, NULL));
        assert_ok(context, fathom_data_create(&data, context, 6, 2, x, 2, 1, k ? label : y, NULL, NULL));
        const fathom_train_options options = cone_options(row[k].loss, row[k].beta, "all");
        assert_ok(context, fathom_train(&result, context, data, NULL, &options));
        assert_close(result.objective, row[k].optimum, 2e-6 * row[k].optimum);
        assert_true(result.lower_bound <= row[k].optimum * (1 + 1e-8));
        if (k == 0)
            assert_close(result.beta_max, 4.8541219597369, 1e-12 * result.beta_max);
        fathom_train_result_clear(&result);
        fathom_data_free(data);
        fathom_context_free(context);
    }
}

/* Weights, losses, the mean, an augmented column; with few gates the optimum is not below that of all networks. */
static void test_on_sampled_gates(void **state)
{
    (void)state;
    for (int loss = FATHOM_TRAIN_SQUARED; loss <= FATHOM_TRAIN_HINGE; loss++)
        for (int mean = 0; mean < 2; mean++) {
            instance s;
            fathom_gates *gates;
            fathom_train_result result;
            open_instance(&s, 60, 4, 77 + (uint64_t)loss, loss != FATHOM_TRAIN_SQUARED, mean, NULL);
            assert_ok(s.context, fathom_gates_sample(&gates, s.context, s.data, 30));
            const fathom_gates_view view = fathom_gates_look(gates);
            fathom_train_options options = cone_options((fathom_train_loss)loss, NAN, NULL);
            options.scale = mean;
            options.beta_rel = 0.1;
            assert_ok(s.context, fathom_train(&result, s.context, s.data, gates, &options));
            assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
            assert_true(result.norm_inflation >= 1 - 1e-12);
            check_reached(&s, &result, (fathom_train_loss)loss, mean ? 60 : 1, options.gap);
            check_patterns(&s, &result, &view);
            fathom_train_result_clear(&result);
            fathom_gates_free(gates);
            close_instance(&s);
        }
}

/* The relaxation without cones is below, to the gaps; above beta_max no neuron is used. */
static void test_between_gated_and_nothing(void **state)
{
    (void)state;
    instance s;
    fathom_gates *gates;
    fathom_train_result relu, gated, nothing;
    open_instance(&s, 80, 5, 99, false, false, NULL);
    assert_ok(s.context, fathom_gates_sample(&gates, s.context, s.data, 40));
    fathom_train_options options = cone_options(FATHOM_TRAIN_SQUARED, 1, NULL);
    assert_ok(s.context, fathom_train(&relu, s.context, s.data, gates, &options));
    options.beta = relu.beta_max * 1.0001;
    assert_ok(s.context, fathom_train(&nothing, s.context, s.data, gates, &options));
    assert_int_equal(nothing.neurons, 0);
    assert_true(nothing.relative_gap <= options.gap);
    options.model = FATHOM_TRAIN_GATED;
    options.beta = 1;
    assert_ok(s.context, fathom_train(&gated, s.context, s.data, gates, &options));
    assert_true(gated.lower_bound <= relu.objective);
    fathom_train_result_clear(&relu);
    fathom_train_result_clear(&gated);
    fathom_train_result_clear(&nothing);
    fathom_gates_free(gates);
    close_instance(&s);
}

static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    instance s;
    fathom_train_result one, two;
    open_instance(&s, 300, 8, 5, true, false, NULL);
    const fathom_train_options options = cone_options(FATHOM_TRAIN_LOGISTIC, 3, "60");
    assert_ok(s.context, fathom_train(&one, s.context, s.data, NULL, &options));
    fathom_context_set_threads(s.context, 2);
    assert_ok(s.context, fathom_train(&two, s.context, s.data, NULL, &options));
    assert_int_equal(one.neurons, two.neurons);
    assert_memory_equal(&one.lower_bound, &two.lower_bound, sizeof(double));
    assert_memory_equal(fathom_net_lend(one.net).u, fathom_net_lend(two.net).u,
                        (size_t)(one.neurons * s.d) * sizeof(double));
    fathom_train_result_clear(&one);
    fathom_train_result_clear(&two);
    close_instance(&s);
}

/* Small penalties: more atoms than points, singular systems. */
static void test_small_penalties_are_reached(void **state)
{
    (void)state;
    for (int loss = FATHOM_TRAIN_SQUARED; loss <= FATHOM_TRAIN_HINGE; loss++) {
        instance s;
        fathom_train_result result;
        open_instance(&s, 40, 3, 7, loss != FATHOM_TRAIN_SQUARED, false, NULL);
        fathom_train_options options = cone_options((fathom_train_loss)loss, NAN, "all");
        options.beta_rel = loss == FATHOM_TRAIN_HINGE ? 1e-2 : 1e-3;
        assert_ok(s.context, fathom_train(&result, s.context, s.data, NULL, &options));
        assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
        check_reached(&s, &result, (fathom_train_loss)loss, 1, options.gap);
        fathom_train_result_clear(&result);
        close_instance(&s);
    }
}

static void test_refusals_and_limits(void **state)
{
    (void)state;
    instance s;
    fathom_gates *gates;
    fathom_train_result result;
    open_instance(&s, 50, 3, 7, false, false, NULL);
    assert_ok(s.context, fathom_gates_sample(&gates, s.context, s.data, 20));
    fathom_train_options options = cone_options(FATHOM_TRAIN_SQUARED, 0.1, "grow");
    assert_int_equal(fathom_train(&result, s.context, s.data, NULL, &options), FATHOM_ERROR_USAGE);
    options.gates = "20";
    options.loss = FATHOM_TRAIN_EQUALITY;
    assert_int_equal(fathom_train(&result, s.context, s.data, NULL, &options), FATHOM_ERROR_USAGE);
    options.loss = FATHOM_TRAIN_SQUARED;
    fathom_context_set_time_limit(s.context, 0);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_LIMIT);
    assert_int_equal(result.end, FATHOM_END_TIME);
    assert_true(result.lower_bound > 0 && result.lower_bound <= result.objective);
    fathom_train_result_clear(&result);
    fathom_gates_free(gates);
    close_instance(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cones_give_the_global_optimum),
        cmocka_unit_test(test_small_instances),
        cmocka_unit_test(test_on_sampled_gates),
        cmocka_unit_test(test_between_gated_and_nothing),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
        cmocka_unit_test(test_small_penalties_are_reached),
        cmocka_unit_test(test_refusals_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
