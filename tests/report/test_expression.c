/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over tables: values by hand, rules of precedence, faults with their place. */
#include "testing.h"

#include "expression.h"
#include "json_internal.h"

#include <string.h>

static const char tables[] = "{\"m\": [{\"n\": 4, \"v\": 2.5, \"ok\": true}, {\"n\": 8, \"v\": null, \"ok\": "
                             "false}, {\"n\": 16, \"v\": -1, "
                             "\"ok\": true}], \"one\": [{\"x\": 3}], \"none\": []}";

static fathom_json *open_tables(fathom_context **context)
{
    fathom_json *json;
    assert_int_equal(fathom_context_create(context, NULL), FATHOM_OK);
    assert_ok(*context, fathom_json_parse(&json, *context, tables, strlen(tables), "tables"));
    return json;
}

static void test_numbers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } rows[] = {{"1 + 2 * 3", 7},
                {"(1 + 2) * 3", 9},
                {"2 ^ 3 ^ 2", 512},
                {"-2 ^ 2", -4},
                {"10 - 4 - 3", 3},
                {"2 * 3 <= 6", 1},
                {"1e-3 * 1e3", 1},
                {"sum(m.n)", 28},
                {"max(m.v)", 2.5},
                {"min(m.v)", -1},
                {"count(m.v)", 2},
                {"mean(m.ok)", 2.0 / 3},
                {"median(m.n)", 8},
                {"first(m.n) + last(m.n)", 20},
                {"max(pick(m.n, m.n < 10))", 8},
                {"max(abs(m.n - 10))", 6},
                {"sd(m.n)", sqrt(112.0 / 3)},
                {"slope(m.n, 3 * m.n + 1)", 3},
                {"quantile(m.n, 0.5)", 8},
                {"quantile(m.n, 0.25)", 6},
                {"corr(m.n, 1 - 2 * m.n)", -1},
                {"sum(change(m.n))", 12},
                {"count(change(m.n))", 2},
                {"first(shift(m.n, 1)) + 100 * last(shift(m.n, 1))", 408},
                {"first(shift(m.n, 0 - 1))", 16},
                {"floor(2.7) + 10 * sign(0 - 3)", -8},
                {"cos(pi)", -1},
                {"sum(one.x * m.n)", 84},
                {"sqrt(first(m.n)) + log10(100) + exp(0) + log(1)", 5}};
    fathom_context *context;
    fathom_json *json = open_tables(&context);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double value;
        assert_ok(context, fathom_expression_number(&value, json, NULL, rows[k].text));
        assert_close(value, rows[k].value, 8 * UNIT_ROUNDOFF * (1 + fabs(rows[k].value)));
    }
    fathom_json_free(json);
    fathom_context_free(context);
}

static void test_columns(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_json *json = open_tables(&context);
    double *values;
    int64_t count;
    assert_ok(context, fathom_expression_evaluate(&values, &count, json, NULL, "m.v * 2"));
    assert_int_equal(count, 3);
    assert_true(values[0] == 5 && isnan(values[1]) && values[2] == -2);
    fathom_context_release(context, values);
    assert_ok(context, fathom_expression_evaluate(&values, &count, json, NULL, "none.x"));
    assert_int_equal(count, 0);
    fathom_context_release(context, values);
    fathom_json_free(json);
    fathom_context_free(context);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "1 +",
                                      "(1",
                                      "m.nothing",
                                      "x.n",
                                      "what",
                                      "f(1)",
                                      "max(1, 2)",
                                      "m.n + one.x)",
                                      "pick(m.n)",
                                      "1 2",
                                      "m.",
                                      "slope(1",
                                      "pick(m.n, pick(m.n, m.n < 9))",
                                      "max(m.n) +* 2",
                                      "m.n.x"};
    fathom_context *context;
    fathom_json *json = open_tables(&context);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double value;
        assert_int_equal(fathom_expression_number(&value, json, NULL, bad[k]), FATHOM_ERROR_INPUT);
        assert_non_null(strstr(fathom_context_error(context)->text, "expression"));
    }
    char deep[1000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    double value;
    assert_int_equal(fathom_expression_number(&value, json, NULL, deep), FATHOM_ERROR_INPUT);
    fathom_json_free(json);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
