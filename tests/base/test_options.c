/* SPDX-License-Identifier: Apache-2.0 */
/* One table: defaults, parsing, ranges. */
#include "testing.h"

#include <string.h>

#include "fathom/options.h"

#define THING_OPTIONS(X)                                            \
    X(FLAG, quick, "quick", NULL, 0, 0, "", "be quick")             \
    X(INTEGER, count, "count", "3", 1, 10, "N", "how many")         \
    X(UNSIGNED, seed, "seed", "1", 0, 0, "N", "seed")               \
    X(REAL, gap, "gap", "1e-6", 0, 1, "REL", "gap")                 \
    X(REAL, beta, "beta", NULL, 0, 1e300, "B", "penalty")           \
    X(CHOICE, loss, "loss", "hinge", 0, 0, "squared|hinge", "loss") \
    X(TEXT, file, "file", NULL, 0, 0, "FILE", "file")

FATHOM_OPTIONS_STRUCT(thing_options, THING_OPTIONS)

#define OWNER thing_options
static const fathom_option rows[] = {THING_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
static const fathom_option_table table = FATHOM_OPTION_TABLE("Thing", rows, thing_options);

static void defaults(void **state)
{
    (void)state;
    thing_options o;
    fathom_options_init(&o, &table);
    assert_false(o.quick);
    assert_int_equal(o.count, 3);
    assert_int_equal(o.seed, 1);
    assert_true(o.gap == 1e-6);
    assert_true(isnan(o.beta));
    assert_int_equal(o.loss, 1);
    assert_null(o.file);
}

static fathom_status set(fathom_context *context, thing_options *o, const char *name, const char *text)
{
    return fathom_options_set(context, o, fathom_options_find(&table, name), text);
}

static void texts(void **state)
{
    (void)state;
    fathom_context *context;
    thing_options o;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&o, &table);
    assert_int_equal(set(context, &o, "count", "10"), FATHOM_OK);
    assert_int_equal(o.count, 10);
    assert_int_equal(set(context, &o, "seed", "18446744073709551615"), FATHOM_OK);
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(set(context, &o, "loss", "squared"), FATHOM_OK);
    assert_int_equal(o.loss, 0);
    assert_int_equal(set(context, &o, "quick", NULL), FATHOM_OK);
    assert_true(o.quick);
    static const char *const bad[][2] = {{"count", "11"},   {"count", "1.5"}, {"count", ""},
                                         {"gap", "nan"},    {"gap", "-1"},    {"gap", "x"},
                                         {"loss", "squar"}, {"seed", "-1"},   {"quick", "maybe"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(set(context, &o, bad[k][0], bad[k][1]), FATHOM_ERROR_USAGE);
        assert_non_null(strstr(fathom_context_error(context)->text, bad[k][0]));
    }
    assert_int_equal(set(context, &o, "gap", NULL), FATHOM_ERROR_USAGE);
    fathom_context_free(context);
}

static void filled_structs_are_checked(void **state)
{
    (void)state;
    fathom_context *context;
    thing_options o;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&o, &table);
    assert_int_equal(fathom_options_check(context, &o, &table), FATHOM_OK);
    o.gap = NAN;
    assert_int_equal(fathom_options_check(context, &o, &table), FATHOM_ERROR_USAGE);
    o.gap = 0.5;
    o.loss = 2;
    assert_int_equal(fathom_options_check(context, &o, &table), FATHOM_ERROR_USAGE);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(texts),
        cmocka_unit_test(filled_structs_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
