/* SPDX-License-Identifier: Apache-2.0 */
/* Dialects: random tables in every way of writing read back as the same numbers; what is ambiguous keeps its plain meaning. */
#include "io_testing.h"

#include "random.h"

enum { ROWS = 7, COLUMNS = 4, ROOM = 1 << 14 };

static const fathom_table_request automatic;

/* How a table is written. */
typedef struct dress {
    char separator;
    bool comma, header, comments, blanks, quotes, spaces, returns;
} dress;

static double value_at(uint64_t seed, int64_t k)
{
    const double u = fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 1, (uint64_t)k);
    return (u < 0.3 ? 1 : 0.25) * floor(4000 * (u - 0.4)) / 10;
}

static size_t write_number(char *text, double value, const dress *how)
{
    char number[40];
    snprintf(number, sizeof number, "%.10g", value);
    for (char *c = number; *c && how->comma; c++)
        *c = *c == '.' ? ',' : *c;
    return (size_t)sprintf(text, how->quotes ? "\"%s\"" : "%s", number);
}

static size_t write_table(char *text, uint64_t seed, const dress *how)
{
    const char *end = how->returns ? "\r\n" : "\n";
    size_t size = 0;
    if (how->comments)
        size += (size_t)sprintf(text + size, "# two words%s%% a third%s", end, end);
    for (int j = 0; how->header && j < COLUMNS; j++)
        size += (size_t)sprintf(text + size, "%s%d%c", j % 2 ? "size_" : "age", j, how->separator);
    if (how->header)
        size += (size_t)sprintf(text + size - 1, "%s", end) - 1;
    for (int i = 0; i < ROWS; i++) {
        if (how->blanks && i % 3 == 1)
            size += (size_t)sprintf(text + size, "%s", end);
        if (how->comments && i % 3 == 2)
            size += (size_t)sprintf(text + size, "#%s", end);
        for (int j = 0; j < COLUMNS; j++) {
            if (how->spaces)
                size += (size_t)sprintf(text + size, "  ");
            size += write_number(text + size, value_at(seed, i * COLUMNS + j), how);
            text[size++] = how->separator;
        }
        size += (size_t)sprintf(text + size - 1, "%s", end) - 1;
    }
    return size;
}

static void holds_values(const fathom_table *table, uint64_t seed, const dress *how)
{
    assert_int_equal(table->n, ROWS);
    assert_int_equal(table->d, COLUMNS - 1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double found = j == COLUMNS - 1 ? table->y[i] : table->x[i * (COLUMNS - 1) + j];
            assert_close(found, value_at(seed, i * COLUMNS + j), 0);
        }
    assert_int_equal(table->origin.header, how->header);
    assert_int_equal(!table->name, !how->header);
    assert_int_equal(table->origin.other_dialect,
                     how->separator != ',' || how->comma || how->comments || how->blanks);
}

static void every_dress(void **state)
{
    static const char separators[] = {',', ';', '\t', '|', ' '};
    char *text = malloc(ROOM);
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(1280); seed++) {
        const uint64_t bits = seed / 5;
        const dress how = {.separator = separators[seed % 5],
                           .comma = bits & 1 && separators[seed % 5] != ',',
                           .header = bits >> 1 & 1,
                           .comments = bits >> 2 & 1,
                           .blanks = bits >> 3 & 1,
                           .quotes = bits >> 4 & 1,
                           .spaces = bits >> 5 & 1,
                           .returns = bits >> 6 & 1};
        const size_t size = write_table(text, seed, &how);
        for (int said = 0; said < 2; said++) {
            fathom_table *table;
            fathom_table_request request = automatic;
            if (said) {
                request.separator = how.separator;
                request.decimal = how.comma ? ',' : '.';
                request.header = how.header ? 1 : -1;
            }
            assert_ok(context, read_bytes_as(&table, ".csv", text, size, &request));
            holds_values(table, seed, &how);
            fathom_table_free(context, table);
        }
    }
    free(text);
}

static fathom_table *reads(const char *text, const fathom_table_request *request)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ".csv", text, strlen(text), request));
    return table;
}

static fathom_table *reads_size(const char *text, size_t size)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ".csv", text, size, &automatic));
    return table;
}

/* Marks that also mean something else: the plain reading stays. */
static void ambiguous(void **state)
{
    (void)state;
    fathom_table *table =
        reads("#ff0000,1,2\n#00ff00,3,4\nred,5,6\n", &(fathom_table_request){.categorical = true});
    assert_int_equal(table->n, 3); /* no comments: a word follows the mark */
    fathom_table_free(context, table);
    table = reads("colour,x,y\n#ff0000,1,2\n#00ff00,3,4\n", &(fathom_table_request){.categorical = true});
    assert_int_equal(table->n, 2); /* texts that begin with # are no comments */
    assert_int_equal(table->d, 3);
    fathom_table_free(context, table);
    table = reads("x,y\n1,a;b\n2,c;d\n3,e;f\n", &automatic); /* semicolons in texts */
    assert_int_equal(table->d, 1);
    assert_int_equal(table->labels, 3);
    fathom_table_free(context, table);
    table = reads("a b,c d,e f\n1,2,3\n4,5,6\n", &automatic); /* spaces in names */
    assert_int_equal(table->d, 2);
    fathom_table_free(context, table);
    table =
        reads("x;y\n1.5;2\n2;3,5\n", &(fathom_table_request){.decimal = ','}); /* said so: both are read */
    assert_true(table->x[0] == 1.5 && table->y[1] == 3.5);
    fathom_table_free(context, table);
    refuses_bytes(".csv", "x;y\n1.5;2\n2;3,5\n", 16, &automatic, 3, 3, "'3,5'"); /* points and commas */
    refuses_bytes(".csv", "a;b\n1;x\n2\n", 10, &automatic, 3, 2, "expected 2 columns, found 1"); /* ragged */
    table = reads("a,b\nc,d\n", &(fathom_table_request){.header = -1, .categorical = true});
    assert_int_equal(table->n, 2);
    fathom_table_free(context, table);
    table = reads("1,2\n3,4\n", &(fathom_table_request){.header = 1});
    assert_int_equal(table->n, 1);
    assert_string_equal(table->name[0], "1");
    fathom_table_free(context, table);
}

/* Texts beside thousands 12,345: the commas separate no fields though every line has as many. And decimal commas beside one column
 * with points, such as a version. */
static void commas_inside_numbers(void **state)
{
    static const char separators[] = {'\t', ';', '|'};
    char text[2048];
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const char mark = separators[seed % 3];
        const bool decimals = seed / 3 % 2;
        int whole[12], part[12];
        size_t size = 0;
        for (int i = 0; i < 12; i++) {
            whole[i] = 1 + (int)(98 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 2, (uint64_t)i));
            part[i] = 10 + (int)(89 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 3, (uint64_t)i));
            if (decimals)
                size += (size_t)sprintf(text + size, "3.1%c%d,%d%c%d,%d\n", mark, whole[i], part[i], mark,
                                        part[i], whole[i]);
            else
                size += (size_t)sprintf(text + size, "north%cred%ctall%c1.5%c%d,0%d\n", mark, mark, mark,
                                        mark, whole[i], part[i]);
        }
        fathom_table *table = reads(text, &(fathom_table_request){.header = -1, .categorical = true});
        assert_int_equal(table->n, 12);
        for (int i = 0; i < 12; i++) {
            char number[32];
            snprintf(number, sizeof number, "%d.%d", part[i], whole[i]);
            assert_close(table->y[i], decimals ? strtod(number, NULL) : 1000 * whole[i] + part[i], 0);
        }
        fathom_table_free(context, table);
    }
}

static void other_numbers(void **state)
{
    (void)state;
    fathom_table *table = reads("ok,share,y\nTrue,12.5%,1\nfalse,-3%,2\nTRUE,0%,3\n", &automatic);
    const double x[] = {1, 0.125, 0, -0.03, 1, 0};
    for (int k = 0; k < 6; k++)
        assert_true(table->x[k] == x[k]);
    assert_true(table->origin.other_dialect);
    fathom_table_free(context, table);
    table = reads("x,ok\n1,True\n2,False\n", &automatic); /* as a target they are classes */
    assert_int_equal(table->labels, 2);
    assert_string_equal(table->label[1], "True");
    fathom_table_free(context, table);
    refuses_bytes(".csv", "x,y\n1,2\n%,3\n", 12, &(fathom_table_request){.header = 1}, 3, 1, "found '%'");
}

/* Lines before the first row: many comments, comments with as many marks as rows have, one that is longer than the window,
 * blank lines that fill it. */
static void much_before_the_first_row(void **state)
{
    (void)state;
    enum { LONG = 400000 };
    static const char *const line[] = {"# a note\n", "# one; two; three; four\n", "\n", "% 1,2,3,4\n"};
    static const int64_t times[] = {2, 60, LONG};
    char *text = malloc(24 * LONG + ROOM);
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 3; t++) {
            const dress how = {
                .separator = k % 2 ? ';' : ',', .header = t % 2, .comments = k != 2, .blanks = k == 2};
            const dress plain = {.separator = how.separator, .header = how.header};
            size_t size = 0;
            for (int64_t repeat = 0; repeat < times[t]; repeat++)
                size += (size_t)sprintf(text + size, "%s", line[k]);
            size += write_table(text + size, (uint64_t)(10 * k + t), &plain);
            fathom_table *table = reads_size(text, size);
            holds_values(table, (uint64_t)(10 * k + t), &how);
            fathom_table_free(context, table);
        }
    memset(text, '#', LONG);
    text[LONG] = '\n';
    const dress how = {.separator = ';', .comma = true, .comments = true},
                plain = {.separator = ';', .comma = true};
    const size_t size = LONG + 1 + write_table(text + LONG + 1, 99, &plain);
    fathom_table *table = reads_size(text, size);
    holds_values(table, 99, &how);
    fathom_table_free(context, table);
    free(text);
}

/* Texts between single quotes, with separators, doubled quotes and double quotes inside, beside numbers. */
static void single_quotes(void **state)
{
    static const char *const pieces[] = {"a", "''", "b,c", "\"", ";", "d e"};
    char text[4096], plain[8][64];
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        const bool header = seed % 2;
        size_t size = header ? (size_t)sprintf(text, "'x','name of, it','y'\n") : 0;
        for (int i = 0; i < 8; i++) {
            size_t length = 0;
            size += (size_t)sprintf(text + size, "%d.5,'", i);
            for (int k = 0; k < 4; k++) {
                const uint64_t at = (uint64_t)(4 * i + k);
                const char *piece =
                    pieces[(int)(6 * fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, 4, at))];
                size += (size_t)sprintf(text + size, "%s", piece);
                length += (size_t)sprintf(plain[i] + length, "%s", *piece == '\'' ? "'" : piece);
            }
            size += (size_t)sprintf(text + size, "',%d\n", i);
        }
        fathom_table *table = reads(text, &(fathom_table_request){.header = header ? 1 : -1, .target = "1"});
        assert_int_equal(table->n, 8);
        assert_int_equal(table->d, 2);
        for (int i = 0; i < 8; i++) {
            assert_string_equal(table->label[(int)table->y[i]], plain[i]);
            assert_true(table->x[2 * i] == i + 0.5 && table->x[2 * i + 1] == i);
        }
        fathom_table_free(context, table);
    }
}

/* Files that were put together one behind the other: a line that repeats the names is no row. Of numbers it is one. */
static void names_again(void **state)
{
    static const char *const ends[] = {"\n", "\r\n"};
    char text[4096];
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const char mark = ",;\t|"[seed % 4];
        const char *end = ends[seed / 4 % 2];
        const int every = 2 + (int)(seed / 8);
        size_t size = 0;
        for (int i = 0; i < 12; i++) {
            if (i % every == 0)
                size += (size_t)sprintf(text + size, "age%csize%clabel%s", mark, mark, end);
            size += (size_t)sprintf(text + size, "%d%c%d.25%c%s%s", i, mark, 2 * i, mark,
                                    i % 3 ? "up" : "down", end);
        }
        if (seed % 3 > 0) /* at the end of the file, without an end of its own */
            sprintf(text + size, "age%csize%clabel%s", mark, mark, seed % 3 == 1 ? "" : "\r");
        fathom_table *table = reads(text, &automatic);
        assert_int_equal(table->n, 12);
        assert_int_equal(table->labels, 2);
        assert_true(table->origin.other_dialect);
        for (int i = 0; i < 12; i++)
            assert_true(table->x[2 * i] == i && table->x[2 * i + 1] == 2 * i + 0.25);
        fathom_table_free(context, table);
    }
    fathom_table *table = reads("1,2\n3,4\n1,2\n", &(fathom_table_request){.header = 1});
    assert_int_equal(table->n, 2);
    fathom_table_free(context, table);
    table = reads(",x,y\n1,2,no\n,x,y\n3,4,yes\n", &automatic); /* a column without a name */
    assert_int_equal(table->n, 2);
    fathom_table_free(context, table);
    table = reads("x,y\nx,yes\nz,no\nx,y\n",
                  &(fathom_table_request){.header = 1, .categorical = true}); /* a row may go on */
    assert_int_equal(table->n, 2);
    fathom_table_free(context, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dress),   cmocka_unit_test(much_before_the_first_row),
        cmocka_unit_test(ambiguous),     cmocka_unit_test(commas_inside_numbers),
        cmocka_unit_test(other_numbers), cmocka_unit_test(single_quotes),
        cmocka_unit_test(names_again),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
