/* SPDX-License-Identifier: Apache-2.0 */
/* Files of results told apart: JSON, logs of JSON lines, models, and what is none of them. */
#include "testing.h"

#include "json_internal.h"
#include "source.h"

#include <string.h>

static const char path[] = "test_source.tmp";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The `command` of the result in a file with this text. */
static fathom_json *open_as(fathom_context *context, const char *text, const char *command)
{
    fathom_json *result;
    const char *found;
    write_text(text);
    assert_ok(context, fathom_report_open(&result, context, path));
    assert_ok(context, fathom_json_get_text(&found, result, "command"));
    assert_string_equal(found, command);
    return result;
}

static void test_kinds(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_json *network;
    int64_t count;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_json_free(open_as(context, "{\"command\": \"train\",\n \"n\": 3}\n", "train"));
    fathom_json *log = open_as(context, "{\"steps\": 0}\n{\"steps\": 1}\n", "log");
    assert_ok(context, fathom_json_get_count(&count, log, "log"));
    assert_int_equal(count, 2);
    fathom_json_free(log);
    fathom_json *model =
        open_as(context,
                "{\"format\": \"fathom-model-1\", \"kind\": \"relu\", \"activation\": \"relu\", \"d\": 1, "
                "\"m\": 1, \"outputs\": 1, \"U\": [[2]], \"W\": [[3]]}",
                "model");
    assert_ok(context, fathom_json_get_object(&network, model, "network"));
    assert_true(fathom_json_has(network, "rho"));
    fathom_json_free(model);
    remove(path);
    fathom_context_free(context);
}

/* A long log is thinned; its first and last records stay. */
static void test_long_log(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_json *result, *list, *item;
    int64_t count, steps;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 5001; k++)
        fprintf(file, "{\"steps\": %d}\n", k);
    fclose(file);
    assert_ok(context, fathom_report_open(&result, context, path));
    assert_ok(context, fathom_json_get_list(&list, result, "log"));
    count = fathom_json_count(list);
    assert_true(count > 500 && count <= 1001);
    assert_ok(context, fathom_json_get_item(&item, list, 0));
    assert_ok(context, fathom_json_get_integer(&steps, item, "steps"));
    assert_int_equal(steps, 0);
    assert_ok(context, fathom_json_get_item(&item, list, count - 1));
    assert_ok(context, fathom_json_get_integer(&steps, item, "steps"));
    assert_int_equal(steps, 5000);
    fathom_json_free(result);
    remove(path);
    fathom_context_free(context);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "x1,x2\n1,2\n", "{\"a\": 1", "{\"a\": 1}\n{\"b\": \n",
                                      "{\"format\": \"fathom-model-1\", \"W\": 1}"};
    fathom_context *context;
    fathom_json *result;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text(bad[k]);
        assert_int_equal(fathom_report_open(&result, context, path), FATHOM_ERROR_INPUT);
        assert_null(result);
    }
    remove(path);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_long_log),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
