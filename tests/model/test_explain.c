/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions as sums: the sums hold, and within the lower distance no input has another class. */
#include "model_support.h"

#include "fathom/explain.h"

enum { ROWS = 12, COLUMNS = 4, UNITS = 9 };

static const fathom_net_kind kinds[] = {FATHOM_NET_RELU, FATHOM_NET_LEAKY, FATHOM_NET_SCALAR,
                                        FATHOM_NET_GATED};

static const char *const names[] = {"a", "b", "c"};

/* A random classifier of `outputs` outputs, two classes where there is one. */
static fathom_model *classifier(fathom_context *context, fathom_net_kind kind, int64_t outputs, uint32_t sub)
{
    static const double mean[COLUMNS] = {1, -2, 0.5, 10}, width[COLUMNS] = {1, 3, 0.25, 10};
    const bool standard = sub % 2;
    const fathom_preprocess how = {.normalize =
                                       standard ? FATHOM_NORMALIZE_STANDARDIZE : FATHOM_NORMALIZE_NONE,
                                   .bias = FATHOM_BIAS_AUGMENT,
                                   .columns = COLUMNS,
                                   .mean = standard ? mean : NULL,
                                   .scale = standard ? width : NULL};
    const fathom_classes classes = {outputs == 1 ? 2 : outputs, names, NULL};
    fathom_net *net = model_net(context, kind, COLUMNS + 1, UNITS, outputs, true, FATHOM_SCALE_SQRT);
    fathom_random_normals(net->block, net->parameters, 11, FATHOM_STREAM_HIDDEN, sub, 0);
    fathom_model *model;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_LOGISTIC, &how, &classes));
    return model;
}

static fathom_data *rows_like(fathom_context *context, const fathom_model *model, const double *x)
{
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *data;
    assert_ok(context, fathom_data_create_like(&data, context, ROWS, COLUMNS, x, COLUMNS, 0, NULL, NULL,
                                               &view.preprocess, &view.classes));
    return data;
}

static void check_sums(const fathom_explanation *e, const fathom_model *model, const fathom_prediction *p)
{
    const fathom_net *net = fathom_model_look(model).net;
    for (int64_t at = 0; at < e->n * e->outputs; at++) {
        double columns = e->base[at], neurons = net->weights.c[at % e->outputs];
        for (int64_t l = 0; l < e->columns; l++)
            columns += e->column[at * e->columns + l];
        for (int64_t j = 0; j < e->neurons; j++)
            neurons += e->neuron[at * e->neurons + j];
        assert_close(columns, e->output[at], e->rounding[at]);
        assert_close(neurons, e->output[at], e->rounding[at]);
        assert_close(p->output[at], e->output[at], 2 * e->rounding[at]);
        assert_true(e->rounding[at] < 1e-12 * (1 + fabs(e->output[at])) * 100);
    }
    for (int64_t i = 0; i < e->n; i++)
        assert_int_equal(e->label[i], p->label[i]);
}

/* Random inputs within the distance keep their class; all are in the coordinates of the network. */
static void check_distance(fathom_context *context, const fathom_explanation *e, const fathom_model *model,
                           const double *x, uint32_t sub)
{
    const fathom_preprocess how = fathom_model_look(model).preprocess;
    uint64_t draw = 0;
    (void)context;
    for (int64_t i = 0; i < e->n; i++) {
        assert_true(0 <= e->lower[i] && e->lower[i] <= e->upper[i]);
        for (int trial = 0; trial < 200 && isfinite(e->lower[i]); trial++) {
            double step[COLUMNS], moved[COLUMNS], norm = 0, f[3];
            for (int l = 0; l < COLUMNS; l++) {
                step[l] = 2 * fathom_random_uniform(3, FATHOM_STREAM_SAMPLE, sub, draw++) - 1;
                norm += step[l] * step[l];
            }
            for (int l = 0; l < COLUMNS; l++)
                moved[l] = x[i * COLUMNS + l] +
                           0.999999 * e->lower[i] * step[l] / sqrt(norm) * (how.scale ? how.scale[l] : 1);
            assert_int_equal(fathom_model_apply(model, 1, moved, COLUMNS, f), FATHOM_OK);
            int64_t label = e->outputs == 1 ? f[0] > 0 : 0;
            for (int64_t k = 1; k < e->outputs; k++)
                label = f[k] > f[label] ? k : label;
            if (label != e->label[i])
                fail_msg("row %d: another class within %.17g", (int)i, e->lower[i]);
        }
    }
}

static void sums_and_distances(void **state)
{
    fathom_context *context = *state;
    int64_t found = 0, tight = 0, all = 0;
    for (uint32_t sub = 0; sub < (uint32_t)test_trials(24); sub++) {
        const fathom_net_kind kind = kinds[sub % 4];
        fathom_model *model = classifier(context, kind, sub % 3 == 0 ? 1 : 3, sub);
        double *x = model_draw(ROWS * COLUMNS, FATHOM_STREAM_DATA, sub);
        fathom_data *data = rows_like(context, model, x);
        fathom_explanation *e;
        fathom_prediction *p;
        assert_ok(context, fathom_model_explain(&e, model, data, 0, ROWS));
        assert_ok(context, fathom_model_predict(&p, model, data));
        check_sums(e, model, p);
        check_distance(context, e, model, x, sub);
        for (int64_t i = 0; i < ROWS && kind != FATHOM_NET_GATED; i++) {
            all++;
            found += e->other[i] >= 0;
            tight += e->upper[i] <= 4 * e->lower[i];
        }
        fathom_prediction_free(p), fathom_explanation_free(e), fathom_data_free(data),
            fathom_model_free(model);
        free(x);
    }
    assert_true(found > all / 2 &&
                tight > all / 4); /* the search finds one mostly, and the two ends are not far apart */
}

/* One neuron, f = relu(z_1) - 1/2 at z_1 = 2: the boundary is 1.5 away, and the bound knows it. */
static void known_distance(void **state)
{
    fathom_context *context = *state;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = 1, .m = 1, .outputs = 1};
    const fathom_classes pair = {2, names, NULL};
    const double x[1] = {2};
    fathom_net *net;
    fathom_model *model;
    fathom_explanation *e;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    net->weights.u[0] = net->weights.w[0] = 1, net->weights.c[0] = -0.5;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_LOGISTIC, NULL, &pair));
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *data;
    assert_ok(context, fathom_data_create_like(&data, context, 1, 1, x, 1, 0, NULL, NULL, &view.preprocess,
                                               &view.classes));
    assert_ok(context, fathom_model_explain(&e, model, data, 0, ROWS));
    assert_close(e->base[0], -0.5, 0);
    assert_close(e->column[0], 2, 0);
    assert_close(e->lower[0], 1.5, 1e-9);
    assert_close(e->upper[0], 1.5, 1e-6);
    assert_int_equal(e->other[0], 0);
    fathom_explanation_free(e), fathom_data_free(data), fathom_model_free(model);
}

static void refuses_what_is_not_linear(void **state)
{
    fathom_context *context = *state;
    fathom_model *model = classifier(context, FATHOM_NET_HUBER, 1, 1);
    double *x = model_draw(ROWS * COLUMNS, FATHOM_STREAM_DATA, 1);
    fathom_data *data = rows_like(context, model, x);
    fathom_explanation *e;
    assert_int_equal(fathom_model_explain(&e, model, data, 0, ROWS), FATHOM_ERROR_USAGE);
    assert_null(e);
    free(x), fathom_data_free(data), fathom_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_and_distances), cmocka_unit_test(known_distance),
                                       cmocka_unit_test(refuses_what_is_not_linear)};
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
