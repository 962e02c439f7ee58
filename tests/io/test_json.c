/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: what is written reads back bit for bit; faults in the text have a position; no allocation failure leaks. */
#include "inner/json.h"
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
    assert_ok(context, fathom_json_get_matrix(NULL, ROWS, COLUMNS, COLUMNS, root, "U")); /* looked at only */
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

/* Every getter on every kind of value: taken where it is of the kind, an error of the input with the key elsewhere. */
static void every_getter(void **state)
{
    (void)state;
    enum {
        TEXT = 1,
        REAL = 2,
        INTEGER = 4,
        BOOL = 8,
        LIST = 16,
        SHAPE = 32,
        VECTOR = 64,
        MATRIX = 128,
        TENSOR = 256
    };
    enum { TEXT_ITEM = 512, NUMBER_ITEM = 1024, OBJECT = 2048 };
    static const struct {
        const char *value;
        int taken;
    } cases[] = {
        {"null", 0},
        {"true", BOOL},
        {"false", BOOL},
        {"1", REAL | INTEGER},
        {"1.5", REAL},
        {"\"t\"", TEXT},
        {"[]", LIST | SHAPE},
        {"[1, 2]", LIST | VECTOR | NUMBER_ITEM},
        {"[1, null]", LIST | NUMBER_ITEM},
        {"[1.5, 2, 3]", LIST | NUMBER_ITEM},
        {"[\"s\", 1]", LIST | TEXT_ITEM},
        {"[[1, 2], [3, 4]]", LIST | SHAPE | MATRIX},
        {"[[1, 2], [3, true]]", LIST | SHAPE},
        {"[[1], [2, 3]]", LIST},
        {"[[1, 2], 3]", LIST},
        {"[[[1]]]", LIST | SHAPE | TENSOR},
        {"{}", OBJECT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char document[80];
        fathom_json *root, *member;
        const char *text;
        double numbers[4];
        int64_t rows, columns;
        bool flag;
        snprintf(document, sizeof document, "{\"a\": %s}", cases[k].value);
        assert_ok(context, fathom_json_parse(&root, context, document, strlen(document), "file"));
        for (int pass = 0; pass < 2; pass++) {
            const char *key = pass ? "missing" : "a";
            const int taken = pass ? 0 : cases[k].taken;
            const fathom_status status[] = {
                fathom_json_get_text(&text, root, key),
                fathom_json_get_real(numbers, root, key),
                fathom_json_get_integer(&rows, root, key),
                fathom_json_get_bool(&flag, root, key),
                fathom_json_get_count(&rows, root, key),
                fathom_json_get_shape(&rows, &columns, root, key),
                fathom_json_get_vector(numbers, 2, root, key),
                fathom_json_get_matrix(numbers, 2, 2, 2, root, key),
                fathom_json_get_tensor(numbers, (const int64_t[]){1, 1, 1}, root, key),
                fathom_json_get_text_item(&text, root, key, 0),
                fathom_json_get_number_item(numbers, root, key, 0) ? FATHOM_OK : FATHOM_ERROR_INPUT,
                fathom_json_get_object(&member, root, key),
            };
            for (size_t g = 0; g < sizeof status / sizeof status[0]; g++)
                if (status[g] != (taken >> g & 1 ? FATHOM_OK : FATHOM_ERROR_INPUT)) {
                    print_error("%s: getter %d gave %d\n", document, (int)g, (int)status[g]);
                    fail();
                }
            assert_int_equal(fathom_json_get_list(&member, root, key) == FATHOM_OK, (taken & LIST) != 0);
            assert_int_equal(fathom_json_is_null(root, key), k == 0 && pass == 0);
            assert_false(fathom_json_get_number_item(numbers, root, key, -1));
            assert_int_equal(fathom_json_get_text_item(&text, root, key, -1), FATHOM_ERROR_INPUT);
        }
        assert_null(fathom_json_stranger(root, (const char *const[]){"b", "a", NULL}));
        assert_string_equal(fathom_json_stranger(root, (const char *const[]){"b", NULL}), "a");
        assert_false(fathom_json_is_list(root));
        fathom_json_free(root);
    }
}

/* Items of lists are objects or lists. */
static void items(void **state)
{
    (void)state;
    static const char document[] = "{\"a\": [{}, [], 1, null]}";
    fathom_json *root, *list, *item;
    assert_ok(context, fathom_json_parse(&root, context, document, strlen(document), "file"));
    assert_ok(context, fathom_json_get_list(&list, root, "a"));
    assert_true(fathom_json_is_list(list) && fathom_json_count(list) == 4);
    for (int64_t k = -1; k < 6; k++)
        assert_int_equal(fathom_json_get_item(&item, list, k),
                         k == 0 || k == 1 ? FATHOM_OK : FATHOM_ERROR_INPUT);
    fathom_json_free(root);
}

/* Copies of members, a tensor, null, and texts that are not UTF-8, written and read again. */
static fathom_status copy_and_read(fathom_context *c)
{
    static const double values[] = {1, 2, 3, 4};
    static const char *const texts[] = {"a", "\xff", "\xc3\xbc"};
    fathom_json *root = NULL, *other = NULL, *list, *item, *back = NULL;
    char *text = NULL;
    fathom_status status = fathom_json_create(&root, c);
    if (status == FATHOM_OK)
        status = fathom_json_create(&other, c);
    if (status == FATHOM_OK)
        status = fathom_json_set_null(other, "null");
    if (status == FATHOM_OK)
        status = fathom_json_set_tensor(other, "tensor", values, (const int64_t[]){1, 2, 2});
    if (status == FATHOM_OK)
        status = fathom_json_set_texts(other, "texts", texts, 3);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(other, "text", "x\xfe y");
    if (status == FATHOM_OK)
        status = fathom_json_set_list(other, "list", &list);
    if (status == FATHOM_OK)
        status = fathom_json_append_object(list, &item);
    if (status == FATHOM_OK)
        status = fathom_json_set_all(root, other);
    if (status == FATHOM_OK)
        status = fathom_json_set_copy(root, "copy", other);
    if (status == FATHOM_OK)
        status = fathom_json_set_member(root, "member", other, "tensor");
    if (status == FATHOM_OK)
        status = fathom_json_set_member(root, "nothing", other, "missing");
    if (status == FATHOM_OK)
        status = fathom_json_text(&text, root, false);
    if (status == FATHOM_OK)
        status = fathom_json_parse(&back, c, text, strlen(text), "file");
    if (status == FATHOM_OK) {
        double read[4];
        const char *shown;
        assert_ok(c, fathom_json_get_tensor(read, (const int64_t[]){1, 2, 2}, back, "member"));
        assert_memory_equal(read, values, sizeof values);
        assert_ok(c, fathom_json_get_text(&shown, back, "text"));
        assert_string_equal(shown, "x\xef\xbf\xbd y");
        assert_true(fathom_json_is_null(back, "nothing") && fathom_json_is_null(back, "null"));
    }
    if (text)
        fathom_json_text_free(root, text);
    fathom_json_free(back);
    fathom_json_free(other);
    fathom_json_free(root);
    return status;
}

static void copies(void **state)
{
    (void)state;
    assert_ok(context, copy_and_read(context));
    assert_true(survives_failures(copy_and_read) > 20);
}

/* A file that is not there, one that is too long, one as it should be. */
static void files(void **state)
{
    (void)state;
    fathom_json *root;
    const char *path = scratch_file(".json", "{\"a\": 1}", 8);
    assert_int_equal(fathom_json_read_within(&root, context, path, 3), FATHOM_ERROR_INPUT);
    assert_null(root);
    assert_ok(context, fathom_json_read_within(&root, context, path, 8));
    fathom_json_free(root);
    unlink(path);
    assert_int_equal(fathom_json_read(&root, context, path), FATHOM_ERROR_INPUT);
}

/* A limit that has passed long ago ends the parser between two pieces of the text. */
static void late(void **state)
{
    (void)state;
    fathom_json *root;
    fathom_context_set_time_limit(context, -100);
    assert_int_equal(fathom_json_parse(&root, context, "[1, 2]", 6, "text"), FATHOM_ERROR_STOPPED);
    assert_null(root);
    fathom_context_set_time_limit(context, INFINITY);
    assert_ok(context, fathom_json_parse(&root, context, "[1, 2]", 6, "text"));
    fathom_json_free(root);
}

static fathom_context *stopped;
static int64_t until_stop;

static void *stopping_allocate(void *user, size_t size)
{
    (void)user;
    if (stopped && until_stop-- == 0)
        fathom_context_set_time_limit(stopped, -100);
    return malloc(size);
}

static void *plain_resize(void *user, void *block, size_t size)
{
    (void)user;
    return realloc(block, size);
}

static void plain_release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* A limit that passes at the n-th allocation: the document, where all of it was read by then, or a word about it. */
static void late_json(void **state)
{
    (void)state;
    const fathom_allocator allocator = {stopping_allocate, plain_resize, plain_release, NULL};
    int64_t whole = 0, cut = 0;
    for (int64_t n = 0; n < 10; n++) {
        fathom_context *c;
        fathom_json *root;
        assert_ok(NULL, fathom_context_create(&c, &allocator));
        until_stop = n;
        stopped = c;
        const fathom_status status = fathom_json_parse(&root, c, "[1, 2]", 6, "text");
        stopped = NULL;
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_STOPPED);
        whole += status == FATHOM_OK && until_stop < 0;
        cut += status != FATHOM_OK;
        if (status == FATHOM_OK)
            fathom_json_free(root);
        fathom_context_free(c);
    }
    assert_true(whole > 0 && cut > 0);
    fathom_json_text_free(NULL, NULL);
}

/* An allocator whose n-th call alone fails. */
static int64_t until_failure;

static void *once_allocate(void *user, size_t size)
{
    (void)user;
    return until_failure-- == 0 ? NULL : malloc(size);
}

static void *once_resize(void *user, void *block, size_t size)
{
    (void)user;
    return until_failure-- == 0 ? NULL : realloc(block, size);
}

/* One allocation fails, and later ones do not: the failure is told all the same, for each of them. */
static void one_failure(void **state)
{
    (void)state;
    const fathom_allocator allocator = {once_allocate, once_resize, plain_release, NULL};
    int64_t failures = 0;
    for (int64_t n = 0; n < 80; n++) {
        fathom_context *c;
        fathom_json *root = NULL, *list = NULL, *object = NULL;
        until_failure = -1;
        assert_ok(NULL, fathom_context_create(&c, &allocator));
        until_failure = n;
        fathom_status status = fathom_json_create(&root, c);
        if (status == FATHOM_OK)
            status = fathom_json_set_list(root, "list", &list);
        for (int k = 0; k < 10 && status == FATHOM_OK; k++) /* the list grows meanwhile */
            status = fathom_json_append_object(list, &object);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(object, "text", "caf\xe9");
        assert_int_equal(status == FATHOM_ERROR_MEMORY, until_failure < 0);
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
        failures += status != FATHOM_OK;
        fathom_json_free(root);
        fathom_context_free(c);
    }
    assert_true(failures > 4 && failures < 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(one_line),
        cmocka_unit_test(faults),
        cmocka_unit_test(kinds),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(every_getter),
        cmocka_unit_test(items),
        cmocka_unit_test(copies),
        cmocka_unit_test(files),
        cmocka_unit_test(late),
        cmocka_unit_test(late_json),
        cmocka_unit_test(one_failure),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
