/* SPDX-License-Identifier: Apache-2.0 */
/* Data from files: targets, weights, prediction without a target; and real files of ../shared/data where it is there. */
#include "dataset_testing.h"

static void targets_and_weights(void **state)
{
    char path[64];
    write_temporary(path, ".csv", "a,b,c\n1,2,3\n4,5,6\n");
    fathom_data *data = open_with(*state, path, PAIRS("target", "a", "weights", "2"));
    const fathom_data_view v = fathom_data_look(data);
    assert_true(v.d == 1 && v.x[1] == 5 && v.y[1] == 4 && v.weight[0] == 3 && v.weight[1] == 6);
    fathom_data_free(data);
    assert_refused(*state, path, PAIRS("target", "d"), FATHOM_ERROR_USAGE, "d");
    unlink(path);
    write_temporary(path, ".csv", "a,w,y\n1,2,3\n4,-5,6\n");
    assert_refused(*state, path, PAIRS("weights", "w"), FATHOM_ERROR_INPUT, "weight");
    assert_string_equal(fathom_context_error(*state)->file, path);
    unlink(path);
    write_temporary(path, ".svm", "1 1:2 3:4\n-1 2:5\n");
    assert_refused(*state, path, PAIRS("weights", "w"), FATHOM_ERROR_USAGE, "weights");
    unlink(path);
}

/* Data for a model of two columns may come with a target or without. */
static void prediction_without_a_target(void **state)
{
    const fathom_preprocess two = {.columns = 2};
    static const char *const text[] = {"a,b\n1,2\n", "a,b,y\n1,2,7\n", "a\n1\n"};
    for (int k = 0; k < 3; k++) {
        char path[64];
        fathom_data *data;
        write_temporary(path, ".csv", text[k]);
        const fathom_status status = fathom_data_open_like(&data, *state, path, NULL, &two, NULL);
        assert_int_equal(status, k < 2 ? FATHOM_OK : FATHOM_ERROR_INPUT);
        if (data)
            assert_true(fathom_data_look(data).d == 2 && fathom_data_look(data).outputs == k);
        fathom_data_free(data);
        unlink(path);
    }
}

/* Sparse files stay sparse, and a narrower or wider one takes the first one's width. */
static void sparse_files(void **state)
{
    char path[64], wide[64];
    write_temporary(path, ".svm", "1 1:2 3:4\n-1 2:5\n");
    write_temporary(wide, ".svm", "1 1:2 9:4\n");
    fathom_data *data = open_plain(*state, path), *other;
    assert_true(fathom_data_look(data).d == 3 && !fathom_data_look(data).x);
    const fathom_preprocess p = fathom_data_preprocess(data);
    assert_ok(*state, fathom_data_open_like(&other, *state, wide, NULL, &p, NULL));
    assert_true(fathom_data_look(other).d == 3 && fathom_data_look(other).row_start[1] == 1);
    fathom_data_free(other);
    fathom_data_free(data);
    unlink(path);
    unlink(wide);
}

/* The path of a shared file, or NULL where there is none. */
static const char *shared(char path[512], const char *name)
{
    const char *root = getenv("FATHOM_SHARED");
    snprintf(path, 512, "%s/%s/data/%s", root ? "" : FATHOM_SOURCE_ROOT, root ? root : "../shared", name);
    if (access(path, R_OK) == 0)
        return path;
    print_message("skipped: %s is not there\n", path);
    return NULL;
}

/* Class counts as in ../shared/data/README.md. */
static void real_files(void **state)
{
    static const struct {
        const char *name, *columns, *labels;
        int64_t n, d, classes, first; /* first: examples of the first class */
    } known[] = {
        {"a1a/a1a.gz", "123", NULL, 1605, 123, 2, 1210},
        {"rcv1_small/rcv1_small.t.xz", "47236", NULL, 500, 47236, 2, 255},
        {"mnist/t10k-images-idx3-ubyte.gz", NULL, "mnist/t10k-labels-idx1-ubyte.gz", 10000, 784, 10, 980},
        {"uci_raw/monks-1_train.csv", NULL, NULL, 124, 6, 2, 62},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        char path[512], labels[512] = "";
        if (!shared(path, known[k].name) || (known[k].labels && !shared(labels, known[k].labels)))
            continue;
        const char *const *pair = known[k].labels    ? PAIRS("labels", labels)
                                  : known[k].columns ? PAIRS("columns", known[k].columns)
                                                     : PAIRS("format", "auto");
        fathom_data *data = open_with(*state, path, pair);
        const fathom_data_view v = fathom_data_look(data);
        int64_t first = 0;
        for (int64_t i = 0; i < v.n; i++)
            first += v.y[i] == v.class_value[0];
        print_message("%s: %lld x %lld\n", known[k].name, (long long)v.n, (long long)v.d);
        assert_true(v.n == known[k].n && v.classes == known[k].classes && first == known[k].first);
        assert_int_equal(v.d, known[k].d);
        fathom_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(targets_and_weights),
        data_test(prediction_without_a_target),
        data_test(sparse_files),
        data_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
