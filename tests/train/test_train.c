/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gated training judged from raw data: objective, dual feasibility and gap are recomputed here with plain loops from
 * the network alone; reference optima come from an independent proximal gradient method in this file.
 */
#include <string.h>

#include "fathom/train.h"
#include "random.h"
#include "testing.h"

typedef struct instance {
    int64_t n, d, outputs;
    double *x, *y, *weight;
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    fathom_gates_view view;
} instance;

static void open_instance(instance *s, int64_t gates, const fathom_data_options *options)
{
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    fathom_context_set_threads(s->context, 1);
    assert_ok(s->context, fathom_data_create(&s->data, s->context, s->n, s->d, s->x, s->d, s->outputs, s->y,
                                             s->weight, options));
    assert_ok(s->context, fathom_gates_sample(&s->gates, s->context, s->data, gates));
    s->view = fathom_gates_look(s->gates);
}

/* Gaussian points; targets -1 and +1, or numbers; weights in (1/2, 3/2). */
static void make_instance(instance *s, int64_t n, int64_t d, int64_t outputs, bool classes, bool weighted,
                          int64_t gates, uint32_t trial, const fathom_data_options *options)
{
    *s = (instance){.n = n, .d = d, .outputs = outputs};
    s->x = malloc((size_t)(n * d) * sizeof(double));
    s->y = malloc((size_t)(n * outputs) * sizeof(double));
    fathom_random_normals(s->x, n * d, 11, FATHOM_STREAM_DATA, trial, 0);
    fathom_random_normals(s->y, n * outputs, 11, FATHOM_STREAM_LABEL, trial, 0);
    for (int64_t i = 0; classes && i < n; i++)
        s->y[i] = s->y[i] + s->x[i * d] > 0 ? 1 : -1;
    if (weighted) {
        s->weight = malloc((size_t)n * sizeof(double));
        for (int64_t i = 0; i < n; i++)
            s->weight[i] = 0.5 + fathom_random_uniform(11, FATHOM_STREAM_SAMPLE, trial, (uint64_t)i);
    }
    open_instance(s, gates, options);
}

static void close_instance(instance *s)
{
    fathom_gates_free(s->gates);
    fathom_data_free(s->data);
    fathom_context_free(s->context);
    free(s->x);
    free(s->y);
    free(s->weight);
}

static double weight_at(const instance *s, int64_t i) { return s->weight ? s->weight[i] : 1; }

static double loss_at(fathom_train_loss loss, double f, double y)
{
    if (loss == FATHOM_TRAIN_LOGISTIC)
        return y * f > 0 ? log1p(exp(-y * f)) : -y * f + log1p(exp(y * f));
    if (loss == FATHOM_TRAIN_HINGE)
        return fmax(0, 1 - y * f);
    return (f - y) * (f - y) / 2;
}

/* -l'(f) */
static double residual_at(fathom_train_loss loss, double f, double y)
{
    return loss == FATHOM_TRAIN_LOGISTIC ? y / (1 + exp(y * f)) : y - f;
}

/* Outputs of the network on the data, n x outputs. */
static double *outputs_of(const instance *s, const fathom_net *net)
{
    double *f = malloc((size_t)(s->n * s->outputs) * sizeof *f);
    assert_ok(s->context, fathom_net_forward(f, net, s->data));
    return f;
}

static double norm_of(const fathom_train_result *result)
{
    const fathom_net_shape shape = fathom_net_look(result->net);
    const fathom_net_weights w = fathom_net_lend(result->net);
    double total = 0;
    for (int64_t j = 0; j < shape.m; j++) {
        double sum = 0;
        for (int64_t k = 0; k < shape.outputs * shape.d; k++)
            sum += w.w[j * shape.outputs * shape.d + k] * w.w[j * shape.outputs * shape.d + k];
        total += sqrt(sum);
    }
    return total;
}

static double objective_of(const instance *s, const fathom_train_result *result, fathom_train_loss loss,
                           double divisor)
{
    double *f = outputs_of(s, result->net), sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->outputs; k++)
            sum += weight_at(s, i) * loss_at(loss, f[i * s->outputs + k], s->y[i * s->outputs + k]);
    free(f);
    return sum / divisor + result->beta * norm_of(result);
}

/* max_j |sum_i D_ij v_i x_i'| over all gates, by plain loops. */
static double dual_norm(const instance *s, const double *v)
{
    double largest = 0;
    for (int64_t j = 0; j < s->view.m; j++) {
        double square = 0;
        for (int64_t c = 0; c < s->outputs; c++)
            for (int64_t k = 0; k < s->d; k++) {
                double sum = 0;
                for (int64_t i = 0; i < s->n; i++)
                    if ((s->view.bits[j * s->view.words + i / 64] >> (i % 64)) & 1)
                        sum += v[i * s->outputs + c] * s->x[i * s->d + k];
                square += sum * sum;
            }
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* A network is optimal to a relative gap only if its residual violates the dual constraint by little: recomputed from
 * raw data, |F*(v)_j| <= beta (1 + slack) with slack of the order of sqrt(gap). */
static void check_result(const instance *s, const fathom_train_result *result, fathom_train_loss loss,
                         double divisor, double gap)
{
    assert_int_equal(result->status, FATHOM_TRAIN_ON_GATES);
    assert_true(result->relative_gap <= gap);
    const double objective = objective_of(s, result, loss, divisor);
    assert_close(objective, result->objective, 1e4 * UNIT_ROUNDOFF * result->objective);
    assert_close(result->gap, result->objective - result->lower_bound, UNIT_ROUNDOFF * result->objective);
    assert_close(result->objective, result->loss + result->beta * result->norm,
                 1e3 * UNIT_ROUNDOFF * objective);
    assert_true(result->lower_bound <= result->objective);
}

/* Reference optimum by proximal gradient with momentum and restarts, dense, plain loops. Squared and logistic. */
static double reference_optimum(const instance *s, fathom_train_loss loss, double beta)
{
    const int64_t size = s->view.m * s->d;
    double *w = calloc((size_t)size, sizeof *w), *z = calloc((size_t)size, sizeof *z);
    double *f = malloc((size_t)s->n * sizeof *f), *next = malloc((size_t)size * sizeof *next);
    double lipschitz = 0, t = 1, value = INFINITY, best = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->d; k++)
            lipschitz += weight_at(s, i) * (double)s->view.m * s->x[i * s->d + k] * s->x[i * s->d + k];
    lipschitz *= loss == FATHOM_TRAIN_LOGISTIC ? 0.25 : 1;
    for (int step = 0; step < 20000; step++) {
        for (int64_t i = 0; i < s->n; i++) {
            f[i] = 0;
            for (int64_t j = 0; j < s->view.m; j++)
                for (int64_t k = 0; (s->view.bits[j * s->view.words + i / 64] >> (i % 64)) & 1 && k < s->d;
                     k++)
                    f[i] += s->x[i * s->d + k] * z[j * s->d + k];
            f[i] = weight_at(s, i) * residual_at(loss, f[i], s->y[i]);
        }
        double norm = 0, progress = 0;
        for (int64_t j = 0; j < s->view.m; j++) {
            double square = 0;
            for (int64_t k = 0; k < s->d; k++) {
                double sum = 0;
                for (int64_t i = 0; i < s->n; i++)
                    if ((s->view.bits[j * s->view.words + i / 64] >> (i % 64)) & 1)
                        sum += f[i] * s->x[i * s->d + k];
                next[j * s->d + k] = z[j * s->d + k] + sum / lipschitz;
                square += next[j * s->d + k] * next[j * s->d + k];
            }
            const double shrink = fmax(0, 1 - beta / lipschitz / sqrt(square));
            for (int64_t k = 0; k < s->d; k++)
                next[j * s->d + k] *= shrink;
            norm += shrink * sqrt(square);
        }
        for (int64_t k = 0; k < size; k++)
            progress += (z[k] - next[k]) * (next[k] - w[k]);
        const double later = progress > 0 ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2,
                     momentum = progress > 0 ? 0 : (t - 1) / later;
        for (int64_t k = 0; k < size; k++) {
            z[k] = next[k] + momentum * (next[k] - w[k]);
            w[k] = next[k];
        }
        t = later;
        if (step % 500 != 499)
            continue;
        value = beta * norm;
        for (int64_t i = 0; i < s->n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < s->view.m; j++)
                for (int64_t k = 0; (s->view.bits[j * s->view.words + i / 64] >> (i % 64)) & 1 && k < s->d;
                     k++)
                    sum += s->x[i * s->d + k] * w[j * s->d + k];
            value += weight_at(s, i) * loss_at(loss, sum, s->y[i]);
        }
        if (best - value <= 1e-13 * value)
            break;
        best = fmin(best, value);
    }
    free(w);
    free(z);
    free(f);
    free(next);
    return fmin(best, value);
}

static fathom_train_options gated_options(fathom_train_loss loss, double beta_rel)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_GATED;
    options.loss = (int)loss;
    options.beta_rel = beta_rel;
    return options;
}

/* Bound below and objective above the reference optimum, to the reference's own accuracy, and within the gap. */
static void compare_with_reference(fathom_train_loss loss, bool weighted, uint32_t trial, double beta_rel)
{
    instance s;
    fathom_train_result result;
    make_instance(&s, 25 + (int64_t)trial, 2 + trial % 3, 1, loss != FATHOM_TRAIN_SQUARED, weighted, 12,
                  trial, NULL);
    const fathom_train_options options = gated_options(loss, beta_rel);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
    check_result(&s, &result, loss, 1, options.gap);
    const double optimum = reference_optimum(&s, loss, result.beta);
    assert_true(result.lower_bound <= optimum);
    assert_true(result.objective <= optimum * (1 + options.gap));
    fathom_train_result_clear(&result);
    close_instance(&s);
}

static void test_optimum_agrees_with_proximal_gradient(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(4); trial++) {
        compare_with_reference(FATHOM_TRAIN_SQUARED, trial % 2, trial, 0.3);
        compare_with_reference(FATHOM_TRAIN_LOGISTIC, trial % 2, trial, 0.3);
    }
    compare_with_reference(FATHOM_TRAIN_SQUARED, true, 5, 0.02);
}

/* Optima over all patterns of three small data sets, each to 1e-9 from a second-order cone program. */
static void test_stored_optima(void **state)
{
    (void)state;
    static double a1[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7}, y1[] = {1, -1, 2, 0.5, -1.5, 1};
    static double a2[] = {0.69, -0.71, -0.67, 0.07,  0.63,  -1.98, 0.22,
                          1.66, 0.36,  1.22,  -0.97, -0.17, -0.1,  -1.28};
    static double y2[] = {1.38, 0.62, -0.33, -0.23, 1.54, 0.04, 0.33};
    static double a3[] = {0.4,  -1.64, 1.77, 0.84,  -0.63, 1.45, 0.54, -0.48,
                          0.18, -0.64, -0.8, -0.16, 0.39,  1.39, 2};
    static double y3[] = {1.25, 1.24, 1.58, -1.69, 1.1};
    const struct {
        int64_t n, d, cones;
        double *x, *y, beta, optimum;
    } rows[] = {{6, 2, 12, a1, y1, 0.3, 0.593146564479176},
                {7, 2, 14, a2, y2, 0.8, 2.08250591289888},
                {5, 3, 22, a3, y3, 0.15, 0.387696929488664}};
    for (size_t k = 0; k < 3; k++) {
        instance s = {.n = rows[k].n, .d = rows[k].d, .outputs = 1, .x = rows[k].x, .y = rows[k].y};
        open_instance(&s, 400000, NULL); /* enough to hit every cone */
        assert_int_equal(s.view.m, rows[k].cones);
        fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.1);
        options.beta = rows[k].beta;
        options.gap = 1e-10;
        fathom_train_result result;
        assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
        check_result(&s, &result, FATHOM_TRAIN_SQUARED, 1, options.gap);
        assert_close(result.objective, rows[k].optimum, 1e-9);
        fathom_train_result_clear(&result);
        s.x = s.y = NULL;
        close_instance(&s);
    }
}

/* The stopping gap is recomputed from raw data alone: the residual v = y - f, scaled into the constraints. */
static void check_gap_by_hand(int64_t n, int64_t d, int64_t outputs, int64_t gates)
{
    instance s;
    fathom_train_result result;
    make_instance(&s, n, d, outputs, false, false, gates, 3, NULL);
    const fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.1);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
    check_result(&s, &result, FATHOM_TRAIN_SQUARED, 1, options.gap);
    double *v = outputs_of(&s, result.net), product = 0, square = 0;
    for (int64_t i = 0; i < n * outputs; i++) {
        v[i] = s.y[i] - v[i];
        product += v[i] * s.y[i];
        square += v[i] * v[i];
    }
    const double scale = fmin(product / square, result.beta / dual_norm(&s, v));
    const double bound = scale * product - scale * scale / 2 * square;
    assert_true((result.objective - bound) / result.objective <= 2 * options.gap);
    assert_true(result.beta_max > 0);
    assert_close(dual_norm(&s, s.y), result.beta_max, 1e3 * UNIT_ROUNDOFF * result.beta_max);
    free(v);
    fathom_train_result_clear(&result);
    close_instance(&s);
}

static void test_gap_recomputed_from_raw_data(void **state)
{
    (void)state;
    check_gap_by_hand(100, 5, 1, 40);
    check_gap_by_hand(60, 4, 3, 20);
}

/* Beyond 2,048 points the Newton systems are solved by conjugate gradients. */
static void test_many_points_are_solved_iteratively(void **state)
{
    (void)state;
    check_gap_by_hand(2200, 8, 1, 60);
}

static void test_above_beta_max_nothing_is_used(void **state)
{
    (void)state;
    instance s;
    fathom_train_result result;
    make_instance(&s, 50, 4, 1, false, false, 20, 1, NULL);
    const fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 1);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
    check_result(&s, &result, FATHOM_TRAIN_SQUARED, 1, options.gap);
    assert_int_equal(result.neurons, 0);
    fathom_train_result_clear(&result);
    close_instance(&s);
}

/* mean = sum with n beta, divided by n. */
static void test_scales_agree(void **state)
{
    (void)state;
    instance s;
    fathom_train_result sum, mean;
    make_instance(&s, 64, 3, 1, false, false, 20, 2, NULL);
    fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.1);
    options.beta = 1.6;
    assert_ok(s.context, fathom_train(&sum, s.context, s.data, s.gates, &options));
    options.scale = 1;
    options.beta = 1.6 / 64;
    assert_ok(s.context, fathom_train(&mean, s.context, s.data, s.gates, &options));
    assert_close(sum.objective / 64, mean.objective, UNIT_ROUNDOFF * sum.objective);
    assert_close(sum.lower_bound / 64, mean.lower_bound, UNIT_ROUNDOFF * sum.objective);
    assert_close(sum.beta_max / 64, mean.beta_max, UNIT_ROUNDOFF * sum.beta_max);
    fathom_train_result_clear(&sum);
    fathom_train_result_clear(&mean);
    close_instance(&s);
}

/* With a free constant, adding 5 to squared targets moves the constant and nothing else. */
static void test_free_constant_absorbs_a_shift(void **state)
{
    (void)state;
    for (int classes = 0; classes < 2; classes++) {
        instance s, shifted;
        fathom_train_result result, moved;
        fathom_data_options data_options;
        fathom_options_init(&data_options, &fathom_data_option_table);
        data_options.bias = FATHOM_BIAS_FREE;
        const fathom_train_loss loss = classes ? FATHOM_TRAIN_LOGISTIC : FATHOM_TRAIN_SQUARED;
        fathom_train_options options = gated_options(loss, 0.1);
        make_instance(&s, 80, 3, 1, classes, true, 30, 4, &data_options);
        assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
        check_result(&s, &result, loss, 1, options.gap);
        fathom_train_result_clear(&result);
        if (!classes) {
            assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
            shifted = s;
            for (int64_t i = 0; i < s.n; i++)
                s.y[i] += 5;
            assert_ok(s.context, fathom_data_create(&shifted.data, s.context, s.n, s.d, s.x, s.d, 1, s.y,
                                                    s.weight, &data_options));
            assert_ok(s.context, fathom_train(&moved, s.context, shifted.data, s.gates, &options));
            assert_close(moved.objective, result.objective, 2 * options.gap * result.objective);
            fathom_data_free(shifted.data);
            fathom_train_result_clear(&moved);
            fathom_train_result_clear(&result);
        }
        close_instance(&s);
    }
}

/* Hinge: the dual point a in [0, 1] is not unique, so the bound is taken at its word but for weak duality: a network
 * trained on the logistic loss, scaled to its best hinge objective, must stay above it. */
static void test_hinge_is_certified(void **state)
{
    (void)state;
    for (int64_t bias = 0; bias < 2; bias++) {
        instance s;
        fathom_train_result result, other;
        fathom_data_options data_options;
        fathom_options_init(&data_options, &fathom_data_option_table);
        data_options.bias = bias ? FATHOM_BIAS_FREE : FATHOM_BIAS_NONE;
        make_instance(&s, 90, 3, 1, true, bias, 30, 6, &data_options);
        fathom_train_options options = gated_options(FATHOM_TRAIN_HINGE, 0.1);
        assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
        check_result(&s, &result, FATHOM_TRAIN_HINGE, 1, options.gap);
        options.loss = FATHOM_TRAIN_LOGISTIC;
        options.beta = result.beta;
        assert_ok(s.context, fathom_train(&other, s.context, s.data, s.gates, &options));
        assert_true(objective_of(&s, &other, FATHOM_TRAIN_HINGE, 1) >= result.lower_bound);
        fathom_train_result_clear(&result);
        fathom_train_result_clear(&other);
        close_instance(&s);
    }
}

/* Softmax: P = softmax(f), V = Y - P, scaled towards Y until |F*(V)_j| <= beta; the entropy of P_s is a bound. */
static void test_softmax_gap_recomputed_from_raw_data(void **state)
{
    (void)state;
    instance s;
    fathom_train_result result;
    enum { N = 70, K = 3 };
    make_instance(&s, N, 4, 1, false, false, 25, 8, NULL);
    for (int64_t i = 0; i < N; i++)
        s.y[i] = s.x[i * 4] > 0.5 ? 2 : s.y[i] > 0 ? 1 : 0;
    fathom_data_free(s.data);
    assert_ok(s.context, fathom_data_create(&s.data, s.context, N, 4, s.x, 4, 1, s.y, NULL, NULL));
    const fathom_train_options options = gated_options(FATHOM_TRAIN_LOGISTIC, 0.1);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
    assert_int_equal(result.kind, FATHOM_LOSS_SOFTMAX);
    s.outputs = K;
    double *p = outputs_of(&s, result.net), v[N * K], objective = result.beta * norm_of(&result), bound = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += exp(p[i * K + k]);
        objective += log(sum) - p[i * K + (int)s.y[i]];
        for (int k = 0; k < K; k++) {
            p[i * K + k] = exp(p[i * K + k]) / sum;
            v[i * K + k] = (k == (int)s.y[i]) - p[i * K + k];
        }
    }
    const double scale = fmin(1, result.beta / dual_norm(&s, v));
    for (int64_t i = 0; i < N * K; i++) {
        const double q = (i % K == (int)s.y[i / K]) - scale * v[i];
        bound -= q > 0 ? q * log(q) : 0;
    }
    assert_close(objective, result.objective, 1e4 * UNIT_ROUNDOFF * objective);
    assert_true((objective - bound) / objective <= 2 * options.gap);
    free(p);
    fathom_train_result_clear(&result);
    close_instance(&s);
}

/* Every point of a path is certified, beta falls geometrically, and the first point uses no gate. */
static void test_path_is_certified_at_every_point(void **state)
{
    (void)state;
    instance s;
    fathom_path_result path;
    fathom_path_options options;
    fathom_options_init(&options, &fathom_path_option_table);
    options.points = 6;
    options.ratio = 0.01;
    options.cv = 3;
    make_instance(&s, 60, 3, 1, false, true, 25, 7, NULL);
    const fathom_train_options train = gated_options(FATHOM_TRAIN_SQUARED, 0.1);
    assert_ok(s.context, fathom_path(&path, s.context, s.data, s.gates, &train, &options));
    assert_int_equal(path.count, 6);
    assert_int_equal(path.point[0].neurons, 0);
    for (int64_t k = 0; k < path.count; k++) {
        check_result(&s, path.point + k, FATHOM_TRAIN_SQUARED, 1, train.gap);
        assert_close(path.point[k].beta, path.point[0].beta * pow(0.01, (double)k / 5),
                     1e-12 * path.point[k].beta);
        assert_true(path.cv_loss[k] > 0);
        assert_true(path.cv_loss[path.best] <= path.cv_loss[k]);
    }
    fathom_path_result_clear(&path, s.context);
    close_instance(&s);
}

/* The same network, bit for bit, for one and two threads. */
static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    const int64_t sizes[] = {400, 2100};
    for (int k = 0; k < 2; k++) {
        instance s;
        fathom_train_result one, two;
        make_instance(&s, sizes[k], 6, 1, true, false, 80, 9, NULL);
        const fathom_train_options options = gated_options(FATHOM_TRAIN_LOGISTIC, 0.2);
        assert_ok(s.context, fathom_train(&one, s.context, s.data, s.gates, &options));
        fathom_context_set_threads(s.context, 2);
        assert_ok(s.context, fathom_train(&two, s.context, s.data, s.gates, &options));
        assert_int_equal(one.neurons, two.neurons);
        assert_memory_equal(&one.lower_bound, &two.lower_bound, sizeof(double));
        assert_memory_equal(fathom_net_lend(one.net).w, fathom_net_lend(two.net).w,
                            (size_t)(one.neurons * s.d) * sizeof(double));
        fathom_train_result_clear(&one);
        fathom_train_result_clear(&two);
        close_instance(&s);
    }
}

/* sum_j |w_j|^2 */
static double square_of(const fathom_train_result *result)
{
    const fathom_net_shape shape = fathom_net_look(result->net);
    const double *w = fathom_net_lend(result->net).w;
    double sum = 0;
    for (int64_t k = 0; k < shape.m * shape.outputs * shape.d; k++)
        sum += w[k] * w[k];
    return sum;
}

/* With every cone there are many optimal networks: the sparse one has no more gates than any other found and at most
 * one per data point, the min-norm one no larger a sum of squares; all keep the gap. */
static void test_selected_networks_are_optimal_too(void **state)
{
    (void)state;
    instance s;
    fathom_train_result result[3];
    make_instance(&s, 40, 3, 1, false, false, 200000, 12, NULL);
    fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.05);
    for (int select = 0; select < 3; select++) {
        options.select = select;
        assert_ok(s.context, fathom_train(result + select, s.context, s.data, s.gates, &options));
        check_result(&s, result + select, FATHOM_TRAIN_SQUARED, 1, options.gap);
    }
    assert_true(result[FATHOM_SELECT_SPARSE].neurons <= result[FATHOM_SELECT_ANY].neurons);
    assert_true(result[FATHOM_SELECT_SPARSE].neurons <= s.n);
    assert_true(square_of(result + FATHOM_SELECT_MIN_NORM) <=
                square_of(result + FATHOM_SELECT_ANY) * (1 + 1e-9));
    for (int select = 0; select < 3; select++)
        fathom_train_result_clear(result + select);
    close_instance(&s);
}

/* Growing gates end below the objective of the 128 gates they begin with, and not below that of all cones. */
static void test_gates_grow(void **state)
{
    (void)state;
    instance s;
    fathom_train_result first, grown, all;
    make_instance(&s, 50, 3, 1, false, false, 128, 13, NULL);
    fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.1);
    options.beta = 1;
    assert_ok(s.context, fathom_train(&first, s.context, s.data, s.gates, &options));
    options.gates = "grow";
    assert_ok(s.context, fathom_train(&grown, s.context, s.data, NULL, &options));
    options.gates = "all";
    assert_ok(s.context, fathom_train(&all, s.context, s.data, NULL, &options));
    assert_int_equal(all.status, FATHOM_TRAIN_CERTIFIED);
    assert_int_equal(grown.status, FATHOM_TRAIN_ON_GATES);
    assert_true(grown.objective < first.objective);
    assert_true(grown.objective >= all.lower_bound);
    fathom_train_result_clear(&first);
    fathom_train_result_clear(&grown);
    fathom_train_result_clear(&all);
    close_instance(&s);
}

static bool stop_at_third_step(void *user, const fathom_progress *progress)
{
    (void)user;
    return progress->iteration >= 2;
}

/* A run that is interrupted, and resumed from its checkpoint, ends with the bits of one that was not. */
static void check_resume(fathom_train_loss loss, int64_t n)
{
    instance s;
    fathom_train_result whole, part, resumed;
    const char *path = "test_train_checkpoint.npz";
    make_instance(&s, n, 5, 1, loss != FATHOM_TRAIN_SQUARED, false, 60, 9, NULL);
    fathom_train_options options = gated_options(loss, 0.05);
    assert_ok(s.context, fathom_train(&whole, s.context, s.data, s.gates, &options));
    options.checkpoint = path;
    fathom_context_set_progress(s.context, stop_at_third_step, NULL);
    assert_ok(s.context, fathom_train(&part, s.context, s.data, s.gates, &options));
    assert_int_equal(part.end, FATHOM_END_INTERRUPTED);
    assert_true(part.relative_gap > options.gap);
    options.checkpoint = NULL;
    options.resume = path;
    fathom_context *fresh;
    assert_ok(NULL, fathom_context_create(&fresh, NULL));
    assert_ok(fresh, fathom_train(&resumed, fresh, s.data, s.gates, &options));
    assert_memory_equal(&whole.lower_bound, &resumed.lower_bound, sizeof(double));
    assert_int_equal(whole.neurons, resumed.neurons);
    assert_int_equal(whole.iterations, resumed.iterations);
    assert_memory_equal(fathom_net_lend(whole.net).w, fathom_net_lend(resumed.net).w,
                        (size_t)(whole.neurons * s.d) * sizeof(double));
    fathom_train_result_clear(&resumed);
    options.beta = 1e-3;
    assert_int_equal(fathom_train(&resumed, fresh, s.data, s.gates, &options), FATHOM_ERROR_INPUT);
    fathom_train_result_clear(&whole);
    fathom_train_result_clear(&part);
    fathom_context_free(fresh);
    close_instance(&s);
    remove(path);
}

static void test_resumed_runs_give_the_same_bits(void **state)
{
    (void)state;
    check_resume(FATHOM_TRAIN_SQUARED, 200);
    check_resume(FATHOM_TRAIN_LOGISTIC, 200);
    check_resume(FATHOM_TRAIN_HINGE, 120);
    check_resume(FATHOM_TRAIN_SQUARED, 2100);
}

static void test_time_limit_gives_an_honest_gap(void **state)
{
    (void)state;
    instance s;
    fathom_train_result result;
    make_instance(&s, 300, 6, 1, false, false, 80, 9, NULL);
    const fathom_train_options options = gated_options(FATHOM_TRAIN_SQUARED, 0.01);
    fathom_context_set_time_limit(s.context, 0);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, s.gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_LIMIT);
    assert_int_equal(result.end, FATHOM_END_TIME);
    assert_true(result.lower_bound <= result.objective);
    assert_true(result.relative_gap > options.gap);
    assert_non_null(result.net);
    fathom_train_result_clear(&result);
    close_instance(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum_agrees_with_proximal_gradient),
        cmocka_unit_test(test_stored_optima),
        cmocka_unit_test(test_gap_recomputed_from_raw_data),
        cmocka_unit_test(test_many_points_are_solved_iteratively),
        cmocka_unit_test(test_above_beta_max_nothing_is_used),
        cmocka_unit_test(test_scales_agree),
        cmocka_unit_test(test_free_constant_absorbs_a_shift),
        cmocka_unit_test(test_hinge_is_certified),
        cmocka_unit_test(test_softmax_gap_recomputed_from_raw_data),
        cmocka_unit_test(test_path_is_certified_at_every_point),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
        cmocka_unit_test(test_selected_networks_are_optimal_too),
        cmocka_unit_test(test_gates_grow),
        cmocka_unit_test(test_resumed_runs_give_the_same_bits),
        cmocka_unit_test(test_time_limit_gives_an_honest_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
