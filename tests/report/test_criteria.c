/* SPDX-License-Identifier: Apache-2.0 */
/* Criteria over draws: who decides, three answers, undefined values, draws that meet all. */
#include "inner/json.h"
#include "testing.h"

#include "criteria.h"
#include "json_internal.h"

#include <string.h>

static fathom_json *parse(fathom_context *context, const char *text)
{
    fathom_json *json;
    assert_ok(context, fathom_json_parse(&json, context, text, strlen(text), "text"));
    return json;
}

/* n draws of the table t, the first `met` with v = 1, the next `open` with v undefined, the others with v =
 * 0; the table `all` has no draws. */
static fathom_json *make_tables(fathom_context *context, int n, int met, int open)
{
    fathom_json *tables, *rows, *row;
    assert_ok(context, fathom_json_create(&tables, context));
    assert_ok(context, fathom_json_set_list(tables, "t", &rows));
    for (int k = 0; k < n; k++) {
        assert_ok(context, fathom_json_append_object(rows, &row));
        assert_ok(context, fathom_json_set_real(row, "seed", k + 1));
        assert_ok(context, fathom_json_set_real(row, "v", k < met ? 1 : k < met + open ? NAN : 0));
    }
    assert_ok(context, fathom_json_set_list(tables, "all", &rows));
    assert_ok(context, fathom_json_append_object(rows, &row));
    assert_ok(context, fathom_json_set_real(row, "v", 1));
    return tables;
}

static fathom_reproduce_outcome judge(const char *recipe_text, int n, int met, int open)
{
    fathom_context *context;
    fathom_reproduce_outcome outcome;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_json *recipe = parse(context, recipe_text), *tables = make_tables(context, n, met, open);
    assert_ok(context, fathom_criteria_judge(&outcome, tables, recipe));
    fathom_json_free(tables);
    fathom_json_free(recipe);
    fathom_context_free(context);
    return outcome;
}

#define CRITERION(more)                                                                                      \
    "\"criteria\": [{\"name\": \"c\", \"value\": \"min(t.v)\", \"relation\": \">=\", \"limit\": 1" more "}]" \
    "}"

static void test_who_decides(void **state)
{
    (void)state;
    fathom_reproduce_outcome o = judge("{" CRITERION(""), 40, 32, 0);
    assert_true(!o.match && !o.undecided && o.criterion[0].draws == 0 && o.draws == 0);
    o = judge("{\"draws\": \"seed\", " CRITERION(""), 40, 32, 0);
    assert_true(!o.match && o.criterion[0].draws == 40 && o.criterion[0].met == 32 && o.draws_met == 32);
    assert_true(isnan(o.criterion[0].share) && o.criterion[0].low > 0.66 && o.criterion[0].high < 0.9);
    o = judge("{\"draws\": \"seed\", \"share\": 0.5, " CRITERION(""), 40, 32, 0);
    assert_true(o.match && o.criterion[0].holds && o.criterion[0].value == 0);
    o = judge("{\"draws\": \"seed\", \"share\": 0.5, " CRITERION(", \"share\": null"), 40, 32, 0);
    assert_true(!o.match && o.criterion[0].draws == 0 && o.draws == 0);
    o = judge("{\"draws\": \"other\", \"share\": 0.5, " CRITERION(""), 40, 32, 0);
    assert_true(!o.match && o.criterion[0].draws == 0);
}

/* yes where low >= share, no where high < share, else neither; a share of 1 is refuted by one draw. */
static void test_three_answers(void **state)
{
    (void)state;
    for (int met = 0; met <= 12; met++) {
        const fathom_reproduce_outcome o =
            judge("{\"draws\": \"seed\", \"share\": 0.5, " CRITERION(""), 12, met, 0);
        const fathom_reproduce_criterion *c = &o.criterion[0];
        assert_true(c->low <= met / 12. && c->high >= met / 12.);
        assert_int_equal(c->holds, c->low >= 0.5);
        assert_int_equal(c->undecided, c->low < 0.5 && c->high >= 0.5);
        assert_int_equal(o.match, c->holds);
        assert_int_equal(o.undecided, c->undecided);
        const fathom_reproduce_outcome all =
            judge("{\"draws\": \"seed\", \"share\": 1, " CRITERION(""), 12, met, 0);
        assert_true(all.match == (met == 12) && !all.undecided);
    }
}

/* A draw without a number is neither met nor missed. */
static void test_undefined(void **state)
{
    (void)state;
    fathom_reproduce_outcome o = judge("{\"draws\": \"seed\", \"share\": 1, " CRITERION(""), 12, 11, 1);
    assert_true(!o.match && o.undecided && o.criterion[0].high == 1 && o.criterion[0].open == 1);
    o = judge("{\"draws\": \"seed\", \"share\": 1, " CRITERION(""), 12, 10, 1);
    assert_true(!o.match && !o.undecided);
    o = judge("{" CRITERION(""), 3, 0, 3);
    assert_true(!o.match && o.undecided && o.criterion[0].undecided);
    o = judge("{\"steps\": []}", 3, 3, 0);
    assert_true(!o.match && !o.undecided && strcmp(fathom_criteria_verdict(&o), "none") == 0);
}

/* Draws that meet all criteria, each on its own draws; a table without draws is seen whole. */
static void test_all_criteria(void **state)
{
    (void)state;
    const fathom_reproduce_outcome o = judge(
        "{\"draws\": \"seed\", \"share\": 0.1, \"criteria\": [{\"name\": \"a\", \"value\": \"mean(t.v) * "
        "first(all.v)\", \"relation\": \">\", \"limit\": 0}, {\"name\": \"b\", \"value\": "
        "\"max(t.seed)\", \"relation\": \">\", \"limit\": 4}, {\"name\": \"c\", \"value\": "
        "\"sum(all.v)\", \"relation\": \"==\", \"limit\": 1}]}",
        20, 12, 0);
    assert_true(o.criterion[0].met == 12 && o.criterion[1].met == 16 && o.criterion[2].draws == 0);
    assert_true(o.draws == 20 && o.draws_met == 8 && o.match);
    assert_true(o.low < 0.4 && o.high > 0.4);
}

#define OF(reading, limit)                                                               \
    "{\"name\": \"c\", \"value\": \"min(t.v)\", \"relation\": \">=\", \"limit\": " limit \
    ", \"reading\": \"" reading "\"}"

/* Each reading by its own criteria and by those of none; one that matches is enough. */
static void test_readings(void **state)
{
    (void)state;
    fathom_reproduce_outcome o =
        judge("{\"draws\": \"seed\", \"share\": 0.5, \"criteria\": [" OF("one", "1") ", " OF("two", "0") "]}",
              40, 5, 0);
    assert_true(o.match && !o.undecided && o.readings == 2 && o.draws == 0);
    assert_string_equal(o.reading[0].name, "one");
    assert_true(!o.reading[0].match && !o.reading[0].undecided && o.reading[0].draws_met == 5);
    assert_true(o.reading[1].match && o.reading[1].draws == 40 && o.reading[1].draws_met == 40);
    o = judge("{\"draws\": \"seed\", \"share\": 0.5, \"criteria\": [" OF("one", "1") ", " OF("two", "2") "]}",
              40, 20, 0);
    assert_true(!o.match && o.undecided && o.reading[0].undecided && !o.reading[1].undecided);
    o = judge(
        "{\"draws\": \"seed\", \"share\": 0.5, \"criteria\": [" OF("one", "0") ", " OF(
            "two", "2") ", {\"name\": \"c\", \"value\": \"min(t.v)\", \"relation\": \">=\", \"limit\": 1}]}",
        40, 5, 0);
    assert_true(!o.match && !o.undecided && !o.reading[0].match && o.reading[0].draws_met == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_decides),
                                       cmocka_unit_test(test_three_answers), cmocka_unit_test(test_undefined),
                                       cmocka_unit_test(test_all_criteria), cmocka_unit_test(test_readings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
