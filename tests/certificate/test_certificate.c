/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a certificate: numbers bit for bit, what it is about, gates, lists of cones, and every way to fail. */
#include "faults.h" /* before the context for all tests */
#include "inner/certificate.h"
#include "random.h"
#include "writing.h"

#include <float.h>

static const char DATA[] = "a,b,y\n1,0.5,1\n-2,0.25,-1\n0.125,3,1\n1,-1,-1\n";
static const fathom_certificate_gates NONE = {0};

/* m or mpe, m hexadecimal: the double that a reader makes of a word. */
static double read_number(const char *word)
{
    char *end;
    const long long m = strtoll(word, &end, 16);
    const long e = *end == 'p' ? strtol(end + 1, &end, 10) : 0;
    assert_int_equal(*end, 0);
    return ldexp((double)m, (int)e);
}

/* Opens a certificate about a table with these options of the data. */
static fathom_status open_table(fathom_certificate **certificate, fathom_data **data, fathom_context *c,
                                const char *path, const char *const *words, const char *table)
{
    static fathom_data_options options;
    static char name[512];
    snprintf(name, sizeof name, "%s", put_file("data.csv", table));
    *certificate = NULL;
    const fathom_status status = open_data(data, &options, c, name, words);
    const fathom_certificate_source source = {name, NULL, &options};
    return status == FATHOM_OK ? fathom_certificate_open(certificate, c, path, *data, &source) : status;
}

static fathom_status open_one(fathom_certificate **certificate, fathom_data **data, fathom_context *c,
                              const char *path, const char *const *words)
{
    return open_table(certificate, data, c, path, words, DATA);
}

static void test_numbers(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static double value[COUNT] = {
        0,       -0.0,         1,      -1,     0.1,     DBL_MAX,         -DBL_MAX,
        DBL_MIN, DBL_TRUE_MIN, 0x1p52, 0x1p53, 0x1p-60, 1 + DBL_EPSILON, 4503599627370497.5,
        1e300};
    fathom_certificate *certificate;
    fathom_data *data;
    fathom_random_normals(value + 20, COUNT - 20, 3, FATHOM_STREAM_DATA, 0, 0);
    for (int k = 20; k < COUNT; k++)
        value[k] = ldexp(value[k], (k * 37) % 2040 - 1070); /* subnormal ones too */
    assert_ok(context, open_one(&certificate, &data, context, inside("a.cert"), NULL));
    assert_ok(context, fathom_certificate_begin(certificate, "cones", false, &NONE));
    assert_ok(context, fathom_certificate_put_line(certificate, "numbers", value, COUNT, 0));
    assert_ok(context, fathom_certificate_put_line(certificate, "beta", (const double[]){0.375}, 1, 0));
    assert_ok(context, fathom_certificate_put_line(certificate, "far", (const double[]){0.375}, 1, -1500));
    assert_ok(context, fathom_certificate_close(certificate));
    char *text = text_of(inside("a.cert"), NULL), *line = strstr(text, "numbers ");
    assert_non_null(strstr(text, "\nbeta 3p-3\nfar 3p-1503\nend\n"));
    *strchr(line, '\n') = 0;
    char *word = strtok(line + strlen("numbers"), " ");
    for (int k = 0; k < COUNT; k++, word = strtok(NULL, " ")) {
        assert_non_null(word);
        const double back = read_number(word), wanted = value[k] == 0 ? 0 : value[k];
        assert_memory_equal(&back, &wanted, sizeof back);
    }
    assert_null(word);
    free(text);
    fathom_data_free(data);
    clear_folder();
}

/* The file after its hash and without its length, with a claim that is about classes or not. */
static void rest_is(const char *table, const char *const *words, bool coded, const char *expected)
{
    static const char first[] = "fathom-certificate 2\ndata csv ";
    fathom_certificate *certificate;
    fathom_data *data;
    assert_ok(context, open_table(&certificate, &data, context, inside("a.cert"), words, table));
    assert_ok(context, fathom_certificate_begin(certificate, "x", coded, &NONE));
    assert_ok(context, fathom_certificate_close(certificate));
    char *text = text_of(inside("a.cert"), NULL);
    assert_memory_equal(text, first, strlen(first));
    assert_int_equal(strspn(text + strlen(first), "0123456789abcdef"), 64);
    char *bytes = strstr(text, " bytes "), *end = strchr(bytes, '\n');
    assert_int_equal(strtoll(bytes + strlen(" bytes "), NULL, 10), strlen(table));
    memmove(bytes, end, strlen(end) + 1);
    assert_string_equal(text + strlen(first) + 64, expected);
    free(text);
    fathom_data_free(data);
}

static void test_head(void **state)
{
    (void)state;
    static const char *const picked[] = {"rows", "1:", "normalize", "unit", NULL};
    static const char *const bias[] = {"normalize", "standardize", "bias", "augment", NULL};
    static const char *const target[] = {"target", "1", "bias", "free", NULL};
    static const char *const weights[] = {"weights", "w", NULL};
#define END "\ngates orientations 0\nclaim x\nend\n"
    rest_is(DATA, NULL, false, " 1 2 -1\nrows 1 0 4\nclasses none\nsteps none none 4 2" END);
    rest_is(DATA, picked, false, " 1 2 -1\nrows 1 1 4\nclasses none\nsteps unit none 3 2" END);
    rest_is(DATA, bias, false, " 1 2 -1\nrows 1 0 4\nclasses none\nsteps standardize augment 4 3" END);
    rest_is("1,2,3\n4,5,6\n", target, false, " 0 1 -1\nrows 1 0 2\nclasses none\nsteps none free 2 2" END);
    rest_is("a,w,y\n1,2,3\n", weights, false, " 1 2 1\nrows 1 0 1\nclasses none\nsteps none none 1 1" END);
    clear_folder();
}

/* Lists become ranges, in their order and with their repetitions. */
static void test_rows(void **state)
{
    (void)state;
    char rows[512], part[600];
    snprintf(rows, sizeof rows, "%s", put_file("rows.txt", "3, 0\n1 2\t3 3 2"));
    const char *const list[] = {"rows", rows, NULL}, *const some[] = {"rows", part, NULL};
    rest_is(DATA, list, false, " 1 2 -1\nrows 4 3 4 0 4 3 4 2 3\nclasses none\nsteps none none 7 2" END);
    snprintf(part, sizeof part, "%s:1:4", rows);
    rest_is(DATA, some, false, " 1 2 -1\nrows 1 0 3\nclasses none\nsteps none none 3 2" END);
    snprintf(part, sizeof part, "%s!1:6", rows);
    rest_is(DATA, some, false, " 1 2 -1\nrows 2 3 4 2 3\nclasses none\nsteps none none 2 2" END);
    clear_folder();
}

/* How targets are coded: by the claim, --classes and the kind of the targets; the class that is +1 comes last. */
static void test_classes(void **state)
{
    (void)state;
    static const struct {
        const char *table, *classes;
        bool coded;
        const char *expected;
    } cases[] = {
        {DATA, NULL, true, "signs numbers 2 -1 1"},
        {DATA, "-1,1", false, "signs numbers 2 1 -1"},
        {"1,0.1\n2,0.2\n", NULL, true, "signs numbers 2 ccccccccccccdp-55 ccccccccccccdp-54"},
        {"1,0.1\n2,0.2\n", "0.1,0.2", true, "signs numbers 2 ccccccccccccdp-54 ccccccccccccdp-55"},
        {"1,0.3\n2,0.3\n", NULL, false, "none"},
        {"1,0.25\n2,0.25\n", NULL, true, "signs numbers 2 0 1p-2"},
        {"1,0\n2,-0\n", NULL, true, "signs numbers 2 0 1"},
        {"1,-3\n2,-3\n", NULL, true, "signs numbers 2 -3 1"},
        {"1,5\n2,-5\n3,7\n", NULL, true, "columns numbers 3 -5 5 7"},
        {"1,5\n2,-5\n3,7\n", "7,-5", true, "signs numbers 2 -5 7"},
        {"1,b\n2,a\n3,ab\n", NULL, false, "index texts 3 61 6162 62"},
        {"1,b\n2,a\n3,ab\n", NULL, true, "columns texts 3 61 6162 62"},
        {"1,b\n2,a\n3,ab\n", "a,b", false, "signs texts 2 62 61"},
        {"1,b\n2,a\n2,b\n", NULL, true, "signs texts 2 61 62"},
        {"1,b\n2,b\n", NULL, false, "index texts 1 62"},
        {"1,b\n2,b\n", NULL, true, "signs texts 2 6e6f6e65 62"},
        {"1,none\n2,none\n", NULL, true, "signs texts 2 6e6f7468696e67 6e6f6e65"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *const words[] = {"classes", cases[k].classes, NULL};
        fathom_certificate *certificate;
        fathom_data *data;
        char line[200];
        assert_ok(context, open_table(&certificate, &data, context, inside("a.cert"),
                                      cases[k].classes ? words : NULL, cases[k].table));
        assert_ok(context, fathom_certificate_begin(certificate, "x", cases[k].coded, &NONE));
        assert_ok(context, fathom_certificate_close(certificate));
        char *text = text_of(inside("a.cert"), NULL);
        snprintf(line, sizeof line, "\nclasses %s\nsteps", cases[k].expected);
        if (!strstr(text, line))
            fail_msg("case %zu: %s was expected in\n%s", k, line, text);
        free(text);
        fathom_data_free(data);
    }
    clear_folder();
}

/* Gates are written once; claims of one certificate see the same targets, and there is one at least. */
static void test_gates(void **state)
{
    (void)state;
    static const double orientation[] = {1, 0.5, -1, 0.25};
    static const uint64_t bits[] = {5, 10};
    static const int64_t at[] = {-1, 0}; /* integers in place of the second orientation */
    static const fathom_certificate_gates given[] = {{0},
                                                     {2, 1, bits, NULL, NULL, NULL},
                                                     {2, 1, bits, orientation, NULL, NULL},
                                                     {2, 1, bits, orientation, at, "-1f 20"}};
    static const char *const expected[] = {"gates orientations 0\n", "gates patterns 2\ngate 5\ngate a\n",
                                           "gates orientations 2\ngate 1 1p-1\ngate -1 1p-2\n",
                                           "gates orientations 2\ngate 1 1p-1\ngate -1f 20\n"};
    fathom_certificate *certificate;
    fathom_data *data;
    for (int k = 0; k < 4; k++) {
        assert_ok(context, open_one(&certificate, &data, context, inside("a.cert"), NULL));
        assert_ok(context, fathom_certificate_begin(certificate, "one", true, given + k));
        assert_ok(context, fathom_certificate_begin(certificate, "two", true, given + k));
        assert_int_equal(fathom_certificate_begin(certificate, "three", false, given + k),
                         FATHOM_ERROR_USAGE);
        assert_non_null(strstr(fathom_context_error(context)->text, "the same targets"));
        assert_ok(context, fathom_certificate_close(certificate));
        char *text = text_of(inside("a.cert"), NULL), *gates = strstr(text, "gates ");
        assert_memory_equal(gates, expected[k], strlen(expected[k]));
        assert_string_equal(gates + strlen(expected[k]), "claim one\nclaim two\nend\n");
        free(text);
        fathom_data_free(data);
    }
    assert_ok(context, open_one(&certificate, &data, context, inside("b.cert"), NULL));
    assert_int_equal(fathom_certificate_close(certificate), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "at least one claim"));
    fathom_data_free(data);
    assert_int_equal(clear_folder(), 2); /* the data and a.cert */
}

static fathom_status write_cones(fathom_context *c, void *path)
{
    fathom_certificate *certificate = NULL;
    fathom_data *data = NULL;
    fathom_gates *gates = NULL;
    fathom_status status = open_one(&certificate, &data, c, path, NULL);
    if (status == FATHOM_OK)
        status = fathom_gates_enumerate(&gates, c, data);
    if (status == FATHOM_OK)
        status = fathom_certificate_add_cones(certificate, gates);
    if (status == FATHOM_OK)
        status = fathom_certificate_close(certificate);
    else
        fathom_certificate_abort(certificate);
    fathom_gates_free(gates);
    fathom_data_free(data);
    return status;
}

/* Every allocation fails in turn: the file is there at the end alone, and nothing beside it. */
static void test_allocations(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", inside("a.cert"));
    assert_true(faults_run(write_cones, path) > 10);
    char *text = text_of(path, NULL);
    assert_non_null(strstr(text, "\ngates orientations 8\n")); /* four lines of the plane */
    assert_non_null(strstr(text, "\nclaim cones\nend\n"));
    free(text);
    assert_int_equal(clear_folder(), 2);
}

static void test_disk(void **state)
{
    (void)state;
    char missing[512], full[] = "/dev/full";
    snprintf(missing, sizeof missing, "%s", inside("missing/a.cert"));
    assert_int_equal(write_cones(context, missing), FATHOM_ERROR_RUNTIME);
    assert_non_null(strstr(fathom_context_error(context)->text, "No such file"));
    if (access(full, W_OK) == 0) {
        assert_int_equal(write_cones(context, full), FATHOM_ERROR_RUNTIME);
        assert_non_null(strstr(fathom_context_error(context)->text, "No space left"));
    }
    fathom_certificate *certificate;
    fathom_data *data;
    assert_ok(context, open_one(&certificate, &data, context, inside("a.cert"), NULL));
    fathom_certificate_abort(certificate);
    fathom_certificate_abort(NULL);
    fathom_data_free(data);
    assert_int_equal(clear_folder(), 1); /* the data */
}

/* What the checker reads as it stands, and what not. */
static bool is_plain(const char *name, const char *text)
{
    char path[512];
    fathom_data_options options;
    fathom_data *data;
    snprintf(path, sizeof path, "%s", text ? put_file(name, text) : name);
    assert_ok(context, open_data(&data, &options, context, path, NULL));
    const bool plain = fathom_certificate_plain(data, path, &options);
    if (!plain) {
        const fathom_certificate_source source = {path, NULL, &options};
        fathom_certificate *certificate;
        if (text) {
            assert_int_equal(fathom_certificate_open(&certificate, context, inside("a.cert"), data, &source),
                             FATHOM_ERROR_INPUT);
            assert_non_null(strstr(fathom_context_error(context)->text, "about a plain file"));
            assert_null(certificate);
        }
    }
    fathom_data_free(data);
    return plain;
}

static void test_plain(void **state)
{
    (void)state;
    assert_true(is_plain("a.csv", DATA));
    assert_true(is_plain("a.svm", "1 1:2\n-1 2:3\n"));
    assert_false(is_plain("b.csv", "1,\"0.5\",1\n2,3,-1\n"));
    assert_false(is_plain("c.csv", "\xef\xbb\xbf"
                                   "1,2,3\n4,5,6\n"));
    assert_false(is_plain("gen:circle,n=4", NULL));
    assert_false(is_plain("builtin:iris", NULL));
    clear_folder();
}

/* What fathom-check would not read is not shown. */
static void refuses(const char *text)
{
    static const char *const changes[][2] = {
        {"end\n", "end"},
        {"end\n", "end\nclaim cones\n"},
        {"end\n", ""},
        {"end\n", "end 1\n"},
        {"rows 1 0 9\n", "rows 1 0 9\nrows 1 0 9\n"},
        {"steps unit free 9 2", "steps unit free 9 2 2"},
        {"steps unit free 9 2", "steps unit free 9223372036854775808 2"},
        {"steps unit free 9 2", "steps unit free -9 2"},
        {"squared 9 1p-1", "squared 9 1p-1\nproblem relu squared 9 1"},
        {"squared 9 1p-1", "squared 9 1p4001"},
        {"squared 9 1p-1", "squared 9 1q-1"},
        {"squared 9 1p-1", "squared 9 0.5"},
        {"squared 9 1p-1", "squared 9"},
        {"squared 9 1p-1", "squared 9 "},
        {"leaf 3", "leaf 99999999999999999999"},
        {"leaf 3", "leaf -3"},
        {"claim cones", "claims cones"},
        {"gates orientations 1", "gates orientations x"},
        {"gates orientations 1\n", "problem relu squared 1 1\ngates orientations 1\n"},
    };
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        char other[2000];
        const char *at = strstr(text, changes[k][0]);
        assert_non_null(at);
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, changes[k][1],
                 at + strlen(changes[k][0]));
        fathom_json *result;
        assert_ok(context, fathom_json_create(&result, context));
        if (fathom_certificate_describe(result, context, put_file("c.cert", other)) != FATHOM_ERROR_INPUT)
            fail_msg("'%s' -> '%s' is shown", changes[k][0], changes[k][1]);
        fathom_json_free(result);
    }
}

/* What `fathom info` says of a file of every kind of claim. */
static void test_info(void **state)
{
    (void)state;
    static const char text[] = "fathom-certificate 2\ndata csv 00 0 2 -1\nrows 1 0 9\nclasses none\nsteps "
                               "unit free 9 2\ngates orientations 1\n"
                               "gate 1 0\nclaim train\nproblem relu squared 9 1p-1\nbound trees 3 "
                               "1p1\nnetwork 0\nconstant 0\ndual 0 0\n"
                               "side 0\nleaf 2 0 0 1 1 0 1\nweights 0\nside 0\nleaf 3\nweights 0\nclaim "
                               "train\nproblem gated equality 1 1\n"
                               "bound gates 1 0\nnetwork 7\nresidual 1p-1\nclaim margin\nbound plane 1 "
                               "0\nclaim zero\npairs 1 4 5 ff\n"
                               "claim cones\nend\n";
    static const char *const expected[] = {
        "\"data\": \"csv 00 0 2 -1\"",
        "\"normalize\": \"unit\", \"bias\": \"free\", \"n\": 9, \"d\": 2",
        "{\"claim\": \"train\", \"model\": \"relu\", \"loss\": \"squared\", \"scale\": \"mean\"",
        "\"beta\": 0.5, \"bound\": \"global\", \"evidence\": \"trees\", \"upper\": 3.0, \"lower\": 2.0",
        "\"network\": 0, \"leaves\": 2, \"entries\": 5}",
        "\"loss\": \"equality\", \"scale\": \"sum\", \"beta\": 1.0, \"bound\": \"gates\"",
        "\"evidence\": \"gates\"",
        "\"network\": 7, \"residual\": 0.5}",
        "{\"claim\": \"margin\", \"measure\": \"plane\", \"upper\": 1.0, \"lower\": 0.0}",
        "\"verified\": false",
        "{\"claim\": \"zero\", \"combination\": \"1 4 5 ff\"}, {\"claim\": \"cones\", \"count\": 1}",
    };
    const char *path = put_file("a.cert", text);
    fathom_json *result;
    char *said;
    assert_true(fathom_certificate_recognize(context, path));
    assert_ok(context, fathom_json_create(&result, context));
    assert_ok(context, fathom_certificate_describe(result, context, path));
    assert_ok(context, fathom_json_text(&said, result, false));
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        if (!strstr(said, expected[k]))
            fail_msg("%s was expected in\n%s", expected[k], said);
    fathom_json_text_free(result, said);
    refuses(text);
    for (int version = 1; version <= 3; version += 2) {
        char other[64];
        snprintf(other, sizeof other, "fathom-certificate %d\n%s", version, "data csv 00\nend\n");
        path = put_file("b.cert", other);
        assert_true(fathom_certificate_recognize(context, path));
        assert_int_equal(fathom_certificate_describe(result, context, path), FATHOM_ERROR_INPUT);
        assert_non_null(strstr(fathom_context_error(context)->text, "a certificate of version 2"));
    }
    fathom_json_free(result);
    clear_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_head),  cmocka_unit_test(test_rows),
        cmocka_unit_test(test_classes), cmocka_unit_test(test_gates), cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_disk),    cmocka_unit_test(test_plain), cmocka_unit_test(test_info)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
