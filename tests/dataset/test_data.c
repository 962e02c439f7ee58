/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets from arrays, their checks, and every allocation failing in turn. */
#include "dataset_testing.h"
#include "inner/data.h"

static void arrays_are_copied(void **state)
{
    double x[6] = {1, 2, 99, 3, 4, 99}, y[4] = {5, 6, 7, 8}, weight[2] = {1, 2};
    fathom_data *data;
    assert_ok(*state, fathom_data_create(&data, *state, 2, 2, x, 3, 2, y, weight, NULL));
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    memset(weight, 0, sizeof weight);
    const fathom_data_view v = fathom_data_look(data);
    assert_true(v.n == 2 && v.d == 2 && v.ld == 2 && v.outputs == 2 && v.classes == 0 && !v.value);
    assert_memory_equal(v.x, ((double[4]){1, 2, 3, 4}), 4 * sizeof(double));
    assert_memory_equal(v.y, ((double[4]){5, 6, 7, 8}), 4 * sizeof(double));
    assert_memory_equal(v.weight, ((double[2]){1, 2}), 2 * sizeof(double));
    fathom_data_free(data);
    fathom_data_free(NULL);
}

/* Rows of weight 0 are as though they were not there, whichever rows are asked for; all of them are too
 * many. */
static void rows_of_weight_0_are_left_out(void **state)
{
    const double x[5] = {1, 2, 3, 4, 5}, y[5] = {1, 2, 1, 2, 3}, weight[5] = {0, 2, 0, 1, 0};
    fathom_data_options options;
    fathom_data *data;
    fathom_options_init(&options, &fathom_data_option_table);
    options.normalize = FATHOM_NORMALIZE_STANDARDIZE;
    assert_ok(*state, fathom_data_create(&data, *state, 5, 1, x, 1, 1, y, weight, &options));
    fathom_data_view v = fathom_data_look(data);
    assert_true(v.n == 2 && v.classes == 1 && v.x[0] == -1 && v.x[1] == 1);
    assert_memory_equal(v.weight, ((double[2]){2, 1}), 2 * sizeof(double));
    fathom_data_free(data);
    options.normalize = FATHOM_NORMALIZE_NONE;
    options.rows = "1:3";
    assert_ok(*state, fathom_data_create(&data, *state, 5, 1, x, 1, 1, y, weight, &options));
    v = fathom_data_look(data);
    assert_true(v.n == 1 && v.x[0] == 2 && v.y[0] == 2 && v.weight[0] == 2);
    fathom_data_free(data);
    options.rows = "4:5";
    assert_int_equal(fathom_data_create(&data, *state, 5, 1, x, 1, 1, y, weight, &options),
                     FATHOM_ERROR_INPUT);
}

static void bad_shapes(void **state)
{
    const double x[4] = {1, 2, 3, 4};
    fathom_data *data;
    const int64_t shape[][3] = {{0, 1, 1}, {1, 0, 1}, {-1, 2, 2}, {2, 2, 1}, {1, -2, 2}};
    for (int k = 0; k < 5; k++)
        assert_int_equal(
            fathom_data_create(&data, *state, shape[k][0], shape[k][1], x, shape[k][2], 0, NULL, NULL, NULL),
            FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_data_create(&data, *state, 2, 2, NULL, 2, 0, NULL, NULL, NULL),
                     FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_data_create(&data, *state, 2, 2, x, 2, 1, NULL, NULL, NULL), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_data_create(&data, *state, 2, 2, x, 2, -1, x, NULL, NULL), FATHOM_ERROR_USAGE);
}

static void values_must_be_finite(void **state)
{
    const double bad[3] = {NAN, INFINITY, -INFINITY}, fine[2] = {1, 2}, zero[2] = {0, 0},
                 negative[2] = {1, -1};
    fathom_data *data;
    for (int k = 0; k < 3; k++) {
        const double x[2] = {1, bad[k]};
        assert_int_equal(fathom_data_create(&data, *state, 2, 1, x, 1, 0, NULL, NULL, NULL),
                         FATHOM_ERROR_INPUT);
        assert_non_null(strstr(fathom_context_error(*state)->text, "row 1, column 0"));
        assert_int_equal(fathom_data_create(&data, *state, 2, 1, fine, 1, 1, x, NULL, NULL),
                         FATHOM_ERROR_INPUT);
        assert_int_equal(fathom_data_create(&data, *state, 2, 1, fine, 1, 0, NULL, x, NULL),
                         FATHOM_ERROR_INPUT);
    }
    assert_int_equal(fathom_data_create(&data, *state, 2, 1, fine, 1, 0, NULL, zero, NULL),
                     FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_data_create(&data, *state, 2, 1, fine, 1, 0, NULL, negative, NULL),
                     FATHOM_ERROR_INPUT);
    assert_null(data);
}

static void options_are_checked(void **state)
{
    const double x[1] = {1};
    fathom_data *data;
    fathom_data_options options;
    fathom_options_init(&options, &fathom_data_option_table);
    options.normalize = 7;
    assert_int_equal(fathom_data_create(&data, *state, 1, 1, x, 1, 0, NULL, NULL, &options),
                     FATHOM_ERROR_USAGE);
    assert_refused(*state, "gen:xor", PAIRS("weights", "w"), FATHOM_ERROR_USAGE, "--weights");
    assert_refused(*state, "gen:xor", PAIRS("target", "0"), FATHOM_ERROR_USAGE, "--target");
}

/* Counts live blocks and lets the n-th allocation fail. */
typedef struct fault {
    int64_t live, calls, fail_at;
} fault;

static bool fails(fault *f) { return f->calls++ == f->fail_at; }

static void *fault_allocate(void *user, size_t size)
{
    fault *f = user;
    if (fails(f))
        return NULL;
    f->live++;
    return malloc(size);
}

static void *fault_resize(void *user, void *block, size_t size)
{
    fault *f = user;
    if (fails(f))
        return NULL;
    f->live += !block;
    return realloc(block, size);
}

static void fault_release(void *user, void *block)
{
    fault *f = user;
    f->live -= block != NULL;
    free(block);
}

/* One opening under one fault; the number of allocations it came to. */
static int64_t open_under_fault(int64_t fail_at, const char *spec, const char *const *pair, bool *done)
{
    fault f = {.fail_at = fail_at};
    const fathom_allocator allocator = {fault_allocate, fault_resize, fault_release, &f};
    fathom_context *context;
    *done = false;
    if (fathom_context_create(&context, &allocator) == FATHOM_OK) {
        fathom_data *data;
        const double *coded;
        int64_t outputs;
        const fathom_data_options options = options_of(context, pair);
        fathom_status status = fathom_data_open(&data, context, spec, &options);
        if (status == FATHOM_OK)
            status = fathom_data_code_classes(&coded, &outputs, data);
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
        *done = status == FATHOM_OK;
        fathom_data_free(data);
        fathom_context_free(context);
    }
    assert_int_equal(f.live, 0);
    return f.calls;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char rows[64];
    write_temporary(rows, ".perm", "3 1 120 70 3");
    static const char *const spec[] = {"builtin:iris", "gen:gauss,target=sign", "gen:twogauss,n=5,d=3",
                                       "gen:collapse"};
    const char *const *const pair[] = {
        PAIRS("rows", rows, "normalize", "standardize", "bias", "augment"),
        PAIRS("rows", "2:9", "normalize", "unit"),
        PAIRS("bias", "augment"),
        PAIRS("classes", "-1,1"),
    };
    for (int s = 0; s < 4; s++) {
        bool done = false;
        int64_t fail_at = 0;
        while (!done) {
            const int64_t calls = open_under_fault(fail_at, spec[s], pair[s], &done);
            assert_true(done || calls > fail_at);
            fail_at++;
        }
        assert_true(fail_at > 5);
    }
    unlink(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(arrays_are_copied),   data_test(rows_of_weight_0_are_left_out),
        data_test(bad_shapes),          data_test(values_must_be_finite),
        data_test(options_are_checked), data_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
