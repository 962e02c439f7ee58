/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation of few points, near-copies among them: what is called certified meets every target to 1e-9 of
 * the largest, or to the rounding of its terms, evaluated anew from the network; points that are well
 * apart, near-copies and rows far away are certified whatever the bias, and targets that no network takes
 * are refused. Losses without curvature reach the gap asked for.
 */
#include "testing.h"

#include <float.h>
#include <string.h>

#include "fathom/train.h"
#include "random.h"

enum { POINTS = 6, COLUMNS = 2, MOST = 9 };

/* Gaussian points, the last of them copies of the first moved by `apart` (0: none). */
static int64_t draw(double *x, double *y, uint64_t seed, double apart)
{
    const int64_t n = apart > 0 ? MOST : POINTS;
    fathom_random_normals(x, n * COLUMNS, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, n, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int64_t k = POINTS * COLUMNS; k < n * COLUMNS; k++)
        x[k] = x[k - POINTS * COLUMNS] + apart * x[k];
    for (int64_t i = POINTS; i < n; i++)
        y[i] = y[i - POINTS] + apart * y[i];
    return n;
}

/* The output of a network of one output on a row of COLUMNS, whatever the bias, from its weights. */
static double output_at(const double *row, fathom_net *net, int bias)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double f = bias == FATHOM_BIAS_FREE ? w.c[0] : 0;
    for (int64_t j = 0; j < shape.m; j++) {
        double t = shape.hidden_bias ? w.b[j] : bias == FATHOM_BIAS_AUGMENT ? w.u[j * shape.d + COLUMNS] : 0;
        for (int64_t k = 0; k < COLUMNS; k++)
            t += w.u[j * shape.d + k] * row[k];
        f += t > 0 ? w.w[j] * t : 0;
    }
    return f;
}

/* The largest |f_i - y_i| over the largest |y_i|. */
static double missed(const double *x, const double *y, int64_t n, fathom_net *net, int bias)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(output_at(x + i * COLUMNS, net, bias) - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return most / largest;
}

/* The output of a network of one output without biases on a row, from its weights. */
static double output_on(const double *row, int64_t d, fathom_net *net)
{
    const fathom_net_weights w = fathom_net_lend(net);
    double f = 0;
    for (int64_t j = 0; j < fathom_net_look(net).m; j++) {
        double t = 0;
        for (int64_t k = 0; k < d; k++)
            t += w.u[j * d + k] * row[k];
        f += t > 0 ? w.w[j] * t : 0;
    }
    return f;
}

/* The same without biases, in any dimension. */
static double missed_plainly(const double *x, const double *y, int64_t n, int64_t d, fathom_net *net)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        const double f = output_on(x + i * d, d, net);
        most = fmax(most, fabs(f - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return most / largest;
}

static void certified_networks_meet_their_targets(void **state)
{
    (void)state;
    static const double apart[] = {0, 1e-5, 1e-7};
    fathom_context *context;
    fathom_train_options options;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&how, &fathom_data_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    options.effort = 0.2;
    options.gap = 1e-4;
    const int64_t trials = test_trials(3);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[MOST * COLUMNS], y[MOST];
        fathom_data *data;
        fathom_train_result r;
        const double distance = apart[seed % 3];
        const int64_t n = draw(x, y, seed, distance);
        how.bias = (int)((seed + seed / 3) % 3);
        assert_ok(context, fathom_data_create(&data, context, n, COLUMNS, x, COLUMNS, 1, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_true(r.lower_bound <= r.objective);
        assert_true(!isfinite(r.objective) || missed(x, y, n, r.net, how.bias) <= 1.001e-9);
        assert_true(distance > 0 || r.status == FATHOM_TRAIN_CERTIFIED);
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* What doubles hardly tell apart, far from 0 (kind 0), close together (1) or rows of other sizes (2), keeps
 * its bound: no two rows exclude a network, so that there is no error; rows over eight orders of magnitude
 * are interpolated. */
static void bounds_are_kept_on_the_hardest_data(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_train_options options;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&how, &fathom_data_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    options.effort = 0.2;
    const int64_t trials = test_trials(3);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[MOST * COLUMNS], y[MOST], size[MOST];
        fathom_data *data;
        fathom_train_result r;
        const int kind = (int)(seed % 3);
        const int64_t n = draw(x, y, seed, kind == 1 ? 1e-9 : 0);
        fathom_random_normals(size, n, seed, FATHOM_STREAM_SAMPLE, 0, 0);
        for (int64_t k = 0; k < n * COLUMNS; k++)
            x[k] = kind == 0 ? x[k] + 1e7 : kind == 2 ? x[k] * pow(10, 4 * tanh(size[k / COLUMNS])) : x[k];
        how.bias = kind == 2 ? FATHOM_BIAS_FREE : (int)((seed + seed / 3) % 3);
        assert_ok(context, fathom_data_create(&data, context, n, COLUMNS, x, COLUMNS, 1, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_true(r.lower_bound > 0 && r.lower_bound <= r.objective);
        assert_true(kind != 2 || isfinite(r.objective));
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Few rows far from 0: terms of 1e6 cancel in every price, and the gap is reached even so. */
static void gaps_are_reached_from_afar(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_train_options options;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&how, &fathom_data_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    options.effort = 1;
    const int64_t trials = test_trials(5);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        static const double offset[] = {1e4, 1e5, 3e5, 1e6};
        const int64_t n = 3 + (int64_t)(seed % 2);
        double x[8], y[4];
        fathom_data *data;
        fathom_train_result r;
        fathom_random_normals(x, 2 * n, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, n, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int64_t k = 0; k < 2 * n; k++)
            x[k] += offset[seed / 2 % 4];
        how.bias = seed % 3 ? FATHOM_BIAS_AUGMENT : FATHOM_BIAS_NONE;
        assert_ok(context, fathom_data_create(&data, context, n, 2, x, 2, 1, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_true(r.lower_bound <= r.objective);
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Near-copies with targets of their own: a norm of about 1 / apart, certified, and every target met to the
 * rounding of terms of that size. */
static void near_copies_with_other_targets_are_certified(void **state)
{
    (void)state;
    static const double apart[] = {1e-8, 1e-7, 1e-6};
    fathom_context *context;
    fathom_train_options options;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&how, &fathom_data_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    const int64_t trials = test_trials(4);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[6 * COLUMNS], y[6], reach = 1;
        const int64_t n = 4 + (int64_t)(seed % 3);
        const double distance = apart[seed / 3 % 3];
        fathom_data *data;
        fathom_train_result r;
        fathom_random_normals(x, n * COLUMNS, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, n, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int64_t k = (n + 1) / 2 * COLUMNS; k < n * COLUMNS; k++)
            x[k] = x[k - (n + 1) / 2 * COLUMNS] + distance * x[k];
        for (int64_t i = 0; i < n; i++)
            reach = fmax(reach, 1 + hypot(x[2 * i], x[2 * i + 1]));
        how.bias = (int)((seed + seed / 3) % 3);
        assert_ok(context, fathom_data_create(&data, context, n, COLUMNS, x, COLUMNS, 1, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        assert_true(r.lower_bound <= r.objective);
        double largest = 0;
        for (int64_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(y[i]));
        assert_true(missed(x, y, n, r.net, how.bias) * largest <=
                    fmax(1.001e-9 * largest, 16 * DBL_EPSILON * r.norm * reach));
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* d + 1 antipodal pairs of multiples without a bias: targets with f(x) - f(-x) linear in x have a network,
 * others are refused with their rows. */
static void targets_of_antipodes_are_linear(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_train_options options;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    options.effort = 0.2;
    const int64_t trials = test_trials(6);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        enum { MOST_PAIRS = 4 };
        const int64_t d = 2 + (int64_t)(seed % 2), pairs = d + 1;
        const bool follow = seed / 2 % 2;
        double x[2 * MOST_PAIRS * 3], y[2 * MOST_PAIRS], slope[3];
        fathom_data *data;
        fathom_train_result r = {0};
        fathom_random_normals(x, pairs * d, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, pairs, seed, FATHOM_STREAM_LABEL, 0, 0);
        fathom_random_normals(slope, d, seed, FATHOM_STREAM_SAMPLE, 0, 0);
        for (int64_t i = 0; i < pairs; i++) {
            double linear = 0;
            for (int64_t k = 0; k < d; k++) {
                x[(pairs + i) * d + k] = -4 * x[i * d + k];
                linear += slope[k] * x[i * d + k];
            }
            y[pairs + i] = 4 * (y[i] - linear) + (follow || i > 0 ? 0 : 1);
        }
        assert_ok(context, fathom_data_create(&data, context, 2 * pairs, d, x, d, 1, y, NULL, NULL));
        const fathom_status status = fathom_train(&r, context, data, NULL, &options);
        assert_int_equal(status, follow ? FATHOM_OK : FATHOM_ERROR_INPUT);
        if (follow)
            assert_true(missed_plainly(x, y, 2 * pairs, d, r.net) <= 1.001e-9);
        else
            assert_non_null(strstr(fathom_context_error(context)->text, "opposite directions"));
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Six rows in R^3 around (-1e6, 1e6, 0), small penalties: evidence for a certificate leaves bound and
 * network as they are without. */
static void evidence_from_afar_weakens_nothing(void **state)
{
    (void)state;
    enum { N = 6, D = 3 };
    fathom_context *context;
    fathom_train_options options;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_train_option_table);
    options.loss = FATHOM_TRAIN_LOGISTIC;
    options.method = FATHOM_TRAIN_COLUMNS;
    options.effort = 2;
    const int64_t trials = test_trials(2);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[N * D], y[N];
        fathom_data *data;
        fathom_train_result r[2];
        fathom_random_normals(x, N * D, seed, FATHOM_STREAM_DATA, 0, 0);
        for (int i = 0; i < N; i++) {
            x[i * D] -= 1e6;
            x[i * D + 1] += 1e6;
            y[i] = i == 0 || (i > 1 && fathom_random_uniform(seed, FATHOM_STREAM_LABEL, 0, (uint64_t)i) < 0.5)
                       ? 1
                       : -1;
        }
        options.beta_rel = seed % 2 ? 1e-5 : 1e-4;
        assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 1, y, NULL, NULL));
        for (int k = 0; k < 2; k++) {
            options.verify = k == 1;
            assert_ok(context, fathom_train(r + k, context, data, NULL, &options));
        }
        assert_true(r[1].lower_bound >= r[0].lower_bound - 2e-6 * r[0].objective);
        assert_true(r[1].lower_bound <= r[0].objective && r[0].lower_bound <= r[1].objective);
        fathom_train_result_clear(r);
        fathom_train_result_clear(r + 1);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Loss and penalty of a network without biases, from the data. */
static double hinge_objective(const double *x, const double *y, int64_t n, int64_t d, fathom_net *net,
                              double beta)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double f = output_on(x + i * d, d, net);
        sum += fmax(0, 1 - y[i] * f);
    }
    for (int64_t j = 0; j < shape.m; j++) {
        double square = 0;
        for (int64_t k = 0; k < d; k++)
            square += w.u[j * d + k] * w.u[j * d + k];
        sum += beta * fabs(w.w[j]) * sqrt(square);
    }
    return sum;
}

/* Labels at random in R^2 and R^3, penalties over two orders: vertices of the dual program that the smoothed
 * loss does not meet. What all cones prove lies in the same interval. */
static void hinge_reaches_its_gap(void **state)
{
    (void)state;
    static const int method[] = {FATHOM_TRAIN_COLUMNS, FATHOM_TRAIN_CELLS};
    fathom_context *context;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&how, &fathom_data_option_table);
    const int64_t trials = test_trials(2);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[30 * 3], y[30];
        fathom_data *data;
        fathom_train_result r[2];
        const int64_t d = 2 + (int64_t)seed % 2,
                      n = 6 + (int64_t)(24 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 0, 0));
        const double share = pow(10, -1 - 2 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 1, 0));
        fathom_random_normals(x, n * d, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, n, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int64_t i = 0; i < n; i++)
            y[i] = i == 0 ? 1 : i == 1 || y[i] < 0 ? -1 : 1;
        assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 1, y, NULL, &how));
        for (int k = 0; k < 2; k++) {
            fathom_train_options options;
            fathom_options_init(&options, &fathom_train_option_table);
            options.loss = FATHOM_TRAIN_HINGE;
            options.method = method[k];
            options.beta_rel = share;
            options.gap = k ? 1e-4 : 1e-6;
            assert_ok(context, fathom_train(r + k, context, data, NULL, &options));
        }
        assert_int_equal(r[0].status, FATHOM_TRAIN_CERTIFIED);
        assert_close(hinge_objective(x, y, n, d, r[0].net, r[0].beta), r[0].objective,
                     1e-11 * r[0].objective);
        assert_true(r[0].lower_bound <= r[1].objective && r[1].lower_bound <= r[0].objective);
        fathom_train_result_clear(r);
        fathom_train_result_clear(r + 1);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* |r|, or the loss of the quantile, and the penalty, from the weights. */
static double boxed_objective(const double *x, const double *y, int64_t n, fathom_net *net, double beta,
                              const fathom_train_options *options, int bias)
{
    const bool quantile = options->loss == FATHOM_TRAIN_QUANTILE;
    const double above = quantile ? options->tau : 1, below = quantile ? 1 - options->tau : 1;
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double r = y[i] - output_at(x + i * COLUMNS, net, bias);
        sum += fmax(above * r, -below * r);
    }
    for (int64_t j = 0; j < shape.m; j++) {
        double square = 0;
        for (int64_t k = 0; k < shape.d; k++)
            square += w.u[j * shape.d + k] * w.u[j * shape.d + k];
        sum += beta * fabs(w.w[j]) * sqrt(square);
    }
    return sum;
}

/* Absolute and quantile losses, every bias, penalties from a tenth to a millionth of the largest: optimal dual
 * points are vertices, at small penalties those of interpolation, deep inside the box. */
static void slopes_in_a_box_reach_their_gap(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_data_options how;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&how, &fathom_data_option_table);
    const int64_t trials = test_trials(12);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[MOST * COLUMNS], y[MOST];
        fathom_data *data;
        fathom_train_options options;
        fathom_train_result r;
        const int64_t n = draw(x, y, seed, seed % 4 == 3 ? 1e-2 : 0);
        fathom_options_init(&options, &fathom_train_option_table);
        options.loss = seed % 2 ? FATHOM_TRAIN_ABSOLUTE : FATHOM_TRAIN_QUANTILE;
        if (seed % 2 == 0)
            options.tau = 0.8;
        options.method = FATHOM_TRAIN_COLUMNS;
        options.beta_rel = pow(10, -1 - 5 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 0, 0));
        how.bias = (int)(seed % 3);
        assert_ok(context, fathom_data_create(&data, context, n, COLUMNS, x, COLUMNS, 1, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        assert_close(boxed_objective(x, y, n, r.net, r.beta, &options, how.bias), r.objective,
                     1e-8 * r.objective);
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Two outputs in the plane: the gap is reached, and every target met to 1e-9 of the largest. */
static void several_outputs_reach_their_gap(void **state)
{
    (void)state;
    enum { N = 5, O = 2 };
    fathom_context *context;
    fathom_data_options how;
    fathom_train_options options;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&how, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    options.gap = 1e-6;
    const int64_t trials = test_trials(1);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[N * COLUMNS], y[N * O], f[N * O], most = 0, largest = 0;
        fathom_data *data;
        fathom_train_result r;
        fathom_random_normals(x, N * COLUMNS, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(y, N * O, seed, FATHOM_STREAM_LABEL, 0, 0);
        assert_ok(context, fathom_data_create(&data, context, N, COLUMNS, x, COLUMNS, O, y, NULL, &how));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        assert_ok(context, fathom_net_forward(f, r.net, data));
        for (int k = 0; k < N * O; k++) {
            most = fmax(most, fabs(f[k] - y[k]));
            largest = fmax(largest, fabs(y[k]));
        }
        assert_true(most <= 1.001e-9 * largest);
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certified_networks_meet_their_targets),
        cmocka_unit_test(bounds_are_kept_on_the_hardest_data),
        cmocka_unit_test(gaps_are_reached_from_afar),
        cmocka_unit_test(near_copies_with_other_targets_are_certified),
        cmocka_unit_test(targets_of_antipodes_are_linear),
        cmocka_unit_test(evidence_from_afar_weakens_nothing),
        cmocka_unit_test(hinge_reaches_its_gap),
        cmocka_unit_test(slopes_in_a_box_reach_their_gap),
        cmocka_unit_test(several_outputs_reach_their_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
