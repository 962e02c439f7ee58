/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rarer turns of the readers: lines that end where a window does, pipes that say nothing for a while, little
 * memory, numbers as accountants write them.
 */
#include "io_testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "bytes.h"
#include "context_internal.h"
#include "csv_internal.h"
#include "number.h"

enum { WINDOW = 1 << 18, ROOM = 4 * WINDOW };

static char big[ROOM];

static fathom_table *table_of(const char *text, size_t size, const fathom_table_request *request)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, "", text, size, request));
    return table;
}

/* --- pipes ---------------------------------------------------------------------------------------------- */

typedef struct pause_then {
    int end;
    const char *data;
    size_t size;
    double seconds;
    fathom_context *interrupt; /* or NULL */
} pause_then;

static void *act_later(void *user)
{
    const pause_then *p = user;
    nanosleep(&(struct timespec){0, (long)(p->seconds * 1e9)}, NULL);
    if (p->interrupt)
        fathom_context_interrupt(p->interrupt);
    for (size_t done = 0; !p->interrupt && done < p->size;) {
        const ssize_t count = write(p->end, p->data + done, p->size - done);
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    if (!p->interrupt)
        close(p->end);
    return NULL;
}

static fathom_status read_piped(fathom_table **table, fathom_context *c, pause_then *p,
                                const fathom_table_request *request)
{
    int end[2];
    char path[40];
    pthread_t thread;
    assert_int_equal(pipe(end), 0);
    p->end = end[1];
    assert_int_equal(pthread_create(&thread, NULL, act_later, p), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    const fathom_status status = fathom_table_read(table, c, path, request);
    close(end[0]);
    pthread_join(thread, NULL);
    if (p->interrupt)
        close(end[1]);
    return status;
}

/* A writer that begins after a while, and one that never does before an interrupt. */
static void silent_pipes(void **state)
{
    (void)state;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    fathom_table *table;
    fathom_context *c;
    pause_then later = {.data = "1,2\n3,4\n", .size = 8, .seconds = 0.25};
    assert_ok(context, read_piped(&table, context, &later, &csv));
    assert_int_equal(table->n, 2);
    fathom_table_free(context, table);
    assert_ok(NULL, fathom_context_create(&c, NULL));
    pause_then never = {.seconds = 0.25, .interrupt = c};
    assert_int_equal(read_piped(&table, c, &never, &csv), FATHOM_ERROR_STOPPED);
    assert_non_null(strstr(fathom_context_error(c)->text, "interrupted"));
    fathom_context_free(c);
}

/* Rows of 70,000 numbers, whose number cannot be told in advance: room for one row at a time. */
static void wide_rows(void **state)
{
    (void)state;
    enum { COLUMNS = 70000, ROWS = 3 };
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    size_t used = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) {
            big[used++] = (char)('0' + (i + k) % 10);
            big[used++] = k + 1 < COLUMNS ? ',' : '\n';
        }
    fathom_table *table;
    pause_then now = {.data = big, .size = used};
    assert_ok(context, read_piped(&table, context, &now, &csv));
    assert_true(table->n == ROWS && table->d == COLUMNS - 1);
    for (int i = 0; i < ROWS; i++)
        assert_true(table->x[(int64_t)i * (COLUMNS - 1) + 12345] == (i + 12345) % 10);
    fathom_table_free(context, table);
}

/* --- windows -------------------------------------------------------------------------------------------- */

/* `first` stretched to this length, line end included, then `rest`. */
static size_t stretched(const char *head, char byte, const char *tail, size_t length, const char *rest)
{
    const size_t before = strlen(head), after = strlen(tail);
    memcpy(big, head, before);
    memset(big + before, byte, length - before - after);
    memcpy(big + length - after, tail, after);
    memcpy(big + length, rest, strlen(rest));
    return length + strlen(rest);
}

static size_t watched;
static fathom_table_request watched_request;

static fathom_status read_watched(fathom_context *c)
{
    fathom_table *table = NULL;
    fathom_bytes *bytes;
    fathom_status status = fathom_bytes_open_memory(&bytes, c, big, watched, "watched");
    if (status == FATHOM_OK)
        status = fathom_table_read_bytes(&table, bytes, &watched_request);
    fathom_table_free(c, table);
    fathom_bytes_close(bytes);
    return status;
}

/* The first line, or a comment of a LIBSVM file, ends around the end of the window, byte by byte. */
static void lines_to_the_end(void **state)
{
    (void)state;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV}, svm = {.format = FATHOM_FORMAT_LIBSVM};
    for (size_t length = WINDOW - 4; length < WINDOW + 3; length++) {
        size_t size = stretched("a,", 'b', ",c\n", length, "\n1,2,7\n3,4,7\n");
        fathom_table *table = table_of(big, size, &csv);
        assert_true(table->n == 2 && table->d == 2 && table->y[1] == 7);
        fathom_table_free(context, table);
        size = stretched("7 1:1 #", 'x', "\n", length, "7 1:2\n");
        table = table_of(big, size, &svm);
        assert_true(table->n == 2 && table->y[1] == 7);
        fathom_table_free(context, table);
    }
    watched_request = csv;
    watched = stretched("a,", 'b', ",c\n", WINDOW - 1, "1,2,7\n3,4,7\n");
    assert_true(survives_failures(read_watched) > 4);
}

/* Lines that end in carriage returns, over more than a window. */
static void returns(void **state)
{
    (void)state;
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    size_t used = 0;
    int64_t rows = 0;
    for (; used < WINDOW + 1000; rows++)
        used += (size_t)sprintf(big + used, "1,2,7\r");
    fathom_table *table = table_of(big, used, &csv);
    assert_true(table->n == rows && table->y[rows - 1] == 7 && table->origin.other_dialect);
    fathom_table_free(context, table);
}

/* A high surrogate before a unit that is none: both stand for themselves, as replacement and as character. */
static void lone_surrogates(void **state)
{
    (void)state;
    static const char text[] = "\xff\xfe\x61\x00\x00\xd8\x00\xe0,\x00\x62\x00\n\x00\x31\x00,\x00\x32\x00\n";
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    fathom_table *table = table_of(text, sizeof text, &csv);
    assert_true(table->n == 1 && strcmp(table->name[0], "a\xef\xbf\xbd\xee\x80\x80") == 0);
    fathom_table_free(context, table);
}

/* --- memory limits -------------------------------------------------------------------------------------- */

/* Every limit around what a table takes: the table, or a refusal that says what would be needed. */
static void limits(void **state)
{
    (void)state;
    size_t used = 0;
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(big + used, "t%d,1\n", i);
    const size_t coded = used;
    for (int i = 0; i < 3000; i++)
        used += (size_t)sprintf(big + used, "1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1\n");
    const struct {
        const char *text, *words;
        size_t size;
        fathom_table_request request;
    } all[] = {{big, "one-hot", coded, {.format = FATHOM_FORMAT_CSV, .categorical = true, .header = -1}},
               {big + coded, "sparse matrix", used - coded, {.format = FATHOM_FORMAT_LIBSVM}}};
    for (int k = 0; k < 2; k++) {
        bool said = false, whole = false;
        for (double limit = 4096; limit < 0x1p25; limit *= 1.1) {
            fathom_context *c;
            fathom_table *table = NULL;
            fathom_bytes *bytes;
            assert_ok(NULL, fathom_context_create(&c, NULL));
            fathom_context_set_memory_limit(c, limit);
            fathom_status status = fathom_bytes_open_memory(&bytes, c, all[k].text, all[k].size, "limited");
            if (status == FATHOM_OK)
                status = fathom_table_read_bytes(&table, bytes, &all[k].request);
            assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
            whole = whole || status == FATHOM_OK;
            said = said || (status != FATHOM_OK && strstr(fathom_context_error(c)->text, all[k].words));
            fathom_table_free(c, table);
            fathom_bytes_close(bytes);
            fathom_context_free(c);
        }
        assert_true(said && whole);
    }
}

/* --- numbers and words ---------------------------------------------------------------------------------- */

static void accountants(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool number;
        double value;
    } all[] = {{"(5)", true, -5},     {"(1,234.5)", true, -1234.5},
               {"(5%)", true, -0.05}, {"(5", false, 0},
               {"()", false, 0},      {"(x)", false, 0},
               {"(-5)", false, 0},    {"5)", false, 0},
               {"(5x)", false, 0},    {"(:)", false, 0},
               {"(/)", false, 0},     {"((5))", false, 0},
               {"(1e999)", false, 0}};
    const csv_reader csv = {.decimal = '.'};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        double value = 0;
        const bool number =
            csv_number_parse(&value, &csv, all[k].text, strlen(all[k].text)) == FATHOM_NUMBER_OK;
        assert_int_equal(number, all[k].number);
        assert_true(!number || value == all[k].value);
    }
}

/* Numbers that the checker of certificates would not read make a table of another dialect; plain ones do not. */
static void writings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool other;
    } all[] = {{"5", false},   {"-5.5", false}, {"1e3", false},    {"\"5\"", false},
               {" 5 ", false}, {"(5)", true},   {"5%", true},      {"1'234", true},
               {"true", true}, {"(5%)", true},  {"\"(5)\"", true}, {"\"1,234\"", true}};
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV, .header = -1};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char text[60];
        const size_t size = (size_t)snprintf(text, sizeof text, "%s,1\n2,3\n", all[k].text);
        fathom_table *table = table_of(text, size, &csv);
        if (table->origin.other_dialect != all[k].other)
            print_error("%s\n", all[k].text);
        assert_int_equal(table->origin.other_dialect, all[k].other);
        fathom_table_free(context, table);
    }
}

/* 2^54 + 3 lies beside the middle of two doubles, 2^54 + 2 on it. */
static void beside_the_middle(void **state)
{
    (void)state;
    double value;
    size_t used;
    assert_int_equal(fathom_number_parse(&value, &used, "18014398509481987", 17), FATHOM_NUMBER_OK);
    assert_true(value == 0x1p54 + 4);
    assert_int_equal(fathom_number_parse(&value, &used, "18014398509481986", 17), FATHOM_NUMBER_OK);
    assert_true(value == 0x1p54);
}

/* More numbers of 16 digits and more than are looked into: the file counts as one of doubles. */
static void many_digits(void **state)
{
    (void)state;
    enum { ROWS = 500010, LINE = 40 };
    char *text = malloc((size_t)ROWS * LINE);
    size_t used = 0;
    for (int i = 0; i < ROWS; i++) {
        memcpy(text + used, "0.1234567890123456,0.6543210987654321\n", 38);
        used += 38;
    }
    const fathom_table_request csv = {.format = FATHOM_FORMAT_CSV};
    fathom_table *table = table_of(text, used, &csv);
    assert_true(table->n == ROWS && !table->origin.decimal);
    fathom_table_free(context, table);
    table = table_of(text, used / 10 / 38 * 38, &csv);
    assert_true(table->origin.decimal);
    fathom_table_free(context, table);
    free(text);
}

/* Separators, comments and units that decide a dialect: what comes out of the last field of the first row. */
static void dialects(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double last;
        int64_t rows;
    } all[] = {
        {"'a',1\n'b',2\n", 1, 2},
        {"a\r;1,5\nb;2,5\n", 1.5, 2},
        {"#\n# a\n1,2\n3,4\n", 2, 2},
        {"# a\n# b\n1,2\n#3,4\n5,6\n", 2, 2},
        {"12,5 kg;1,5\n13,5 kg;2,5\n", 1.5, 2},
        {"1,234 kg;1\n2,345 kg;2\n", 1, 2},
        {"a,b;1\nc,d;2\n", 1, 2},
        {"12.5 kg;1.5\n13.5 kg;2.5\n", 1.5, 2},
        {"1,234.5 kg;1\n2,345.5 kg;2\n", 1, 2},
        {"1.234 kg;1\n2.345 kg;2\n", 1, 2},
        {"a.b;1\nc.d;2\n", 1, 2},
        {"a text of more than sixty-four letters, which is no number with a unit; 1\nb;2\n", 1, 2},
        {"\"a\nb\",1\n\"c\nd\",2\n", 1, 2},
    };
    const fathom_table_request request = {.format = FATHOM_FORMAT_CSV, .categorical = true, .header = -1};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        fathom_table *table = table_of(all[k].text, strlen(all[k].text), &request);
        if (table->n != all[k].rows || table->y[0] != all[k].last)
            print_error("%s: %lld rows, %g\n", all[k].text, (long long)table->n, table->y[0]);
        assert_true(table->n == all[k].rows && table->y[0] == all[k].last);
        fathom_table_free(context, table);
    }
}

/* Comments above a single column; a column of texts that begin like comments; decimal commas between commas. */
static void odd_dialects(void **state)
{
    (void)state;
    const fathom_table_request
        one = {.format = FATHOM_FORMAT_CSV, .header = -1, .no_target = true},
        texts = {.format = FATHOM_FORMAT_CSV, .header = -1, .no_target = true, .categorical = true},
        commas = {.format = FATHOM_FORMAT_CSV, .header = -1, .separator = ',', .decimal = ','};
    fathom_table *table = table_of("#\n# a\n5\n6\n", 10, &one);
    assert_true(table->n == 2 && table->x[1] == 6);
    fathom_table_free(context, table);
    table = table_of("# a\n# b\n5\n#6\n7\n", 15, &texts);
    assert_int_equal(table->n, 5);
    fathom_table_free(context, table);
    table = table_of("\"1,5\",2\n", 8, &commas);
    assert_true(table->x[0] == 1.5 && table->y[0] == 2 && table->origin.other_dialect);
    fathom_table_free(context, table);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_pipes),      cmocka_unit_test(wide_rows),
        cmocka_unit_test(lines_to_the_end),  cmocka_unit_test(returns),
        cmocka_unit_test(lone_surrogates),   cmocka_unit_test(limits),
        cmocka_unit_test(accountants),       cmocka_unit_test(writings),
        cmocka_unit_test(beside_the_middle), cmocka_unit_test(many_digits),
        cmocka_unit_test(dialects),          cmocka_unit_test(odd_dialects),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
