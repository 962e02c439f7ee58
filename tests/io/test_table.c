/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: formats told by name and by bytes, every allocation failing in turn, and the public data sets with the sizes
 * and counts that their README.md gives (skipped where ../shared is not there).
 */
#include "io_testing.h"

static const fathom_table_request plain;

static void by_name_and_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text;
        size_t size;
        int64_t n, d;
        bool sparse;
    } cases[] = {
        {".csv", "1,2,3\n", 6, 1, 2, false},
        {".CSV", "1,2,3\n", 6, 1, 2, false},
        {".tsv", "1\t2\t3\n", 6, 1, 2, false},
        {".data", "1,2,3\n", 6, 1, 2, false},
        {".data", "1\t2\t3\n", 6, 1, 2, false},
        {".data", "1 2:3\n", 6, 1, 2, true},
        {".t", "1\n1 2:3\n", 8, 2, 2, true},
        {".svm", "1 2:3\n", 6, 1, 2, true},
        {".libsvm", "1 2:3\n", 6, 1, 2, true},
        {".data", "\0\0\x08\x02\0\0\0\1\0\0\0\2\1\2", 14, 1, 2, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_table *table;
        assert_ok(context, read_bytes_as(&table, cases[k].ending, cases[k].text, cases[k].size, &plain));
        assert_true(table->n == cases[k].n && table->d == cases[k].d && !table->x == cases[k].sparse);
        fathom_table_free(context, table);
    }
    fathom_table *table;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV}, svm = {.format = FATHOM_FORMAT_LIBSVM};
    assert_ok(context, read_bytes_as(&table, ".npy", "1,2\n", 4, &csv));
    fathom_table_free(context, table);
    assert_ok(context, read_bytes_as(&table, ".csv", "1 2:3\n", 6, &svm));
    fathom_table_free(context, table);
    refuses_bytes(".npy", "1,2\n", 4, &plain, 0, 0, "NPY header");
    refuses_bytes(".npz", "1,2\n", 4, &plain, 0, 0, "zip");
    refuses_bytes(".csv.gz", "1,2\n", 4, &plain, 0, 0, "gzip");
    const fathom_table_request weights = {.weights = "0"}, labels = {.labels = "x.npy"};
    assert_int_equal(read_bytes_as(&table, ".svm", "1 2:3\n", 6, &weights), FATHOM_ERROR_USAGE);
    assert_int_equal(read_bytes_as(&table, ".csv", "1,2\n", 4, &labels), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_table_read(&table, context, "/nowhere/file.csv", &plain), FATHOM_ERROR_INPUT);
}

static const char *work_text, *work_ending;
static fathom_table_request work_request;

static fathom_status work(fathom_context *c)
{
    const char *path = scratch_file(work_ending, work_text, strlen(work_text));
    fathom_table *table;
    const fathom_status status = fathom_table_read(&table, c, path, &work_request);
    fathom_table_free(c, table);
    unlink(path);
    return status;
}

static void allocation_failures(void **state)
{
    (void)state;
    work_ending = ".csv";
    work_text = "a,b,c,w\n1,\"re\"\"d\",x,1\n2,blue,y,2\n3,red,x,3\n";
    work_request = (fathom_table_request){.categorical = true, .weights = "w"};
    assert_true(survives_failures(work) > 20);
    work_ending = ".svm";
    work_text = "1 1:1 2:2\n-1 3:4\n";
    work_request = (fathom_table_request){.columns = 5};
    assert_true(survives_failures(work) > 7);
}

/* A limit on memory refuses before allocating. */
static void memory_limit(void **state)
{
    (void)state;
    fathom_table *table;
    fathom_context_set_memory_limit(context, 10);
    assert_int_equal(read_bytes_as(&table, ".csv", "1,2,3\n", 6, &plain), FATHOM_ERROR_MEMORY);
    assert_non_null(strstr(fathom_context_error(context)->text, "need"));
    assert_null(table);
    fathom_context_set_memory_limit(context, 1e12);
}

/* --- public data sets ------------------------------------------------------------------------------------- */

static fathom_table *loads(const char *name, int64_t n, int64_t d, const fathom_table_request *request)
{
    fathom_table *table;
    const char *path = shared_path(name);
    if (!path)
        skip();
    assert_ok(context, fathom_table_read(&table, context, path, request));
    assert_int_equal(table->n, n);
    assert_int_equal(table->d, d);
    return table;
}

/* Number of rows with this target. */
static int64_t with_target(const fathom_table *table, double target)
{
    int64_t count = 0;
    for (int64_t i = 0; i < table->n; i++)
        count += table->y[i] == target;
    return count;
}

static void tables(void **state)
{
    (void)state;
    fathom_table *table = loads("data/uci/abalone.csv", 4177, 8, &plain);
    assert_int_equal(with_target(table, 0), 1407);
    assert_int_equal(with_target(table, 1), 1323);
    assert_int_equal(with_target(table, 2), 1447);
    fathom_table_free(context, table);
    table = loads("data/california_housing/california_housing.csv.gz", 20640, 8, &plain);
    assert_string_equal(table->target_name, "medianHouseValue");
    double sum = 0;
    for (int64_t i = 0; i < table->n; i++)
        sum += table->y[i];
    assert_close(sum / (double)table->n, 206856, 0.5); /* given to six digits */
    fathom_table_free(context, table);
}

static void sparse_sets(void **state)
{
    (void)state;
    const fathom_table_request wide = {.columns = 123};
    fathom_table *table = loads("data/a9a/a9a.gz", 32561, 123, &plain);
    fathom_table_free(context, table);
    table = loads("data/a1a/a1a.t.gz", 30956, 123, &wide);
    fathom_table_free(context, table);
    table = loads("data/news20_bydate/train.svm.xz", 11314, 130107, &plain);
    assert_true(table->row_start[table->n] < 11314 * INT64_C(1301)); /* far below 1% filled */
    fathom_table_free(context, table);
}

static void images(void **state)
{
    (void)state;
    static const int64_t counts[] = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009};
    const char *found = shared_path("data/mnist/t10k-labels-idx1-ubyte.gz");
    if (!found)
        skip();
    char labels[512];
    snprintf(labels, sizeof labels, "%s", found);
    const fathom_table_request request = {.labels = labels};
    fathom_table *table = loads("data/mnist/t10k-images-idx3-ubyte.gz", 10000, 784, &request);
    for (int k = 0; k < 10; k++)
        assert_int_equal(with_target(table, k), counts[k]);
    fathom_table_free(context, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_name_and_bytes), cmocka_unit_test(allocation_failures),
        cmocka_unit_test(memory_limit),      cmocka_unit_test(tables),
        cmocka_unit_test(sparse_sets),       cmocka_unit_test(images),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
