/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax on gates, judged from raw data: objective, dual point and gap recomputed by plain loops from the network alone,
 * down to small penalties, with and without sample weights and a free constant; gates that grow for several outputs.
 */
#include <string.h>

#include "fathom/train.h"
#include "random.h"
#include "testing.h"

enum { N = 90, D = 4, K = 3 };

typedef struct instance {
    double x[N * D], y[N], weight[N];
    bool weighted;
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
} instance;

static void open_instance(instance *s, bool weighted, bool free_constant)
{
    fathom_data_options options;
    double noise[N];
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = free_constant ? FATHOM_BIAS_FREE : FATHOM_BIAS_NONE;
    s->weighted = weighted;
    fathom_random_normals(s->x, N * D, 31, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(noise, N, 31, FATHOM_STREAM_LABEL, 0, 0);
    for (int i = 0; i < N; i++) {
        s->y[i] = s->x[i * D] > 0.5 ? 2 : noise[i] + s->x[i * D + 1] > 0 ? 1 : 0;
        s->weight[i] = 0.5 + fathom_random_uniform(31, FATHOM_STREAM_SAMPLE, 0, (uint64_t)i);
    }
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    fathom_context_set_threads(s->context, 1);
    assert_ok(s->context, fathom_data_create(&s->data, s->context, N, D, s->x, D, 1, s->y,
                                             weighted ? s->weight : NULL, &options));
    assert_ok(s->context, fathom_gates_sample(&s->gates, s->context, s->data, 30));
}

static void close_instance(instance *s)
{
    fathom_gates_free(s->gates);
    fathom_data_free(s->data);
    fathom_context_free(s->context);
}

static double weight_at(const instance *s, int i) { return s->weighted ? s->weight[i] : 1; }

/* v (N x K) = c (Y - softmax(f)); returns the loss. */
static double residual(double *v, const instance *s, const fathom_train_result *result)
{
    double f[N * K], loss = 0;
    assert_ok(s->context, fathom_net_forward(f, result->net, s->data));
    for (int i = 0; i < N; i++) {
        double sum = 0, top = fmax(f[i * K], fmax(f[i * K + 1], f[i * K + 2]));
        for (int k = 0; k < K; k++)
            sum += exp(f[i * K + k] - top);
        loss += weight_at(s, i) * (log(sum) + top - f[i * K + (int)s->y[i]]);
        for (int k = 0; k < K; k++)
            v[i * K + k] = weight_at(s, i) * ((k == (int)s->y[i]) - exp(f[i * K + k] - top) / sum);
    }
    return loss;
}

static double norm_of(const fathom_train_result *result)
{
    const double *w = fathom_net_lend(result->net).w;
    double total = 0;
    for (int64_t j = 0; j < result->neurons; j++) {
        double sum = 0;
        for (int k = 0; k < K * D; k++)
            sum += w[j * K * D + k] * w[j * K * D + k];
        total += sqrt(sum);
    }
    return total;
}

/* max_j |F*(v)_j| over all gates. */
static double dual_norm(const instance *s, const double *v)
{
    const fathom_gates_view view = fathom_gates_look(s->gates);
    double largest = 0;
    for (int64_t j = 0; j < view.m; j++) {
        double sum[K * D] = {0}, square = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; (view.bits[j * view.words + i / 64] >> (i % 64)) & 1 && k < K * D; k++)
                sum[k] += v[i * K + k / D] * s->x[i * D + k % D];
        for (int k = 0; k < K * D; k++)
            square += sum[k] * sum[k];
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

static fathom_train_options softmax_options(double beta_rel)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_GATED;
    options.loss = FATHOM_TRAIN_LOGISTIC;
    options.beta_rel = beta_rel;
    return options;
}

/* Without a constant the residual scaled into feasibility proves the objective to twice the gap. */
static void test_gap_recomputed(void **state)
{
    (void)state;
    const double ratio[] = {0.3, 1e-2, 1e-4};
    for (int trial = 0; trial < 6; trial++) {
        instance s;
        fathom_train_result result;
        double v[N * K], bound = 0;
        open_instance(&s, trial % 2, false);
        const fathom_train_options options = softmax_options(ratio[trial / 2]);
        assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
        assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
        const double objective = residual(v, &s, &result) + result.beta * norm_of(&result);
        const double scale = fmin(1, result.beta / dual_norm(&s, v));
        for (int i = 0; i < N * K; i++) {
            const double c = weight_at(&s, i / K), q = (i % K == (int)s.y[i / K]) - scale * v[i] / c;
            bound -= q > 0 ? c * q * log(q) : 0;
        }
        assert_close(objective, result.objective, 1e4 * UNIT_ROUNDOFF * objective);
        assert_true(result.lower_bound <= objective);
        assert_true((objective - bound) / objective <=
                    100 * options.gap); /* the run keeps the best of its steps */
        fathom_train_result_clear(&result);
        close_instance(&s);
    }
}

/* With free constants: column sums of the residual vanish, and |F*(v)_j| <= beta to the root of the gap. */
static void test_free_constants(void **state)
{
    (void)state;
    const double ratio[] = {0.1, 1e-3};
    for (int trial = 0; trial < 2; trial++) {
        instance s;
        fathom_train_result result;
        double v[N * K], size = 0;
        open_instance(&s, true, true);
        fathom_train_options options = softmax_options(ratio[trial]);
        options.gap = 1e-8;
        assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
        assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
        const double objective = residual(v, &s, &result) + result.beta * norm_of(&result);
        assert_close(objective, result.objective, 1e4 * UNIT_ROUNDOFF * objective);
        for (int i = 0; i < N * K; i++)
            size += fabs(v[i]);
        for (int k = 0; k < K; k++) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += v[i * K + k];
            assert_close(sum, 0, 30 * sqrt(options.gap) * size);
        }
        assert_true(dual_norm(&s, v) <= result.beta * (1 + 30 * sqrt(options.gap)));
        fathom_train_result_clear(&result);
        close_instance(&s);
    }
}

/* Growing gates of several outputs do better than the gates they begin with, and not better than all cones. */
static void test_gates_grow_for_several_outputs(void **state)
{
    (void)state;
    skip_if_brief();
    instance s;
    fathom_train_result first, grown, all;
    open_instance(&s, false, false);
    fathom_train_options options = softmax_options(0.1);
    options.beta = 2;
    options.gap = 1e-4;
    options.gates = "128";
    assert_ok(s.context, fathom_train(&first, s.context, s.data, NULL, &options));
    options.gates = "grow";
    assert_ok(s.context, fathom_train(&grown, s.context, s.data, NULL, &options));
    assert_int_equal(grown.status, FATHOM_TRAIN_ON_GATES);
    assert_true(grown.objective < first.lower_bound);
    options.gates = "20000";
    assert_ok(s.context, fathom_train(&all, s.context, s.data, NULL, &options));
    assert_true(grown.objective <= all.objective * 1.02); /* local search against 20,000 draws */
    fathom_train_result_clear(&first);
    fathom_train_result_clear(&grown);
    fathom_train_result_clear(&all);
    close_instance(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_recomputed),
        cmocka_unit_test(test_free_constants),
        cmocka_unit_test(test_gates_grow_for_several_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
