/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to keep: ranges and lists, on dense and sparse data, and what is refused. */
#include "dataset_testing.h"

#include "data_internal.h"
#include "memory.h"

static void ranges(void **state)
{
    static const struct {
        const char *text;
        int64_t first, count;
    } range[] = {{"0:150", 0, 150}, {"10:13", 10, 3}, {":5", 0, 5}, {"148:", 148, 2}, {":", 0, 150}};
    fathom_data *all = open_plain(*state, "builtin:iris");
    const fathom_data_view v = fathom_data_look(all);
    for (size_t k = 0; k < sizeof range / sizeof range[0]; k++) {
        fathom_data *data = open_with(*state, "builtin:iris", PAIRS("rows", range[k].text));
        const fathom_data_view w = fathom_data_look(data);
        assert_int_equal(w.n, range[k].count);
        assert_memory_equal(w.x, v.x + 4 * range[k].first, (size_t)(4 * w.n) * sizeof *w.x);
        fathom_data_free(data);
    }
    fathom_data_free(all);
}

static void bad_ranges(void **state)
{
    static const char *const outside[] = {
        "5:3", "4:4", "0:151", "150:151", "99999999999999999999:", "0:99999999999999999999"};
    static const char *const malformed[] = {"-1:3", "1:2:3", "1:-2", "+:", "1-2:3"};
    for (size_t k = 0; k < sizeof outside / sizeof outside[0]; k++)
        assert_refused(*state, "builtin:iris", PAIRS("rows", outside[k]), FATHOM_ERROR_INPUT, "rows 0:150");
    for (size_t k = 0; k < sizeof malformed / sizeof malformed[0]; k++)
        assert_refused(*state, "builtin:iris", PAIRS("rows", malformed[k]), FATHOM_ERROR_USAGE,
                       "--rows takes A:B");
}

static void lists(void **state)
{
    static const char *const text[] = {"3\n1\n149\n3\n", "3,1,149,3", "  3 1\t149\r\n\r\n3"};
    const int64_t row[4] = {3, 1, 149, 3};
    fathom_data *all = open_plain(*state, "builtin:iris");
    const fathom_data_view v = fathom_data_look(all);
    for (int k = 0; k < 3; k++) {
        char path[64];
        fathom_data *data =
            open_with(*state, "builtin:iris", PAIRS("rows", write_temporary(path, ".perm", text[k])));
        const fathom_data_view w = fathom_data_look(data);
        assert_int_equal(w.n, 4);
        for (int64_t i = 0; i < 4; i++)
            assert_memory_equal(w.x + 4 * i, v.x + 4 * row[i], 4 * sizeof *w.x);
        fathom_data_free(data);
        unlink(path);
    }
    fathom_data_free(all);
}

/* Parts of a list: its numbers 1 to 3, and all but those. */
static void parts_of_lists(void **state)
{
    static const char *const end[] = {":1:3", "!1:3"};
    static const int64_t row[][2] = {{1, 149}, {3, 5}};
    char path[64], text[80];
    fathom_data *all = open_plain(*state, "builtin:iris");
    const fathom_data_view v = fathom_data_look(all);
    write_temporary(path, ".perm", "3 1 149 5");
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%s%s", path, end[k]);
        fathom_data *data = open_with(*state, "builtin:iris", PAIRS("rows", text));
        const fathom_data_view w = fathom_data_look(data);
        assert_int_equal(w.n, 2);
        for (int64_t i = 0; i < 2; i++)
            assert_memory_equal(w.x + 4 * i, v.x + 4 * row[k][i], 4 * sizeof *w.x);
        fathom_data_free(data);
    }
    snprintf(text, sizeof text, "%s:3:5", path);
    assert_refused(*state, "builtin:iris", PAIRS("rows", text), FATHOM_ERROR_INPUT,
                   "numbers 3:5 of the list");
    snprintf(text, sizeof text, "%s!0:4", path);
    assert_refused(*state, "builtin:iris", PAIRS("rows", text), FATHOM_ERROR_INPUT, "no row is left");
    unlink(path);
    fathom_data_free(all);
}

static void bad_lists(void **state)
{
    static const struct {
        const char *text;
        int64_t line, column;
    } bad[] = {{"", 0, 0},
               {"\n \n", 0, 0},
               {"1\n150\n", 2, 1},
               {"1 2\n3 -4", 2, 3},
               {"1\n2.5", 2, 2},
               {"1\nx", 2, 1},
               {"99999999999999999999999", 1, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char path[64];
        write_temporary(path, ".perm", bad[k].text);
        assert_refused(*state, "builtin:iris", PAIRS("rows", path), FATHOM_ERROR_INPUT, "row number");
        const fathom_error *error = fathom_context_error(*state);
        assert_string_equal(error->file, path);
        assert_int_equal(error->line, bad[k].line);
        assert_int_equal(error->column, bad[k].column);
        unlink(path);
    }
    fathom_data *data;
    const fathom_data_options options = options_of(*state, PAIRS("rows", "/nonexistent"));
    assert_int_not_equal(fathom_data_open(&data, *state, "builtin:iris", &options), FATHOM_OK);
}

/* Sparse rows (0 2 | empty | 1) in the order 2, 0, 1, 2. */
static void sparse_rows(void **state)
{
    fathom_data *data;
    assert_ok(*state, fathom_data_begin(&data, *state, NULL));
    data->n = 3;
    data->d = 3;
    data->row_start = fathom_memory_alloc(*state, 4, sizeof *data->row_start);
    data->column = fathom_memory_alloc(*state, 3, sizeof *data->column);
    data->value = fathom_memory_alloc(*state, 3, sizeof *data->value);
    memcpy(data->row_start, ((int64_t[4]){0, 2, 2, 3}), 4 * sizeof(int64_t));
    memcpy(data->column, ((int32_t[3]){0, 2, 1}), 3 * sizeof(int32_t));
    memcpy(data->value, ((double[3]){5, 6, 7}), 3 * sizeof(double));
    assert_ok(*state, fathom_data_take_rows(data, (const int64_t[4]){2, 0, 1, 2}, 4));
    assert_memory_equal(data->row_start, ((int64_t[5]){0, 1, 3, 3, 4}), 5 * sizeof(int64_t));
    assert_memory_equal(data->column, ((int32_t[4]){1, 0, 2, 1}), 4 * sizeof(int32_t));
    assert_memory_equal(data->value, ((double[4]){7, 5, 6, 7}), 4 * sizeof(double));
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(ranges),    data_test(bad_ranges),  data_test(lists),
        data_test(bad_lists), data_test(sparse_rows), data_test(parts_of_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
