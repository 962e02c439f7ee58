/* SPDX-License-Identifier: Apache-2.0 */
/* Loops: lists, progressions, sizes, seeds that move; and the faults of each. */
#include "testing.h"

#include "json_internal.h"
#include "recipe_loops.h"

#include <string.h>

/* All values of the only loop of a step, with commas between; "!" where it is refused. */
static void assert_values(const char *loop, bool quick, uint64_t seed, const char *expected)
{
    char text[600], all[600] = "", value[FATHOM_RECIPE_VALUE];
    fathom_context *context;
    fathom_json *step;
    fathom_recipe_course course;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const fathom_recipe_run run = {context, "folder", quick, seed, "draw", NULL, NULL, NULL};
    snprintf(text, sizeof text, "{\"for\": [%s]}", loop);
    assert_ok(context, fathom_json_parse(&step, context, text, strlen(text), "text"));
    fathom_status status = fathom_recipe_course_open(&course, &run, step);
    for (bool more = status == FATHOM_OK; more;
         more = status == FATHOM_OK && fathom_recipe_course_next(&course)) {
        status = fathom_recipe_course_value(value, &course, 0);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s,", value);
    }
    assert_true(status == FATHOM_OK || fathom_context_error(context)->text[0]);
    assert_string_equal(status == FATHOM_OK ? all : "!", expected);
    fathom_json_free(step);
    fathom_context_free(context);
}

static void test_values(void **state)
{
    (void)state;
    assert_values("{\"name\": \"n\", \"values\": [\"a\", 2, 0.5, 100000], \"quick\": [\"q\"]}", false, 1,
                  "a,2,0.5,100000,");
    assert_values("{\"name\": \"n\", \"values\": [\"a\"], \"quick\": [\"q\"]}", true, 1, "q,");
    assert_values("{\"name\": \"n\", \"values\": [\"a\"]}", true, 1, "a,");
    assert_values("{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 4}}", false, 1, "1,2,3,4,");
    assert_values("{\"name\": \"n\", \"values\": {\"from\": 0.1, \"to\": 0.5, \"by\": 0.2}}", false, 1,
                  "0.1,0.30000000000000004,0.5,");
    assert_values("{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 100000, \"times\": 10}}", false, 1,
                  "1,10,100,1000,10000,100000,");
}

static void test_seeds(void **state)
{
    (void)state;
    assert_values("{\"name\": \"draw\", \"values\": [\"1\", 2]}", false, 41, "41,42,");
    assert_values("{\"name\": \"draw\", \"values\": {\"from\": 1, \"to\": 2}}", false, 1, "1,2,");
    assert_values("{\"name\": \"draw\", \"values\": [1, 2]}", false, UINT64_MAX, "18446744073709551615,0,");
    assert_values("{\"name\": \"seed\", \"values\": [1]}", false, 41, "1,");
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"name\": \"n\", \"values\": []}",
        "{\"name\": \"n\", \"values\": [null]}",
        "{\"name\": \"n\", \"values\": 3}",
        "{\"name\": \"n\"}",
        "{\"values\": [1]}",
        "{\"name\": \"draw\", \"values\": [\"x\"]}",
        "{\"name\": \"draw\", \"values\": [1.5]}",
        "{\"name\": \"draw\", \"values\": [-1]}",
        "{\"name\": \"draw\", \"values\": [\"99999999999999999999999\"]}",
        "{\"name\": \"n\", \"values\": {\"from\": 2, \"to\": 1}}",
        "{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 2, \"by\": 0}}",
        "{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 2, \"by\": 1, \"times\": 2}}",
        "{\"name\": \"n\", \"values\": {\"from\": 0, \"to\": 2, \"times\": 2}}",
        "{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 2, \"times\": 1}}",
        "{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 1e18}}",
        "{\"name\": \"n\", \"values\": {\"from\": 1, \"to\": 1e305, \"times\": 1.000001}}",
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_values(bad[k], false, 1, "!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_seeds),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
