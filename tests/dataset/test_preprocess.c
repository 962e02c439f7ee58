/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation and the bias column: the documented operations bit for bit, and what they are for. */
#include "dataset_testing.h"

#include "context_internal.h"

/* The sequence of docs/reference/data.md, written out once more. */
static void standardize_by_the_book(double *x, int64_t n, int64_t d, double *mean, double *scale)
{
    for (int64_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        bool constant = true;
        for (int64_t i = 0; i < n; i++) {
            sum += x[i * d + j];
            constant = constant && x[i * d + j] == x[j];
        }
        mean[j] = sum / (double)n;
        for (int64_t i = 0; i < n; i++)
            squares += (x[i * d + j] - mean[j]) * (x[i * d + j] - mean[j]);
        scale[j] = sqrt(squares / (double)n);
        if (constant) {
            mean[j] = x[j];
            scale[j] = 1;
        }
        for (int64_t i = 0; i < n; i++)
            x[i * d + j] = (x[i * d + j] - mean[j]) / scale[j];
    }
}

static void standardize_bit_for_bit(void **state)
{
    fathom_data *raw = open_plain(*state, "builtin:wdbc");
    fathom_data *data = open_with(*state, "builtin:wdbc", PAIRS("normalize", "standardize"));
    const fathom_data_view r = fathom_data_look(raw), v = fathom_data_look(data);
    const int64_t n = r.n, d = r.d;
    double *x = malloc((size_t)(n * d) * sizeof *x), mean[30], scale[30];
    memcpy(x, r.x, (size_t)(n * d) * sizeof *x);
    standardize_by_the_book(x, n, d, mean, scale);
    assert_memory_equal(x, v.x, (size_t)(n * d) * sizeof *x);
    const fathom_preprocess p = fathom_data_preprocess(data);
    assert_true(p.normalize == FATHOM_NORMALIZE_STANDARDIZE && p.columns == 30 && p.bias == FATHOM_BIAS_NONE);
    assert_memory_equal(p.mean, mean, sizeof mean);
    assert_memory_equal(p.scale, scale, sizeof scale);
    for (int64_t j = 0; j < d; j++) { /* mean 0 and variance 1, up to n roundings of numbers below 20 */
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += v.x[i * d + j] / (double)n;
            squares += v.x[i * d + j] * v.x[i * d + j] / (double)n;
        }
        assert_close(sum, 0, 20 * (double)n * UNIT_ROUNDOFF);
        assert_close(squares, 1, 20 * (double)n * UNIT_ROUNDOFF);
    }
    free(x);
    fathom_data_free(raw);
    fathom_data_free(data);
}

/* 0.1 repeated has a rounded mean that is not 0.1: the column must still become 0. */
static void constant_column_becomes_zero(void **state)
{
    fathom_data *data;
    double x[20];
    for (int i = 0; i < 10; i++) {
        x[2 * i] = 0.1;
        x[2 * i + 1] = i;
    }
    const fathom_data_options options = options_of(*state, PAIRS("normalize", "standardize"));
    assert_ok(*state, fathom_data_create(&data, *state, 10, 2, x, 2, 0, NULL, NULL, &options));
    const fathom_data_view v = fathom_data_look(data);
    for (int i = 0; i < 10; i++)
        assert_true(v.x[2 * i] == 0);
    assert_true(fathom_data_preprocess(data).mean[0] == 0.1 && fathom_data_preprocess(data).scale[0] == 1);
    fathom_data_free(data);
}

static void count_warnings(void *user, fathom_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == FATHOM_LOG_WARNING;
}

static void unit_rows(void **state)
{
    int warnings = 0;
    fathom_data *data;
    fathom_context_set_log(*state, count_warnings, &warnings);
    const double x[6] = {3, 4, 0, 0, -5, 12};
    const fathom_data_options options = options_of(*state, PAIRS("normalize", "unit"));
    assert_ok(*state, fathom_data_create(&data, *state, 3, 2, x, 2, 0, NULL, NULL, &options));
    const double expected[6] = {3.0 / 5, 4.0 / 5, 0, 0, -5.0 / 13, 12.0 / 13};
    assert_memory_equal(fathom_data_look(data).x, expected, sizeof expected);
    assert_int_equal(warnings, 1);
    fathom_data_free(data);
}

/* Norms and variances that leave the range of double are refused, not turned into 0 or infinity. */
static void range_of_double(void **state)
{
    fathom_data *data;
    const double huge[4] = {1e200, 1e200, -1e200, 1}, tiny[2] = {1e-200, 0};
    const fathom_data_options unit = options_of(*state, PAIRS("normalize", "unit"));
    const fathom_data_options standard = options_of(*state, PAIRS("normalize", "standardize"));
    assert_int_equal(fathom_data_create(&data, *state, 2, 2, huge, 2, 0, NULL, NULL, &unit),
                     FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_data_create(&data, *state, 1, 2, tiny, 2, 0, NULL, NULL, &unit),
                     FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_data_create(&data, *state, 2, 2, huge, 2, 0, NULL, NULL, &standard),
                     FATHOM_ERROR_INPUT);
    assert_null(data);
}

static void bias_column(void **state)
{
    fathom_data *data =
        open_with(*state, "builtin:iris", PAIRS("bias", "augment", "normalize", "standardize"));
    fathom_data *plain = open_with(*state, "builtin:iris", PAIRS("normalize", "standardize"));
    fathom_data *open = open_with(*state, "builtin:iris", PAIRS("bias", "free"));
    const fathom_data_view v = fathom_data_look(data), w = fathom_data_look(plain);
    assert_true(v.d == 5 && v.ld == 5 && v.bias == FATHOM_BIAS_AUGMENT &&
                fathom_data_preprocess(data).columns == 4);
    for (int64_t i = 0; i < v.n; i++) {
        assert_memory_equal(v.x + 5 * i, w.x + 4 * i, 4 * sizeof(double));
        assert_true(v.x[5 * i + 4] == 1);
    }
    assert_true(fathom_data_look(open).d == 4 && fathom_data_look(open).bias == FATHOM_BIAS_FREE);
    fathom_data_free(data);
    fathom_data_free(plain);
    fathom_data_free(open);
}

/* The same operations through a model's statistics give the same bits; other data gets the model's, not its own. */
static void treated_like_the_first(void **state)
{
    fathom_data *first =
        open_with(*state, "builtin:iris", PAIRS("bias", "augment", "normalize", "standardize"));
    fathom_data *again, *part;
    const fathom_preprocess p = fathom_data_preprocess(first);
    const fathom_classes c = fathom_data_classes(first);
    assert_ok(*state, fathom_data_open_like(&again, *state, "builtin:iris", NULL, &p, &c));
    const fathom_data_options rows = options_of(*state, PAIRS("rows", "100:110"));
    assert_ok(*state, fathom_data_open_like(&part, *state, "builtin:iris", &rows, &p, &c));
    const fathom_data_view v = fathom_data_look(first), w = fathom_data_look(again),
                           u = fathom_data_look(part);
    assert_memory_equal(v.x, w.x, (size_t)(v.n * v.d) * sizeof *v.x);
    assert_memory_equal(v.y, w.y, (size_t)v.n * sizeof *v.y);
    assert_memory_equal(v.x + 100 * v.d, u.x, (size_t)(10 * v.d) * sizeof *v.x);
    assert_true(u.classes == 3 && u.y[0] == 2); /* only virginica is there; the classes are still three */
    fathom_data_free(first);
    fathom_data_free(again);
    fathom_data_free(part);
}

/* auto: sparse rows stay so where a dense copy would be large, and only there. */
static void auto_keeps_large_sparse_rows(void **state)
{
    static const int64_t columns[] = {40, (1 << 22) + 1};
    const double value[] = {1, 2, 3, 4, 5, 6, 7, 8}, y[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int32_t column[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int64_t start[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int large = 0; large < 2; large++) {
        const fathom_sparse_rows rows = {8, columns[large], start, column, value};
        const fathom_data_options prepare = options_of(*state, PAIRS("normalize", "auto"));
        fathom_data *data;
        assert_ok(*state, fathom_data_create_sparse(&data, *state, &rows, 1, y, NULL, &prepare));
        assert_true((fathom_data_look(data).x == NULL) == large);
        assert_int_equal(fathom_data_preprocess(data).normalize,
                         large ? FATHOM_NORMALIZE_UNIT : FATHOM_NORMALIZE_STANDARDIZE);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(standardize_bit_for_bit),
        data_test(constant_column_becomes_zero),
        data_test(unit_rows),
        data_test(range_of_double),
        data_test(bias_column),
        data_test(treated_like_the_first),
        data_test(auto_keeps_large_sparse_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
