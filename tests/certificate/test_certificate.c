/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a certificate: numbers bit for bit, what it is about, gates, lists of cones, and every way to fail. */
#include "faults.h" /* before the context for all tests */
#include "random.h"
#include "writing.h"

#include <float.h>

static const char DATA[] = "a,b,y\n1,0.5,1\n-2,0.25,-1\n0.125,3,1\n1,-1,-1\n";

/* m or mpe, m hexadecimal: the double that a reader makes of a word. */
static double read_number(const char *word)
{
    char *end;
    const long long m = strtoll(word, &end, 16);
    const long e = *end == 'p' ? strtol(end + 1, &end, 10) : 0;
    assert_int_equal(*end, 0);
    return ldexp((double)m, (int)e);
}

/* Opens a certificate about DATA with these options of the data. */
static fathom_status open_one(fathom_certificate **certificate, fathom_data **data, fathom_context *c,
                              const char *path, const char *const *words)
{
    static fathom_data_options options;
    const char *csv = put_file("data.csv", DATA);
    static char name[512];
    snprintf(name, sizeof name, "%s", csv);
    *certificate = NULL;
    const fathom_status status = open_data(data, &options, c, name, words);
    const fathom_certificate_source source = {name, NULL, &options};
    return status == FATHOM_OK ? fathom_certificate_open(certificate, c, path, *data, &source) : status;
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
    fathom_file_print(certificate->file, "numbers");
    fathom_certificate_put_numbers(certificate, value, COUNT);
    fathom_file_print(certificate->file, "\n");
    fathom_certificate_put_line(certificate, "beta", 0.375);
    assert_ok(context, fathom_certificate_close(certificate));
    char *text = text_of(inside("a.cert"), NULL), *line = strstr(text, "numbers ");
    assert_non_null(strstr(text, "\nbeta 3p-3\nend\n"));
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

/* The head of the file for some options of the data. */
static void head_is(const char *const *words, const char *expected)
{
    fathom_certificate *certificate;
    fathom_data *data;
    assert_ok(context, open_one(&certificate, &data, context, inside("a.cert"), words));
    assert_ok(context, fathom_certificate_close(certificate));
    char *text = text_of(inside("a.cert"), NULL), *table = strstr(text, "\ntable ");
    assert_memory_equal(text, "fathom-certificate 1\ndata csv ", 30);
    assert_non_null(table);
    assert_string_equal(table + 1, expected);
    free(text);
    fathom_data_free(data);
}

static void test_head(void **state)
{
    (void)state;
    static const char *const plain[] = {NULL}, *const picked[] = {"rows", "1:", "normalize", "unit", NULL};
    static const char *const classes[] = {"classes", "1,-1", "bias", "augment", NULL};
    head_is(plain, "table 1 2 -1\nrows all\nclasses all\nnormalize none\nbias none\nshape 4 2\nend\n");
    head_is(picked, "table 1 2 -1\nrows range 1 4\nclasses all\nnormalize unit\nbias none\nshape 3 2\nend\n");
    head_is(classes,
            "table 1 2 -1\nrows all\nclasses numbers 1 -1\nnormalize none\nbias augment\nshape 4 3\nend\n");
    static char rows[512];
    snprintf(rows, sizeof rows, "%s", put_file("rows.txt", "3, 0\n1"));
    const char *const listed[] = {"rows", rows, "weights", "b", NULL};
    fathom_certificate *certificate;
    fathom_data *data;
    assert_int_equal(open_one(&certificate, &data, context, inside("b.cert"), listed),
                     FATHOM_ERROR_INPUT); /* -1 */
    const char *const list[] = {"rows", rows, NULL};
    head_is(list,
            "table 1 2 -1\nrows list 3 3 0 1\nclasses all\nnormalize none\nbias none\nshape 3 2\nend\n");
    clear_folder();
}

static void test_gates(void **state)
{
    (void)state;
    static const double orientation[] = {1, 0.5, -1, 0.25};
    const uint64_t bits[] = {5, 10};
    fathom_certificate *certificate;
    fathom_data *data;
    for (int given = 0; given < 3; given++) {
        static const char *const expected[] = {"gates none\n", "gates patterns 2\ngate 5\ngate a\n",
                                               "gates orientations 2\ngate 1 1p-1\ngate -1 1p-2\n"};
        assert_ok(context, open_one(&certificate, &data, context, inside("a.cert"), NULL));
        for (int twice = 0; twice < 2; twice++) /* they are written once */
            assert_ok(context, fathom_certificate_put_gates(certificate, given ? 2 : 0, 1, bits,
                                                            given == 2 ? orientation : NULL));
        assert_ok(context, fathom_certificate_close(certificate));
        char *text = text_of(inside("a.cert"), NULL), *gates = strstr(text, "gates ");
        assert_memory_equal(gates, expected[given], strlen(expected[given]));
        assert_string_equal(gates + strlen(expected[given]), "end\n");
        free(text);
        fathom_data_free(data);
    }
    clear_folder();
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
    assert_non_null(strstr(text, "\nclaim cones\ncount 8\nend\n")); /* four lines of the plane */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_head),
                                       cmocka_unit_test(test_gates),   cmocka_unit_test(test_allocations),
                                       cmocka_unit_test(test_disk),    cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
