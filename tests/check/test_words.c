/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, words and numbers of a certificate, its frame, and its memory. */
#include "checking.h"

static const base frame = {
    "csv",
    "1,1\n2,-1\n",
    0,
    NULL,
    0,
    "table 0 1 -1\nrows all\nclasses all\nnormalize none\nbias none\nshape 2 1\ngates none\n"
    "claim zero\ncombination ray 0 1\nclaim zero\ncombination ray 0 1\nend\n"};

static void test_frame(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"table 0", "tables 0", 4, "line 3: 'table' was expected"},
        {"table 0 1 -1\n", "", 4, "line 3: 'table'"},
        {"rows all", "rows", 4, "line 4: more words"},
        {"rows all", "rows ", 4, "line 4: one space"},
        {"rows all", "rows  all", 4, "line 4: one space"},
        {"rows all", "rows none", 4, "line 4: 'none' is not among"},
        {"rows all", "rows al", 4, "line 4: 'al' is not among"},
        {"rows all", "rows xyz", 4, "line 4: 'xyz' is not among"},
        {"rows all", "rows all all", 4, "line 4: the line should have ended"},
        {"shape 2 1", "shape 2 x", 4, "line 8: an integer"},
        {"shape 2 1", "shape 2 1x", 4, "line 8: an integer"},
        {"shape 2 1", "shape 2 -", 4, "line 8: an integer"},
        {"shape 2 1", "shape 2 -1", 4, "line 8: an integer"},
        {"shape 2 1", "shape 2 99999999999999999999", 4, "line 8: an integer"},
        {"shape 2 1", "shape 3 1", 4, "line 8: an integer from 2 to 2"},
        {"claim zero", "claim nothing", 4, "line 10: 'nothing'"},
        {"end\n", "", 4, "line 14: 'end' was expected"},
        {"end\n", "end", 4, "last line is whole"},
        {"end\n", "end\nend\n", 4, "nothing should follow"},
        {"end\n", "end 1\n", 4, "the line should have ended"},
    };
    VARY(&frame, list);
}

static void test_bytes(void **state)
{
    (void)state;
    static check c;
    const inputs empty = {"", "1,1\n", NULL, 0, 4, 0},
                 zero = {"fathom\0-certificate 1\n", "1,1\n", NULL, 22, 4, 0};
    const inputs other = {"fathom-certificate 1\ndata csv 12\n", "1,1\n", NULL, 33, 4, 0};
    assert_int_equal(check_run(&c, &empty, NULL, &check_limits), 4);
    assert_int_equal(check_run(&c, &zero, NULL, &check_limits), 4);
    assert_int_equal(check_run(&c, &other, NULL, &check_limits), 4);
    assert_non_null(strstr(c.message, "is not about this data"));
}

/* Claims are printed where that is asked for. */
static void test_print(void **state)
{
    (void)state;
    static check c;
    const variation same = {"", "", 0, NULL};
    char line[100] = "", *text = text_with(&frame, &same);
    const inputs in = {text, frame.data, NULL, (int64_t)strlen(text), (int64_t)strlen(frame.data), 0};
    FILE *out = tmpfile();
    assert_int_equal(check_run(&c, &in, out, &check_limits), 0);
    assert_int_equal(c.verdict.claims, 2);
    rewind(out);
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, "accepted upper=0 lower=0 gap=0\n");
    fclose(out);
    free(text);
}

#define TRAIN(number)                                                                                      \
    "table 0 1 -1\nrows all\nclasses all\nnormalize none\nbias none\nshape 2 1\ngates none\nclaim train\n" \
    "model relu\nloss squared\nscale sum\nbeta 1\nbound none\nupper " number                               \
    "\nlower 0\nnetwork 0\nconstant 0\nevidence none\nend\n"

static void test_numbers(void **state)
{
    (void)state;
    static const base b = {"csv", "1,1\n2,-1\n", 0, NULL, 0, TRAIN("1")}; /* the objective is 1 */
    static const variation list[] = {
        {"upper 1", "upper 1", 0, NULL},
        {"upper 1", "upper 1p0", 0, NULL},
        {"upper 1", "upper 8p-3", 0, NULL},
        {"upper 1", "upper 7fffffffffffffffp4000", 0, NULL},
        {"upper 1", "upper ffffffffffffp-48", 4, "line 16: the network's objective"},
        {"upper 1", "upper -1", 4, "line 16: the network's objective"},
        {"upper 1", "upper 8000000000000000", 4, "is not a number"},
        {"upper 1", "upper 11111111111111111", 4, "is not a number"},
        {"upper 1", "upper p1", 4, "is not a number"},
        {"upper 1", "upper 1p", 4, "is not a number"},
        {"upper 1", "upper 1p-", 4, "is not a number"},
        {"upper 1", "upper 1p--1", 4, "is not a number"},
        {"upper 1", "upper 1p4001", 4, "is not a number"},
        {"upper 1", "upper 1p-4001", 4, "is not a number"},
        {"upper 1", "upper 1p00001", 4, "is not a number"},
        {"upper 1", "upper 1p1x", 4, "is not a number"},
        {"upper 1", "upper 1-1", 4, "is not a number"},
        {"upper 1", "upper 15", 0, NULL},
        {"upper 1", "upper 1.5", 4, "is not a number"},
        {"upper 1", "upper inf", 4, "is not a number"},
        {"upper 1", "upper", 4, "1 numbers were expected"},
        {"upper 1", "upper ", 4, "1 numbers"},
    };
    VARY(&b, list);
}

/* Every ceiling on the memory, from none up: code 6 with nothing left behind, and in the end acceptance. */
static void test_ceiling(void **state)
{
    (void)state;
    static check c;
    const variation same = {"", "", 0, NULL};
    char *text = text_with(&frame, &same);
    const inputs in = {text, frame.data, NULL, (int64_t)strlen(text), (int64_t)strlen(frame.data), 0};
    limits most = {0, 0};
    while (check_run(&c, &in, NULL, &most) == 6 && most.bytes < 1 << 20) {
        assert_non_null(strstr(c.message, "memory would be needed"));
        assert_null(c.blocks);
        most.bytes += 8;
    }
    assert_int_equal(c.code, 0);
    assert_true(most.bytes > 100);
    free(text);
}

/* The libraries' requests: a null block freed and resized, shrunk and grown. */
static void test_libraries(void **state)
{
    (void)state;
    static const limits most = {1000, 0};
    static check c;
    void *(*alloc)(size_t), *(*resize)(void *, size_t, size_t);
    void (*release)(void *, size_t);
    memset(&c, 0, sizeof c);
    c.limits = &most;
    check_open(&c);
    mp_get_memory_functions(&alloc, &resize, &release);
    char *block = flint_realloc(NULL, 8);
    block[7] = 7;
    block = resize(block, 8, 16);
    assert_int_equal(block[7], 7);
    block = flint_realloc(block, 8);
    char *other = alloc(4), *third = flint_calloc(2, 2);
    assert_int_equal(c.bytes, 16);
    release(block, 8); /* the oldest, the newest, the last */
    flint_free(third);
    flint_free(NULL);
    flint_free(other);
    assert_int_equal(c.bytes, 0);
    check_close(&c);
}

static void test_hash(void **state)
{
    (void)state;
    char hex[65], text[200];
    check_sha256(hex, (const unsigned char *)"abc", 3); /* [FIPS 180-4, examples] */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_sha256(hex, (const unsigned char *)"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(text, 'a', sizeof text);
    check_sha256(hex, (unsigned char *)text, 128);
    assert_string_equal(hex, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame),   cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_print),   cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_ceiling), cmocka_unit_test(test_libraries),
                                       cmocka_unit_test(test_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
