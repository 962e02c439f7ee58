/* SPDX-License-Identifier: Apache-2.0 */
/* Written data reads back as the same bits; what a format cannot hold is refused. */
#include "dataset_testing.h"

static void round_trips(void **state)
{
    static const char *const spec[] = {"gen:gauss,n=50", "gen:circle,n=12", "builtin:iris", "builtin:digits"};
    static const char *const ending[] = {".csv", ".tsv"};
    for (int s = 0; s < 4; s++)
        for (int e = 0; e < 2; e++) {
            char path[64];
            write_temporary(path, ending[e], "");
            fathom_data *data = open_plain(*state, spec[s]);
            assert_ok(*state, fathom_data_write(data, path));
            fathom_data *back = open_plain(*state, path);
            const fathom_data_view v = fathom_data_look(data), w = fathom_data_look(back);
            assert_true(v.n == w.n && v.d == w.d && v.classes == w.classes);
            assert_memory_equal(v.x, w.x, (size_t)(v.n * v.d) * sizeof *v.x);
            assert_memory_equal(v.y, w.y, (size_t)v.n * sizeof *v.y);
            for (int64_t k = 0; k < v.classes; k++)
                assert_string_equal(v.class_name[k], w.class_name[k]);
            fathom_data_free(data);
            fathom_data_free(back);
            unlink(path);
        }
}

/* Column names, quotes, weights and the bias column are kept. */
static void names_and_weights(void **state)
{
    char path[64], text[256] = "";
    write_temporary(path, ".csv", "\"a,b\",w,\"say \"\"y\"\"\"\n1,2,no\n3,4,\"yes, sir\"\n");
    fathom_data *data = open_with(*state, path, PAIRS("weights", "w", "bias", "augment"));
    assert_true(fathom_data_look(data).weight[1] == 4);
    assert_ok(*state, fathom_data_write(data, path));
    FILE *file = fopen(path, "r");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "\"a,b\",bias,weight,\"say \"\"y\"\"\"\n1,1,2,no\n3,1,4,\"yes, sir\"\n");
    fathom_data_free(data);
    unlink(path);
}

static void refusals(void **state)
{
    const double x[2] = {1, 2}, y[4] = {1, 2, 3, 4};
    fathom_data *data;
    assert_ok(*state, fathom_data_create(&data, *state, 2, 1, x, 1, 2, y, NULL, NULL));
    assert_int_equal(fathom_data_write(data, "/tmp/fathom-test.xls"), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_data_write(data, "/tmp/fathom-test.svm"), FATHOM_ERROR_USAGE);
    fathom_data_free(data);
    assert_ok(*state, fathom_data_create(&data, *state, 2, 1, x, 1, 1, y, NULL, NULL));
    assert_int_equal(fathom_data_write(data, "/nonexistent/fathom-test.csv"), FATHOM_ERROR_RUNTIME);
    fathom_data_free(data);
}

/* Array and sparse formats: targets beside the matrix or in it. */
static void array_and_sparse_formats(void **state)
{
    static const char *const ending[] = {".svm", ".npy", ".npz"};
    for (int e = 0; e < 3; e++) {
        char path[64], labels[80];
        write_temporary(path, ending[e], "");
        snprintf(labels, sizeof labels, "%.*s.labels.npy", (int)strlen(path) - 4, path);
        fathom_data *data = open_plain(*state, "gen:xor,n=40");
        assert_ok(*state, fathom_data_write(data, path));
        fathom_data *back =
            e == 1 ? open_with(*state, path, PAIRS("labels", labels)) : open_plain(*state, path);
        const fathom_data_view v = fathom_data_look(data), w = fathom_data_look(back);
        assert_true(w.n == 40 && w.d == 2 && w.classes == 2 && (w.x == NULL) == (e == 0));
        assert_memory_equal(v.x, w.x ? w.x : w.value, 80 * sizeof *v.x); /* no value is 0: sparse is dense */
        assert_memory_equal(v.y, w.y, 40 * sizeof *v.y);
        fathom_data_free(data);
        fathom_data_free(back);
        unlink(path);
        unlink(labels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(round_trips),
        data_test(names_and_weights),
        data_test(refusals),
        data_test(array_and_sparse_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
