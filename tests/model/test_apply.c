/* SPDX-License-Identifier: Apache-2.0 */
/* Models on plain rows against predictions on data: every family, preparation and shape, many threads on one model. */
#include "model_support.h"

#include "fathom/model.h"
#include "faults.h"

enum { ROWS = 9, COLUMNS = 5 };

/* A random model of this family whose rows are prepared so. */
static fathom_model *random_model(fathom_context *context, fathom_net_kind kind, fathom_normalize normalize,
                                  fathom_bias bias, int64_t outputs, fathom_net_scale scale)
{
    static const double mean[COLUMNS] = {1, -2, 0.5, 100, 0}, width[COLUMNS] = {1, 3, 0.25, 10, 7};
    const bool standard = normalize == FATHOM_NORMALIZE_STANDARDIZE;
    const fathom_preprocess preprocess = {.normalize = normalize,
                                          .bias = bias,
                                          .columns = COLUMNS,
                                          .mean = standard ? mean : NULL,
                                          .scale = standard ? width : NULL};
    fathom_net *net =
        model_net(context, kind, COLUMNS + (bias == FATHOM_BIAS_AUGMENT), 7, outputs, true, scale);
    fathom_model *model;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_SQUARED, &preprocess, NULL));
    return model;
}

/* Outputs of fathom_model_predict on rows ld apart, `expected` rows x outputs. */
static void predict(double *expected, fathom_context *context, const fathom_model *model, const double *x,
                    int64_t ld)
{
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *data;
    fathom_prediction *prediction;
    assert_ok(context, fathom_data_create_like(&data, context, ROWS, COLUMNS, x, ld, 0, NULL, NULL,
                                               &view.preprocess, &view.classes));
    assert_ok(context, fathom_model_predict(&prediction, model, data));
    memcpy(expected, prediction->output, (size_t)(ROWS * prediction->outputs) * sizeof *expected);
    fathom_prediction_free(prediction), fathom_data_free(data);
}

static void try_one(fathom_context *context, fathom_net_kind kind, fathom_normalize normalize,
                    fathom_bias bias, int64_t outputs, fathom_net_scale scale)
{
    const int64_t ld = COLUMNS + 3;
    double expected[3 * ROWS], found[3 * ROWS];
    double *x = model_draw(ROWS * ld, FATHOM_STREAM_DATA, (uint32_t)kind);
    memset(x + 2 * ld, 0, COLUMNS * sizeof *x); /* a row without a direction */
    fathom_model *model = random_model(context, kind, normalize, bias, outputs, scale);
    predict(expected, context, model, x, ld);
    assert_int_equal(fathom_model_apply(model, ROWS, x, ld, found), FATHOM_OK);
    for (int64_t k = 0; k < ROWS * outputs; k++)
        assert_close(found[k], expected[k], 1e-12 * (1 + fabs(expected[k])));
    free(x), fathom_model_free(model);
}

static void agrees_with_predict(void **state)
{
    fathom_context *context = *state;
    static const fathom_normalize normalize[3] = {FATHOM_NORMALIZE_NONE, FATHOM_NORMALIZE_UNIT,
                                                  FATHOM_NORMALIZE_STANDARDIZE};
    static const fathom_net_scale scale[3] = {FATHOM_SCALE_ONE, FATHOM_SCALE_MEAN, FATHOM_SCALE_SQRT};
    for (int kind = 0; kind < MODEL_KINDS; kind++)
        for (int n = 0; n < 3; n++)
            for (int b = 0; b < 2; b++)
                for (int64_t outputs = 1; outputs <= 3; outputs += 2)
                    try_one(context, model_kinds[kind], normalize[n],
                            b ? FATHOM_BIAS_AUGMENT : FATHOM_BIAS_NONE, outputs, scale[(kind + n + b) % 3]);
}

/* Many threads, no memory left, the same bits. */
static void needs_no_memory_and_no_lock(void **state)
{
    (void)state;
    faults f = {.fail_at = -1};
    const fathom_allocator allocator = {faults_allocate, faults_resize, faults_release, &f};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, &allocator), FATHOM_OK);
    fathom_model *model = random_model(context, FATHOM_NET_RELU, FATHOM_NORMALIZE_UNIT, FATHOM_BIAS_AUGMENT,
                                       2, FATHOM_SCALE_ONE);
    double *x = model_draw(ROWS * COLUMNS, FATHOM_STREAM_DATA, 1), first[2 * ROWS];
    const int64_t calls = f.calls;
    assert_int_equal(fathom_model_apply(model, ROWS, x, COLUMNS, first), FATHOM_OK);
    int wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
    for (int trial = 0; trial < 64; trial++) {
        double again[2 * ROWS];
        wrong += fathom_model_apply(model, ROWS, x, COLUMNS, again) != FATHOM_OK ||
                 memcmp(again, first, sizeof first) != 0;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(f.calls, calls);
    free(x), fathom_model_free(model), fathom_context_free(context);
}

static void refuses(void **state)
{
    fathom_context *context = *state;
    double x[COLUMNS] = {0}, out[1];
    fathom_model *model =
        random_model(context, FATHOM_NET_RELU, FATHOM_NORMALIZE_NONE, FATHOM_BIAS_NONE, 1, FATHOM_SCALE_ONE);
    assert_int_equal(fathom_model_apply(model, 1, x, COLUMNS - 1, out), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_model_apply(model, -1, x, COLUMNS, out), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_model_apply(model, 0, NULL, COLUMNS, NULL), FATHOM_OK);
    fathom_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_predict),
                                       cmocka_unit_test(needs_no_memory_and_no_lock),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
