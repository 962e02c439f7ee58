/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting planes on the spike-free restriction. Objectives are recomputed from the network; the restriction's optimality is
 * checked by its own dual (no feasible direction has a price above beta); optima over all networks are those of
 * reference values (tests/README.md).
 */
#include <string.h>

#include "blas.h"
#include "cutting.h"
#include "fathom/train.h"
#include "random.h"
#include "with_context.h"

static fathom_data *make_data(int64_t n, int64_t d, const double *x, int64_t outputs, const double *y,
                              fathom_bias bias)
{
    fathom_data_options options;
    fathom_data *data;
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = (int)bias;
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, outputs, y, NULL, &options));
    return data;
}

/* Trains with --method cutting; beta 0: --loss equality. */
static fathom_train_result train(fathom_data *data, double beta, double gap)
{
    fathom_train_options options;
    fathom_train_result result;
    fathom_options_init(&options, &fathom_train_option_table);
    options.method = FATHOM_TRAIN_CUTTING;
    options.gap = gap;
    if (beta > 0)
        options.beta = beta;
    else
        options.loss = FATHOM_TRAIN_EQUALITY;
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_string_equal(result.method, "cutting");
    assert_true(result.lower_bound <= result.objective);
    return result;
}

/* Objective again from the network: squared loss and beta sum |w_j||u_j|, or the norm alone where it interpolates. */
static double value_of(const fathom_train_result *result, const fathom_data *data, double beta)
{
    const fathom_data_view view = fathom_data_look(data);
    const fathom_net_shape shape = fathom_net_look(result->net);
    const fathom_net_weights weights = fathom_net_lend(result->net);
    double *f = malloc((size_t)(view.n * view.outputs) * sizeof *f), loss = 0, norm = 0;
    assert_ok(context, fathom_net_forward(f, result->net, data));
    for (int64_t k = 0; k < view.n * view.outputs; k++) {
        loss += (f[k] - view.y[k]) * (f[k] - view.y[k]) / 2;
        if (beta == 0)
            assert_close(f[k], view.y[k], 1e-9 * (1 + fabs(view.y[k])));
    }
    for (int64_t j = 0; j < shape.m; j++)
        norm += fathom_blas_norm(weights.u + j * shape.d, shape.d) *
                fathom_blas_norm(weights.w + j * shape.outputs, shape.outputs);
    free(f);
    return beta > 0 ? loss + beta * norm : norm;
}

/* Rows 0, 1, ... of the identity, rotated: orthonormal rows to rounding. */
static void whitened_rows(double *x, int64_t n, int64_t d)
{
    double v[16], square = 0;
    fathom_random_normals(v, d, 8, FATHOM_STREAM_DATA, 0, 0);
    for (int64_t k = 0; k < d; k++)
        square += v[k] * v[k];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            x[i * d + k] = (i == k) - 2 * v[i] * v[k] / square;
}

/* Whitened data: exact, and certified because it is spike-free [001, Prop. 3.2]. */
static void whitened_is_exact(void **state)
{
    (void)state;
    const struct {
        int64_t n;
        double y[5], norm, beta, value;
    } cases[] = {{5, {1, -2, 0.5, 3, -1}, 5.43763009621621, 0.5, 2.46881504810811},
                 {4, {2, -1, -1, 0.25}, 3.42977799944773, 0.3, 0.93893339983432},
                 {3, {1, 2, -4}, 6.23606797749979, 0.2, 1.20721359549996},
                 {3, {1, 2, -4}, 6.23606797749979, 3, 10}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double x[7 * 7]; /* room for all rows: gcc 14 sees no n below d */
        whitened_rows(x, cases[k].n, 7);
        fathom_data *data = make_data(cases[k].n, 7, x, 1, cases[k].y, FATHOM_BIAS_NONE);
        for (int loss = 0; loss < 2; loss++) {
            const double beta = loss ? cases[k].beta : 0, known = loss ? cases[k].value : cases[k].norm;
            fathom_train_result result = train(data, beta, 1e-9);
            assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
            assert_close(result.objective, known,
                         1e-9 * known + 1e-13 * known); /* the gap asked for; 15 digits stored */
            assert_true(result.lower_bound <= known * (1 + 1e-13));
            assert_close(value_of(&result, data, beta), result.objective, 1e-12 * known);
            fathom_train_result_clear(&result);
        }
        fathom_data_free(data);
    }
}

/* Matrices with independent rows whose minimum norms are known: above them, and the bound below. */
static void independent_rows(void **state)
{
    (void)state;
    const double x[3][12] = {{1.18, 0.34, 1.56, 0.88, 0.45, -0.66, 0.65, -0.57, -0.84, 1.46, 1.55, 0.02},
                             {1.89, 0.42, -1.0, -1.35, 0.2, -0.23, -1.03, 0.29, -0.02, -2.4, 1.72, 1.04},
                             {-1.41, 0.49, 1.44, -1.58, -0.06, 2.2, 0.28, -0.85, -2.2, -0.25, -0.11, -0.95}};
    const double y[3] = {1, -1.5, 0.5}, two[3] = {1.8920014979392, 2.01686213145679, 1.2508079269557};
    const double lower[3] = {1.83138874048193, 1.9940160584914, 1.18355266104078};
    const double upper[3] = {1.83138874048824, 1.99401605849414, 1.18355266104223};
    for (int k = 0; k < 3; k++) {
        fathom_data *data = make_data(3, 4, x[k], 1, y, FATHOM_BIAS_NONE);
        fathom_train_result result = train(data, 0, 1e-6);
        assert_true(result.objective >= lower[k]);
        assert_true(result.objective <=
                    two[k] * (1 + 1e-6)); /* the two neurons of Lemma 3.1 are in the restriction */
        assert_true(result.lower_bound <= upper[k]);
        assert_true(result.lower_bound >= 0.9 * lower[k]);
        assert_close(value_of(&result, data, 0), result.objective, 1e-12 * result.objective);
        fathom_train_result_clear(&result);
        fathom_data_free(data);
    }
}

/* The restricted problem is solved: its value is attained, and no direction of the cone, of many drawn and projected, has a
 * price above beta at its residual. */
static void restriction_is_solved(void **state)
{
    (void)state;
    enum { N = 5, D = 6, O = 2 };
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(12); trial++) {
        const int64_t o = 1 + trial % 2;
        double x[N * D], y[N * O], u[2 * (D + 1)], price[2], g[D], w[D];
        fathom_random_normals(x, N * D, 6, FATHOM_STREAM_DATA, trial, 0);
        fathom_random_normals(y, N * o, 6, FATHOM_STREAM_LABEL, trial, 0);
        fathom_data *data = make_data(N, D, x, o, y, FATHOM_BIAS_NONE);
        fathom_train_options options;
        fathom_train_problem problem;
        fathom_cutting cut;
        fathom_options_init(&options, &fathom_train_option_table);
        assert_ok(context, fathom_train_problem_create(&problem, context, data, &options));
        assert_ok(context, fathom_cutting_open(&cut, &problem));
        fathom_cutting_price(u, price, &cut);
        cut.beta = 0.1 * price[0];
        assert_ok(context, fathom_cutting_run(&cut, 1e-6));
        assert_int_equal(cut.end, FATHOM_CUTTING_OPTIMAL);
        for (uint32_t k = 0; k < 200; k++) {
            fathom_random_normals(g, D, 7, FATHOM_STREAM_SAMPLE, k, 0);
            cut.cone.count = 0;
            fathom_gate_cone_project(&cut.cone, cut.all, g, NULL);
            memcpy(w, cut.cone.u, sizeof w);
            const double norm = fathom_blas_norm(w, D);
            double square = 0;
            for (int64_t q = 0; q < o && norm > 1e-9; q++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += cut.v[q * N + i] * fathom_blas_dot(x + i * D, w, D) / norm;
                square += sum * sum;
            }
            assert_true(sqrt(square) <= cut.beta * (1 + 1e-5));
        }
        assert_true(fathom_cutting_price_above(&cut) >= 0.999 * cut.beta || cut.m == 0);
        fathom_cutting_close(&cut);
        fathom_train_problem_clear(&problem);
        fathom_data_free(data);
    }
}

/* Tall data: no neuron is active on all points, nothing is left but the zero network; with targets to interpolate there is
 * none at all. The optima over all networks are those of t1. */
static void tall_data(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7}, y[] = {1, -1, 2, 0.5, -1.5, 1};
    fathom_data *data = make_data(6, 2, x, 1, y, FATHOM_BIAS_NONE);
    fathom_train_result result = train(data, 0.3, 1e-6);
    assert_int_equal(result.neurons, 0);
    assert_close(result.objective, 0.5 * (1 + 1 + 4 + 0.25 + 2.25 + 1), 1e-13);
    assert_int_equal(result.status, FATHOM_TRAIN_LIMIT);
    assert_true(result.lower_bound <= 0.881303494730839 && result.lower_bound >= 0.88);
    fathom_train_result_clear(&result);
    result = train(data, 0, 1e-6);
    assert_true(isinf(result.objective) && !result.net);
    assert_int_equal(result.status, FATHOM_TRAIN_LIMIT);
    assert_true(result.lower_bound <= 6.02633205764366 && result.lower_bound >= 5.9);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
}

/* Algorithm 3: neurons are affine on the data. The five points of Proposition 3.1 cannot be interpolated; with a penalty the
 * optimum is min_s 1/2 (|y|^2 - s (2 S_xy - s S_xx)) + beta |s|, here S_xx = 10, S_xy = -2, sum (y - 1/5)^2 = 4.8. */
static void biases_make_affine_fits(void **state)
{
    (void)state;
    const double x[] = {-2, -1, 0, 1, 2}, y[] = {1, -1, 1, 1, -1}, beta = 0.5;
    fathom_data *data = make_data(5, 1, x, 1, y, FATHOM_BIAS_FREE);
    fathom_train_result result = train(data, beta, 1e-6);
    const double s = -(2 - beta) / 10;
    assert_close(result.objective, 0.5 * (4.8 + 4 * s + 10 * s * s) - beta * s, 1e-6 * 2.4);
    assert_close(value_of(&result, data, beta), result.objective, 1e-12);
    fathom_train_result_clear(&result);
    result = train(data, 0, 1e-6);
    assert_true(isinf(result.objective) && !result.net);
    fathom_train_result_clear(&result);
    const double line[] = {3, 2.5, 2, 1.5, 1}; /* this one can: norm = |slope| */
    fathom_data_free(data);
    data = make_data(5, 1, x, 1, line, FATHOM_BIAS_FREE);
    result = train(data, 0, 1e-6);
    assert_close(result.objective, 0.5, 1e-9);
    assert_close(value_of(&result, data, 0), 0.5, 1e-9);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
}

/* Several outputs (A.7): optima of vector_train lie between bound and objective. */
static void several_outputs(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2}, y[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 1};
    const double beta[] = {0.3, 1}, known[] = {0.624652687826342, 1.5726916348971};
    fathom_data *data = make_data(5, 2, x, 2, y, FATHOM_BIAS_NONE);
    for (int k = 0; k < 2; k++) {
        fathom_train_result result = train(data, beta[k], 1e-6);
        assert_true(result.objective >= known[k] - 1e-11 && result.lower_bound <= known[k]);
        assert_true(result.lower_bound >= 0.5 * known[k]);
        assert_close(value_of(&result, data, beta[k]), result.objective, 1e-12 * result.objective);
        fathom_train_result_clear(&result);
    }
    fathom_data_free(data);
    double w[3 * 5];
    const double one_hot[] = {1, 0, 0, 1, 1, 0}; /* whitened: two neurons, norm sqrt 2 + 1 [A.7, Lemma 2] */
    whitened_rows(w, 3, 5);
    data = make_data(3, 5, w, 2, one_hot, FATHOM_BIAS_NONE);
    fathom_train_result result = train(data, 0, 1e-6);
    assert_true(result.objective <= (sqrt(2) + 1) * (1 + 1e-9));
    assert_close(value_of(&result, data, 0), result.objective, 1e-9);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
}

/* Extreme points beside the cutting planes: the objective is that of the network, no more neurons than asked for, and the
 * first-order conditions of (16) on the neurons found: none of them has a price above beta. */
static void extreme_points(void **state)
{
    (void)state;
    enum { n = 60, d = 4 };
    double x[n * d], y[n], f[n];
    fathom_random_normals(x, n * d, 4, FATHOM_STREAM_DATA, 9, 0);
    for (int i = 0; i < n; i++)
        y[i] = fabs(x[i * d]) - fabs(x[i * d + 1]);
    for (int bias = 0; bias < 3; bias++) {
        fathom_data *data = make_data(n, d, x, 1, y, (fathom_bias)bias);
        fathom_train_options options;
        fathom_train_result result;
        fathom_options_init(&options, &fathom_train_option_table);
        options.method = FATHOM_TRAIN_CUTTING;
        options.gap = 1e-6, options.beta = 0.5, options.effort = 0;
        options.extreme = 20, options.neurons = 24;
        assert_ok(context, fathom_train(&result, context, data, NULL, &options));
        assert_true(result.neurons > 0 && result.neurons <= 24);
        assert_true(result.lower_bound == 0);
        const double value = value_of(&result, data, options.beta);
        assert_true(value <= result.objective);
        assert_close(value, result.objective, 1000 * (n + d) * UNIT_ROUNDOFF * value);
        const fathom_data_view view = fathom_data_look(data);
        const fathom_net_shape shape = fathom_net_look(result.net);
        const fathom_net_weights weights = fathom_net_lend(result.net);
        assert_ok(context, fathom_net_forward(f, result.net, data));
        for (int64_t j = 0; j < shape.m; j++) { /* |z_j'r| = beta |u_j| where w_j is not 0 */
            double price = 0, length = 0;
            for (int64_t i = 0; i < n; i++) {
                const double z = fathom_blas_dot(view.x + i * view.ld, weights.u + j * shape.d, shape.d) +
                                 (shape.hidden_bias ? weights.b[j] : 0);
                price += fmax(z, 0) * (y[i] - f[i]);
                length += fmax(z, 0) * fmax(z, 0);
            }
            /* strong convexity in f: |f - f*|^2 <= 2 gap value, and the master is solved to a hundredth of the gap */
            assert_close(fabs(price), options.beta, sqrt(length * 2 * options.gap * value) + 1e-6);
        }
        fathom_train_result_clear(&result);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extreme_points),   cmocka_unit_test(whitened_is_exact),
        cmocka_unit_test(independent_rows), cmocka_unit_test(restriction_is_solved),
        cmocka_unit_test(tall_data),        cmocka_unit_test(biases_make_affine_fits),
        cmocka_unit_test(several_outputs)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
