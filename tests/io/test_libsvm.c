/* SPDX-License-Identifier: Apache-2.0 */
/* LIBSVM text: compressed rows, widths, comments, and every fault with its position. */
#include "io_testing.h"

#include "libsvm.h"
#include "random.h"

static const fathom_table_request plain;

static fathom_table *reads(const char *text, const fathom_table_request *request)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ".svm", text, strlen(text), request));
    return table;
}

static void refuses(const char *text, int64_t line, int64_t column, const char *words)
{
    refuses_bytes(".svm", text, strlen(text), &plain, line, column, words);
}

static void rows(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "+1 1:0.5 3:-2\n-1 2:1e3\n1\n-1 4:0\n",
        "+1 1:0.5 3:-2 # comment\r\n# a line\n-1  2:1e3\t\n1 \n-1 4:0",
        "\xef\xbb\xbf+1 qid:3 1:0.5 3:-2\n-1 qid:4 2:1000\n1 # nothing 7:1\n-1 4:0.0\n\n\n",
    };
    const int64_t start[] = {0, 2, 3, 3, 4};
    const int32_t column[] = {0, 2, 1, 3};
    const double value[] = {0.5, -2, 1000, 0}, y[] = {1, -1, 1, -1};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        fathom_table *table = reads(texts[k], &plain);
        assert_true(table->n == 4 && table->d == 4 && table->outputs == 1);
        assert_null(table->x);
        assert_memory_equal(table->row_start, start, sizeof start);
        assert_memory_equal(table->column, column, sizeof column);
        assert_memory_equal(table->value, value, sizeof value);
        assert_memory_equal(table->y, y, sizeof y);
        fathom_table_free(context, table);
    }
    const fathom_table_request wide = {.columns = 7};
    fathom_table *table = reads(texts[0], &wide);
    assert_int_equal(table->d, 7);
    fathom_table_free(context, table);
    const fathom_table_request narrow = {.columns = 3};
    refuses_bytes(".svm", texts[0], strlen(texts[0]), &narrow, 4, 4, "up to 3");
}

static void faults(void **state)
{
    (void)state;
    refuses("", 1, 1, "found none");
    refuses("# nothing\n", 2, 1, "found none");
    refuses("1\n-1\n", 3, 1, "at least one index:value");
    refuses("1 0:1\n", 1, 3, "from 1 to 2147483647");
    refuses("1 2147483648:1\n", 1, 3, "from 1 to 2147483647");
    refuses("1 99999999999999999999999999:1\n", 1, 3, "from 1 to 2147483647");
    refuses("1 1:1\n1 3:1 2:1\n", 2, 7, "above 3");
    refuses("1 2:1 2:1\n", 1, 7, "above 2");
    refuses("1 -2:1\n", 1, 3, "index:value");
    refuses("1 2\n", 1, 3, "index:value");
    refuses("1 2:\n", 1, 5, "a value, a number");
    refuses("1 2: 3\n", 1, 5, "a value, a number");
    refuses("1 2:3x\n", 1, 5, "a value, a number");
    refuses("1 2:nan\n", 1, 5, "a finite number");
    refuses("1 2:1e999\n", 1, 5, "1.8e308");
    refuses("1 1:1\nA 2:1\n", 2, 1, "a label, a number");
    refuses("inf 2:1\n", 1, 1, "a label, a finite number");
    refuses("1,2 2:1\n", 1, 1, "a label");
    refuses("2:1 3:1\n", 1, 1, "a label");
    refuses("1 1:1\n\n1 1:1\n", 2, 1, "blank line");
    refuses_bytes(".svm", "1 1:1\0\n", 7, &plain, 1, 5, "a value");
}

/* More rows and entries than the first guess has room for, lines across window ends, and one long line. */
static void sizes(void **state)
{
    (void)state;
    enum { N = 30000, PER_ROW = 3, LONG = 100000 };
    char *text = malloc(N * 60 + LONG * 20);
    size_t size = 0;
    for (int i = 0; i < N; i++) {
        size += (size_t)sprintf(text + size, "%d", i % 7);
        for (int k = 0; k < PER_ROW; k++)
            size += (size_t)sprintf(text + size, " %d:%d.25", 10 * k + i % 10 + 1, i);
        text[size++] = '\n';
    }
    size += (size_t)sprintf(text + size, "-3");
    for (int k = 1; k <= LONG; k++)
        size += (size_t)sprintf(text + size, " %d:%d", k, k);
    text[size] = 0;
    fathom_table *table = reads(text, &plain);
    assert_true(table->n == N + 1 && table->d == LONG);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < PER_ROW; k++) {
            const int64_t e = table->row_start[i] + k;
            assert_true(table->column[e] == 10 * k + i % 10 && table->value[e] == i + 0.25);
        }
    assert_int_equal(table->row_start[N + 1] - table->row_start[N], LONG);
    assert_true(table->y[N] == -3);
    fathom_table_free(context, table);
    free(text);
}

static bool starts(const char *text)
{
    return fathom_libsvm_starts((const unsigned char *)text, strlen(text));
}

static void sniffing(void **state)
{
    (void)state;
    assert_true(starts("+1 3:1 5:2\n"));
    assert_true(starts("1\n-1\n1 3:1\n"));
    assert_true(starts("1 qid:4 3:1\n"));
    assert_true(starts("-1.5\t1:0.25"));
    assert_false(starts("1,2,3\n"));
    assert_false(starts("a,b\n1,2\n"));
    assert_false(starts("1 2 3\n"));
    assert_false(starts("1\n2\n3\n"));
    assert_false(starts(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(faults),
        cmocka_unit_test(sizes),
        cmocka_unit_test(sniffing),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
