/* SPDX-License-Identifier: Apache-2.0 */
/* Linear functions: optimality recomputed from the data, the network that stands for them, classes, what is refused. */
#include <string.h>

#include "fathom/train.h"
#include "random.h"
#include "testing.h"

enum { N = 40, D = 5 };

static fathom_data *open_data(fathom_context *context, double *x, double *y, bool classes)
{
    fathom_data_options options;
    fathom_data *data;
    fathom_random_normals(x, N * D, 3, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, N, 4, FATHOM_STREAM_DATA, 0, 0);
    for (int i = 0; i < N; i++)
        y[i] = classes ? i % 3 : y[i] + 2 * x[i * D] - x[i * D + 1] + 5;
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = FATHOM_BIAS_FREE;
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 1, y, NULL, &options));
    return data;
}

/* |x_l'(y - f)| <= beta, with equality and the sign of w_l where w_l is not 0; sum (y - f) = 0; the gap as asked for. */
static void test_optimality(void **state)
{
    double x[N * D], y[N], f[N];
    fathom_train_options options;
    fathom_train_result result;
    fathom_context *context = *state;
    fathom_data *data = open_data(context, x, y, false);
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_LINEAR, options.beta_rel = 0.1, options.gap = 1e-12;
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
    assert_true(result.lower_bound <= result.objective && result.relative_gap <= 1e-12);
    assert_ok(context, fathom_net_forward(f, result.net, data));
    const fathom_net_weights weights = fathom_net_lend(result.net);
    double constant = 0, loss = 0, norm = 0;
    for (int i = 0; i < N; i++) {
        constant += y[i] - f[i];
        loss += (y[i] - f[i]) * (y[i] - f[i]) / 2;
    }
    assert_close(constant, 0, 1e-9);
    for (int l = 0; l < D; l++) {
        double price = 0;
        for (int i = 0; i < N; i++)
            price += x[i * D + l] * (y[i] - f[i]);
        norm += fabs(weights.u[l]);
        assert_true(weights.u[D + l] == -weights.u[l]);
        if (weights.u[l] != 0)
            assert_close(price, copysign(result.beta, weights.u[l]), 1e-4 * result.beta);
        else
            assert_true(fabs(price) <= result.beta * (1 + 1e-4));
    }
    assert_close(result.objective, loss + result.beta * norm, 1e-12 * result.objective);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
}

/* Three classes are three outputs; a path, gates and other losses are refused. */
static void test_classes(void **state)
{
    double x[N * D], y[N];
    fathom_train_options options;
    fathom_train_result result;
    fathom_context *context = *state;
    fathom_data *data = open_data(context, x, y, true);
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_LINEAR;
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_true(fathom_net_look(result.net).outputs == 3 && result.neurons == 6);
    fathom_train_result_clear(&result);
    options.gates = "5";
    assert_int_equal(fathom_train(&result, context, data, NULL, &options), FATHOM_ERROR_USAGE);
    options.gates = NULL, options.loss = FATHOM_TRAIN_LOGISTIC;
    assert_int_equal(fathom_train(&result, context, data, NULL, &options), FATHOM_ERROR_USAGE);
    fathom_data_free(data);
}

static int setup(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimality), cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
