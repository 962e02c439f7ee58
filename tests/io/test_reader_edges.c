/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers at the edges of their windows and of their memory: every alignment of quotes, comments and line ends
 * with the end of a window, records longer than one, other encodings, files that come through a pipe, little
 * memory, and the rarer words of each format. What comes out is known from how the file was made, or the same
 * through a pipe and from a file.
 */
#include "io_testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "context_internal.h"
#include "csv_internal.h"
#include "fathom/json.h"
#include "inner/json.h"
#include "json_internal.h"

enum { WINDOW = 1 << 18, ROOM = 3 * WINDOW };

static char big[ROOM];

/* Feeds a pipe while the reader reads. */
typedef struct feed {
    int end;
    const char *data;
    size_t size;
} feed;

static void *feed_pipe(void *user)
{
    feed *f = user;
    for (size_t done = 0; done < f->size;) {
        const ssize_t count = write(f->end, f->data + done, f->size - done);
        if (count < 0 && errno != EINTR)
            break;
        done += count > 0 ? (size_t)count : 0;
    }
    close(f->end);
    return NULL;
}

static fathom_status read_piped(fathom_table **table, fathom_context *c, const char *data, size_t size,
                                const fathom_table_request *request)
{
    int end[2];
    char path[40];
    pthread_t thread;
    assert_int_equal(pipe(end), 0);
    feed f = {end[1], data, size};
    assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &f), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    const fathom_status status = fathom_table_read(table, c, path, request);
    close(end[0]);
    pthread_join(thread, NULL);
    return status;
}

/* The same table from a file and through a pipe: `rows` rows whose target is `last`. */
static void reads_both(size_t size, const fathom_table_request *request, int64_t rows, double last)
{
    fathom_table *table;
    for (int piped = 0; piped < 2; piped++) {
        assert_ok(context, piped ? read_piped(&table, context, big, size, request)
                                 : read_bytes_as(&table, "", big, size, request));
        assert_int_equal(table->n, rows);
        for (int64_t i = 0; i < rows; i++)
            assert_true(table->y[i] == last);
        fathom_table_free(context, table);
    }
}

static size_t put(size_t at, const char *text)
{
    const size_t size = strlen(text);
    assert_true(at + size < ROOM);
    memcpy(big + at, text, size);
    return at + size;
}

static size_t fill(size_t at, char byte, size_t count)
{
    assert_true(at + count < ROOM);
    memset(big + at, byte, count);
    return at + count;
}

/* Rows of this text until a window and a half is full, after a head of this length: every alignment with the
 * window's end. */
static void every_alignment(const char *row, char mark, const fathom_table_request *request, double last)
{
    const size_t size = strlen(row);
    for (size_t shift = 0; shift < size; shift++) {
        int64_t rows = 0;
        size_t used = 0;
        if (mark) {
            used = put(0, mark == '#' ? "1,\"2\",7\n#" : "1,\"2\",7\n");
            used = mark == '#' ? put(fill(used, 'x', shift), "\n") : fill(used, '\n', shift);
            rows = 1;
        }
        while (used < WINDOW + WINDOW / 2 + shift) {
            used = put(used, row);
            rows++;
        }
        reads_both(used, request, rows, last);
    }
}

static void window_ends(void **state)
{
    (void)state;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    every_alignment("1,\"2\",7\n", '#', &csv, 7);
    every_alignment("1,\"2\", 7 \r\n", '#', &csv, 7);
    every_alignment("#a\n#\n1,2,7\n", '#', &csv, 7);
    every_alignment("  \n1,2,7\n", '\n', &csv, 7);
    every_alignment("7 1:2\n", 0, &(fathom_table_request){.format = FATHOM_FORMAT_LIBSVM}, 7);
}

/* Comments and records longer than a window, before the first row and between rows. */
static void long_lines(void **state)
{
    (void)state;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    size_t used = put(0, "# head\n1,2,7\n#");
    used = put(fill(used, 'y', WINDOW + 100), "\n3,4,7\n");
    reads_both(used, &csv, 2, 7);
    used = put(0, "1,2,7\n3,4,7\n"); /* blanks to the end of the file, no line end */
    used = fill(used, ' ', WINDOW);
    reads_both(used, &csv, 2, 7);
    used = put(0, "a,");
    used = put(fill(used, 'b', WINDOW), ",c\n1,2,7\n"); /* a long name */
    reads_both(used, &csv, 1, 7);
    used = put(0, "1,2,7\n");
    used = put(fill(put(used, "3,4"), '0', WINDOW), ",7\n");
    fathom_table *table;
    assert_int_equal(read_bytes_as(&table, "", big, used, &csv), FATHOM_ERROR_INPUT); /* 1e262144 */
}

static size_t watched;

static fathom_status read_big(fathom_context *c)
{
    fathom_table *table;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV, .categorical = true};
    const fathom_status status = read_piped(&table, c, big, watched, &csv);
    fathom_table_free(c, table);
    return status;
}

/* Windows that grow, and that turn out to be in another encoding, where memory is short. */
static void growing_windows(void **state)
{
    (void)state;
    size_t used = put(0, "1,2,");
    watched = put(fill(used, 'z', WINDOW + 9), "\n3,4,z\n");
    assert_true(survives_failures(read_big) > 4);
    used = put(0, "na\xefve,caf\xe9\n");
    for (int k = 0; k < 300; k++)
        used = put(used, "\xe9t\xe9,1\n\xe0,2\n");
    watched = used;
    assert_true(survives_failures(read_big) > 4);
    used = fill(0, '1', 1); /* ASCII over a window's length first: the second has the accents */
    used = put(used, ",a\n");
    while (used < WINDOW + 10)
        used = put(used, "1,a\n");
    for (int k = 0; k < 40000; k++)
        used = put(used, "1,\xe9\n");
    watched = used;
    assert_true(survives_failures(read_big) > 4);
}

/* Every limit of memory: the table, or a refusal that says what was missing. */
static void little_memory(void **state)
{
    (void)state;
    static char cifar[3 * 3073];
    static const char npy[] = "\x93NUMPY\x01\0\x40\0"
                              "{'descr':'|i1','fortran_order':False,'shape':(4,2)}            \n"
                              "\1\2\3\4\5\6\7\10";
    static const char idx[] = "\0\0\10\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6";
    const struct {
        const char *data;
        size_t size;
        fathom_table_request request;
    } files[] = {
        {"a,b,c\nx,1,2\ny,3,4\nz,5,6\n", 24, {.format = FATHOM_FORMAT_CSV, .categorical = true}},
        {"1,2,3\n4,5,6\n", 12, {.format = FATHOM_FORMAT_CSV, .weights = "0"}},
        {"1 1:2 3:4\n-1 2:5\n", 17, {.format = FATHOM_FORMAT_LIBSVM}},
        {cifar, sizeof cifar, {.format = FATHOM_FORMAT_CIFAR}},
        {npy, sizeof npy - 1, {.format = FATHOM_FORMAT_NPY, .no_target = true}},
        {idx, sizeof idx - 1, {.format = FATHOM_FORMAT_IDX, .no_target = true}},
    };
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        int outcomes[2] = {0, 0};
        for (double limit = 64; limit < 0x1p23; limit *= 1.03) {
            fathom_context *c;
            fathom_table *table;
            assert_ok(NULL, fathom_context_create(&c, NULL));
            fathom_context_set_memory_limit(c, limit);
            const fathom_status status =
                read_piped(&table, c, files[f].data, files[f].size, &files[f].request);
            assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
            assert_true(status == FATHOM_OK || fathom_context_error(c)->text[0]);
            outcomes[status == FATHOM_OK]++;
            fathom_table_free(c, table);
            fathom_context_free(c);
        }
        assert_true(outcomes[0] > 0 && outcomes[1] > 0);
    }
}

/* A file and what its reader says: the number of rows, or words of the refusal. */
typedef struct word {
    const char *text;
    fathom_table_request request;
    int64_t rows;
    const char *refusal;
} word;

static void rare_words(void **state)
{
    (void)state;
    const word words[] = {
        {"1|2|3\n4|5|6\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"1;2,5;3\n4;5,25;6\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"1;2,50000000000000000001;3\n4;5,25;6\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"'a';1\n'b';2\n", {.format = FATHOM_FORMAT_CSV, .categorical = true}, 2, NULL},
        {"'a',1\n'b',2\n", {.format = FATHOM_FORMAT_CSV, .categorical = true}, 2, NULL},
        {"1 \t2  3\n 4 5\t6 \n", {.format = FATHOM_FORMAT_CSV, .separator = ' '}, 2, NULL},
        {"  1  2  3  \r\n  4  5  6  \r\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"1,2\r\n3 ,\"4\" \r\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"+1%,2\n-3%,4\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"1e999%,2\n", {.format = FATHOM_FORMAT_CSV}, 0, "1e999"},
        {"%,2\n1,2\n", {.format = FATHOM_FORMAT_CSV, .header = -1}, 0, "%"},
        {"a,b,\n1,2,3\n", {.format = FATHOM_FORMAT_CSV}, 1, NULL},
        {"a\n1\n", {.format = FATHOM_FORMAT_CSV, .target = "99999999999999999999999"}, 0, "no column"},
        {"a\n1\n", {.format = FATHOM_FORMAT_CSV, .target = "0/"}, 0, "no column"},
        {"a,b\n1,2\n", {.format = FATHOM_FORMAT_CSV, .target = "0:"}, 0, "no column"},
        {"1,true\n2,false\n", {.format = FATHOM_FORMAT_CSV}, 2, NULL},
        {"x,1\n,2\n", {.format = FATHOM_FORMAT_CSV, .categorical = true, .header = -1}, 0, "found nothing"},
        {"x,1\n,2\n",
         {.format = FATHOM_FORMAT_CSV, .categorical = true, .header = -1, .no_target = true},
         0,
         "found nothing"},
        {"1,2\n3", {.format = FATHOM_FORMAT_CSV}, 0, "expected"},
        {"1 1:1\n  \n", {.format = FATHOM_FORMAT_LIBSVM}, 1, NULL},
        {"1 1:1\n  ", {.format = FATHOM_FORMAT_LIBSVM}, 1, NULL},
        {"1\n", {.format = FATHOM_FORMAT_LIBSVM, .columns = 2}, 1, NULL},
        {"1 qid:3 1:1\n", {.format = FATHOM_FORMAT_AUTO}, 1, NULL},
        {"1 # nothing\n2 1:1\n", {.format = FATHOM_FORMAT_AUTO}, 2, NULL},
        {"1", {.format = FATHOM_FORMAT_AUTO, .no_target = true}, 1, NULL},
        {"1 ", {.format = FATHOM_FORMAT_AUTO, .no_target = true}, 1, NULL},
        {"1 2", {.format = FATHOM_FORMAT_AUTO}, 1, NULL},
        {"a,b,c\n1,2,3\n", {.format = FATHOM_FORMAT_TSV}, 0, ""},
    };
    int wrong = 0;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        fathom_table *table;
        const word *w = words + k;
        const fathom_status status = read_bytes_as(&table, "", w->text, strlen(w->text), &w->request);
        const fathom_error *error = fathom_context_error(context);
        if ((status == FATHOM_OK) != !w->refusal || (status == FATHOM_OK && table->n != w->rows) ||
            (w->refusal && !strstr(error->text, w->refusal))) {
            print_error("%s: status %d: %s\n", w->text, (int)status, error->text);
            wrong++;
        }
        fathom_table_free(context, table);
    }
    assert_int_equal(wrong, 0);
}

/* Groups of three and signs. */
static void thousands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char decimal;
        bool has;
    } texts[] = {{"", '.', false},         {"+1,234", '.', true},   {"-1,234.5", '.', true},
                 {"1.234", ',', true},     {"1'234", '.', true},    {"12,34", '.', false},
                 {",234", '.', false},     {"+", '.', false},       {"1,2345", '.', false},
                 {"1,234,567", '.', true}, {"1,234x", '.', false},  {"1234,567", '.', false},
                 {"1.234,5", ',', true},   {"1.234,5x", ',', false}};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        double value;
        const csv_reader csv = {.decimal = texts[k].decimal};
        const size_t size = strlen(texts[k].text);
        if (csv_number_parse(&value, &csv, texts[k].text, size) == FATHOM_NUMBER_OK)
            assert_int_equal(csv_has_thousands(texts[k].text, size, texts[k].decimal), texts[k].has);
    }
    assert_false(csv_has_thousands("", 0, '.'));
    assert_true(csv_has_thousands("+1,234", 6, '.'));
}

/* A label file that is not there, is cut, holds no number, too many or other numbers. */
static void odd_labels(void **state)
{
    (void)state;
    static const char x[] = "\x93NUMPY\x01\0\x40\0"
                            "{'descr':'|i1','fortran_order':False,'shape':(4,2)}            \n"
                            "\1\2\3\4\5\6\7\10";
    static const char cut[] = "\x93NUMPY\x01\0\x40\0"
                              "{'descr':'|i1','fortran_order':False,'shape':(4,)}             \n"
                              "\1\2";
    static const char nan[] = "\x93NUMPY\x01\0\x40\0"
                              "{'descr':'<f2','fortran_order':False,'shape':(4,)}             \n"
                              "\0\x7e\0\0\0\0\0\0";
    static const char cube[] = "\x93NUMPY\x01\0\x40\0"
                               "{'descr':'|i1','fortran_order':True,'shape':(4,1,1)}           \n"
                               "\1\2\3\4";
    static const char three[] = "\x93NUMPY\x01\0\x40\0"
                                "{'descr':'|i1','fortran_order':False,'shape':(3,)}             \n"
                                "\1\2\3";
    static const struct {
        const char *data;
        size_t size;
    } labels[] = {{cut, sizeof cut - 1},
                  {nan, sizeof nan - 1},
                  {cube, sizeof cube - 1},
                  {three, sizeof three - 1},
                  {"", 0},
                  {"\x1f\x8b\x08", 3}};
    char path[300];
    for (size_t k = 0; k <= sizeof labels / sizeof labels[0]; k++) {
        fathom_table *table;
        const bool missing = k == sizeof labels / sizeof labels[0];
        snprintf(path, sizeof path, "%s",
                 missing ? scratch_path(".none") : scratch_file(".labels", labels[k].data, labels[k].size));
        const fathom_table_request request = {.format = FATHOM_FORMAT_NPY, .labels = path};
        assert_int_equal(read_bytes_as(&table, ".npy", x, sizeof x - 1, &request), FATHOM_ERROR_INPUT);
        assert_null(table);
        unlink(path);
    }
    fathom_table *table;
    assert_ok(context,
              read_bytes_as(&table, ".npy", x, sizeof x - 1,
                            &(fathom_table_request){.format = FATHOM_FORMAT_NPY, .no_target = true}));
    fathom_table_free(context, table);
}

static fathom_status write_json(fathom_context *c)
{
    fathom_json *root, *member;
    static const double values[] = {1, 2, 3, 4};
    const char *const texts[] = {"a", "\xff"};
    const char *path = scratch_path(".json");
    fathom_status status = fathom_json_create(&root, c);
    if (status != FATHOM_OK)
        return status;
    status = fathom_json_set_text(root, "odd", "caf\xe9");
    if (status == FATHOM_OK)
        status = fathom_json_set_object(root, "object", &member);
    if (status == FATHOM_OK)
        status = fathom_json_set_matrix(member, "matrix", values, 2, 2, 2);
    if (status == FATHOM_OK)
        status = fathom_json_set_texts(member, "texts", texts, 2);
    if (status == FATHOM_OK)
        status = fathom_json_set_all(root, member);
    if (status == FATHOM_OK)
        status = fathom_json_write(root, path, true);
    fathom_json_free(root);
    unlink(path);
    return status;
}

/* A document written while each allocation fails in turn, and to a place that is none. */
static void written_json(void **state)
{
    (void)state;
    fathom_json *root;
    assert_true(survives_failures(write_json) > 4);
    assert_ok(context, fathom_json_create(&root, context));
    assert_int_equal(fathom_json_write(root, "/dev/null/none.json", false), FATHOM_ERROR_RUNTIME);
    fathom_json_free(root);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* readers leave before the end */
    const struct CMUnitTest tests[] = {cmocka_unit_test(window_ends),     cmocka_unit_test(long_lines),
                                       cmocka_unit_test(growing_windows), cmocka_unit_test(little_memory),
                                       cmocka_unit_test(rare_words),      cmocka_unit_test(thousands),
                                       cmocka_unit_test(odd_labels),      cmocka_unit_test(written_json)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
