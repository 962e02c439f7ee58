/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of other data made to fit a model: widths of sparse rows, names of one-hot columns, refusals. */
#include "dataset_testing.h"

#include "columns_internal.h"
#include "memory.h"
#include "random.h"

/* 2 x 4 sparse: (1 0 0 2), (0 3 0 4). */
static fathom_data *sparse(fathom_context *context)
{
    fathom_data *data;
    assert_ok(context, fathom_data_begin(&data, context, "sparse"));
    data->n = 2;
    data->d = 4;
    data->row_start = fathom_memory_alloc(context, 3, sizeof *data->row_start);
    data->column = fathom_memory_alloc(context, 4, sizeof *data->column);
    data->value = fathom_memory_alloc(context, 4, sizeof *data->value);
    memcpy(data->row_start, ((int64_t[3]){0, 2, 4}), 3 * sizeof(int64_t));
    memcpy(data->column, ((int32_t[4]){0, 3, 1, 3}), 4 * sizeof(int32_t));
    memcpy(data->value, ((double[4]){1, 2, 3, 4}), 4 * sizeof(double));
    return data;
}

static void sparse_widths(void **state)
{
    fathom_data *wide = sparse(*state), *narrow = sparse(*state);
    const fathom_preprocess three = {.columns = 3}, nine = {.columns = 9};
    assert_ok(*state, fathom_data_fit_columns(wide, &three)); /* column 3 is dropped */
    assert_int_equal(wide->d, 3);
    assert_memory_equal(wide->row_start, ((int64_t[3]){0, 1, 2}), 3 * sizeof(int64_t));
    assert_true(wide->value[0] == 1 && wide->value[1] == 3 && wide->column[1] == 1);
    assert_ok(*state, fathom_data_fit_columns(narrow, &nine));
    assert_true(narrow->d == 9 && narrow->row_start[2] == 4);
    fathom_data_free(wide);
    fathom_data_free(narrow);
}

/* --features keeps the first columns of dense and of sparse rows. */
static void first_columns(void **state)
{
    fathom_data *all = open_plain(*state, "builtin:iris");
    fathom_data *two = open_with(*state, "builtin:iris", PAIRS("features", "2"));
    fathom_data *narrow = sparse(*state);
    const fathom_data_view v = fathom_data_look(all), w = fathom_data_look(two);
    assert_true(w.d == 2 && w.n == v.n);
    for (int64_t i = 0; i < v.n; i++)
        assert_memory_equal(w.x + 2 * i, v.x + 4 * i, 2 * sizeof *w.x);
    fathom_data_keep_columns(narrow, 3);
    assert_true(narrow->d == 3 && narrow->row_start[2] == 2 && narrow->value[1] == 3);
    fathom_data_keep_columns(narrow, 9); /* there are no more */
    assert_int_equal(narrow->d, 3);
    fathom_data_free(narrow);
    fathom_data_free(two);
    fathom_data_free(all);
}

/* unit and augment on sparse rows equal those on the dense matrix; standardize makes it dense. */
static void sparse_steps_equal_dense(void **state)
{
    const double x[8] = {1, 0, 0, 2, 0, 3, 0, 4};
    static const char *const normalize[3] = {"none", "unit", "standardize"};
    for (int k = 0; k < 3; k++) {
        const fathom_data_options options =
            options_of(*state, PAIRS("normalize", normalize[k], "bias", "augment"));
        fathom_data *dense, *data = sparse(*state);
        assert_ok(*state, fathom_data_create(&dense, *state, 2, 4, x, 4, 0, NULL, NULL, &options));
        assert_ok(*state, fathom_data_prepare(data, (fathom_normalize)k, FATHOM_BIAS_AUGMENT));
        const fathom_data_view v = fathom_data_look(dense), w = fathom_data_look(data);
        assert_true(w.d == 5 && (w.x != NULL) == (k == 2));
        double back[10] = {0};
        for (int64_t i = 0; !w.x && i < 2; i++)
            for (int64_t l = w.row_start[i]; l < w.row_start[i + 1]; l++)
                back[5 * i + w.column[l]] = w.value[l];
        assert_memory_equal(v.x, w.x ? w.x : back, sizeof back);
        fathom_data_free(dense);
        fathom_data_free(data);
    }
}

static void densifying_can_be_too_much(void **state)
{
    fathom_data *data = sparse(*state);
    data->d = 1000000000;
    fathom_context_set_memory_limit(*state, 1e9);
    assert_int_equal(fathom_data_prepare(data, FATHOM_NORMALIZE_STANDARDIZE, FATHOM_BIAS_NONE),
                     FATHOM_ERROR_MEMORY);
    assert_non_null(strstr(fathom_context_error(*state)->text, "would need 16 GB"));
    fathom_data_free(data);
}

static void dense_widths_must_agree(void **state)
{
    const fathom_preprocess three = {.columns = 3};
    fathom_data *data;
    assert_int_equal(fathom_data_open_like(&data, *state, "gen:xor", NULL, &three, NULL), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(*state)->text, "2 columns, the model expects 3"));
}

static void one_hot_columns_by_name(void **state)
{
    char first[64], second[64], missing[64];
    write_temporary(first, ".csv", "size,colour,y\n1,red,0\n2,green,1\n3,blue,0\n");
    write_temporary(second, ".csv", "size,colour,y\n4,green,1\n5,pink,0\n");
    write_temporary(missing, ".csv", "length,colour,y\n4,green,1\n");
    fathom_data *data = open_with(*state, first, PAIRS("categorical", "true")), *other;
    const fathom_preprocess p = fathom_data_preprocess(data);
    assert_true(p.columns == 4 && p.name && strcmp(p.name[1], "colour=blue") == 0);
    const fathom_data_options options = options_of(*state, PAIRS("categorical", "true", "target", "y"));
    assert_ok(*state, fathom_data_open_like(&other, *state, second, &options, &p, NULL));
    const fathom_data_view v = fathom_data_look(other);
    assert_true(v.d == 4 && v.n == 2);
    assert_memory_equal(v.x, ((double[8]){4, 0, 1, 0, 5, 0, 0, 0}), 8 * sizeof(double)); /* pink is unknown */
    fathom_data_free(other);
    assert_int_equal(fathom_data_open_like(&other, *state, missing, &options, &p, NULL), FATHOM_ERROR_INPUT);
    fathom_data_free(data);
    unlink(first);
    unlink(second);
    unlink(missing);
}

enum { KNOWN = 5, ROWS = 4 };

/* The model's columns c0 .. c4 of the table (i, j) -> 10 i + j and its target -i in some order, with columns that it does not know
 * in between: texts, too. Column `missing` is left out. */
static void write_shuffled(char path[64], uint64_t seed, int missing)
{
    char text[4096];
    int place[KNOWN + 3], count = KNOWN + 3;
    size_t size = 0;
    for (int k = 0; k < count; k++)
        place[k] = k;
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)(fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 3, (uint64_t)k) * (k + 1)),
                  kept = place[k];
        place[k] = place[other];
        place[other] = kept;
    }
    for (int i = -1; i < ROWS; i++) {
        for (int k = 0; k < count; k++) {
            const int j = place[k];
            if (j == missing)
                continue;
            if (i < 0)
                size += (size_t)sprintf(text + size, j < KNOWN ? "c%d," : j == KNOWN ? "goal," : "new%d,", j);
            else if (j <= KNOWN)
                size += (size_t)sprintf(text + size, "%d,", j == KNOWN ? -i : 10 * i + j);
            else
                size += (size_t)sprintf(text + size, j == KNOWN + 1 ? "\"a, b\"," : ",");
        }
        text[size - 1] = '\n';
    }
    text[size] = 0;
    write_temporary(path, ".csv", text);
}

/* Orders of columns and columns more do not matter; a column less is named. */
static void columns_by_name(void **state)
{
    const char *const names[KNOWN] = {"c0", "c1", "c2", "c3", "c4"};
    const fathom_preprocess p = {.columns = KNOWN, .name = names, .target = "goal"};
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(60); seed++) {
        const int missing = (int)(seed % (KNOWN + 2)) - 1; /* -1: none, KNOWN: the target */
        char path[64];
        fathom_data *data;
        write_shuffled(path, seed, missing);
        const fathom_status status = fathom_data_open_like(&data, *state, path, NULL, &p, NULL);
        unlink(path);
        if (missing >= 0 && missing < KNOWN) {
            assert_int_equal(status, FATHOM_ERROR_INPUT);
            assert_non_null(strstr(fathom_context_error(*state)->text, names[missing]));
            continue;
        }
        assert_ok(*state, status);
        const fathom_data_view v = fathom_data_look(data);
        assert_true(v.n == ROWS && v.d == KNOWN && v.outputs == (missing != KNOWN));
        for (int k = 0; k < ROWS * KNOWN; k++)
            assert_true(v.x[k] == 10 * (k / KNOWN) + k % KNOWN);
        for (int i = 0; i < ROWS && v.outputs; i++)
            assert_true(v.y[i] == -i);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(sparse_widths),
        data_test(sparse_steps_equal_dense),
        data_test(densifying_can_be_too_much),
        data_test(dense_widths_must_agree),
        data_test(one_hot_columns_by_name),
        data_test(columns_by_name),
        data_test(first_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
