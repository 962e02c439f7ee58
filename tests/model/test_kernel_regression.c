/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel regression: equations recomputed from raw data, least norm, outputs, model files. */
#include "with_context.h"

#include <string.h>
#include <unistd.h>

#include "fathom/kernel.h"
#include "fathom/model.h"
#include "portable.h"
#include "random.h"

enum { N = 300, D = 4, OUTPUTS = 2 };

/* Unit points with Gaussian targets. */
static fathom_data *targets(void)
{
    double *x = portable_points(N, D, 5), *y = malloc(N * OUTPUTS * sizeof *y);
    fathom_data *data;
    fathom_random_normals(y, N * OUTPUTS, 3, FATHOM_STREAM_LABEL, 0, 0);
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, OUTPUTS, y, NULL, NULL));
    free(x);
    free(y);
    return data;
}

static fathom_kernel *kernel_of(const fathom_data *data, int layers, double factor)
{
    fathom_kernel *kernel;
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.layers = layers;
    options.factor = factor;
    assert_ok(context, fathom_kernel_create(&kernel, context, data, &options));
    return kernel;
}

/* (K + R I) alpha = y with K filled anew: the residual of Cholesky is at most 4 (n + 4) u trace times |alpha|, and
 * |alpha| <= |y| / R; outputs at the points are K alpha. */
static void ridge_equations_hold(void **state)
{
    (void)state;
    const double ridge = 0.01;
    fathom_data *data = targets();
    const fathom_data_view view = fathom_data_look(data);
    double *k = malloc(N * N * sizeof *k), *f = malloc(N * OUTPUTS * sizeof *f);
    for (int layers = 0; layers < 2; layers++) {
        fathom_kernel *kernel = kernel_of(data, layers, 1);
        fathom_net *net;
        fathom_regression fit;
        assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, ridge));
        assert_int_equal(fathom_net_look(net).kind, FATHOM_NET_NTK);
        assert_int_equal(fit.rank, N);
        assert_ok(context, fathom_kernel_fill(k, N, kernel));
        assert_ok(context, fathom_net_forward(f, net, data));
        const double *alpha = fathom_net_lend(net).w;
        double size = 0, trace = 0, worst = 0;
        for (int64_t i = 0; i < N * OUTPUTS; i++)
            size += view.y[i] * view.y[i];
        for (int64_t i = 0; i < N; i++)
            trace += k[i * N + i];
        const double bound = 4 * (N + 4) * UNIT_ROUNDOFF * (trace + N) * sqrt(size) / ridge;
        for (int64_t i = 0; i < N; i++)
            for (int64_t o = 0; o < OUTPUTS; o++) {
                double sum = 0;
                for (int64_t j = 0; j < N; j++)
                    sum += k[i * N + j] * alpha[j * OUTPUTS + o];
                assert_close(f[i * OUTPUTS + o], sum, bound);
                const double residual = sum + ridge * alpha[i * OUTPUTS + o] - view.y[i * OUTPUTS + o];
                assert_close(residual, 0, bound);
                worst = fmax(worst, fabs(residual));
            }
        assert_close(fit.residual, worst, bound);
        assert_true(bound < 1e-6);
        fathom_net_free(net);
        fathom_kernel_free(kernel);
    }
    free(k);
    free(f);
    fathom_data_free(data);
}

/* [001, (20)] on a singular kernel: five points on a line, rank two. K = 2 (p p' + q q') with p, q the positive and
 * negative parts: alpha = K^+ y = p <p, y> / (2 |p|^4) + q <q, y> / (2 |q|^4). */
static void least_norm_on_a_singular_kernel(void **state)
{
    (void)state;
    const double a[] = {-2, -1, 0.5, 1, 2}, y[] = {1, -1, 1, 1, -1};
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, 5, 1, a, 1, 1, y, NULL, NULL));
    fathom_kernel *kernel = kernel_of(data, 1, 2);
    fathom_net *net;
    fathom_regression fit;
    assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, 0));
    assert_int_equal(fit.rank, 2);
    assert_non_null(fit.reason);
    assert_non_null(strstr(fit.reason, "rank two"));
    const double pp = 5.25, qq = 5, py = 0.5 + 1 - 2, qy = 2 - 1;
    double worst = 0;
    for (int64_t i = 0; i < 5; i++) {
        const double p = fmax(a[i], 0), q = fmax(-a[i], 0);
        /* networks compute with the kernel of factor 1, so their weights are twice alpha */
        assert_close(fathom_net_lend(net).w[i], 2 * (p * py / (2 * pp * pp) + q * qy / (2 * qq * qq)),
                     64 * UNIT_ROUNDOFF);
        worst = fmax(worst, fabs(p * py / pp + q * qy / qq - y[i]));
    }
    assert_close(fit.residual, worst, 256 * UNIT_ROUNDOFF);
    fathom_net_free(net);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
}

/* Section 7 of 001 with biases: the five points of Proposition 3.1 are interpolated, and not by a spline: between two data
 * points the output leaves the chord, where the minimum-norm ReLU network is linear. */
static void biased_kernel_bends_between_points(void **state)
{
    (void)state;
    const double a[] = {-2, -1, 0, 1, 2}, y[] = {1, -1, 1, 1, -1}, middle[] = {-1.5, -0.5, 0.5, 1.5};
    fathom_data_options options;
    fathom_data *data, *between;
    fathom_net *net;
    fathom_regression fit;
    double f[5];
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = FATHOM_BIAS_AUGMENT;
    assert_ok(context, fathom_data_create(&data, context, 5, 1, a, 1, 1, y, NULL, &options));
    assert_ok(context, fathom_data_create(&between, context, 4, 1, middle, 1, 0, NULL, NULL, &options));
    fathom_kernel *kernel = kernel_of(data, 1, 2);
    assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, 0));
    assert_int_equal(fit.rank, 5);
    assert_null(fit.reason);
    assert_ok(context, fathom_net_forward(f, net, data));
    for (int i = 0; i < 5; i++) /* condition about 1e3: rounding times that */
        assert_close(f[i], y[i], 1e6 * UNIT_ROUNDOFF);
    assert_ok(context, fathom_net_forward(f, net, between));
    double bend = 0;
    for (int i = 0; i < 4; i++)
        bend = fmax(bend, fabs(f[i] - (y[i] + y[i + 1]) / 2));
    assert_true(bend > 0.05);
    fathom_net_free(net);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    fathom_data_free(between);
}

/* A rank-one matrix of any d is such a line; two opposite points are told from a plane's. */
static void reasons(void **state)
{
    (void)state;
    const double line[] = {1, 2, -3, -6, 0.5, 1, 0, 0}, plane[] = {1, 0, 0, 1, 1, 0, 3, 0},
                 y[] = {1, 2, 3, 4};
    for (int k = 0; k < 2; k++) {
        fathom_data *data;
        fathom_net *net;
        fathom_regression fit;
        assert_ok(context, fathom_data_create(&data, context, 4, 2, k ? plane : line, 2, 1, y, NULL, NULL));
        fathom_kernel *kernel = kernel_of(data, 1, 1);
        assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, 0));
        assert_int_equal(fit.rank, 2);
        assert_non_null(fit.reason);
        assert_true((strstr(fit.reason, "rank two") != NULL) == (k == 0));
        fathom_net_free(net);
        fathom_kernel_free(kernel);
        fathom_data_free(data);
    }
}

/* An invertible kernel interpolates, whatever its factor. */
static void least_norm_interpolates(void **state)
{
    (void)state;
    fathom_data *data = targets();
    const double factor[] = {1, 2};
    for (int k = 0; k < 2; k++) {
        fathom_kernel *kernel = kernel_of(data, 1, factor[k]);
        fathom_net *net;
        fathom_regression fit;
        assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, 0));
        assert_int_equal(fit.rank, N);
        /* n u lambda_max / lambda_min |y|, lambda_max / lambda_min below 1e6 here */
        assert_close(fit.residual, 0, N * UNIT_ROUNDOFF * 1e6 * 30);
        fathom_net_free(net);
        fathom_kernel_free(kernel);
    }
    fathom_data_free(data);
}

/* Written and read, a model predicts the same bits, for every number of threads. */
static void models_survive_their_files(void **state)
{
    (void)state;
    const char *const path[] = {"test_kernel_regression.json", "test_kernel_regression.npz"};
    fathom_data *data = targets();
    fathom_kernel *kernel = kernel_of(data, 1, 1);
    fathom_net *net;
    fathom_regression fit;
    fathom_model *model, *again;
    fathom_prediction *one, *two;
    assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, data, 1));
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_SQUARED, NULL, NULL));
    assert_ok(context, fathom_model_predict(&one, model, data));
    for (int k = 0; k < 2; k++) {
        fathom_context_set_threads(context, k + 1);
        assert_ok(context, fathom_model_write(model, path[k]));
        assert_ok(context, fathom_model_read(&again, context, path[k]));
        assert_ok(context, fathom_model_predict(&two, again, data));
        assert_memory_equal(one->output, two->output, N * OUTPUTS * sizeof(double));
        fathom_prediction_free(two);
        fathom_model_free(again);
        unlink(path[k]);
    }
    fathom_context_set_threads(context, 0);
    fathom_prediction_free(one);
    fathom_model_free(model);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
}

static void what_cannot_be_fitted_is_refused(void **state)
{
    (void)state;
    fathom_data *data = targets();
    fathom_kernel *kernel = kernel_of(data, 0, 1), *finite;
    fathom_kernel_options options;
    fathom_net *net;
    fathom_regression fit;
    assert_int_equal(fathom_kernel_fit(&net, &fit, kernel, data, -1), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_kernel_fit(&net, &fit, kernel, data, NAN), FATHOM_ERROR_USAGE);
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.width = 10;
    assert_ok(context, fathom_kernel_create(&finite, context, data, &options));
    assert_int_equal(fathom_kernel_fit(&net, &fit, finite, data, 1), FATHOM_ERROR_USAGE);
    assert_null(net);
    fathom_kernel_free(finite);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
}

/* A weight of 2 is a point twice, a weight of 0 none at all: the outputs agree to the rounding of the
 * equations. */
static void weights_are_repetitions(void **state)
{
    (void)state;
    enum { DISTINCT = 40, REPEATED = 50, FIRST = 30 };
    const double ridge = 0.1;
    double *x = portable_points(REPEATED, D, 7), y[REPEATED], weight[DISTINCT], f[2][DISTINCT];
    fathom_data *weighted, *repeated;
    fathom_net *net;
    fathom_regression fit;
    fathom_random_normals(y, REPEATED, 4, FATHOM_STREAM_LABEL, 0, 0);
    for (int64_t i = 0; i < DISTINCT; i++)
        weight[i] = i < 20 ? 2 : i < FIRST ? 1 : 0;
    assert_ok(context, fathom_data_create(&weighted, context, DISTINCT, D, x, D, 1, y, weight, NULL));
    memcpy(x + FIRST * D, x, 20 * D * sizeof *x); /* the first 20 again, where those of weight 0 were */
    memcpy(y + FIRST, y, 20 * sizeof *y);
    assert_ok(context, fathom_data_create(&repeated, context, REPEATED, D, x, D, 1, y, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        fathom_kernel *kernel = kernel_of(k ? repeated : weighted, 1, 3);
        assert_ok(context, fathom_kernel_fit(&net, &fit, kernel, k ? repeated : weighted, ridge));
        assert_ok(context, fathom_net_forward(f[k], net, weighted));
        assert_close(fit.residual, 0, 4 * REPEATED * UNIT_ROUNDOFF * 9 * REPEATED * 10 / ridge);
        fathom_net_free(net);
        fathom_kernel_free(kernel);
    }
    for (int64_t i = 0; i < FIRST; i++)
        assert_close(f[0][i], f[1][i], 8 * REPEATED * UNIT_ROUNDOFF * (9 * REPEATED / ridge) * 10);
    fathom_kernel *kernel = kernel_of(weighted, 1, 3);
    assert_int_equal(fathom_kernel_fit(&net, &fit, kernel, weighted, 0), FATHOM_ERROR_USAGE);
    assert_null(net);
    fathom_kernel_free(kernel);
    fathom_data_free(weighted);
    fathom_data_free(repeated);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_equations_hold),
        cmocka_unit_test(least_norm_on_a_singular_kernel),
        cmocka_unit_test(biased_kernel_bends_between_points),
        cmocka_unit_test(reasons),
        cmocka_unit_test(least_norm_interpolates),
        cmocka_unit_test(models_survive_their_files),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(weights_are_repetitions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
