/* SPDX-License-Identifier: Apache-2.0 */
/* Global training: the interval contains optima known from an independent cone program, and its ends are recomputed. */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "fathom/train.h"
#include "random.h"

typedef struct known {
    int64_t n, d;
    const double *x, *y;
    int loss;
    double beta, optimum;
    double above; /* largest relative distance of the network from the optimum */
} known;

static const double points1[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7};
static const double target1[] = {1, -1, 2, 0.5, -1.5, 1}, label1[] = {1, -1, 1, 1, -1, 1};
static const double points2[] = {0.69, -0.71, -0.67, 0.07,  0.63,  -1.98, 0.22,
                                 1.66, 0.36,  1.22,  -0.97, -0.17, -0.1,  -1.28};
static const double target2[] = {1.38, 0.62, -0.33, -0.23, 1.54, 0.04, 0.33},
                    label2[] = {1, 1, -1, -1, 1, 1, 1};
static const double points3[] = {0.4,  -1.64, 1.77, 0.84,  -0.63, 1.45, 0.54, -0.48,
                                 0.18, -0.64, -0.8, -0.16, 0.39,  1.39, 2};
static const double target3[] = {1.25, 1.24, 1.58, -1.69, 1.1}, label3[] = {1, 1, 1, -1, 1};

/* Optima of the cone program over all patterns, to 1e-9. */
static const known problems[] = {
    {6, 2, points1, target1, FATHOM_TRAIN_SQUARED, 0.3, 0.881303494730838, 1e-3},
    {7, 2, points2, target2, FATHOM_TRAIN_SQUARED, 0.8, 2.23652540890082, 1e-3},
    {5, 3, points3, target3, FATHOM_TRAIN_SQUARED, 0.15, 0.654284129803845, 1e-3},
    {6, 2, points1, label1, FATHOM_TRAIN_LOGISTIC, 0.2, 1.35383560610608, 1e-3},
    {7, 2, points2, label2, FATHOM_TRAIN_LOGISTIC, 0.5, 4.45889535811668, 1e-3},
    {5, 3, points3, label3, FATHOM_TRAIN_LOGISTIC, 0.9, 2.52375779984857, 1e-3},
    {6, 2, points1, label1, FATHOM_TRAIN_HINGE, 0.2, 0.395198361734577, INFINITY},
    {7, 2, points2, label2, FATHOM_TRAIN_HINGE, 0.5, 5.0269050090217, INFINITY},
    {5, 3, points3, label3, FATHOM_TRAIN_HINGE, 0.9, 2.09425858186001, INFINITY},
};

/* sum_i l_i + beta sum_j |w_j||u_j| from the network itself. */
static double objective_of(const known *p, fathom_net *net)
{
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t m = fathom_net_look(net).m;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < m; j++)
            f += w.w[j] * fmax(fathom_blas_dot(p->x + i * p->d, w.u + j * p->d, p->d), 0);
        sum += p->loss == FATHOM_TRAIN_SQUARED    ? (f - p->y[i]) * (f - p->y[i]) / 2
               : p->loss == FATHOM_TRAIN_LOGISTIC ? log1p(exp(-p->y[i] * f))
                                                  : fmax(0, 1 - p->y[i] * f);
    }
    for (int64_t j = 0; j < m; j++)
        sum += p->beta * fabs(w.w[j]) * fathom_blas_norm(w.u + j * p->d, p->d);
    return sum;
}

static void train(fathom_train_result *result, fathom_context *context, const known *p)
{
    fathom_data *data;
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.loss = p->loss;
    options.beta = p->beta;
    assert_ok(context, fathom_data_create(&data, context, p->n, p->d, p->x, p->d, 1, p->y, NULL, NULL));
    assert_ok(context, fathom_train(result, context, data, NULL, &options));
    fathom_data_free(data);
}

static void intervals_contain_known_optima(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
        const known *p = problems + k;
        fathom_train_result result;
        train(&result, context, p);
        assert_int_equal(result.bound, FATHOM_TRAIN_BOUND_GLOBAL);
        assert_true(result.lower_bound <= p->optimum + 1e-8);
        assert_true(result.objective >= p->optimum - 1e-8);
        assert_true(result.objective <= p->optimum * (1 + p->above));
        assert_close(objective_of(p, result.net), result.objective, 1e-10 * result.objective);
        assert_true(result.status == FATHOM_TRAIN_LIMIT || result.relative_gap <= 1e-6);
        fathom_train_result_clear(&result);
    }
    fathom_context_free(context);
}

/* beta above beta_max: the zero network is optimal, and certified where the relaxation is tight enough. */
static void large_penalties_give_the_zero_network(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_train_result result;
    known p = problems[0];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    p.beta = 1000;
    train(&result, context, &p);
    assert_int_equal(result.neurons, 0);
    assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
    fathom_train_result_clear(&result);
    fathom_context_free(context);
}

static void same_bits_for_every_thread_count(void **state)
{
    (void)state;
    fathom_train_result result[2];
    fathom_context *context;
    double x[40 * 4], y[40];
    const known p = {40, 4, x, y, FATHOM_TRAIN_SQUARED, 2, 0, 0};
    fathom_random_normals(x, 160, 5, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, 40, 5, FATHOM_STREAM_LABEL, 0, 0);
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 2; k++) {
        fathom_context_set_threads(context, k + 1);
        train(result + k, context, &p);
    }
    assert_true(result[0].objective == result[1].objective);
    assert_true(result[0].lower_bound == result[1].lower_bound);
    fathom_train_result_clear(result);
    fathom_train_result_clear(result + 1);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_contain_known_optima),
        cmocka_unit_test(large_penalties_give_the_zero_network),
        cmocka_unit_test(same_bits_for_every_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
