/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals of text files: integers, row by row times a power of ten, or none where doubles are all there is. */
#include "with_context.h"

#include <string.h>

#include "data_internal.h"

/* The decimals of a CSV file with this text; NULL where there are none. */
static fathom_data *decimals_of(const char *text, int bias, int normalize)
{
    const char *path = "test_decimals.csv";
    FILE *file = fopen(path, "w");
    fathom_data_options options;
    fathom_data *data, *out;
    fputs(text, file);
    fclose(file);
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = bias;
    options.normalize = normalize;
    assert_ok(context, fathom_data_open(&data, context, path, &options));
    assert_ok(context, fathom_data_decimals(&out, data));
    fathom_data_free(data);
    remove(path);
    return out;
}

static void expect(const char *text, int bias, const double *expected)
{
    fathom_data *data = decimals_of(text, bias, FATHOM_NORMALIZE_NONE);
    assert_non_null(data);
    assert_memory_equal(data->x, expected, (size_t)(data->n * data->d) * sizeof *expected);
    fathom_data_free(data);
}

static void rows_become_integers(void **state)
{
    (void)state;
    expect("0.1,0.25,1\n-300,20,0\n", FATHOM_BIAS_NONE, (const double[]){10, 25, -30, 2});
    expect("0.1,0.25,1\n-300,20,0\n", FATHOM_BIAS_AUGMENT, (const double[]){10, 25, 100, -300, 20, 1});
    expect("1e-3,0,1\n5.10,-4.900,0\n", FATHOM_BIAS_NONE, (const double[]){1, 0, 51, -49});
    expect("0.3000000000000004,0,1\n0,0,0\n", FATHOM_BIAS_NONE, (const double[]){3000000000000004, 0, 0, 0});
}

static void none_where_digits_are_too_many(void **state)
{
    (void)state;
    static const char *const text[] = {"0.10000000000000001,1,1\n", /* not the shortest of its double */
                                       "0.12345678901234567890,1,0\n", "123456789.1,1e-9,0\n"};
    for (int k = 0; k < 3; k++)
        assert_null(decimals_of(text[k], FATHOM_BIAS_NONE, FATHOM_NORMALIZE_NONE));
    assert_null(decimals_of("3,4,1\n1,2,0\n", FATHOM_BIAS_NONE, FATHOM_NORMALIZE_UNIT));
    const double x[] = {0.1, 0.2};
    fathom_data *data, *out;
    assert_ok(context, fathom_data_create(&data, context, 1, 2, x, 2, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_data_decimals(&out, data));
    assert_null(out);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_integers),
        cmocka_unit_test(none_where_digits_are_too_many),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
