/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes of files: the papers' own pass, each kind of fault is refused with its place, and no change of
 * letters does harm. */
#include "testing.h"

#include "json_internal.h"
#include "random.h"
#include "recipe_check.h"
#include "recipe_template.h"

#include <string.h>

extern const unsigned char fathom_recipes_000[], fathom_recipes_001[], fathom_recipes_002[],
    fathom_recipes_003[], fathom_recipes_004[];

static const char good[] =
    "{\"id\": \"a:b\", \"what\": \"w\", \"draws\": \"seed\", \"share\": 0.5, \"steps\": [{\"write\": "
    "\"x.csv\", "
    "\"text\": \"1,2\"}, {\"name\": \"run\", \"run\": \"flow {folder}/x.csv --width {width} --seed {seed}\", "
    "\"for\": [{\"name\": \"width\", \"values\": {\"from\": 1, \"to\": 64, \"times\": 2}}, {\"name\": "
    "\"seed\", "
    "\"values\": [1, 2, \"3\"], \"quick\": [1]}], \"keep\": [\"score.r2\", \"loss\"], \"also\": [{\"name\": "
    "\"log\", \"log\": [\"steps\"]}, {\"name\": \"list\", \"rows\": \"points\"}]}, {\"name\": \"again\", "
    "\"read\": \"{folder}/x.csv\"}], \"derive\": [{\"table\": \"run\", \"column\": \"twice\", \"value\": \"2 "
    "* "
    "run.loss\"}, {\"table\": \"group\", \"from\": \"run\", \"by\": [\"width\"], \"columns\": [{\"column\": "
    "\"middle\", \"value\": \"median(run.twice)\"}]}], \"criteria\": [{\"name\": \"c\", \"value\": "
    "\"max(group.middle) - max(list.any)\", \"relation\": \"<=\", \"limit\": 1, \"share\": null}], "
    "\"charts\": "
    "[{\"kind\": \"lines\", \"needs\": [\"group\", \"run\"]}], \"tables\": [{\"needs\": \"group\", "
    "\"title\": "
    "\"t\"}]}";

static fathom_status check(fathom_context *context, const char *text, size_t size)
{
    fathom_json *book;
    fathom_status status = fathom_json_parse(&book, context, text, size, "file");
    if (status == FATHOM_OK)
        status = fathom_recipe_expand(&book, "file");
    if (status == FATHOM_OK)
        status = fathom_recipe_check(book, "file");
    fathom_json_free(book);
    return status;
}

static void test_papers(void **state)
{
    (void)state;
    const unsigned char *const book[] = {fathom_recipes_000, fathom_recipes_001, fathom_recipes_002,
                                         fathom_recipes_003, fathom_recipes_004};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 5; k++)
        assert_ok(context, check(context, (const char *)book[k], strlen((const char *)book[k])));
    assert_ok(context, check(context, good, strlen(good)));
    fathom_context_free(context);
}

/* The good recipe with one part replaced, and what the message names. */
static const struct {
    const char *from, *to, *named;
} faults[] = {
    {"\"what\"", "\"waht\"", "waht"},
    {"\"a:b\"", "\"../b\"", "../b"},
    {"\"a:b\"", "\".b\"", ".b"},
    {"\"a:b\"", "3", "id"},
    {"\"share\": 0.5", "\"share\": 1.5", "share"},
    {"\"x.csv\", \"text\"", "\"../x.csv\", \"text\"", "../x.csv"},
    {"\"x.csv\", \"text\"", "\"result.json\", \"text\"", "result.json"},
    {"\"text\": \"1,2\"", "\"txt\": \"1,2\"", "txt"},
    {"\"name\": \"run\"", "\"name\": \"criteria\"", "criteria"},
    {"\"name\": \"run\"", "\"name\": \"a/b\"", "a/b"},
    {"--width {width}", "--width {widht}", "hole"},
    {"--width {width}", "--width {width", "hole"},
    {"--seed {seed}", "--seed {width}", "seed"},
    {"\"times\": 2", "\"times\": 0.5", "width"},
    {"\"to\": 64", "\"to\": 1e300", "width"},
    {"{\"from\": 1, \"to\": 64, \"times\": 2}", "{\"from\": 1, \"to\": 9999}", "runs"},
    {"[1, 2, \"3\"]", "[1, 2, \"x\"]", "seed"},
    {"\"score.r2\"", "7", "keep"},
    {"\"rows\": \"points\"", "\"raws\": \"points\"", "raws"},
    {"\"read\": \"{folder}/x.csv\"", "\"read\": \"/etc/passwd\"", "/etc/passwd"},
    {"\"read\": \"{folder}/x.csv\"", "\"read\": \"{folder}/../x.csv\"", "../x.csv"},
    {"2 * run.loss", "2 * run.lost", "lost"},
    {"2 * run.loss", "2 * ran.loss", "table"},
    {"2 * run.loss", "2 ** run.loss", "letter"},
    {"\"from\": \"run\"", "\"from\": \"group\"", "group"},
    {"\"by\": [\"width\"]", "\"by\": []", "by"},
    {"median(run.twice)", "run.twice", "number"},
    {"max(group.middle)", "mux(group.middle)", "function"},
    {"max(group.middle)", "max(group.twice)", "twice"},
    {"\"<=\"", "\"=<\"", "=<"},
    {"\"limit\": 1", "\"limit\": \"1\"", "limit"},
    {"\"share\": null", "\"share\": -1", "share"},
    {"\"kind\": \"lines\"", "\"kin\": \"lines\"", "kind"},
    {"[\"group\", \"run\"]", "[\"group\", \"ran\"]", "ran"},
    {"\"title\": \"t\"", "\"titel\": \"t\"", "titel"},
};

static void test_faults(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        char text[sizeof good + 100];
        const char *at = strstr(good, faults[k].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, faults[k].to,
                 at + strlen(faults[k].from));
        const fathom_status status = check(context, text, strlen(text));
        const fathom_error *error = fathom_context_error(context);
        if (status != FATHOM_ERROR_INPUT || !error->file || !strstr(error->text, faults[k].named))
            fail_msg("%s: status %d, %s", faults[k].to, (int)status, error->text);
    }
    fathom_context_free(context);
}

/* A number below `count`. */
static size_t draw(uint64_t *index, size_t count)
{
    return (size_t)(fathom_random_uniform(11, FATHOM_STREAM_START, 0, (*index)++) * (double)count);
}

/* Up to four letters changed, taken out or doubled: refused with a text and the file, or accepted; no
 * third. */
static void test_mutations(void **state)
{
    (void)state;
    static const char letters[] = "\"{}[],:.0123456789-eabz _/\\(<";
    const int64_t trials = test_trials(3000);
    fathom_context *context;
    char text[2 * sizeof good];
    uint64_t index = 0;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < trials; trial++) {
        memcpy(text, good, sizeof good);
        size_t length = strlen(text);
        for (size_t changes = 1 + draw(&index, 4); changes > 0; changes--) {
            char *at = text + draw(&index, length);
            const size_t kind = draw(&index, 3);
            if (kind == 0)
                *at = letters[draw(&index, sizeof letters - 1)];
            else
                memmove(kind == 1 ? at : at + 1, kind == 1 ? at + 1 : at,
                        strlen(kind == 1 ? at + 1 : at) + 1);
            length = strlen(text);
        }
        const fathom_status status = check(context, text, length);
        const fathom_error *error = fathom_context_error(context);
        if (status != FATHOM_OK && (status != FATHOM_ERROR_INPUT || !error->file || !error->text[0]))
            fail_msg("status %d of %s", (int)status, text);
    }
    fathom_context_free(context);
}

/* A template stands for its recipes: values alone, within texts, with holes and quotes of their own; faults are refused. */
static void test_templates(void **state)
{
    static const struct {
        const char *book, *made; /* NULL: refused */
    } row[] = {{"{\"template\": {\"id\": \"@id@\", \"a\": \"x@b@y@b@\", \"c\": \"@c@\"}, \"items\": "
                "[{\"id\": \"p\", \"b\": "
                "\"@id@\\\"\", \"c\": [1, 2]}, {\"id\": \"q\", \"b\": \"\", \"c\": null}]}",
                "[{\"id\": \"p\", \"a\": \"x@id@\\\"y@id@\\\"\", \"c\": [1, 2]}, {\"id\": \"q\", \"a\": "
                "\"xy\", \"c\": null}]"},
               {"[{\"id\": \"a@b\"}, {\"template\": {\"id\": \"t@x@\", \"e\": \"a\\\"@x@\\\"@@\"}, "
                "\"items\": [{\"x\": \"1\"}]}]",
                "[{\"id\": \"a@b\"}, {\"id\": \"t1\", \"e\": \"a\\\"1\\\"@@\"}]"},
               {"{\"template\": {\"id\": \"@x@\"}, \"items\": [{\"y\": 1}]}", NULL},
               {"{\"template\": {\"id\": \"a@x@\"}, \"items\": [{\"x\": 1}]}", NULL},
               {"{\"template\": {}, \"items\": [], \"more\": 1}", NULL},
               {"{\"template\": 3, \"items\": []}", NULL},
               {"{\"template\": {}, \"items\": 3}", NULL},
               {"{\"template\": {}, \"items\": [3]}", NULL}};
    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_context *context;
        fathom_json *book, *made;
        char *left, *right;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        assert_ok(context, fathom_json_parse(&book, context, row[k].book, strlen(row[k].book), "file"));
        const fathom_status status = fathom_recipe_expand(&book, "file");
        assert_true((status == FATHOM_OK) == (row[k].made != NULL));
        if (row[k].made) {
            assert_ok(context, fathom_json_parse(&made, context, row[k].made, strlen(row[k].made), "file"));
            assert_ok(context, fathom_json_text(&left, book, false));
            assert_ok(context, fathom_json_text(&right, made, false));
            assert_string_equal(left, right);
            fathom_json_text_free(book, left);
            fathom_json_text_free(made, right);
            fathom_json_free(made);
        }
        fathom_json_free(book);
        fathom_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_papers), cmocka_unit_test(test_templates),
                                       cmocka_unit_test(test_faults), cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
