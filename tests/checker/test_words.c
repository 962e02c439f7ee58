/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, words and numbers of a certificate, its frame, and its memory. */
#include "checking.h"

static const base frame = {"csv",
                           "1,1\n2,-1\n",
                           0,
                           NULL,
                           0,
                           " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                           "claim zero\npairs 1 0 1 1\nclaim zero\npairs 1 0 1 1\nend\n"};

static void test_frame(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {" 0 1 -1", "", 4, "line 2: more words"},
        {" 0 1 -1\n", " ", 4, "line 2: "},
        {"rows", "rowss", 4, "line 3: 'rows' was expected"},
        {"rows", "row", 4, "line 3: 'rows' was expected"},
        {"rows 1 0 2\n", "", 4, "line 3: 'rows'"},
        {"rows 1 0 2", "rows", 4, "line 3: more words"},
        {"rows 1 0 2", "rows ", 4, "line 3: one space"},
        {"rows 1 0 2", "rows  1 0 2", 4, "line 3: one space"},
        {"rows 1 0 2", "rows 1 0  2", 4, "line 3: one space"},
        {"rows 1 0 2", "rows 1 -0 2", 4, "line 3: an integer"},
        {" 0 1 -1", " 0 1 -", 4, "line 2: an integer"},
        {" 0 1 -1", " 0 1 --1", 4, "line 2: an integer"},
        {"rows 1 0 2", "rows 1 0 2 ", 4, "line 3: the line should have ended"},
        {"rows 1 0 2", "rows 1 0 2 2", 4, "line 3: the line should have ended"},
        {"classes none", "classes", 4, "line 4: more words"},
        {"classes none", "classes all", 4, "line 4: 'all' is not among"},
        {"classes none", "classes non", 4, "line 4: 'non' is not among"},
        {"classes none", "classes nones", 4, "line 4: 'nones' is not among"},
        {"classes none", "classes none none", 4, "line 4: the line should have ended"},
        {"none 2 1", "none 2 x", 4, "line 5: an integer"},
        {"none 2 1", "none 2 1x", 4, "line 5: an integer"},
        {"none 2 1", "none 2 -", 4, "line 5: an integer"},
        {"none 2 1", "none 2 -1", 4, "line 5: an integer"},
        {"none 2 1", "none 2 99999999999999999999", 4, "line 5: an integer"},
        {"none 2 1", "none 3 1", 4, "line 5: an integer from 2 to 2"},
        {"none 2 1", "none 2 2", 4, "line 5: an integer from 1 to 1"},
        {"steps none none", "steps none", 4, "line 5: '2' is not among"},
        {"claim zero", "claim nothing", 4, "line 7: 'nothing'"},
        {"claim zero", "claim global", 4, "line 7: 'global'"},
        {"end\n", "", 4, "line 11: 'end' was expected"},
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
                 zero = {"fathom\0-certificate 2\n", "1,1\n", NULL, 22, 4, 0};
    const inputs older = {"fathom-certificate 1\ndata csv 12\n", "1,1\n", NULL, 33, 4, 0},
                 other = {"fathom-certificate 2\ndata csv 12 0 1 -1\n", "1,1\n", NULL, 40, 4, 0};
    assert_int_equal(check_run(&c, &empty, NULL, &check_limits), 4);
    assert_int_equal(check_run(&c, &zero, NULL, &check_limits), 4);
    const variation same = {"", "", 0, NULL}; /* what is behind a zero byte would not be seen */
    char *text = text_with(&frame, &same);
    const size_t length = strlen(text);
    char *longer = calloc(length + 10, 1);
    memcpy(longer, text, length);
    memcpy(longer + length, "\0more\n", 6);
    const inputs hidden = {longer, frame.data, NULL, (int64_t)length + 6, (int64_t)strlen(frame.data), 0};
    assert_int_equal(check_run(&c, &hidden, NULL, &check_limits), 4);
    assert_non_null(strstr(c.message, "last line is whole"));
    free(longer);
    free(text);
    assert_int_equal(check_run(&c, &older, NULL, &check_limits), 4);
    assert_non_null(strstr(c.message, "line 1: this program reads format 2"));
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
    const question asked = {.out = out};
    assert_int_equal(check_run(&c, &in, &asked, &check_limits), 0);
    assert_int_equal(c.verdict.claims, 2);
    rewind(out);
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, "accepted upper=0 lower=0 gap=0 claims=2\n");
    fclose(out);
    free(text);
}

static void test_numbers(void **state)
{
    (void)state;
    static const base b = {"csv",
                           "1,1\n2,-1\n",
                           0,
                           NULL,
                           0,
                           " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                           "claim train\nproblem relu squared 1 1\nbound none 1 0\n"
                           "network 0\nconstant 0\nend\n"}; /* the objective is 1 */
#define LONG "123456789abcdef0123456789abcdef"              /* 31 digits */
    static const variation list[] = {
        {"none 1 0", "none 1 0", 0, NULL},
        {"none 1 0", "none 1p0 -0", 0, NULL},
        {"none 1 0", "none 8p-3 0", 0, NULL},
        {"none 1 0", "none 7fffffffffffffffp4000 0", 0, NULL},
        {"none 1 0", "none 8000000000000000 0", 0, NULL},
        {"none 1 0", "none ffffffffffffffffp-63 0", 0, NULL},
        {"none 1 0", "none " LONG "p-120 0", 0, NULL}, /* 1.13 */
        {"none 1 0", "none " LONG "p-121 0", 4, "line 9: the network's objective"},
        {"none 1 0", "none 1000000000000000000000000000000000000p-144 0", 0, NULL},
        {"none 1 0", "none fffffffffffffffffffffffffffffffffffffp-148 0", 4, "the network's objective"},
        {"none 1 0", "none 0000000000000000000000000000000000000001p0 0", 0, NULL},
        {"none 1 0", "none 1 -" LONG, 0, NULL},
        {"none 1 0", "none 1 " LONG "p-4000", 4, "line 9: the bound is 0, below"},
        {"none 1 0", "none ffffffffffffp-48 0", 4, "line 9: the network's objective"},
        {"none 1 0", "none -1 0", 4, "line 9: the network's objective"},
        {"none 1 0", "none p1 0", 4, "is not a number"},
        {"none 1 0", "none - 0", 4, "is not a number"},
        {"none 1 0", "none -p1 0", 4, "is not a number"},
        {"none 1 0", "none --1 0", 4, "is not a number"},
        {"none 1 0", "none +1 0", 4, "is not a number"},
        {"none 1 0", "none 0x1 0", 4, "is not a number"},
        {"none 1 0", "none 1p 0", 4, "is not a number"},
        {"none 1 0", "none 1p- 0", 4, "is not a number"},
        {"none 1 0", "none 1p--1 0", 4, "is not a number"},
        {"none 1 0", "none 1p+1 0", 4, "is not a number"},
        {"none 1 0", "none 1pa 0", 4, "is not a number"},
        {"none 1 0", "none 1p1p1 0", 4, "is not a number"},
        {"none 1 0", "none 1p4000 0", 0, NULL},
        {"none 1 0", "none 1p4001 0", 4, "is not a number"},
        {"none 1 0", "none 1 -1p-4000", 0, NULL},
        {"none 1 0", "none 1 -1p-4001", 4, "is not a number"},
        {"none 1 0", "none 1p99999999999999999999 0", 4, "is not a number"},
        {"none 1 0", "none 1p18446744073709551616 0", 4, "is not a number"}, /* 2^64 */
        {"none 1 0", "none 1p1x 0", 4, "is not a number"},
        {"none 1 0", "none 1-1 0", 4, "is not a number"},
        {"none 1 0", "none 1A 0", 4, "is not a number"},
        {"none 1 0", "none 15 0", 0, NULL},
        {"none 1 0", "none 1.5 0", 4, "is not a number"},
        {"none 1 0", "none inf 0", 4, "is not a number"},
        {"none 1 0", "none", 4, "2 numbers were expected"},
        {"none 1 0", "none ", 4, "2 numbers"},
        {"none 1 0", "none 1", 4, "2 numbers"},
        {"none 1 0", "none 1 0 0", 4, "should have ended"},
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
    limits most = {0, 0, 0};
    while (check_run(&c, &in, NULL, &most) == 6 && most.bytes < 1 << 20) {
        assert_non_null(strstr(c.message, "memory would be needed"));
        assert_null(c.blocks);
        most.bytes += 8 + most.bytes / 128; /* FLINT 3 asks for more at once than FLINT 2 */
    }
    assert_int_equal(c.code, 0);
    assert_true(most.bytes > 100);
    free(text);
}

/* The libraries' requests: a null block freed and resized, shrunk and grown. */
static void test_libraries(void **state)
{
    (void)state;
    static const limits most = {1000, 0, 0};
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
