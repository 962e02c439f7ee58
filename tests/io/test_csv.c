/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: values, headers, roles, texts, and every fault with its position. */
#include "io_testing.h"

#include "random.h"

static const fathom_table_request plain;

static fathom_table *reads(const char *ending, const char *text, const fathom_table_request *request)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ending, text, strlen(text), request));
    return table;
}

static void refuses(const char *text, int64_t line, int64_t column, const char *words)
{
    refuses_bytes(".csv", text, strlen(text), &plain, line, column, words);
}

/* x is n x d and y n, as listed. */
static void has(const fathom_table *table, int64_t n, int64_t d, const double *x, const double *y)
{
    assert_int_equal(table->n, n);
    assert_int_equal(table->d, d);
    for (int64_t k = 0; k < n * d; k++)
        assert_true(table->x[k] == x[k]);
    for (int64_t k = 0; y && k < n; k++)
        assert_true(table->y[k] == y[k]);
}

/* The same four numbers in every dress. */
static void same_table_every_dress(void **state)
{
    (void)state;
    static const char *const texts[] = {"1,2,3\n4,5,6\n",
                                        "1,2,3\n4,5,6",
                                        "1,2,3\r\n4,5,6\r\n",
                                        "1,2,3\r\n4,5,6\r\n\r\n",
                                        "a,b,c\n1,2,3\n4,5,6\n",
                                        "\"1\",\"2\",3\n4,5,\"6\"",
                                        " 1 , 2,3 \n4,\t5,6\n\n",
                                        "\xef\xbb\xbf"
                                        "1,2,3\n4,5,6\n",
                                        "\xef\xbb\xbf"
                                        "a,b,\"c\"\"\n\"\n1,2,3\n4,5,6\n\n \n",
                                        "1.0,2e0,+3\n400e-2,.5e1,6.\n",
                                        "2019,x,y\n1,2,3\n4,5,6\n",
                                        "a,b,c\n1,2,3,\n4,5,6,\r\n",
                                        "1,2,3\n4,5,6, "};
    const double x[] = {1, 2, 4, 5}, y[] = {3, 6};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        fathom_table *table = reads(".csv", texts[k], &plain);
        has(table, 2, 2, x, y);
        assert_int_equal(table->outputs, 1);
        assert_int_equal(table->labels, 0);
        fathom_table_free(context, table);
    }
    fathom_table *table = reads(".tsv", "a b\tc\td\n1\t2\t3\n 4\t5\t6\n", &plain);
    has(table, 2, 2, x, y);
    assert_string_equal(table->name[0], "a b");
    assert_string_equal(table->name[1], "c");
    assert_string_equal(table->target_name, "d");
    fathom_table_free(context, table);
}

static void roles(void **state)
{
    (void)state;
    const char *text = "w,t,u,v\n1,2,3,4\n5,6,7,8\n";
    const double features[] = {3, 4, 7, 8}, target[] = {2, 6};
    const fathom_table_request named = {.target = "t", .weights = "w"},
                               numbered = {.target = "1", .weights = "0"};
    const fathom_table_request *requests[] = {&named, &numbered};
    for (int k = 0; k < 2; k++) {
        fathom_table *table = reads(".csv", text, requests[k]);
        has(table, 2, 2, features, target);
        assert_true(table->weight[0] == 1 && table->weight[1] == 5);
        assert_string_equal(table->name[0], "u");
        assert_string_equal(table->target_name, "t");
        fathom_table_free(context, table);
    }
    const fathom_table_request last = {.weights = "v"};
    fathom_table *table = reads(".csv", text, &last);
    assert_int_equal(table->d, 2);
    assert_true(table->y[0] == 3);
    fathom_table_free(context, table);
    const fathom_table_request wrong[] = {
        {.target = "z"}, {.target = "4"}, {.weights = "z"}, {.target = "t", .weights = "1"}};
    for (int k = 0; k < 4; k++)
        assert_int_equal(read_bytes_as(&table, ".csv", text, strlen(text), &wrong[k]), FATHOM_ERROR_USAGE);
}

static void prediction(void **state)
{
    (void)state;
    const double x3[] = {1, 2, 3, 4, 5, 6}, x2[] = {1, 2, 4, 5}, y2[] = {3, 6};
    const char *text = "a,b,c\n1,2,3\n4,5,6\n";
    const fathom_table_request all = {.no_target = true, .features = 3};
    fathom_table *table = reads(".csv", text, &all);
    has(table, 2, 3, x3, NULL);
    assert_int_equal(table->outputs, 0);
    assert_null(table->y);
    fathom_table_free(context, table);
    const fathom_table_request with = {.no_target = true, .features = 2};
    table = reads(".csv", text, &with);
    has(table, 2, 2, x2, y2);
    fathom_table_free(context, table);
    const fathom_table_request unknown = {.no_target = true};
    table = reads(".csv", text, &unknown);
    has(table, 2, 3, x3, NULL);
    fathom_table_free(context, table);
    const fathom_table_request absent = {.no_target = true, .features = 3, .target = "gone"};
    table = reads(".csv", text, &absent);
    has(table, 2, 3, x3, NULL);
    fathom_table_free(context, table);
    const fathom_table_request wrong = {.no_target = true, .features = 5};
    refuses_bytes(".csv", text, strlen(text), &wrong, 2, 1, "5 feature columns");
}

static void text_labels(void **state)
{
    (void)state;
    const char *texts[] = {"1,2,pear\n3,4,apple\n5,6,pear\n",
                           "u,v,kind\n1,2,pear\n3,4,\"apple\"\n5,6,pear\n"};
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 0, 1};
    for (int k = 0; k < 2; k++) {
        fathom_table *table = reads(".csv", texts[k], &plain);
        has(table, 3, 2, x, y);
        assert_int_equal(table->labels, 2);
        assert_string_equal(table->label[0], "apple");
        assert_string_equal(table->label[1], "pear");
        fathom_table_free(context, table);
    }
    refuses("1,2,pear\n3,4,\n", 2, 5, "expected a text");
}

static void categories(void **state)
{
    (void)state;
    const fathom_table_request request = {.categorical = true};
    const double x[] = {1, 0, 1, 2, 1, 0, 3, 0, 1}, y[] = {5, 6, 7};
    fathom_table *table = reads(".csv", "size,colour,y\n1,red,5\n2,blue,6\n3,red,7\n", &request);
    has(table, 3, 3, x, y);
    assert_string_equal(table->name[0], "size");
    assert_string_equal(table->name[1], "colour=blue");
    assert_string_equal(table->name[2], "colour=red");
    fathom_table_free(context, table);
    table = reads(".csv", "1,red,5\n2,blue,6\n3,red,7\n", &request);
    has(table, 3, 3, x, y);
    assert_string_equal(table->name[1], "1=blue");
    fathom_table_free(context, table);
    refuses("size,colour,y\n1,red,5\n2,blue,6\n", 2, 3, "'colour', found 'red'");
}

static void faults(void **state)
{
    (void)state;
    refuses("", 1, 1, "found nothing");
    refuses("\n", 1, 1, "found nothing");
    refuses("a,b\n", 2, 1, "found none");
    refuses("1,2,3\n4,5\n", 2, 4, "expected 3 columns, found 2");
    refuses("1,2,3\n4,5,6,7\n", 2, 7, "expected 3 columns, found more");
    refuses("1,2,3\n4,5,6,,\n", 2, 7, "expected 3 columns, found more");
    refuses("1,2,3\n4,5,6,x\n", 2, 7, "expected 3 columns, found more");
    refuses("1,2,3\n4,nan,6\n", 2, 3, "finite number in column 1");
    refuses("1,2,3\n4,5,-inf\n", 2, 5, "finite");
    refuses("1,2,3\n4,1e999,6\n", 2, 3, "1.8e308");
    refuses("a,b,c\n1,2,3\n4,5x,6\n", 3, 3, "column 'b', found '5x'");
    refuses("1,2,3\n4,,6\n", 2, 3, "found nothing");
    refuses("1,\"\"\n", 1, 3, "found nothing");
    refuses("a,b,a\n1,2,3\n", 1, 5, "'a' appears twice");
    refuses("1,\"2,3\n4,5,6\n", 1, 3, "closing quote");
    refuses("1,\"2\"x,3\n4,5,6\n", 1, 6, "after a closing quote");
    refuses("a,\"b\nb\",c\n1,2,3\n4,y,6\n", 4, 3, "found 'y'");
    refuses("1\n2\n", 1, 1, "beside the target");
    refuses_bytes(".csv", "1,2\n3,x\0y\n", 10, &plain, 2, 3, "expected a number");
    refuses_bytes(".csv", "1,x\n3,x\0y\n", 10, &plain, 2, 3, "zero byte");
    const fathom_table_request weights = {.weights = "0"};
    refuses_bytes(".csv", "1,2,3\n-1,2,3\n", 13, &weights, 2, 1, "weight of 0 or more");
}

/* Rows across window ends, rows longer than the window, quoted texts across window ends. */
static void windows(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{40000, 3}, {3, 60000}};
    for (int s = 0; s < 2; s++) {
        const int64_t n = shapes[s][0], d = shapes[s][1];
        char *text = malloc((size_t)(26 * n * (d + 1)));
        size_t size = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= d; j++) {
                const double u =
                    fathom_random_uniform(2, FATHOM_STREAM_SAMPLE, 0, (uint64_t)(i * (d + 1) + j));
                const char *format = j == 1 ? "\"%.17g\"%c" : "%.17g%c";
                size += (size_t)sprintf(text + size, format, u, j < d ? ',' : '\n');
            }
        text[size] = 0;
        fathom_table *table = reads(".csv", text, &plain);
        assert_int_equal(table->n, n);
        assert_int_equal(table->d, d);
        for (int64_t i = 0; i < n; i++) {
            const uint64_t row = (uint64_t)(i * (d + 1));
            for (int64_t j = 0; j < d; j++)
                assert_true(table->x[i * d + j] ==
                            fathom_random_uniform(2, FATHOM_STREAM_SAMPLE, 0, row + (uint64_t)j));
            assert_true(table->y[i] == fathom_random_uniform(2, FATHOM_STREAM_SAMPLE, 0, row + (uint64_t)d));
        }
        fathom_table_free(context, table);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_table_every_dress),
        cmocka_unit_test(roles),
        cmocka_unit_test(prediction),
        cmocka_unit_test(text_labels),
        cmocka_unit_test(categories),
        cmocka_unit_test(faults),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
