/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gated training on sparse rows against the same rows dense: same penalty, bounds that hold for both, and a
 * network whose objective, added up here from the definition, is what is printed. Shapes reach every form:
 * K as a matrix or gate by gate, factorised or by conjugate gradients, all columns or the heavy ones in the
 * preconditioner, all of K in it.
 */
#include <string.h>

#include "fathom/train.h"
#include "random.h"
#include "testing.h"

typedef struct instance {
    int64_t n, d, outputs;
    double *x, *y, *weight, *value;
    int64_t *row_start;
    int32_t *column;
    fathom_context *context;
    fathom_data *dense, *sparse;
} instance;

static void *room(int64_t count, size_t size) { return calloc((size_t)(count + 1), size); }

static double draw(uint32_t trial, uint32_t sub, int64_t k)
{
    return fathom_random_uniform(23 + trial, FATHOM_STREAM_SAMPLE, sub, (uint64_t)k);
}

/* Counts that thin out with the column, as of words; every 50th row is empty. Targets depend on the first
 * columns. */
static void make(instance *s, int64_t n, int64_t d, double filled, int64_t classes, uint32_t trial,
                 bool weighted, const fathom_data_options *options)
{
    int64_t entries = 0;
    *s = (instance){.n = n, .d = d, .outputs = 1};
    s->x = room(n * d, sizeof *s->x);
    s->value = room(n * d, sizeof *s->value);
    s->column = room(n * d, sizeof *s->column);
    s->row_start = room(n + 1, sizeof *s->row_start);
    s->y = room(n, sizeof *s->y);
    s->weight = weighted ? room(n, sizeof *s->weight) : NULL;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d && i % 50 != 7; k++) {
            const double share = filled * (k < 5 ? 3 : 1);
            if (draw(trial, 1, i * d + k) >= share)
                continue;
            s->x[i * d + k] = s->value[entries] = floor(1 + 3 * draw(trial, 2, i * d + k));
            s->column[entries++] = (int32_t)k;
            sum += k % 3 == 0 ? s->x[i * d + k] : k % 3 == 1 ? -s->x[i * d + k] : 0;
        }
        s->row_start[i + 1] = entries;
        const double noisy = sum + 3 * draw(trial, 3, i);
        s->y[i] = classes > 2    ? (double)((int64_t)(fabs(noisy)) % classes)
                  : classes == 2 ? (noisy > 1 ? 1 : -1)
                                 : noisy;
        if (weighted)
            s->weight[i] = 0.5 + draw(trial, 4, i);
    }
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    fathom_context_set_threads(s->context, 1);
    assert_ok(s->context,
              fathom_data_create(&s->dense, s->context, n, d, s->x, d, 1, s->y, s->weight, options));
    const fathom_sparse_rows rows = {n, d, s->row_start, s->column, s->value};
    assert_ok(s->context,
              fathom_data_create_sparse(&s->sparse, s->context, &rows, 1, s->y, s->weight, options));
    assert_null(fathom_data_look(s->sparse).x);
}

static void drop(instance *s)
{
    fathom_data_free(s->dense);
    fathom_data_free(s->sparse);
    fathom_context_free(s->context);
    void *blocks[] = {s->x, s->y, s->weight, s->value, s->row_start, s->column};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

static fathom_train_options options_of(int loss, const char *gates, double beta_rel)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_GATED;
    options.loss = loss;
    options.gates = gates;
    options.beta_rel = beta_rel;
    options.gap = test_briefly() ? 1e-3 : 1e-5;
    return options;
}

/* sum_j |w_j| by its definition. */
static double norm_of(const fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend((fathom_net *)(uintptr_t)net);
    const int64_t block = shape.outputs * shape.d;
    double norm = 0;
    for (int64_t j = 0; j < shape.m; j++) {
        double square = 0;
        for (int64_t k = 0; k < block; k++)
            square += w.w[j * block + k] * w.w[j * block + k];
        norm += sqrt(square);
    }
    return norm;
}

/* Both runs reach the gap; each bound holds for the other's network; the norm is that of the weights;
 * outputs on dense and sparse rows are the same to rounding. */
static void compare(instance *s, const fathom_train_options *options, const char *what)
{
    fathom_train_result sparse, dense;
    assert_ok(s->context, fathom_train(&sparse, s->context, s->sparse, NULL, options));
    assert_ok(s->context, fathom_train(&dense, s->context, s->dense, NULL, options));
    if (sparse.status != FATHOM_TRAIN_ON_GATES || dense.status != FATHOM_TRAIN_ON_GATES)
        fail_msg("%s: relative gaps %g and %g", what, sparse.relative_gap, dense.relative_gap);
    assert_close(sparse.beta_max, dense.beta_max, 4 * (double)(s->n + s->d) * UNIT_ROUNDOFF * dense.beta_max);
    assert_true(sparse.lower_bound <= dense.objective && dense.lower_bound <= sparse.objective);
    assert_close(sparse.norm, norm_of(sparse.net),
                 4 * (double)(s->n + s->d + 64) * UNIT_ROUNDOFF * sparse.norm);
    const int64_t outputs = fathom_net_look(sparse.net).outputs;
    double *one = room(s->n * outputs, sizeof *one), *other = room(s->n * outputs, sizeof *other);
    assert_ok(s->context, fathom_net_forward(one, sparse.net, s->sparse));
    assert_ok(s->context, fathom_net_forward(other, sparse.net, s->dense));
    for (int64_t k = 0; k < s->n * outputs; k++)
        assert_close(one[k], other[k],
                     8 * (double)(s->d + sparse.neurons) * UNIT_ROUNDOFF * sparse.norm * 100);
    free(one);
    free(other);
    fathom_train_result_clear(&sparse);
    fathom_train_result_clear(&dense);
}

static void test_few_points(void **state)
{
    (void)state;
    static const int losses[] = {FATHOM_TRAIN_SQUARED, FATHOM_TRAIN_LOGISTIC, FATHOM_TRAIN_HINGE,
                                 FATHOM_TRAIN_HUBER,   FATHOM_TRAIN_ABSOLUTE, FATHOM_TRAIN_QUANTILE};
    for (uint32_t k = 0; k < sizeof losses / sizeof *losses; k++) {
        instance s;
        const bool classes = losses[k] == FATHOM_TRAIN_LOGISTIC || losses[k] == FATHOM_TRAIN_HINGE;
        make(&s, 150, 400, 0.03, classes ? 2 : 0, k, k % 2, NULL);
        const fathom_train_options options = options_of(losses[k], "40", 0.1);
        compare(&s, &options, "few points");
        drop(&s);
    }
}

/* n, d, share of numbers, classes, gates, beta_rel. */
static const struct {
    int64_t n, d;
    double filled;
    int64_t classes;
    const char *gates;
    double beta_rel;
    const char *what;
} shapes[] = {
    {120, 300, 0.03, 4, "15", 0.2, "softmax factorised"},
    {530, 1100, 0.01, 4, "12", 0.2, "softmax, K a matrix, heavy columns"},
    {1200, 30, 0.04, 3, "12", 0.1, "softmax gate by gate"},
    {2100, 80, 0.05, 2, "30", 0.1, "logistic gate by gate"},
    {2100, 40, 0.05, 0, "8", 0.02, "squared with all of K in the preconditioner"},
    {2100, 1100, 0.01, 0, "10", 0.2, "squared, K a matrix"},
};

static void test_many_points(void **state)
{
    (void)state;
    skip_if_brief();
    for (uint32_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        instance s;
        make(&s, shapes[k].n, shapes[k].d, shapes[k].filled, shapes[k].classes, 40 + k, false, NULL);
        const fathom_train_options options =
            options_of(shapes[k].classes > 0 ? FATHOM_TRAIN_LOGISTIC : FATHOM_TRAIN_SQUARED, shapes[k].gates,
                       shapes[k].beta_rel); /* gap 1e-5 in all but variants: the last steps count */
        compare(&s, &options, shapes[k].what);
        drop(&s);
    }
}

/* A free constant, a column of ones, rows of norm 1, a choice among optimal networks. */
static void test_biases_and_selection(void **state)
{
    (void)state;
    skip_if_brief();
    for (uint32_t k = 0; k < 6; k++) {
        instance s;
        fathom_data_options data;
        fathom_options_init(&data, &fathom_data_option_table);
        data.bias = (int)(k % 3);
        data.normalize = k < 3 ? FATHOM_NORMALIZE_UNIT : FATHOM_NORMALIZE_NONE;
        make(&s, k < 3 ? 100 : 700, k < 3 ? 300 : 60, 0.03, k < 3 ? 2 : 3, 80 + k, true, &data);
        fathom_train_options options = options_of(FATHOM_TRAIN_LOGISTIC, "12", 0.2);
        options.select = (int)(k % 3);
        compare(&s, &options, "biases");
        drop(&s);
    }
}

/* All numbers of a result, and its weights. */
static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    for (uint32_t shape = 1; shape < (test_briefly() ? 2 : 3); shape++) {
        instance s;
        make(&s, shapes[shape].n, shapes[shape].d, shapes[shape].filled, shapes[shape].classes, 40 + shape,
             false, NULL);
        fathom_train_options options =
            options_of(FATHOM_TRAIN_LOGISTIC, shapes[shape].gates, shapes[shape].beta_rel);
        options.gap = 1e-2;
        fathom_train_result one, more;
        assert_ok(s.context, fathom_train(&one, s.context, s.sparse, NULL, &options));
        fathom_context_set_threads(s.context, 3);
        assert_ok(s.context, fathom_train(&more, s.context, s.sparse, NULL, &options));
        assert_true(one.objective == more.objective && one.lower_bound == more.lower_bound &&
                    one.norm == more.norm);
        const fathom_net_shape net = fathom_net_look(one.net);
        assert_int_equal(net.m, fathom_net_look(more.net).m);
        assert_memory_equal(fathom_net_lend(one.net).w, fathom_net_lend(more.net).w,
                            (size_t)(net.m * net.outputs * net.d) * sizeof(double));
        fathom_train_result_clear(&one);
        fathom_train_result_clear(&more);
        drop(&s);
    }
}

/* A path with folds finds the same points, and means of losses on rows left out that agree to what the gap
 * of a fold allows. */
static void test_paths(void **state)
{
    (void)state;
    instance s;
    make(&s, 260, 200, 0.04, 2, 7, false, NULL);
    const fathom_train_options options = options_of(FATHOM_TRAIN_LOGISTIC, "25", 0.1);
    fathom_path_options path;
    fathom_options_init(&path, &fathom_path_option_table);
    path.points = 3;
    path.cv = 3;
    fathom_path_result sparse, dense;
    assert_ok(s.context, fathom_path(&sparse, s.context, s.sparse, NULL, &options, &path));
    assert_ok(s.context, fathom_path(&dense, s.context, s.dense, NULL, &options, &path));
    assert_int_equal(sparse.count, 3);
    for (int64_t k = 0; k < 3; k++) {
        assert_true(sparse.point[k].lower_bound <= dense.point[k].objective &&
                    dense.point[k].lower_bound <= sparse.point[k].objective);
        assert_close(sparse.cv_loss[k], dense.cv_loss[k],
                     1e-9 * dense.cv_loss[k]); /* the same steps to rounding */
    }
    fathom_path_result_clear(&sparse, s.context);
    fathom_path_result_clear(&dense, s.context);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_biases_and_selection),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
