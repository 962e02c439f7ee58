/* SPDX-License-Identifier: Apache-2.0 */
/* Gates from NPY files: the three shapes, and what is refused. */
#include "testing.h"

#include <string.h>
#include <unistd.h>

#include "fathom/gates.h"
#include "npy_internal.h"

static fathom_context *context;
static fathom_data *data;
static const char *path = "test_gates_read.npy";

/* Three points in the plane. */
static int set_up(void **state)
{
    (void)state;
    const double x[] = {1, 0, 0, 1, -1, -1};
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    return (int)fathom_data_create(&data, context, 3, 2, x, 2, 0, NULL, NULL, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    fathom_data_free(data);
    fathom_context_free(context);
    return 0;
}

static fathom_status read_matrix(fathom_gates **gates, const double *values, int64_t rows, int64_t columns)
{
    fathom_file *file;
    const int64_t shape[] = {rows, columns};
    assert_ok(context, fathom_file_create(&file, context, path));
    assert_ok(context, fathom_npy_append(file, values, 2, shape, columns));
    assert_ok(context, fathom_file_commit(file));
    return fathom_gates_read(gates, context, data, path);
}

static void check(const double *values, int64_t rows, int64_t columns, const uint64_t *pattern, int64_t m)
{
    fathom_gates *gates;
    assert_ok(context, read_matrix(&gates, values, rows, columns));
    const fathom_gates_view view = fathom_gates_look(gates);
    assert_int_equal(view.m, m);
    for (int64_t j = 0; j < m; j++)
        assert_int_equal(view.bits[j], pattern[j]);
    fathom_gates_free(gates);
}

/* (1, 2) opens points 0 and 1; (-1, 0.5) opens 1 and 2; (-1, -1) opens 2; (0, 1) opens 1 alone. */
static void three_shapes_are_read(void **state)
{
    (void)state;
    const double columns[] = {1, -1, -1, 2, 0.5, -1}, rows[] = {1, 2, -1, 0.5, -1, -1, 0, 1};
    const uint64_t orientation_bits[] = {3, 6, 4, 2}, pattern_bits[] = {3, 6, 4, 5};
    check(columns, 2, 3, orientation_bits, 3);
    check(rows, 4, 2, orientation_bits, 4);
    const double turned[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    check(turned, 3, 4, pattern_bits, 4);
}

static void other_shapes_and_values_are_refused(void **state)
{
    (void)state;
    const double values[] = {0, 1, 0.5, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    fathom_gates *gates;
    assert_int_equal(read_matrix(&gates, values, 5, 3), FATHOM_ERROR_INPUT);
    assert_int_equal(read_matrix(&gates, values, 3, 5), FATHOM_ERROR_INPUT);
    assert_null(gates);
    assert_int_equal(fathom_gates_read(&gates, context, data, "no-such-file.npy"), FATHOM_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_shapes_are_read),
        cmocka_unit_test(other_shapes_and_values_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
