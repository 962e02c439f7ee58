/* SPDX-License-Identifier: Apache-2.0 */
/* Options to lines and back: every type, defaults left out, unknown names refused. */
#include "testing.h"

#include <string.h>

#include "memory.h"
#include "option_lines.h"

#define LINE_OPTIONS(X)                                                     \
    X(REAL, gap, "gap", "1e-6", 0, 1, "REL", "a number")                    \
    X(REAL, step, "step", NULL, 0, 1, "E", "a number without default")      \
    X(INTEGER, width, "width", "7", 0, 1e9, "M", "a count")                 \
    X(UNSIGNED, seed, "seed", "1", 0, 0, "N", "all bits")                   \
    X(CHOICE, loss, "loss", "squared", 0, 0, "squared|hinge", "one of two") \
    X(FLAG, list, "list", NULL, 0, 0, "", "yes or no")                      \
    X(TEXT, net, "net", NULL, 0, 0, "NAME", "any words")

FATHOM_OPTIONS_STRUCT(line_options, LINE_OPTIONS)
#define OWNER line_options
static const fathom_option rows[] = {LINE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
static const fathom_option_table table = FATHOM_OPTION_TABLE("Lines", rows, line_options);

static void test_round_trip(void **state)
{
    fathom_context *context = *state;
    line_options one, two;
    char *text;
    fathom_options_init(&one, &table);
    assert_ok(context, fathom_option_lines_write(&text, context, &one, &table));
    assert_string_equal(text, "");
    fathom_memory_free(context, text);
    one.gap = 0.1, one.width = 12, one.seed = 18446744073709551615u, one.loss = 1, one.list = true;
    one.net = "leaky:0.3 with spaces";
    assert_ok(context, fathom_option_lines_write(&text, context, &one, &table));
    fathom_options_init(&two, &table);
    assert_ok(context, fathom_option_lines_read(context, &two, &table, text));
    assert_true(two.gap == 0.1 && isnan(two.step) && two.width == 12 && two.loss == 1 && two.list);
    assert_true(two.seed == one.seed);
    assert_string_equal(two.net, one.net);
    fathom_memory_free(context, text);
}

static void test_refused(void **state)
{
    char unknown[] = "nosuch 3\n", bad[] = "gap x\n", cut[] = "width";
    line_options options;
    fathom_options_init(&options, &table);
    assert_int_equal(fathom_option_lines_read(*state, &options, &table, unknown), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_option_lines_read(*state, &options, &table, bad), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_option_lines_read(*state, &options, &table, cut), FATHOM_ERROR_USAGE);
}

static int setup(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
