/* SPDX-License-Identifier: Apache-2.0 */
/* The text window: the record stays whole while the window moves and grows; positions; predictions. */
#include "io_testing.h"

#include "text.h"

/* Opens a window on memory. */
static fathom_text opens(fathom_bytes **bytes, const char *data, size_t size)
{
    fathom_text text;
    assert_ok(context, fathom_bytes_open_memory(bytes, context, data, size, "file"));
    assert_ok(context, fathom_text_init(&text, context, *bytes));
    return text;
}

static void closes(fathom_text *text, fathom_bytes *bytes)
{
    fathom_text_free(text);
    fathom_bytes_close(bytes);
}

/* Records of growing length, up to several windows: all bytes come, in order, and the end is a zero byte. */
static void moves_and_grows(void **state)
{
    (void)state;
    enum { SIZE = 3000000 };
    char *data = malloc(SIZE);
    for (int k = 0; k < SIZE; k++)
        data[k] = (char)('a' + k % 23);
    fathom_bytes *bytes;
    fathom_text text = opens(&bytes, data, SIZE);
    int64_t place = 0;
    for (size_t record = 1; place < SIZE; record = 2 * record + 1) {
        while (text.end - text.start < record && !text.last)
            assert_ok(context, fathom_text_more(&text));
        const size_t left = text.end - text.start, size = record < left ? record : left;
        assert_memory_equal(text.data + text.start, data + place, size);
        assert_int_equal(text.data[text.end], 0);
        assert_int_equal(fathom_text_consumed(&text), place);
        text.start += size;
        place += (int64_t)size;
    }
    assert_true(text.last && text.start == text.end);
    closes(&text, bytes);
    free(data);
}

static void positions(void **state)
{
    (void)state;
    fathom_bytes *bytes;
    fathom_text text = opens(&bytes,
                             "\xef\xbb\xbf"
                             "ab\ncd\x01",
                             9);
    assert_int_equal(text.start, 3);
    const fathom_error *error = fathom_context_error(context);
    assert_int_equal(fathom_text_error(&text, 4, "at %d", 7), FATHOM_ERROR_INPUT);
    assert_true(error->line == 1 && error->column == 2);
    assert_string_equal(error->text, "at 7");
    assert_string_equal(error->file, "file");
    fathom_text_error(&text, 7, "found '%s'", text.data + 6);
    assert_true(error->line == 2 && error->column == 2);
    assert_string_equal(error->text, "found 'cd?'");
    closes(&text, bytes);
}

static void predictions(void **state)
{
    (void)state;
    static char data[1000];
    fathom_bytes *bytes;
    fathom_text text = opens(&bytes, data, sizeof data);
    assert_int_equal(fathom_text_predict(&text, 0), 0);
    text.start = 100; /* a tenth is read: ten times as many, at most 1/64 and 16 more */
    const int64_t predicted = fathom_text_predict(&text, 50);
    assert_true(predicted >= 500 && predicted <= 500 + 500 / 64 + 16);
    closes(&text, bytes);
}

/* A record without end: refused at the limit, not when memory is full. */
static void endless(void **state)
{
    (void)state;
    enum { SIZE = (1 << 28) + 1 };
    char *data = calloc(SIZE, 1); /* pages that are never written cost nothing */
    assert_non_null(data);
    fathom_bytes *bytes;
    fathom_text text = opens(&bytes, data, SIZE);
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && !text.last)
        status = fathom_text_more(&text);
    assert_int_equal(status, FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(context)->text, "line end within"));
    closes(&text, bytes);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_and_grows),
        cmocka_unit_test(positions),
        cmocka_unit_test(predictions),
        cmocka_unit_test(endless),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
