/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables from a result: members, lists of numbers, of vectors and of objects; marks of recipes. */
#include "inner/json.h"
#include "testing.h"

#include "json_internal.h"
#include "recipe_rows.h"
#include "reproduce_keep.h"

#include <string.h>

static const char result_text[] =
    "{\"value\": 2.5, \"name\": \"a\", \"score\": {\"accuracy\": 0.5}, \"rotation\": [1, 2, 3], \"points\": "
    "[{\"x1\": 1, \"y\": -1}, {\"x1\": 2, \"y\": 1}], \"rows\": [[1, 2], [3, 4]], \"nothing\": null}";

static fathom_json *parse(fathom_context *context, const char *text)
{
    fathom_json *json;
    assert_ok(context, fathom_json_parse(&json, context, text, strlen(text), "text"));
    return json;
}

/* The table that a rule makes of the result, as text on one line. */
static void assert_table(fathom_context *context, const char *rule_text, const char *expected)
{
    static const char *const name[] = {"n", "kind"}, *const value[] = {"4", "net"};
    const fathom_recipe_loops loops = {2, name, value};
    fathom_json *result = parse(context, result_text), *rule = parse(context, rule_text), *root, *table;
    fathom_recipe_found found = {.first = NULL};
    char *text;
    assert_ok(context, fathom_json_create(&root, context));
    assert_ok(context, fathom_json_set_list(root, "t", &table));
    assert_ok(context, fathom_recipe_rows(table, &found, rule, &loops, result, "none"));
    fathom_recipe_found_clear(&found);
    assert_ok(context, fathom_json_text(&text, table, false));
    assert_string_equal(text, expected);
    fathom_json_text_free(table, text);
    fathom_json_free(root);
    fathom_json_free(rule);
    fathom_json_free(result);
}

static void test_rows(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_table(
        context, "{\"keep\": [\"value\", \"score.accuracy\", \"rotation.1\", \"rotation\", \"missing\"]}",
        "[{\"n\": 4.0, \"kind\": \"net\", \"value\": 2.5, \"score_accuracy\": 0.5, \"rotation_1\": 2.0, "
        "\"rotation\": [1, 2, 3], \"missing\": null}]");
    assert_table(
        context, "{\"rows\": \"rotation\"}",
        "[{\"n\": 4.0, \"kind\": \"net\", \"index\": 0, \"value\": 1.0}, {\"n\": 4.0, \"kind\": \"net\", "
        "\"index\": 1, \"value\": 2.0}, {\"n\": 4.0, \"kind\": \"net\", \"index\": 2, \"value\": 3.0}]");
    assert_table(
        context, "{\"rows\": \"rows\"}",
        "[{\"n\": 4.0, \"kind\": \"net\", \"index\": 0, \"x1\": 1.0, \"x2\": 2.0}, {\"n\": 4.0, \"kind\": "
        "\"net\", \"index\": 1, \"x1\": 3.0, \"x2\": 4.0}]");
    assert_table(
        context, "{\"rows\": \"points\"}",
        "[{\"n\": 4.0, \"kind\": \"net\", \"x1\": 1, \"y\": -1}, {\"n\": 4.0, \"kind\": \"net\", \"x1\": 2, "
        "\"y\": 1}]");
    assert_table(context, "{\"rows\": \"points\", \"keep\": [\"y\"]}",
                 "[{\"n\": 4.0, \"kind\": \"net\", \"y\": -1}, {\"n\": 4.0, \"kind\": \"net\", \"y\": 1}]");
    assert_table(context, "{\"rows\": \"nothing\"}", "[]");
    assert_table(context, "{\"rows\": \"score.missing\"}", "[]");
    fathom_context_free(context);
}

/* Two runs under one rule: what is said of names that neither has, NULL where each was in one of them or below a null. */
static void assert_found(fathom_context *context, const char *rule_text, const char *second_text,
                         const char *said)
{
    const fathom_recipe_loops loops = {0, NULL, NULL};
    fathom_json *rule = parse(context, rule_text), *root, *table;
    fathom_recipe_found found = {.first = NULL};
    const char *text[] = {result_text, second_text};
    assert_ok(context, fathom_json_create(&root, context));
    assert_ok(context, fathom_json_set_list(root, "t", &table));
    for (int k = 0; k < 2; k++) {
        fathom_json *result = parse(context, text[k]);
        assert_ok(context, fathom_recipe_rows(table, &found, rule, &loops, result, "none"));
        fathom_json_free(result);
    }
    if (!said)
        assert_ok(context, fathom_recipe_found_check(&found, rule));
    else {
        assert_int_equal(fathom_recipe_found_check(&found, rule), FATHOM_ERROR_INPUT);
        if (!strstr(fathom_context_error(context)->text, said))
            fail_msg("'%s' in: %s", said, fathom_context_error(context)->text);
    }
    fathom_recipe_found_clear(&found);
    fathom_json_free(root);
    fathom_json_free(rule);
}

static void test_found(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *second, *said;
    } row[] = {
        {"{\"name\": \"m\", \"keep\": [\"value\", \"score.accuracy\", \"rotation.2\", \"nothing\", "
         "\"nothing.below\"]}",
         "{}", NULL},
        {"{\"name\": \"m\", \"keep\": [\"late\"]}", "{\"late\": null}", NULL},
        {"{\"name\": \"m\", \"keep\": [\"value\", \"vale\"]}", "{}",
         "keep of m: 'vale' is in no run; did you mean 'value'? There are: value, name, score,"},
        {"{\"name\": \"m\", \"keep\": [\"zzzzzzzz\"]}", "{}", "'zzzzzzzz' is in no run. There are: value,"},
        {"{\"name\": \"m\", \"keep\": [\"score.acuracy\"]}", "{}",
         "did you mean 'accuracy'? There are: accuracy"},
        {"{\"name\": \"m\", \"keep\": [\"rotation.3\"]}", "{}",
         "'rotation.3' is in no run, since rotation has no such part"},
        {"{\"name\": \"m\", \"keep\": [\"rotation.3\"]}", "{\"rotation\": [1, 2, 3, 4]}", NULL},
        {"{\"name\": \"m\", \"keep\": [\"value.part\"]}", "{}", "value has no such part"},
        {"{\"name\": \"m\", \"rows\": \"points\", \"keep\": [\"x1\", \"yy\"]}", "{}", "'yy' is in no run"},
        {"{\"name\": \"m\", \"rows\": \"point\"}", "{}",
         "rows of m: 'point' is in no run; did you mean 'points'?"},
        {"{\"name\": \"m\", \"rows\": \"nothing\"}", "{}", NULL},
    };
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        assert_found(context, row[k].rule, row[k].second, row[k].said);
    fathom_context_free(context);
}

/* A mark follows the recipe's text and the sizes, and nothing else. */
static void test_marks(void **state)
{
    (void)state;
    fathom_context *context;
    char a[FATHOM_REPRODUCE_MARK], b[FATHOM_REPRODUCE_MARK];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_json *one = parse(context, "{\"id\": \"x\", \"limit\": 1}");
    fathom_json *same = parse(context, "{ \"id\":\"x\",\n\"limit\":1 }");
    fathom_json *other = parse(context, "{\"id\": \"x\", \"limit\": 2}");
    assert_ok(context, fathom_reproduce_mark(a, one, false, 1));
    assert_int_equal(strlen(a), FATHOM_REPRODUCE_MARK - 1);
    assert_ok(context, fathom_reproduce_mark(b, same, false, 1));
    assert_string_equal(a, b);
    assert_ok(context, fathom_reproduce_mark(b, one, true, 1));
    assert_string_not_equal(a, b);
    assert_ok(context, fathom_reproduce_mark(b, other, false, 1));
    assert_string_not_equal(a, b);
    fathom_json_free(one);
    fathom_json_free(same);
    fathom_json_free(other);
    fathom_context_free(context);
}

/* A result is kept where its mark is the same, with its criteria; an undecided one comes back as NaN. */
static void test_kept(void **state)
{
    (void)state;
    static const char path[] = "test_recipe_rows.json";
    fathom_context *context;
    fathom_reproduce_outcome outcome;
    fathom_json *taken;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_json *result =
        parse(context, "{\"recipe\": \"0123\", \"verdict\": \"differs\", \"criteria\": [{\"name\": \"c\", "
                       "\"relation\": \"<=\", \"value\": null, \"limit\": 1, \"holds\": false}]}");
    assert_ok(context, fathom_json_write(result, path, false));
    assert_ok(context, fathom_json_create(&taken, context));
    assert_false(fathom_reproduce_keep(&outcome, taken, path, "4567"));
    assert_false(fathom_reproduce_keep(&outcome, taken, "no such file", "0123"));
    assert_true(fathom_reproduce_keep(&outcome, taken, path, "0123"));
    assert_true(outcome.kept && !outcome.match && outcome.count == 1 && isnan(outcome.criterion[0].value));
    assert_true(fathom_json_has(taken, "criteria"));
    remove(path);
    fathom_json_free(taken);
    fathom_json_free(result);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_found),
                                       cmocka_unit_test(test_marks), cmocka_unit_test(test_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
