/* SPDX-License-Identifier: Apache-2.0 */
/* Gates from NPY files: the three shapes, and what is refused. */
#include "testing.h"

#include <string.h>
#include <unistd.h>

#include "fathom/gates.h"
#include "inner/gates.h"
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
    fathom_gates_form form = FATHOM_GATES_AUTO;
    return fathom_gates_read_as(gates, NULL, &form, context, data, path, NULL);
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
    fathom_gates_form form = FATHOM_GATES_AUTO;
    assert_int_equal(fathom_gates_read_as(&gates, NULL, &form, context, data, "no-such-file.npy", NULL),
                     FATHOM_ERROR_INPUT);
}

/* Square matrices and 0/1 matrices with n = d or d rows fit two forms: refused with both named; read as
 * told. */
static void nothing_is_guessed(void **state)
{
    (void)state;
    const double square[] = {1, -1, 2, 0.5}, binary[] = {1, 0, 0, 1, 0, 1}, weights[] = {1, 3};
    const struct {
        const double *values;
        int64_t rows, columns;
        fathom_gates_form form;
        uint64_t first;
    } told[] = {{square, 2, 2, FATHOM_GATES_ORIENTATIONS, 3}, /* (1, 2) */
                {square, 2, 2, FATHOM_GATES_ROWS, 1},         /* (1, -1) */
                {binary, 3, 2, FATHOM_GATES_PATTERNS, 1},
                {binary, 3, 2, FATHOM_GATES_ROWS, 1}}; /* (1, 0) */
    fathom_gates *gates;
    assert_int_equal(read_matrix(&gates, square, 2, 2), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "orientations (2 gates) or rows (2 gates)"));
    assert_int_equal(read_matrix(&gates, binary, 3, 2), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "patterns (2 gates) or rows (3 gates)"));
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        int64_t count;
        fathom_gates_form form = told[k].form;
        read_matrix(&gates, told[k].values, told[k].rows,
                    told[k].columns); /* the file; the answer is known */
        assert_ok(context, fathom_gates_read_as(&gates, &count, &form, context, data, path, NULL));
        assert_int_equal(fathom_gates_look(gates).bits[0], told[k].first);
        assert_int_equal(count, told[k].form == FATHOM_GATES_ROWS ? told[k].rows : told[k].columns);
        if (count == 2) {
            assert_ok(context, fathom_gates_weigh(gates, weights, 2, NULL));
            assert_true(fathom_gates_look(gates).weight[1] == 0.75);
        }
        fathom_gates_free(gates);
    }
    fathom_gates_form wrong = FATHOM_GATES_ORIENTATIONS;
    read_matrix(&gates, binary, 3, 2);
    assert_int_equal(fathom_gates_read_as(&gates, NULL, &wrong, context, data, path, NULL),
                     FATHOM_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_shapes_are_read),
        cmocka_unit_test(other_shapes_and_values_are_refused),
        cmocka_unit_test(nothing_is_guessed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
