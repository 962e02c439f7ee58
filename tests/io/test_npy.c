/* SPDX-License-Identifier: Apache-2.0 */
/* NPY: every element type, both orders of indices and bytes, all versions, hostile headers. */
#include "io_testing.h"

#include "array.h"
#include "npy_internal.h"

/* An NPY file from its parts. */
static size_t make(unsigned char *out, int version, const char *header, const void *data, size_t size)
{
    const size_t length = strlen(header);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    for (int k = 0; k < 4; k++)
        out[8 + k] = (unsigned char)(length >> (8 * k));
    const size_t start = version == 1 ? 10 : 12;
    memcpy(out + start, header, length);
    memcpy(out + start + length, data, size);
    return start + length + size;
}

static fathom_status try_read(fathom_array *array, const unsigned char *file, size_t size)
{
    fathom_bytes *bytes;
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, file, size, "file.npy"));
    const fathom_status status = fathom_npy_read(array, bytes);
    fathom_bytes_close(bytes);
    return status;
}

/* The type of the doubles of this machine. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE "'>f8'"
#else
#define NATIVE "'<f8'"
#endif

static void types(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *data;
        size_t size;
        double values[2];
    } cases[] = {
        {"<f8", "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0", 16, {1.5, -2}},
        {">f8", "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16, {1.5, -2}},
        {"<f4", "\0\0\xc0\x3f\0\0\0\xc0", 8, {1.5, -2}},
        {">f4", "\x3f\xc0\0\0\xc0\0\0\0", 8, {1.5, -2}},
        {"|i1", "\x05\xfe", 2, {5, -2}},
        {"|u1", "\x05\xfe", 2, {5, 254}},
        {"<i2", "\x05\0\xfe\xff", 4, {5, -2}},
        {">u2", "\0\x05\xff\xfe", 4, {5, 65534}},
        {"<i4", "\x05\0\0\0\xfe\xff\xff\xff", 8, {5, -2}},
        {"<u4", "\x05\0\0\0\xfe\xff\xff\xff", 8, {5, 4294967294.0}},
        {"<i8", "\x05\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16, {5, -2}},
        {">i8", "\0\0\0\0\0\0\0\x05\xff\xff\xff\xff\xff\xff\xff\xfe", 16, {5, -2}},
        {"<u8", "\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16, {5, 9223372036854775808.0}},
        {"|b1", "\0\x01", 2, {0, 1}},
        {"?", "\x01\0", 2, {1, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int version = 1; version <= 3; version++) {
            unsigned char file[256];
            char header[128];
            fathom_array array;
            snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }  \n",
                     cases[k].descr);
            const size_t size = make(file, version, header, cases[k].data, cases[k].size);
            assert_ok(context, try_read(&array, file, size));
            assert_true(array.rank == 1 && array.count == 2);
            assert_true(array.values[0] == cases[k].values[0] && array.values[1] == cases[k].values[1]);
            fathom_array_free(context, &array);
            assert_int_equal(try_read(&array, file, size - 1), FATHOM_ERROR_INPUT);
            assert_int_equal(try_read(&array, file, size + 1), FATHOM_ERROR_INPUT);
        }
}

/* 2 x 3 x 4: the value at (i, j, k) is 100 i + 10 j + k, in either order of the file. */
static void orders(void **state)
{
    (void)state;
    for (int fortran = 0; fortran < 2; fortran++) {
        double data[24];
        unsigned char file[512];
        fathom_array array;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 4; k++)
                    data[fortran ? i + 2 * j + 6 * k : 12 * i + 4 * j + k] = 100 * i + 10 * j + k;
        const size_t size =
            make(file, 1,
                 fortran ? "{'shape': (2, 3, 4), 'fortran_order': True, 'descr': " NATIVE "}"
                         : "{'shape': (2, 3, 4), 'fortran_order': False, 'descr': " NATIVE "}",
                 data, sizeof data);
        assert_ok(context, try_read(&array, file, size));
        for (int e = 0; e < 24; e++)
            assert_true(array.values[e] == 100 * (e / 12) + 10 * (e / 4 % 3) + e % 4);
        fathom_array_free(context, &array);
    }
}

static void hostile(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "",
        "{}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3, }",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f99999999999999999999', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<u5', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|b2', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'shape': (1,), }",
        "{'descr' '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '}",
        "{'descr': '<f8",
    };
    unsigned char file[512], tiny[12];
    fathom_array array;
    const double one = 1;
    for (size_t k = 0; k < sizeof headers / sizeof headers[0]; k++) {
        const size_t size = make(file, 1, headers[k], &one, sizeof one);
        assert_int_equal(try_read(&array, file, size), FATHOM_ERROR_INPUT);
        assert_null(array.values);
        assert_string_equal(fathom_context_error(context)->file, "file.npy");
    }
    memcpy(tiny, "\x93NUMPY\x02\0\xff\xff\xff\xff", 12);
    for (size_t size = 0; size <= 12; size++)
        assert_int_equal(try_read(&array, tiny, size), FATHOM_ERROR_INPUT);
    tiny[6] = 0;
    assert_int_equal(try_read(&array, tiny, 12), FATHOM_ERROR_INPUT);
    tiny[6] = 9;
    assert_int_equal(try_read(&array, tiny, 12), FATHOM_ERROR_INPUT);
}

/* An empty array has no size that could overflow a product of sizes, wherever its zero stands, in either order. */
static void empty_and_large(void **state)
{
    (void)state;
    static const char *const large[] = {"281474976710656", "4294967296", "3037000500"};
    unsigned char file[512];
    char header[160];
    fathom_array array;
    for (int place = 0; place < 3; place++)
        for (int order = 0; order < 2; order++) {
            for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
                snprintf(header, sizeof header,
                         "{'descr': '<f8', 'fortran_order': %s, 'shape': (%s, %s, %s)}",
                         order ? "True" : "False", place == 0 ? "0" : large[k], place == 1 ? "0" : large[k],
                         place == 2 ? "0" : large[k]);
                const size_t size = make(file, 1, header, "", 0);
                assert_int_equal(try_read(&array, file, size), FATHOM_ERROR_INPUT);
            }
            snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d, %d)}",
                     order ? "True" : "False", place == 0 ? 0 : 70000, place == 1 ? 0 : 70000,
                     place == 2 ? 0 : 70000);
            const size_t size = make(file, 1, header, "", 0);
            assert_ok(context, try_read(&array, file, size));
            assert_int_equal(array.count, 0);
            fathom_array_free(context, &array);
        }
}

static void tables(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {7, 8, 9}, two[] = {1, 0, 0, 1, 1, 0}, bad[] = {1, NAN, 3};
    unsigned char file[512];
    size_t size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': False, 'shape': (3,)}", y, sizeof y);
    const char *vector = scratch_file(".y.npy", file, size);
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': False, 'shape': (3, 2)}", two, sizeof two);
    const char *matrix = scratch_file(".yy.npy", file, size);
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ".npy", file, size, &(fathom_table_request){.labels = vector}));
    assert_true(table->n == 3 && table->d == 2 && table->outputs == 1);
    assert_memory_equal(table->x, two, sizeof two);
    assert_memory_equal(table->y, y, sizeof y);
    fathom_table_free(context, table);
    assert_ok(context, read_bytes_as(&table, ".npy", file, size, &(fathom_table_request){.labels = matrix}));
    assert_int_equal(table->outputs, 2);
    assert_memory_equal(table->y, two, sizeof two);
    fathom_table_free(context, table);
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': False, 'shape': (2, 3)}", x, sizeof x);
    refuses_bytes(".npy", file, size, &(fathom_table_request){.labels = vector}, 0, 0, "labels for 2 rows");
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': False, 'shape': (1, 3)}", bad, sizeof bad);
    refuses_bytes(".npy", file, size, &(fathom_table_request){.labels = NULL}, 0, 0, "row 0, column 1");
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': False, 'shape': (0, 3)}", x, 0);
    refuses_bytes(".npy", file, size, &(fathom_table_request){.labels = NULL}, 0, 0, "non-empty");
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': True, 'shape': (3L,)}", bad, sizeof bad);
    const char *odd = scratch_file(".bad.npy", file, size);
    size = make(file, 1, "{'descr': " NATIVE ", 'fortran_order': True, 'shape': (3L,)}", y, sizeof y);
    refuses_bytes(".npy", file, size, &(fathom_table_request){.labels = odd}, 0, 0, "row 1, column 0");
    assert_ok(context, read_bytes_as(&table, ".npy", file, size, &(fathom_table_request){.labels = vector}));
    assert_true(table->n == 3 && table->d == 1 && table->x[2] == 9);
    fathom_table_free(context, table);
    unlink(odd);
    unlink(vector);
    unlink(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),           cmocka_unit_test(orders), cmocka_unit_test(hostile),
        cmocka_unit_test(empty_and_large), cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
