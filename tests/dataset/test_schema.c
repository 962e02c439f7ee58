/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as they are: kinds by content, missing cells, wishes, rows, other tables by the schema, memory that fails, schemas of files. */
#include "dataset_testing.h"

#include <math.h>

#include "faults.h"
#include "inner/data.h"
#include "json_internal.h"
#include "schema_internal.h"

enum { ROWS = 40 };

/* id, size (missing every 10th), colour (missing every 8th), when, always, where (all different), y. */
static void write_messy(const char *path, const char *colour)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "id,size,colour,when,always,where,y\n");
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%d,", 7 * i + 100);
        fprintf(file, i % 10 == 3 ? "NA," : "%d.5,", i % 6);
        fprintf(file, "%s,", i % 8 == 5 ? "" : i % 2 ? colour : "red");
        fprintf(file, "2020-0%d-1%d,1,place %d,%d\n", i % 3 + 1, i % 7, i, i % 2);
    }
    fclose(file);
}

static void check_kinds(const fathom_schema *schema)
{
    static const fathom_column_kind kind[] = {FATHOM_COLUMN_IDENTIFIER, FATHOM_COLUMN_NUMBER,
                                              FATHOM_COLUMN_CATEGORY,   FATHOM_COLUMN_DATE,
                                              FATHOM_COLUMN_CONSTANT,   FATHOM_COLUMN_IDENTIFIER};
    static const int64_t missing[] = {0, 4, 5, 0, 0, 0}, width[] = {0, 2, 3, 3, 0, 0};
    assert_int_equal(schema->columns, 6);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(schema->column[k].kind, kind[k]);
        assert_int_equal(schema->column[k].missing, missing[k]);
        assert_int_equal(schema->column[k].width, width[k]);
    }
}

/* Accountants' brackets are a minus sign, with and without a unit and separators; a stand-in for missing is named. */
static void numbers_as_they_are_written(void **state)
{
    char path[64], text[8192] = "plain,money,odd,text,y\n";
    write_temporary(path, ".csv", "");
    for (int i = 0; i < ROWS; i++) {
        char *at = text + strlen(text);
        sprintf(at, i % 2 ? "(%d.25),\"($1,%03d)\"" : "%d.25,\"$1,%03d\"", 3 * i % 17, 7 * i % 1000);
        sprintf(at + strlen(at), ",%d,(%s),%d\n", i % 9 ? i % 5 : -999, i % 3 ? "no" : "so", i % 2);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    fathom_data *data = open_with(*state, path, PAIRS("missing", "impute"));
    const fathom_data_view view = fathom_data_look(data);
    const fathom_schema *schema = fathom_data_schema(data);
    assert_int_equal(schema->column[3].kind, FATHOM_COLUMN_CATEGORY);
    for (int i = 0; i < ROWS; i++) {
        const double sign = i % 2 ? -1 : 1, *x = view.x + i * view.ld;
        assert_true(x[0] == sign * (3 * i % 17 + 0.25) && x[1] == sign * (1000 + 7 * i % 1000));
        assert_true(x[2] == (i % 9 ? i % 5 : -999));
    }
    fathom_data_free(data);
    data = open_with(*state, path, PAIRS("missing", "impute", "missing-text", "-999"));
    assert_int_equal(fathom_data_schema(data)->column[2].missing, (ROWS + 8) / 9);
    fathom_data_free(data);
    remove(path);
}

/* Digits of one length with a 0 in front are codes; short ones, of several lengths, or without a 0 are numbers. */
static void codes_are_texts(void **state)
{
    char path[64];
    write_temporary(path, ".csv", "");
    for (int seed = 0; seed < 4; seed++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "zip,hour,plain,long,y\n");
        for (int i = 0; i < ROWS; i++)
            fprintf(file, "%05d,%02d,%d,%s%d,%d\n", 700 + 9000 * ((i + seed) % 4), (i + seed) % 24,
                    20000 + 7 * ((i + seed) % 6), i % 2 ? "0" : "", 12345 + 31 * (i % 5), i % 2);
        fclose(file);
        fathom_data *data = open_with(*state, path, PAIRS("missing", "impute"));
        const fathom_schema *schema = fathom_data_schema(data);
        assert_int_equal(schema->column[0].kind, FATHOM_COLUMN_CATEGORY);
        assert_int_equal(schema->column[0].categories, 4);
        assert_string_equal(schema->column[0].category[0], "00700");
        for (int k = 1; k < 4; k++)
            assert_int_equal(schema->column[k].kind, FATHOM_COLUMN_NUMBER);
        fathom_data_free(data);
    }
    remove(path);
}

static void kinds_and_numbers(void **state)
{
    char path[64];
    write_temporary(path, ".csv", "");
    write_messy(path, "blue");
    fathom_data *data = open_with(*state, path, PAIRS("missing", "impute"));
    const fathom_data_view view = fathom_data_look(data);
    const fathom_schema *schema = fathom_data_schema(data);
    check_kinds(schema);
    assert_true(view.n == ROWS && view.d == 8 && view.classes == 2);
    assert_true(schema->column[1].median == 2.5);
    for (int i = 0; i < ROWS; i++) {
        const double *x = view.x + i * view.ld;
        assert_true(x[0] == (i % 10 == 3 ? 2.5 : i % 6 + 0.5) && x[1] == (i % 10 == 3));
        assert_true(x[2] == (i % 8 != 5 && i % 2) && x[3] == !(i % 2) && x[4] == (i % 8 == 5));
        assert_true(floor(x[5]) == 2020 && x[6] == i % 3 + 1 && x[7] >= 1 && x[7] <= 7);
    }
    fathom_data_free(data);
    data = open_with(*state, path,
                     PAIRS("missing", "impute", "keep", "id,always", "as-category", "1", "exclude", "when"));
    schema = fathom_data_schema(data);
    assert_true(schema->column[0].width == 1 && schema->column[1].as == FATHOM_COLUMN_CATEGORY);
    assert_true(schema->column[1].categories == 6 && schema->column[3].width == 0 &&
                schema->column[4].width == 1);
    fathom_data_free(data);
    assert_refused(*state, path, PAIRS("missing", "impute", "keep", "colur"), FATHOM_ERROR_USAGE,
                   "did you mean 'colour'");
    assert_refused(*state, path, PAIRS("keep", "id"), FATHOM_ERROR_INPUT, "--missing impute");
    remove(path);
}

/* Medians are those of the chosen rows; other tables are treated by the schema, whatever the order of their columns. */
static void other_tables(void **state)
{
    char path[64], other[64];
    write_temporary(path, ".csv", "");
    write_temporary(other, ".csv", "");
    write_messy(path, "blue");
    fathom_data *data = open_with(*state, path, PAIRS("missing", "impute", "rows", "0:30"));
    assert_true(fathom_data_look(data).n == 30);
    fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    FILE *file = fopen(other, "w");
    fprintf(file, "extra;y;when;colour;size\nq;1;2020-02-11;violet;\n;?;13.3.2020;blue;3\n");
    fclose(file);
    fathom_data *like;
    assert_ok(*state, fathom_data_open_like(&like, *state, other, NULL, &preprocess, &classes));
    const fathom_data_view view = fathom_data_look(like);
    assert_true(view.n == 2 && view.d == 8 && view.outputs == 1);
    assert_true(view.x[0] == preprocess.schema->column[1].median && view.x[1] == 1 &&
                view.x[2] + view.x[3] + view.x[4] == 0);
    assert_true(view.x[view.ld] == 3 && view.x[view.ld + 2] == 1 && view.x[view.ld + 6] == 3);
    assert_true(view.weight && view.weight[0] == 1 && view.weight[1] == 0);
    fathom_data_free(like);
    file = fopen(other, "w");
    fprintf(file, "when,colours,size\n2020-02-11,red,2\n");
    fclose(file);
    assert_int_equal(fathom_data_open_like(&like, *state, other, NULL, &preprocess, &classes),
                     FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(*state)->text, "did you mean 'colours'"));
    fathom_data_free(data);
    remove(path);
    remove(other);
}

/* Arrays with NaN. */
static void arrays(void **state)
{
    const double x[] = {1, NAN, 2, 5, 4, 6}, y[] = {1, 2, 3};
    const fathom_data_options impute = options_of(*state, PAIRS("missing", "impute"));
    fathom_data *data, *like;
    assert_ok(*state, fathom_data_create(&data, *state, 3, 2, x, 2, 1, y, NULL, &impute));
    fathom_data_view view = fathom_data_look(data);
    assert_true(view.d == 3 && view.x[1] == 5.5 && view.x[2] == 1 && view.x[5] == 0);
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    assert_ok(*state, fathom_data_create_like(&like, *state, 1, 2, (const double[]){NAN, NAN}, 2, 0, NULL,
                                              NULL, &preprocess, NULL));
    view = fathom_data_look(like);
    assert_true(view.d == 3 && view.x[0] == 2 && view.x[1] == 5.5 && view.x[2] == 1);
    fathom_data_free(like);
    fathom_data_free(data);
}

/* A schema written and read is the same; one that does not hold together is refused. */
static void files(void **state)
{
    static const char *const broken[][2] = {
        {"\"width\":2", "\"width\":3"},      {"\"median\":2.5", "\"median\":null"},
        {"\"month\"", "\"year\""},           {"\"blue\",\"red\"", "\"red\",\"blue\""},
        {"\"target\":6", "\"target\":60"},   {"\"day-first\"", "\"sideways\""},
        {"\"month-first\"", "\"sideways\""}, {"\"kind\":\"date\"", "\"kind\":\"day\""}};
    char path[64], *text, *again;
    write_temporary(path, ".csv", "");
    write_messy(path, "blue");
    fathom_data *data = open_with(*state, path, PAIRS("missing", "impute"));
    fathom_json *json, *copy;
    fathom_schema *read;
    assert_ok(*state, fathom_json_create(&json, *state));
    assert_ok(*state, fathom_schema_write(json, fathom_data_schema(data)));
    assert_ok(*state, fathom_schema_read(&read, *state, json, 8));
    assert_ok(*state, fathom_json_create(&copy, *state));
    assert_ok(*state, fathom_schema_write(copy, read));
    assert_ok(*state, fathom_json_text(&text, json, false));
    assert_ok(*state, fathom_json_text(&again, copy, false));
    assert_string_equal(text, again);
    fathom_schema_free(*state, read);
    assert_int_equal(fathom_schema_read(&read, *state, json, 9), FATHOM_ERROR_INPUT);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        const char *at = strstr(text, broken[k][0]);
        char other[4096];
        fathom_json *wrong;
        if (!at)
            continue;
        const int size = snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, broken[k][1],
                                  at + strlen(broken[k][0]));
        assert_ok(*state, fathom_json_parse(&wrong, *state, other, (size_t)size, "model"));
        assert_int_equal(fathom_schema_read(&read, *state, wrong, 8), FATHOM_ERROR_INPUT);
        fathom_json_free(wrong);
    }
    fathom_json_text_free(json, text);
    fathom_json_text_free(copy, again);
    fathom_json_free(copy);
    fathom_json_free(json);
    fathom_data_free(data);
    remove(path);
}

static fathom_status open_both(fathom_context *context, void *user)
{
    fathom_data_options options;
    fathom_data *data, *like = NULL;
    fathom_options_init(&options, &fathom_data_option_table);
    options.missing = 1;
    fathom_status status = fathom_data_open(&data, context, user, &options);
    if (status != FATHOM_OK)
        return status;
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    status = fathom_data_open_like(&like, context, user, NULL, &preprocess, &classes);
    fathom_data_free(like);
    fathom_data_free(data);
    return status;
}

/* A table of `rows` rows whose target is b in every `every`-th row, else a; every 16th target is NA. */
static void write_labels(const char *path, const char *a, const char *b, int rows, int every)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "size,kind\n");
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d.5,%s\n", i % 7, i % 16 == 3 ? "NA" : i % every == 0 ? b : a);
    fclose(file);
}

/* "-" and "None" are classes where they are named like one or frequent, and missing where they are rare, or named
 * by --missing-text; other tables go by the classes of the model. */
static void words_that_are_classes(void **state)
{
    static const struct {
        const char *a, *b;
        int rows, every, classes;
    } cases[] = {{"+", "-", 48, 2, 2},        {"+", "-", 200, 40, 2},   {"insomnia", "None", 48, 3, 2},
                 {"yes", "None", 200, 50, 1}, {"yes", "-", 160, 80, 1}, {"yes", "-", 48, 4, 2},
                 {"no", "NA", 48, 2, 1},      {"mild", "?", 48, 2, 1}};
    char path[64];
    write_temporary(path, ".csv", "");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_labels(path, cases[k].a, cases[k].b, cases[k].rows, cases[k].every);
        fathom_data *data = open_with(*state, path, PAIRS("missing", "impute"));
        assert_int_equal(fathom_data_look(data).classes, cases[k].classes);
        const int64_t n = fathom_data_look(data).n;
        assert_true(cases[k].classes == 1 || n == cases[k].rows - (cases[k].rows + 12) / 16);
        const fathom_preprocess preprocess = fathom_data_preprocess(data);
        const fathom_classes classes = fathom_data_classes(data);
        fathom_data *like;
        write_labels(path, cases[k].a, cases[k].b, 320, 160); /* rare there */
        assert_int_equal(fathom_data_open_like(&like, *state, path, NULL, &preprocess, &classes), FATHOM_OK);
        assert_int_equal(fathom_data_look(like).n, 320);
        double mass = 0;
        for (int i = 0; i < 320; i++)
            mass += fathom_data_look(like).weight[i];
        assert_true(mass == (cases[k].classes == 2 ? 300 : 298));
        fathom_data_free(like);
        fathom_data_free(data);
        if (cases[k].classes == 2) {
            data = open_with(*state, path, PAIRS("missing", "impute", "missing-text", cases[k].b));
            assert_int_equal(fathom_data_look(data).classes, 1);
            fathom_data_free(data);
        }
    }
    remove(path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char path[64];
    write_temporary(path, ".csv", "");
    write_messy(path, "blue");
    assert_true(faults_run(open_both, path) > 20);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {data_test(kinds_and_numbers),
                                       data_test(other_tables),
                                       data_test(arrays),
                                       data_test(files),
                                       data_test(numbers_as_they_are_written),
                                       data_test(words_that_are_classes),
                                       data_test(codes_are_texts),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
