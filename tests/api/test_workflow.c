/* SPDX-License-Identifier: Apache-2.0 */
/* What a C program does with the public headers alone: train, apply, save, prove, path, margin, flow, and hear of mistakes. */
#include "testing.h"

#include <string.h>

#include "fathom/fathom.h"

static int open_context(void **state)
{
    if (fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK)
        return 1;
    fathom_context_set_seed(*state, 3);
    return 0;
}

static int close_context(void **state)
{
    fathom_context_free(*state);
    return 0;
}

/* y = |x_1| + x_2 on a grid. */
enum { SIDE = 5, N = SIDE * SIDE };
static fathom_data *grid(fathom_context *context)
{
    double x[2 * N], y[N];
    for (int i = 0; i < N; i++) {
        x[2 * i] = i % SIDE - 2 + 0.1;
        x[2 * i + 1] = i / SIDE - 2 - 0.2;
        y[i] = fabs(x[2 * i]) + x[2 * i + 1];
    }
    fathom_data *data;
    fathom_data_options options;
    fathom_options_init(&options, &fathom_data_option_table);
    assert_ok(context, fathom_data_create(&data, context, N, 2, x, 2, 1, y, NULL, &options));
    return data;
}

static fathom_train_options train_options(fathom_context *context, const char *const *pairs)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    for (; pairs && *pairs; pairs += 2) {
        const fathom_option *row = fathom_options_find(&fathom_train_option_table, pairs[0]);
        assert_non_null(row);
        assert_ok(context, fathom_options_set(context, &options, row, pairs[1]));
    }
    return options;
}

static void train_apply_and_save(void **state)
{
    fathom_context *context = *state;
    fathom_data *data = grid(context);
    const fathom_train_options options =
        train_options(context, (const char *const[]){"beta-rel", "0.01", NULL});
    fathom_train_result result;
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
    assert_true(result.lower_bound <= result.objective && result.relative_gap <= 1e-6);
    fathom_model *model, *again;
    assert_ok(context, fathom_train_make_model(&model, context, &result, data));
    const double x[2] = {1.5, -0.5};
    double out, read;
    assert_int_equal(fathom_model_apply(model, 1, x, 2, &out), FATHOM_OK);
    assert_close(out, 1, 0.2); /* a small penalty shrinks a little */
    assert_ok(context, fathom_model_write(model, "test_api_workflow.json"));
    assert_ok(context, fathom_model_read(&again, context, "test_api_workflow.json"));
    assert_int_equal(fathom_model_apply(again, 1, x, 2, &read), FATHOM_OK);
    assert_true(read == out);
    remove("test_api_workflow.json");
    fathom_model_free(again), fathom_model_free(model), fathom_data_free(data);
    fathom_train_result_clear(&result);
}

static void prove(void **state)
{
    fathom_context *context = *state;
    fathom_data *data = grid(context);
    fathom_data_options plain;
    fathom_options_init(&plain, &fathom_data_option_table);
    const fathom_job_source source = {
        .given = data, .options = &plain, .certificate = "test_api_workflow.cert"};
    fathom_job *job;
    assert_ok(context, fathom_job_open(&job, context, &source));
    const fathom_train_options options =
        train_options(context, (const char *const[]){"certificate", source.certificate, NULL});
    fathom_train_result result;
    assert_ok(context, fathom_train(&result, context, fathom_job_look(job).data, NULL, &options));
    assert_ok(context, fathom_job_prove_train(job, &result, 1, &options));
    const fathom_job_view view = fathom_job_look(job);
    FILE *file = fopen(view.certificate, "rb");
    assert_non_null(file);
    fclose(file);
    remove(view.certificate), remove(view.path);
    fathom_train_result_clear(&result);
    fathom_job_end(job), fathom_data_free(data);
}

static void path_of_penalties(void **state)
{
    fathom_context *context = *state;
    fathom_data *data = grid(context);
    const fathom_train_options options =
        train_options(context, (const char *const[]){"model", "gated", "gates", "20", NULL});
    fathom_path_options along;
    fathom_options_init(&along, &fathom_path_option_table);
    along.points = 4;
    fathom_path_result result;
    assert_ok(context, fathom_path(&result, context, data, NULL, &options, &along));
    assert_int_equal(result.count, 4);
    for (int64_t k = 1; k < result.count; k++)
        assert_true(result.point[k].beta < result.point[k - 1].beta &&
                    result.point[k].objective <= result.point[k - 1].objective);
    fathom_path_result_clear(&result, context);
    fathom_data_free(data);
}

/* sum_i w_i (f_i - y_i)^2 / 2 over sum w, f of the network without the row's fold, is the loss that chooses. */
static void outputs_of_rows_left_out(void **state)
{
    fathom_context *context = *state;
    fathom_train_options train;
    fathom_path_options path;
    fathom_options_init(&train, &fathom_train_option_table);
    fathom_options_init(&path, &fathom_path_option_table);
    path.points = 4, path.cv = 3;
    for (int relu = 0; relu < 2; relu++) {
        fathom_data *data;
        fathom_path_result result;
        train.model = relu ? FATHOM_TRAIN_RELU : FATHOM_TRAIN_GATED;
        train.gates = relu ? NULL : "30";
        assert_ok(context, fathom_data_open(&data, context, "gen:gauss,n=20,d=3,target=teacher", NULL));
        assert_ok(context, fathom_path(&result, context, data, NULL, &train, &path));
        const fathom_data_view view = fathom_data_look(data);
        assert_int_equal(result.rows * result.outputs, view.n);
        for (int64_t k = 0; k < result.count; k++) {
            double sum = 0;
            for (int64_t i = 0; i < view.n; i++) {
                const double left = result.held_out[k * view.n + i] - view.y[i];
                assert_true(result.fold[i] >= 0 && result.fold[i] <= 2);
                sum += left * left / 2 / (double)view.n;
            }
            assert_true(fabs(sum - result.cv_loss[k]) <= 1e-13 * sum);
        }
        fathom_path_result_clear(&result, context), fathom_data_free(data);
    }
}

/* Sparse rows are the rows: the same network, the same outputs. */
static void sparse_rows_are_rows(void **state)
{
    fathom_context *context = *state;
    const double x[12] = {1, 0, 0, 2, 0, 0, 3, -1, 0.5, 0, 0, 0}, y[4] = {1, -1, 2, 0.5},
                 value[5] = {1, 2, 3, -1, 0.5};
    const int64_t start[5] = {0, 1, 2, 5, 5};
    const int32_t column[5] = {0, 0, 0, 1, 2}, wrong[5] = {0, 0, 1, 1, 2};
    fathom_sparse_rows rows = {4, 3, start, column, value};
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_data *data[2];
    double output[2][4];
    assert_ok(context, fathom_data_create(&data[0], context, 4, 3, x, 3, 1, y, NULL, NULL));
    assert_ok(context, fathom_data_create_sparse(&data[1], context, &rows, 1, y, NULL, NULL));
    assert_null(fathom_data_look(data[1]).x);
    for (int k = 0; k < 2; k++) {
        fathom_train_result result;
        assert_ok(context, fathom_train(&result, context, data[k], NULL, &options));
        assert_ok(context, fathom_net_forward(output[k], result.net, data[1 - k]));
        fathom_train_result_clear(&result);
    }
    for (int i = 0; i < 4; i++)
        assert_true(fabs(output[0][i] - output[1][i]) <= 1e-6);
    fathom_data_free(data[0]), fathom_data_free(data[1]);
    rows.column = wrong;
    assert_int_equal(fathom_data_create_sparse(&data[0], context, &rows, 1, y, NULL, NULL),
                     FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "row 3"));
}

static void headers_know_their_version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FATHOM_VERSION_MAJOR, FATHOM_VERSION_MINOR, FATHOM_VERSION_PATCH);
    assert_string_equal(text, FATHOM_VERSION_TEXT);
    assert_string_equal(text, fathom_version());
}

static void margin_of_a_circle(void **state)
{
    fathom_context *context = *state;
    fathom_data *data;
    fathom_margin_options options;
    fathom_margin_result *result;
    fathom_options_init(&options, &fathom_margin_option_table);
    assert_ok(context, fathom_data_open(&data, context, "gen:circle,n=9", NULL));
    assert_ok(context, fathom_margin(&result, context, data, &options));
    const fathom_margin_view view = fathom_margin_look(result);
    assert_true(view.exact && 0 <= view.lower && view.lower <= view.upper);
    fathom_margin_free(result), fathom_data_free(data);
}

static void flow_lowers_the_loss(void **state)
{
    fathom_context *context = *state;
    fathom_data *data;
    fathom_flow_options options;
    fathom_flow_result result;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.width = 8, options.until = "steps=200";
    assert_ok(context, fathom_data_open(&data, context, "gen:xor,n=16", NULL));
    assert_ok(context, fathom_flow_run(&result, context, data, &options));
    assert_int_equal(result.end.steps, 200);
    assert_true(result.end.log_loss < log(log(2)));
    fathom_flow_result_clear(&result), fathom_data_free(data);
}

static void mistakes_have_words(void **state)
{
    fathom_context *context = *state;
    fathom_data *data;
    assert_int_equal(fathom_data_open(&data, context, "no/such/file.csv", NULL), FATHOM_ERROR_INPUT);
    assert_string_equal(fathom_context_error(context)->file, "no/such/file.csv");
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    const fathom_option *row = fathom_options_find(&fathom_train_option_table, "loss");
    assert_int_equal(fathom_options_set(context, &options, row, "sqaured"), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "did you mean 'squared'?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_apply_and_save),       cmocka_unit_test(prove),
        cmocka_unit_test(path_of_penalties),          cmocka_unit_test(margin_of_a_circle),
        cmocka_unit_test(flow_lowers_the_loss),       cmocka_unit_test(mistakes_have_words),
        cmocka_unit_test(outputs_of_rows_left_out),   cmocka_unit_test(sparse_rows_are_rows),
        cmocka_unit_test(headers_know_their_version),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
