/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns of a CSV file are read and what for: every request on small files, with shape, a value and the refusal that follow from the text. */
#include "io_testing.h"

typedef struct column_case {
    const char *text;
    fathom_table_request request;
    fathom_status status;
    int64_t n, d, outputs;
    double last; /* entry of the last row and column of x */
} column_case;

static const char *const ABC = "a,b,c,t\n1,2,3,4\n5,6,7,8\n";
static const char *const KNOWN_B[] = {"c", "b"};
static const fathom_table_known TWO = {2, KNOWN_B, false, "t"}, NO_TARGET = {2, KNOWN_B, false, NULL},
                                OTHER_TARGET = {2, KNOWN_B, false, "u"};
static const char *const KNOWN_Z[] = {"b", "z"};
static const fathom_table_known MISSING = {2, KNOWN_Z, false, NULL};

static void check(const column_case *c)
{
    fathom_table *table = NULL;
    const fathom_status status = read_bytes_as(&table, ".csv", c->text, strlen(c->text), &c->request);
    if (status != c->status)
        fail_msg("%s: status %d, not %d: %s", c->text, (int)status, (int)c->status,
                 fathom_context_error(context)->text);
    if (status != FATHOM_OK)
        return;
    if (table->n != c->n || table->d != c->d || table->outputs != c->outputs ||
        (c->d > 0 && table->x[c->n * c->d - 1] != c->last))
        fail_msg("%s: %lld x %lld, %lld outputs, last %g", c->text, (long long)table->n, (long long)table->d,
                 (long long)table->outputs, table->d > 0 ? table->x[table->n * table->d - 1] : 0.0);
    fathom_table_free(context, table);
}

/* Columns left out, by name, by number, in lists of both. */
static void excluded(void **state)
{
    (void)state;
    const column_case cases[] = {
        {ABC, {.exclude = {"b"}}, FATHOM_OK, 2, 2, 1, 7},
        {ABC, {.exclude = {"2"}}, FATHOM_OK, 2, 2, 1, 6},
        {ABC, {.exclude = {"a,c"}}, FATHOM_OK, 2, 1, 1, 6},
        {ABC, {.exclude = {"a", "c"}}, FATHOM_OK, 2, 1, 1, 6},
        {ABC, {.exclude = {NULL, "c"}}, FATHOM_OK, 2, 2, 1, 6},
        {ABC, {.exclude = {""}}, FATHOM_OK, 2, 3, 1, 7},
        {ABC, {.exclude = {"a,d"}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.exclude = {"a,,b"}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.exclude = {"4"}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.exclude = {"99999999999999999999"}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.exclude = {"1:"}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {"1,2,3\n4,5,6\n", {.exclude = {"0"}}, FATHOM_OK, 2, 1, 1, 5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(cases + k);
}

/* A name of more than a thousand letters is no column. */
static void long_name(void **state)
{
    (void)state;
    static char name[3000];
    memset(name, 'b', sizeof name - 1);
    check(&(column_case){ABC, {.exclude = {name}}, FATHOM_ERROR_USAGE, 0, 0, 0, 0});
}

/* Columns that a model names, in the order of the file: others left out, none missing, its target where the file has it. */
static void known(void **state)
{
    (void)state;
    const column_case cases[] = {
        {ABC, {.known = &TWO}, FATHOM_OK, 2, 2, 1, 7},
        {ABC, {.known = &NO_TARGET}, FATHOM_OK, 2, 2, 0, 7},
        {ABC, {.known = &OTHER_TARGET}, FATHOM_OK, 2, 2, 0, 7},
        {ABC, {.known = &TWO, .target = "a"}, FATHOM_OK, 2, 2, 1, 7},
        {ABC, {.known = &MISSING}, FATHOM_ERROR_INPUT, 0, 0, 0, 0},
        {"1,2,3\n4,5,6\n", {.known = &TWO}, FATHOM_OK, 2, 2, 1, 5}, /* no header: by place */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(cases + k);
}

/* Targets, weights, and files for prediction, which may have none. */
static void targets(void **state)
{
    (void)state;
    const column_case cases[] = {
        {ABC, {.target = "a"}, FATHOM_OK, 2, 3, 1, 8},
        {ABC, {.target = "0"}, FATHOM_OK, 2, 3, 1, 8},
        {ABC, {.target = ""}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.target = "z"}, FATHOM_ERROR_USAGE, 0, 0, 0, 0},
        {ABC, {.weights = "t"}, FATHOM_OK, 2, 2, 1, 6},
        {ABC, {.target = "z", .no_target = true}, FATHOM_OK, 2, 4, 0, 8},
        {ABC, {.no_target = true}, FATHOM_OK, 2, 4, 0, 8},
        {ABC, {.no_target = true, .features = 4}, FATHOM_OK, 2, 4, 0, 8},
        {ABC, {.no_target = true, .features = 3}, FATHOM_OK, 2, 3, 1, 7},
        {ABC, {.no_target = true, .features = 4, .categorical = true}, FATHOM_OK, 2, 4, 0, 8},
        {ABC, {.no_target = true, .features = 7}, FATHOM_ERROR_INPUT, 0, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(cases + k);
}

/* Columns are asked for by the options of text alone. */
static void other_formats(void **state)
{
    (void)state;
    fathom_table *table;
    const char *text = "1 1:2\n-1 2:3\n";
    for (int k = 0; k < 2; k++) {
        fathom_table_request request = {.format = FATHOM_FORMAT_LIBSVM};
        request.exclude[k] = "0";
        assert_int_equal(read_bytes_as(&table, ".svm", text, strlen(text), &request), FATHOM_ERROR_USAGE);
    }
}

/* Single quotes, bars, separators of thousands, percents. */
static void dialects(void **state)
{
    (void)state;
    const column_case cases[] = {
        {"'a','b','t'\n'1','2','3'\n'4','5','6'\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"'a','b','t'\r\n1,2,'3'\r\n4,5,'6'\r\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"a|b|t\n1|2|3\n4|5|6\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"a'|b|t\n1|2|3\n4|5|6\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"o'a|b|t\n1|2|3\n4|5|6\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"a;b;t\n1;2'000;3\n4;1'234'567,5;6\n", {.decimal = ','}, FATHOM_OK, 2, 2, 1, 1234567.5},
        {"a;b;t\n1;2.000;3\n4;+1.234.567;6\n", {.decimal = ','}, FATHOM_OK, 2, 2, 1, 1234567},
        {"a;b;t\n1;2,000;3\n4;-1,234,567.5;6\n", {.decimal = '.'}, FATHOM_OK, 2, 2, 1, -1234567.5},
        {"a,b,t\n1,2%,3\n4,50%,6\n", {0}, FATHOM_OK, 2, 2, 1, 0.5},
        {"a b t \n1 2 3 \n 4 5 6\n", {0}, FATHOM_OK, 2, 2, 1, 5},
        {"\n# x\n\na,b\n1,2\n3,4\n", {0}, FATHOM_OK, 2, 1, 1, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(cases + k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excluded), cmocka_unit_test(long_name),     cmocka_unit_test(known),
        cmocka_unit_test(targets),  cmocka_unit_test(other_formats), cmocka_unit_test(dialects),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
