/* SPDX-License-Identifier: Apache-2.0 */
/* Classes: listed, picked, coded, and matched to those of a model. */
#include "dataset_testing.h"
#include "inner/data.h"

static fathom_data *from_targets(fathom_context *context, int64_t n, const double *y)
{
    fathom_data *data;
    double *x = calloc((size_t)n, sizeof *x);
    assert_ok(context, fathom_data_create(&data, context, n, 1, x, 1, 1, y, NULL, NULL));
    free(x);
    return data;
}

static void numbers_are_listed(void **state)
{
    const double y[7] = {3, -0.0, 1, 3, 0, 1, 1}, two[4] = {0.25, 0.1, 0.25, 0.1}, many[3] = {0.5, 0.25, 1};
    fathom_data *data = from_targets(*state, 7, y);
    fathom_data_view v = fathom_data_look(data);
    assert_int_equal(v.classes, 3);
    assert_string_equal(v.class_name[0], "0");
    assert_string_equal(v.class_name[2], "3");
    assert_true(v.class_value[0] == 0 && v.class_value[1] == 1 && v.class_value[2] == 3);
    fathom_data_free(data);
    data = from_targets(*state, 4, two);
    v = fathom_data_look(data);
    assert_int_equal(v.classes, 2);
    assert_string_equal(v.class_name[0], "0.1");
    fathom_data_free(data);
    data = from_targets(*state, 3, many); /* three values that are no whole numbers: a regression target */
    assert_int_equal(fathom_data_look(data).classes, 0);
    fathom_data_free(data);
}

static void coding(void **state)
{
    const double two[4] = {7, 2, 2, 7}, three[3] = {5, 1, 3};
    const double *coded;
    int64_t outputs;
    fathom_data *data = from_targets(*state, 4, two);
    assert_ok(*state, fathom_data_code_classes(&coded, &outputs, data));
    assert_int_equal(outputs, 1);
    assert_memory_equal(coded, ((double[4]){1, -1, -1, 1}), 4 * sizeof *coded);
    fathom_data_free(data);
    data = from_targets(*state, 3, three);
    assert_ok(*state, fathom_data_code_classes(&coded, &outputs, data));
    assert_int_equal(outputs, 3);
    assert_memory_equal(coded, ((double[9]){0, 0, 1, 1, 0, 0, 0, 1, 0}), 9 * sizeof *coded);
    const double *again;
    assert_ok(*state, fathom_data_code_classes(&again, &outputs, data));
    assert_ptr_equal(coded, again);
    fathom_data_free(data);
}

static void one_class(void **state)
{
    const double value[3] = {1, -1, 0}, expected[3] = {1, -1, -1};
    const double *coded;
    int64_t outputs;
    for (int k = 0; k < 3; k++) {
        const double y[2] = {value[k], value[k]};
        fathom_data *data = from_targets(*state, 2, y);
        assert_ok(*state, fathom_data_code_classes(&coded, &outputs, data));
        assert_true(coded[0] == expected[k] && fathom_data_look(data).classes == 1);
        fathom_data_free(data);
    }
}

static void nothing_to_classify(void **state)
{
    const double *coded;
    int64_t outputs;
    double y[60], x[4] = {1, 2, 3, 4}, matrix[4] = {1, 0, 0, 1};
    for (int i = 0; i < 60; i++)
        y[i] = i + 0.5;
    fathom_data *regression = from_targets(*state, 60, y), *none, *hot;
    assert_ok(*state, fathom_data_create(&none, *state, 2, 2, x, 2, 0, NULL, NULL, NULL));
    assert_int_equal(fathom_data_code_classes(&coded, &outputs, regression), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_data_code_classes(&coded, &outputs, none), FATHOM_ERROR_INPUT);
    assert_ok(*state, fathom_data_create(&hot, *state, 2, 2, x, 2, 2, matrix, NULL, NULL));
    assert_ok(*state, fathom_data_code_classes(&coded, &outputs, hot)); /* one-hot already */
    assert_true(outputs == 2 && memcmp(coded, matrix, sizeof matrix) == 0);
    fathom_data_free(hot);
    matrix[1] = 0.5;
    assert_ok(*state, fathom_data_create(&hot, *state, 2, 2, x, 2, 2, matrix, NULL, NULL));
    assert_int_equal(fathom_data_code_classes(&coded, &outputs, hot), FATHOM_ERROR_INPUT);
    fathom_data_free(hot);
    fathom_data_free(none);
    fathom_data_free(regression);
}

static void pairs(void **state)
{
    fathom_data *data = open_with(*state, "builtin:iris", PAIRS("classes", "virginica,setosa"));
    fathom_data_view v = fathom_data_look(data);
    assert_true(v.n == 100 && v.classes == 2 && v.y[0] == -1 && v.y[99] == 1);
    assert_string_equal(v.class_name[0], "setosa");
    assert_string_equal(v.class_name[1], "virginica");
    assert_true(v.class_value[0] == -1 && v.class_value[1] == 1 && v.x[0] == 5.1 && v.x[4 * 99] == 5.9);
    fathom_data_free(data);
    data = open_with(*state, "builtin:digits", PAIRS("classes", "3,5.0"));
    v = fathom_data_look(data);
    assert_true(v.n == 365); /* 183 threes and 182 fives */
    double sum = 0;
    for (int64_t i = 0; i < v.n; i++)
        sum += v.y[i];
    assert_true(sum == 1);
    fathom_data_free(data);
    static const char *const bad[] = {"setosa", "setosa,rose", "setosa,setosa", ",", "", "0,1"};
    for (int k = 0; k < 6; k++)
        assert_refused(*state, "builtin:iris", PAIRS("classes", bad[k]), FATHOM_ERROR_INPUT,
                       "(setosa, versicolor, virginica)");
    assert_refused(*state, "gen:gauss", PAIRS("classes", "1,2"), FATHOM_ERROR_INPUT, "it has none");
}

/* Text labels keep the order of the alphabet, and only those that occur count. */
static void texts(void **state)
{
    char path[64];
    write_temporary(path, ".csv", "x,label\n1,pear\n2,apple\n3,\"fig, dried\"\n4,apple\n");
    fathom_data *data = open_plain(*state, path);
    fathom_data_view v = fathom_data_look(data);
    assert_true(v.classes == 3 && v.y[0] == 2 && v.y[1] == 0 && v.y[2] == 1 && v.y[3] == 0);
    fathom_data_free(data);
    data = open_with(*state, path, PAIRS("rows", "0:2"));
    v = fathom_data_look(data);
    assert_true(v.classes == 2 && v.y[0] == 1 && v.y[1] == 0);
    assert_string_equal(v.class_name[1], "pear");
    fathom_data_free(data);
    data = open_with(*state, path, PAIRS("classes", "fig, dried,pear")); /* a comma inside a name */
    v = fathom_data_look(data);
    assert_true(v.n == 2 && v.y[0] == -1 && v.y[1] == 1);
    fathom_data_free(data);
    unlink(path);
}

/* Labels of other data take the values of the model's classes, by name or by number. */
static void matched_to_a_model(void **state)
{
    const fathom_preprocess plain = {.columns = 1};
    const char *const fruit[3] = {"apple", "fig", "pear"}, *const pair[2] = {"fig", "pear"};
    const char *const number[3] = {"-1", "2", "10"};
    const fathom_classes three = {3, fruit, NULL}, two = {2, pair, (const double[2]){-1, 1}};
    const fathom_classes numbers = {3, number, NULL};
    char path[64];
    fathom_data *data;
    write_temporary(path, ".csv", "x,label\n1,pear\n2,fig\n3,pear\n");
    assert_ok(*state, fathom_data_open_like(&data, *state, path, NULL, &plain, &three));
    fathom_data_view v = fathom_data_look(data);
    assert_true(v.classes == 3 && v.y[0] == 2 && v.y[1] == 1);
    fathom_data_free(data);
    assert_ok(*state, fathom_data_open_like(&data, *state, path, NULL, &plain, &two));
    v = fathom_data_look(data);
    assert_true(v.classes == 2 && v.y[0] == 1 && v.y[1] == -1);
    fathom_data_free(data);
    assert_int_equal(fathom_data_open_like(&data, *state, path, NULL, &plain, &numbers), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(*state)->text, "'fig'"));
    unlink(path);
    const double x[2] = {0, 0}, y[2] = {10, -1}, other[2] = {10, 4};
    const double *coded;
    int64_t outputs;
    assert_ok(*state, fathom_data_create_like(&data, *state, 2, 1, x, 1, 1, y, NULL, &plain, &numbers));
    assert_ok(*state, fathom_data_code_classes(&coded, &outputs, data));
    assert_memory_equal(coded, ((double[6]){0, 0, 1, 1, 0, 0}), 6 * sizeof *coded);
    fathom_data_free(data);
    assert_ok(*state, fathom_data_create_like(&data, *state, 2, 1, x, 1, 1, other, NULL, &plain, &numbers));
    assert_true(fathom_data_look(data).y[1] ==
                4); /* a number the model has not seen can be scored, not classified */
    assert_int_equal(fathom_data_code_classes(&coded, &outputs, data), FATHOM_ERROR_INPUT);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(numbers_are_listed),  data_test(coding), data_test(one_class),
        data_test(nothing_to_classify), data_test(pairs),  data_test(texts),
        data_test(matched_to_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
