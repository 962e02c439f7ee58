/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of recipes: columns by hand, groups in the order of their first rows, values of both kinds. */
#include "testing.h"

#include "expression.h"
#include "json_internal.h"
#include "recipe.h"

#include <string.h>

static const char tables[] =
    "{\"m\": [{\"d\": 4, \"net\": \"b\", \"v\": 1}, {\"d\": 2, \"net\": \"b\", \"v\": 5}, "
    "{\"d\": 4, \"net\": \"b\", \"v\": 7}, {\"d\": 4, \"net\": \"a\", \"v\": null}]}";

/* The tables with one rule followed. */
static fathom_json *follow(fathom_context **context, const char *rule, fathom_status expected)
{
    fathom_json *json, *parsed;
    assert_int_equal(fathom_context_create(context, NULL), FATHOM_OK);
    assert_ok(*context, fathom_json_parse(&json, *context, tables, strlen(tables), "tables"));
    assert_ok(*context, fathom_json_parse(&parsed, *context, rule, strlen(rule), "rule"));
    assert_int_equal(fathom_recipe_rule(json, parsed), expected);
    fathom_json_free(parsed);
    return json;
}

static double number(fathom_json *json, const char *text)
{
    double value;
    assert_int_equal(fathom_expression_number(&value, json, NULL, text), FATHOM_OK);
    return value;
}

static void test_column(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_json *json =
        follow(&context, "{\"table\": \"m\", \"column\": \"w\", \"value\": \"2 * m.v + m.d\"}", FATHOM_OK);
    assert_true(number(json, "first(m.w)") == 6 && number(json, "sum(m.w)") == 36);
    assert_true(number(json, "count(m.w)") == 3);
    fathom_json_free(json);
    fathom_context_free(context);
}

static void test_groups(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_json *json =
        follow(&context,
               "{\"table\": \"g\", \"from\": \"m\", \"by\": [\"net\", \"d\"], \"columns\": [{\"column\": "
               "\"most\", \"value\": \"max(m.v)\"}, {\"column\": \"rows\", \"value\": \"count(m.d)\"}]}",
               FATHOM_OK);
    assert_true(number(json, "count(g.rows)") == 3 && number(json, "first(g.most)") == 7);
    assert_true(number(json, "first(g.rows)") == 2 && number(json, "sum(g.most)") == 12);
    assert_true(number(json, "sum(g.d)") == 10 && number(json, "count(m.v)") == 3);
    fathom_json_free(json);
    fathom_context_free(context);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const rule[] = {
        "{\"table\": \"g\", \"from\": \"none\", \"by\": [\"d\"], \"columns\": []}",
        "{\"table\": \"m\", \"column\": \"w\", \"value\": \"m.none\"}",
        ("{\"table\": \"g\", \"from\": \"m\", \"by\": [\"d\"], \"columns\": [{\"column\": \"w\", \"value\": "
         "\"m.v\"}]}")};
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        fathom_context *context;
        fathom_json_free(follow(&context, rule[k], FATHOM_ERROR_INPUT));
        fathom_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_column), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
