/* SPDX-License-Identifier: Apache-2.0 */
/* Tables written and read back: the same doubles, names, labels and weights in every format that can hold them. */
#include "io_testing.h"

#include "random.h"

enum { N = 20, D = 3 };

static double x[N * D], y[N], weight[N];

static fathom_table sample(void)
{
    for (int k = 0; k < N * D; k++)
        x[k] = k % 4 == 0
                   ? 0
                   : ldexp(fathom_random_normal(1, FATHOM_STREAM_SAMPLE, 0, (uint64_t)k), 10 * k - 300);
    for (int i = 0; i < N; i++) {
        y[i] = i % 3;
        weight[i] = i / 7.0;
    }
    return (fathom_table){.n = N, .d = D, .x = x, .outputs = 1, .y = y};
}

static fathom_table *there_and_back(const fathom_table *table, const char *ending,
                                    const fathom_table_request *request)
{
    fathom_table *back;
    const char *path = scratch_path(ending);
    assert_ok(context, fathom_table_write(table, context, path));
    assert_ok(context, fathom_table_read(&back, context, path, request));
    unlink(path);
    assert_true(back->n == table->n && back->d == table->d && back->outputs == table->outputs);
    if (table->y)
        assert_memory_equal(back->y, table->y, (size_t)(table->n * table->outputs) * sizeof(double));
    if (back->x)
        assert_memory_equal(back->x, x, sizeof x);
    return back;
}

static void every_format(void **state)
{
    (void)state;
    static const char *const endings[] = {".csv", ".tsv", ".npz", ".svm", ".libsvm"};
    const fathom_table table = sample();
    for (int k = 0; k < 5; k++) {
        fathom_table *back =
            there_and_back(&table, endings[k], &(fathom_table_request){.format = FATHOM_FORMAT_AUTO});
        for (int64_t i = 0; !back->x && i < N; i++) /* sparse: entry by entry */
            for (int64_t e = back->row_start[i]; e < back->row_start[i + 1]; e++)
                assert_true(back->value[e] == x[i * D + back->column[e]]);
        if (!back->x) {
            fathom_table *again = there_and_back(back, ".csv", &(fathom_table_request){.columns = 0});
            fathom_table_free(context, again);
        }
        fathom_table_free(context, back);
    }
    const char *labels = scratch_path(".labels.npy");
    fathom_table *back = there_and_back(&table, ".npy", &(fathom_table_request){.labels = labels});
    fathom_table_free(context, back);
    unlink(labels);
}

static void names_labels_weights(void **state)
{
    (void)state;
    char *names[] = {"plain", "with, comma", "with \"quotes\"\nand lines "}, *labels[] = {"a", "b b", "c\tc"};
    fathom_table table = sample();
    table.name = names;
    table.labels = 3;
    table.label = labels;
    table.weight = weight;
    table.target_name = "kind";
    for (int k = 0; k < 2; k++) {
        fathom_table *back =
            there_and_back(&table, k ? ".tsv" : ".csv", &(fathom_table_request){.weights = "weight"});
        assert_memory_equal(back->weight, weight, sizeof weight);
        assert_int_equal(back->labels, 3);
        for (int j = 0; j < 3; j++) {
            assert_string_equal(back->name[j], names[j]);
            assert_string_equal(back->label[j], labels[j]);
        }
        assert_string_equal(back->target_name, "kind");
        fathom_table_free(context, back);
    }
    assert_int_equal(fathom_table_write(&table, context, scratch_path(".svm")), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_table_write(&table, context, scratch_path(".npz")), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_table_write(&table, context, scratch_path(".xls")), FATHOM_ERROR_USAGE);
}

static void outputs(void **state)
{
    (void)state;
    fathom_table table = sample();
    table.outputs = 2;
    table.n = N / 2;
    fathom_table *back;
    const char *path = scratch_path(".npz");
    assert_ok(context, fathom_table_write(&table, context, path));
    assert_ok(context, fathom_table_read(&back, context, path, &(fathom_table_request){.columns = 0}));
    assert_true(back->outputs == 2 && back->n == N / 2);
    assert_memory_equal(back->y, y, sizeof y);
    fathom_table_free(context, back);
    unlink(path);
    assert_int_equal(fathom_table_write(&table, context, scratch_path(".csv")), FATHOM_ERROR_USAGE);
    table.outputs = 0;
    table.y = NULL;
    table.n = N;
    back = there_and_back(&table, ".csv", &(fathom_table_request){.no_target = true, .features = D});
    fathom_table_free(context, back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
        cmocka_unit_test(names_labels_weights),
        cmocka_unit_test(outputs),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
