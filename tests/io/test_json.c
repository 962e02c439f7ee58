/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: what is written reads back bit for bit; faults in the text have a position; no allocation failure leaks. */
#include "io_testing.h"

#include "json_internal.h"
#include "random.h"

static fathom_json *parses(const char *text)
{
    fathom_json *root;
    assert_ok(context, fathom_json_parse(&root, context, text, strlen(text), "file"));
    return root;
}

static void refuses(const char *text, int64_t line, int64_t column)
{
    fathom_json *root;
    assert_int_equal(fathom_json_parse(&root, context, text, strlen(text), "file"), FATHOM_ERROR_INPUT);
    assert_null(root);
    const fathom_error *error = fathom_context_error(context);
    assert_string_equal(error->file, "file");
    assert_int_equal(error->line, line);
    assert_int_equal(error->column, column);
}

static void round_trip(void **state)
{
    (void)state;
    enum { ROWS = 30, COLUMNS = 20, LD = 23 };
    double values[ROWS * LD], back[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * LD; k++)
        values[k] =
            ldexp(fathom_random_normal(3, FATHOM_STREAM_SAMPLE, 0, (uint64_t)k), 40 * (k % 50) - 1000);
    values[0] = 0.1;
    values[1] = -0.0;
    values[2] = 5e-324;
    values[3] = 1.7976931348623157e308;
    fathom_json *root, *member, *list;
    assert_ok(context, fathom_json_create(&root, context));
    assert_ok(context, fathom_json_set_matrix(root, "U", values, ROWS, COLUMNS, LD));
    assert_ok(context, fathom_json_set_vector(root, "b", values, 7));
    assert_ok(context, fathom_json_set_integer(root, "n", INT64_MAX));
    assert_ok(context, fathom_json_set_real(root, "none", NAN));
    assert_ok(context, fathom_json_set_object(root, "o", &member));
    assert_ok(context, fathom_json_set_text(member, "text", "a\"b\n\xc3\xa9"));
    assert_ok(context, fathom_json_set_list(member, "list", &list));
    for (int k = 0; k < 3; k++) {
        assert_ok(context, fathom_json_append_object(list, &member));
        assert_ok(context, fathom_json_set_bool(member, "odd", k % 2 == 1));
    }
    const char *path = scratch_path(".json");
    assert_ok(context, fathom_json_write(root, path, true));
    fathom_json_free(root);

    assert_ok(context, fathom_json_read(&root, context, path));
    unlink(path);
    int64_t rows, columns, n;
    const char *text;
    assert_ok(context, fathom_json_get_shape(&rows, &columns, root, "U"));
    assert_true(rows == ROWS && columns == COLUMNS);
    assert_ok(context, fathom_json_get_matrix(back, ROWS, COLUMNS, COLUMNS, root, "U"));
    for (int i = 0; i < ROWS; i++)
        assert_memory_equal(back + i * COLUMNS, values + i * LD, COLUMNS * sizeof *back);
    assert_ok(context, fathom_json_get_integer(&n, root, "n"));
    assert_true(n == INT64_MAX);
    assert_true(fathom_json_is_null(root, "none") && !fathom_json_is_null(root, "n"));
    assert_ok(context, fathom_json_get_object(&member, root, "o"));
    assert_ok(context, fathom_json_get_text(&text, member, "text"));
    assert_string_equal(text, "a\"b\n\xc3\xa9");
    assert_ok(context, fathom_json_get_list(&list, member, "list"));
    assert_int_equal(fathom_json_count(list), 3);
    for (int k = 0; k < 3; k++) {
        bool odd;
        assert_ok(context, fathom_json_get_item(&member, list, k));
        assert_ok(context, fathom_json_get_bool(&odd, member, "odd"));
        assert_int_equal(odd, k % 2 == 1);
    }
    fathom_json_free(root);
}

static void one_line(void **state)
{
    (void)state;
    fathom_json *root;
    char *text;
    const double values[] = {1, 0.5, INFINITY};
    const char *const names[] = {"a", NULL};
    assert_ok(context, fathom_json_create(&root, context));
    assert_ok(context, fathom_json_set_vector(root, "v", values, 3));
    assert_ok(context, fathom_json_set_texts(root, "t", names, 2));
    assert_ok(context, fathom_json_set_integer(root, "v", 2));
    assert_ok(context, fathom_json_text(&text, root, false));
    assert_string_equal(text, "{\"v\": 2, \"t\": [\"a\", null]}");
    fathom_json_text_free(root, text);
    fathom_json_free(root);
}

static void faults(void **state)
{
    (void)state;
    refuses("", 1, 0);
    refuses("{\"a\": 1,\n \"b\": x}", 2, 7);
    refuses("{\"a\": 1, \"a\": 2}", 1, 12);
    refuses("{\"a\": 1e999}", 1, 11);
    refuses("{\"a\": 1} 2", 1, 10);
    char deep[8001];
    memset(deep, '[', 8000);
    deep[8000] = 0;
    refuses(deep, 1, 2049);
}

static void kinds(void **state)
{
    (void)state;
    fathom_json *root =
        parses("{\"r\": 1.5, \"i\": 2, \"t\": \"x\", \"b\": true, \"v\": [1, 2.5], \"m\": [[1, 2], [3]],"
               " \"o\": {}, \"w\": [1, \"x\"], \"z\": null}");
    fathom_json *member;
    const char *text;
    double real, values[4];
    int64_t integer, rows, columns;
    bool flag;
    assert_ok(context, fathom_json_get_real(&real, root, "i"));
    assert_true(real == 2);
    assert_ok(context, fathom_json_get_vector(values, 2, root, "v"));
    assert_true(values[0] == 1 && values[1] == 2.5);
    assert_int_equal(fathom_json_get_integer(&integer, root, "r"), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(context)->text, "an integer as \"r\""));
    assert_int_equal(fathom_json_get_real(&real, root, "t"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_real(&real, root, "z"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_real(&real, root, "missing"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_bool(&flag, root, "i"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_text(&text, root, "i"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_vector(values, 3, root, "v"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_vector(values, 2, root, "w"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_shape(&rows, &columns, root, "m"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_matrix(values, 2, 2, 2, root, "m"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_object(&member, root, "v"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_list(&member, root, "o"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_json_get_text_item(&text, root, "w", 0), FATHOM_ERROR_INPUT);
    assert_ok(context, fathom_json_get_text_item(&text, root, "w", 1));
    assert_true(!fathom_json_has(root, "missing") && fathom_json_has(root, "z"));
    fathom_json_free(root);
}

static fathom_status build_and_read(fathom_context *c)
{
    fathom_json *root = NULL, *member, *back = NULL;
    char *text = NULL;
    const double values[] = {1, 2, 3, 4};
    fathom_status status = fathom_json_create(&root, c);
    if (status == FATHOM_OK)
        status = fathom_json_set_matrix(root, "m", values, 2, 2, 2);
    if (status == FATHOM_OK)
        status = fathom_json_set_object(root, "o", &member);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(member, "t", "text");
    if (status == FATHOM_OK)
        status = fathom_json_text(&text, root, true);
    if (status == FATHOM_OK)
        status = fathom_json_parse(&back, c, text, strlen(text), "file");
    if (status == FATHOM_OK)
        status = fathom_json_get_object(&member, back, "o");
    if (text)
        fathom_json_text_free(root, text);
    fathom_json_free(back);
    fathom_json_free(root);
    return status;
}

static void allocation_failures(void **state)
{
    (void)state;
    assert_true(survives_failures(build_and_read) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(one_line),
        cmocka_unit_test(faults),
        cmocka_unit_test(kinds),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
