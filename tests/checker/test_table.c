/* SPDX-License-Identifier: Apache-2.0 */
/* CSV, LIBSVM and NPY: what is read is what is there; what is not plain is refused with its place. */
#include <math.h>

#include "checking.h"

#define ZERO NO_GATES "claim zero\npairs 1 0 1 1\nend\n"
static const variation same = {"", "", 0, NULL};

/* The first word of the table is 0 or 1 header lines; 2 rows and a column are left. */
static void csv(const char *data, const char *table, int code, const char *message)
{
    char text[400];
    snprintf(text, sizeof text, " %s\n" PLAIN("2", "1", "none") ZERO, table);
    const base b = {"csv", data, 0, NULL, 0, text};
    const variation v = {"", "", code, message};
    assert_true(vary_within(&b, &v, &check_limits));
}

static void test_csv(void **state)
{
    (void)state;
    csv("1,1\n2,-1\n", "0 1 -1", 0, NULL);
    csv("1,1\n2,-1", "0 1 -1", 0, NULL);
    csv("x,y\n 1 ,\t1\r\n2,-1\n\n \n", "1 1 -1", 0, NULL);
    csv("1,1,0.5\n2,-1,3\n", "0 1 2", 0, NULL);
    csv("1,1,0\n2,-1,3\n", "0 1 2", 5, "the weight of a row");
    csv("1,1\n2,-1\n", "1 1 -1", 4, "not a header");
    csv("x,y\n", "1 1 -1", 4, "not a header");
    csv("1,1\n2,-1\n", "2 1 -1", 4, "not among the words");
    csv("1,1\n2,-1\n", "0 2 -1", 4, "integer from 0 to 1");
    csv("1,1\n2,-1\n", "0 1 1", 4, "no weights");
    csv("1,1\n2,-1\n", "0 1 -1 0", 4, "should have ended");
    csv("1,1\n\"2\",-1\n", "0 1 -1", 5, "quotes");
    csv("1,1\n2\n", "0 1 -1", 5, "row 1 (from 0) of the data has too few");
    csv("1,1\n2,-1,3\n", "0 1 -1", 5, "too many");
    csv("1,1\nb,-1\n", "0 1 -1", 5, "row 1 (from 0), field 0");
    csv("1,1\n,-1\n", "0 1 -1", 5, "field 0");
    csv("1,1\n1e999,-1\n", "0 1 -1", 5, "field 0");
    csv("1,1\ninf,-1\n", "0 1 -1", 5, "field 0");
    csv("1,1\n0x1,-1\n", "0 1 -1", 5, "field 0");
    csv("1\n2\n", "0 0 -1", 5, "2 rows and 0 columns");
    csv(" \n", "0 0 -1", 5, "0 columns");
    csv("1,1\n2,-1\n3,1\n", "0 1 -1", 0, NULL); /* the first two rows are kept */
    csv("1,1\n", "0 1 -1", 4, "integer");
    csv("1,1\n2,-1\n", "0 1 -2", 4, "integer from -1 to 1");
    csv("1,1\n2,-1\n", "0 -1 -1", 4, "integer from 0 to 1");
    csv("1,1\n2,-1\n", "0 1", 4, "more words");
    const base zeros = {"csv", "1,1\n2,\0-1\n", 10, NULL, 0, " 0 1 -1\n"};
    const variation zero = {"", "", 5, "a zero byte"};
    assert_true(vary_within(&zeros, &zero, &check_limits));
}

static void libsvm(const char *data, const char *table, int code, const char *message)
{
    char text[400];
    snprintf(text, sizeof text, " %s\n" PLAIN("2", "3", "none") ZERO, table);
    const base b = {"libsvm", data, 0, NULL, 0, text};
    const variation v = {"", "", code, message};
    assert_true(vary_within(&b, &v, &check_limits));
}

static void test_libsvm(void **state)
{
    (void)state;
    libsvm("1 1:1 3:-2\n-1 1:2 3:-4\n", "3", 0, NULL);
    libsvm("# head\n+1 \t1:1 2:-2.5e-1 # end\r\n\n-1 1:2 2:-.5", "3", 0, NULL);
    libsvm("1\n-1 3:1\n", "3", 4, "points 0 and 1");
    libsvm("1 4:1\n-1 3:1\n", "3", 5, "'4:1' is not index:value, ascending up to 3");
    libsvm("1 4:1\n-1 3:1\n", "0", 4, "integer");
    libsvm("a 1:1\n-1 3:1\n", "3", 5, "row 0 (from 0) of the data: 'a'");
    libsvm("1 1:1\n-1 3:x\n", "3", 5, "row 1");
    libsvm("1 0:1\n-1 3:1\n", "3", 5, "'0:1'");
    libsvm("1 2:1 2:1\n-1 3:1\n", "3", 5, "'2:1'");
    libsvm("1 :1\n-1 3:1\n", "3", 5, "':1'");
    libsvm("1 1-1\n-1 3:1\n", "3", 5, "'1-1'");
    libsvm("1 99999999999999999999:1\n-1 3:1\n", "3", 5, "999");
    libsvm("# nothing\n", "3", 5, "no rows");
    libsvm("1 1:1\n-1 2147483647:1\n", "2147483647", 6, "memory");
}

/* An NPY file: version 1 or 2, this header, these numbers, whose width is the digit of their type. */
static int64_t npy(char *out, int version, const char *header, const void *numbers, size_t size)
{
    const size_t digit = strcspn(header, "1248"), number = header[digit] ? (size_t)(header[digit] - '0') : 1;
    const size_t length = strlen(header), wide = version == 1 ? 2 : 4;
    memcpy(out, "\x93NUMPY\x01\x00\x00\x00\x00\x00", 12);
    out[6] = (char)version;
    out[8] = (char)length;
    memcpy(out + 8 + wide, header, length);
    put_little_endian(out + 8 + wide + length, numbers, size, number);
    return (int64_t)(8 + wide + length + size);
}

#define HEADER(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"
#define NPY_TEXT "\n" PLAIN("2", "2", "none") ZERO

static void test_npy_kinds(void **state)
{
    (void)state;
    static const double eight[] = {1, -1, 2, -2}, turned[] = {1, 2, -1, -2};
    static const float four[] = {1, -1, 2, -2};
    static const int64_t long_integers[] = {1, -1, 2, -2};
    static const int16_t integers[] = {1, -1, 2, -2};
    static const uint8_t bytes[] = {1, 0, 1, 0};
    static const int8_t labels[] = {1, -1};
    static const struct {
        int version;
        const char *header;
        const void *bytes;
        size_t size;
    } kinds[] = {{1, HEADER("<f8", "False", "(2, 2)"), eight, sizeof eight},
                 {2, HEADER("<f8", "True", "(2,2)"), turned, sizeof turned},
                 {1, HEADER("<f4", "False", "(2, 2)"), four, sizeof four},
                 {1, HEADER("<i8", "False", "(2, 2)"), long_integers, sizeof long_integers},
                 {1, HEADER("<i2", "False", "(2, 2)"), integers, sizeof integers},
                 {1, HEADER("|b1", "False", "(2, 2)"), bytes, sizeof bytes},
                 {1, HEADER("|u1", "False", "(2, 2)"), bytes, sizeof bytes}};
    char data[300], other[300];
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int64_t size = npy(data, kinds[k].version, kinds[k].header, kinds[k].bytes, kinds[k].size);
        const int64_t more = npy(other, 1, HEADER("|i1", "False", "(2,)"), labels, sizeof labels);
        const base b = {"npy", data, size, other, more, NPY_TEXT};
        assert_true(vary_within(&b, &same, &check_limits));
    }
}

static void test_npy_refused(void **state)
{
    (void)state;
    static const double values[] = {1, -1, 2, -2}, odd[] = {1, -1, 2, INFINITY};
    static const struct {
        int version;
        const char *header, *message;
    } bad[] = {
        {3, HEADER("<f8", "False", "(2, 2)"), "version"},
        {1, HEADER(">f8", "False", "(2, 2)"), "other than"},
        {1, HEADER("<f2", "False", "(2, 2)"), "other than"},
        {1, HEADER("<f", "False", "(2, 2)"), "other than"},
        {1, HEADER("<c8", "False", "(2, 2)"), "other than"},
        {1, HEADER("<f8", "False", "()"), "other than"},
        {1, HEADER("<f8", "False", "(2, 2, 1)"), "other than"},
        {1, HEADER("<f8", "False", "(3, 2)"), "size"},
        {1, HEADER("<f8", "False", "(1, 2)"), "size"},
        {1, HEADER("<f8", "False", "(0, 2)"), "size"},
        {1, HEADER("<f8", "False", "(2, -2)"), "size"},
        {1, HEADER("<f8", "False", "(2, 0)"), "size"},
        {1, HEADER("<f8", "False", "(-2, -2)"), "size"},
        {1, HEADER("<f8", "False", "(1263665316, 1824726041)"), "size"}, /* 2^64 + 32 bytes */
        {1, HEADER("<f8", "Yes", "(2, 2)"), "other than"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'fortran_order': True}", "once"},
        {1, "{'descr': '<f8', 'shape': (2, 2), 'fortran_order' : True}", "once"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), \"shape\": (1, 4)}", "once"},
        {1, "{}", "once"}};
    char data[300];
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        const int64_t size = npy(data, bad[k].version, bad[k].header, values, sizeof values);
        const base b = {"npy", data, size, data, size, NPY_TEXT};
        const variation v = {"", "", 5, bad[k].message};
        assert_true(vary_within(&b, &v, &check_limits));
    }
    const int64_t size = npy(data, 1, HEADER("<f8", "False", "(2, 2)"), odd, sizeof odd);
    const base infinite = {"npy", data, size, data, size, NPY_TEXT},
               few = {"npy", data, 11, data, 11, NPY_TEXT};
    const base cut = {"npy", data, 40, data, 40, NPY_TEXT};
    const variation not_finite = {"", "", 5, "row 1 (from 0) of the NPY file is not finite"},
                    short_one = {"", "", 5, "version"}, not_whole = {"", "", 5, "not whole"};
    assert_true(vary_within(&infinite, &not_finite, &check_limits));
    assert_true(vary_within(&few, &short_one, &check_limits));
    assert_true(vary_within(&cut, &not_whole, &check_limits));
    char none[300];
    const int64_t only = npy(none, 1, HEADER("<f8", "False", "(0, 2)"), odd, 0);
    const base rowless = {"npy", none, only, none, only, NPY_TEXT};
    const variation no_rows = {"", "", 5, "size"};
    assert_true(vary_within(&rowless, &no_rows, &check_limits));
    data[0] = 'x';
    const base other = {"npy", data, size, data, size, NPY_TEXT};
    assert_true(vary_within(&other, &short_one, &check_limits));
}

static void test_npy_labels(void **state)
{
    (void)state;
    static const double values[] = {1, -1, 2, -2};
    char data[300], three[300], hex[65], text[400];
    const int64_t size = npy(data, 1, HEADER("<f8", "False", "(2, 2)"), values, sizeof values);
    const int64_t other = npy(three, 1, HEADER("<f8", "False", "(3,)"), values, 24);
    const base b = {"npy", data, size, three, other, NPY_TEXT};
    const variation v = {"", "", 5, "3 labels for 2 rows"}, missing = {"", "", 4, "--labels FILE is needed"};
    assert_true(vary_within(&b, &v, &check_limits));
    check_sha256(hex, (unsigned char *)three, other);
    snprintf(text, sizeof text, " %s" NPY_TEXT, hex);
    const base without = {"npy", data, size, NULL, 0, text};
    assert_true(vary_within(&without, &missing, &check_limits));
    const base wrong = {"npy", data, size, three, other, "0" NPY_TEXT}; /* a hash with a digit more */
    const variation not_same = {"", "", 4, "not about this file of labels"};
    assert_true(vary_within(&wrong, &not_same, &check_limits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_libsvm),
                                       cmocka_unit_test(test_npy_kinds), cmocka_unit_test(test_npy_refused),
                                       cmocka_unit_test(test_npy_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
