/* SPDX-License-Identifier: Apache-2.0 */
/* NPZ: what is written reads back bit for bit, twice the same bytes; NumPy's own files; broken archives. */
#include "io_testing.h"

#include <zlib.h>

#include "npz.h"
#include "npz_internal.h"
#include "random.h"

static size_t load(unsigned char *data, size_t room, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, room, file);
    fclose(file);
    return size;
}

static fathom_status write_sample(fathom_context *c, const char *path)
{
    enum { ROWS = 5, COLUMNS = 3, LD = 4 };
    double values[ROWS * LD];
    for (int k = 0; k < ROWS * LD; k++)
        values[k] = fathom_random_normal(1, FATHOM_STREAM_SAMPLE, 0, (uint64_t)k);
    const char *const classes[] = {"red", "", "gr\xc3\xbcn\xf0\x9f\x8d\x8f"};
    fathom_npz_writer *writer;
    const fathom_status status = fathom_npz_create(&writer, c, path);
    if (status != FATHOM_OK)
        return status;
    fathom_npz_add(writer, "U", values, 2, (int64_t[]){ROWS, COLUMNS}, LD);
    fathom_npz_add(writer, "b", values, 1, (int64_t[]){7}, 7);
    fathom_npz_add(writer, "rho", values, 0, NULL, 1);
    fathom_npz_add(writer, "empty", values, 2, (int64_t[]){0, 3}, 3);
    fathom_npz_add_texts(writer, "classes", classes, 3);
    fathom_npz_add_text(writer, "kind", "relu");
    return fathom_npz_commit(writer);
}

static void round_trip(void **state)
{
    (void)state;
    const char *path = scratch_path(".npz");
    unsigned char first[8192], second[8192];
    assert_ok(context, write_sample(context, path));
    const size_t size = load(first, sizeof first, path);
    assert_ok(context, write_sample(context, path));
    assert_int_equal(load(second, sizeof second, path), size);
    assert_memory_equal(first, second, size);

    fathom_npz *npz;
    fathom_array array;
    char **texts;
    int64_t count;
    assert_ok(context, fathom_npz_open(&npz, context, path));
    unlink(path);
    assert_true(fathom_npz_has(npz, "U") && !fathom_npz_has(npz, "u") && !fathom_npz_has(npz, "U.npy"));
    assert_ok(context, fathom_npz_get(&array, npz, "U"));
    assert_true(array.rank == 2 && array.shape[0] == 5 && array.shape[1] == 3);
    for (int k = 0; k < 15; k++)
        assert_true(array.values[k] ==
                    fathom_random_normal(1, FATHOM_STREAM_SAMPLE, 0, (uint64_t)(k / 3 * 4 + k % 3)));
    fathom_array_free(context, &array);
    assert_ok(context, fathom_npz_get(&array, npz, "rho"));
    assert_true(array.rank == 0 && array.count == 1);
    fathom_array_free(context, &array);
    assert_ok(context, fathom_npz_get(&array, npz, "empty"));
    assert_true(array.count == 0 && array.shape[1] == 3);
    fathom_array_free(context, &array);
    assert_ok(context, fathom_npz_get_texts(&texts, &count, npz, "classes"));
    assert_int_equal(count, 3);
    assert_string_equal(texts[0], "red");
    assert_string_equal(texts[1], "");
    assert_string_equal(texts[2], "gr\xc3\xbcn\xf0\x9f\x8d\x8f");
    fathom_npz_texts_free(context, texts, count);
    assert_ok(context, fathom_npz_get_texts(&texts, &count, npz, "kind"));
    assert_true(count == 1 && strcmp(texts[0], "relu") == 0);
    fathom_npz_texts_free(context, texts, count);
    assert_int_equal(fathom_npz_get(&array, npz, "kind"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_npz_get(&array, npz, "missing"), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_npz_get_texts(&texts, &count, npz, "U"), FATHOM_ERROR_INPUT);
    fathom_npz_close(npz);
}

/* Every byte of an archive cut off or changed: an error or the same numbers, never a crash. */
/* All members but one, then another in its place. */
static void extended(void **state)
{
    (void)state;
    char from[256];
    snprintf(from, sizeof from, "%s", scratch_path(".npz"));
    const char *to = scratch_path(".more.npz");
    const double more = 0.1;
    fathom_npz *npz;
    fathom_npz_writer *writer;
    fathom_array array;
    char **texts;
    int64_t count;
    assert_ok(context, write_sample(context, from));
    assert_ok(context, fathom_npz_open(&npz, context, from));
    unlink(from);
    assert_ok(context, fathom_npz_create(&writer, context, to));
    assert_ok(context, fathom_npz_add_all(writer, npz, "rho"));
    fathom_npz_add(writer, "rho", &more, 0, NULL, 1);
    assert_ok(context, fathom_npz_commit(writer));
    fathom_npz_close(npz);
    assert_ok(context, fathom_npz_open(&npz, context, to));
    unlink(to);
    assert_ok(context, fathom_npz_get(&array, npz, "U"));
    assert_true(array.rank == 2 && array.shape[0] == 5 && array.shape[1] == 3);
    assert_true(array.values[4] == fathom_random_normal(1, FATHOM_STREAM_SAMPLE, 0, 5));
    fathom_array_free(context, &array);
    assert_ok(context, fathom_npz_get(&array, npz, "rho"));
    assert_true(array.count == 1 && array.values[0] == more);
    fathom_array_free(context, &array);
    assert_ok(context, fathom_npz_get_texts(&texts, &count, npz, "classes"));
    assert_int_equal(count, 3);
    fathom_npz_texts_free(context, texts, count);
    fathom_npz_close(npz);
}

/* Parts of one archive: each has its own names, the others stay. */
static void parts(void **state)
{
    (void)state;
    const char *path = scratch_path(".parts.npz");
    const double one = 1, two = 2;
    fathom_npz *npz;
    fathom_npz_writer *writer;
    fathom_array array;
    assert_ok(context, fathom_npz_create(&writer, context, path));
    fathom_npz_add(writer, "x", &one, 0, NULL, 1);
    fathom_npz_writer_enter(writer, "0.1.");
    fathom_npz_add(writer, "x", &two, 0, NULL, 1);
    assert_ok(context, fathom_npz_commit(writer));
    assert_ok(context, fathom_npz_open(&npz, context, path));
    unlink(path);
    assert_true(fathom_npz_has(npz, "x") && fathom_npz_has(npz, "0.1.x"));
    fathom_npz_enter(npz, "0.1.");
    assert_ok(context, fathom_npz_get(&array, npz, "x"));
    assert_true(array.values[0] == two);
    fathom_array_free(context, &array);
    fathom_npz_enter(npz, "0.2.");
    assert_false(fathom_npz_has(npz, "x"));
    fathom_npz_close(npz);
}

/* Replaces `size` bytes by others of the same number, and sets the checksums of stored members right. */
static void replace(unsigned char *data, size_t size, const char *from, const char *to)
{
    const size_t length = strlen(from);
    for (size_t k = 0; k + length <= size; k++)
        if (memcmp(data + k, from, length) == 0)
            memcpy(data + k, to, length);
    for (size_t k = 0; k + 46 <= size; k++) {
        if (memcmp(data + k, "PK\1\2", 4) != 0)
            continue;
        uint32_t stored, offset;
        uint16_t name;
        memcpy(&stored, data + k + 20, sizeof stored);
        memcpy(&offset, data + k + 42, sizeof offset);
        memcpy(&name, data + offset + 26, sizeof name);
        const uint32_t sum = (uint32_t)crc32(0, data + offset + 30 + name, stored);
        memcpy(data + k + 16, &sum, sizeof sum);
        memcpy(data + offset + 14, &sum, sizeof sum);
    }
}

/* Lists of texts whose header says something else than their bytes. */
static void texts_that_lie(void **state)
{
    (void)state;
    const struct {
        const char *from, *to;
    } lie[] = {
        {"'<U5', 'fortran_order': False, 'shape': (3,)", "'<U5', 'fortran_order': False, 'shape': (4,)"},
        {"'<U5', 'fortran_order': False, 'shape': (3,)", "'<U5', 'fortran_order': False, 'shape': (2,)"},
        {"'<U5'", "'<U7'"},
        {"'<U5'", "'<U0'"},
        {"'<U5'", "'<f8'"},
        {"'<U5', 'fortran_order': False, 'shape': (3,), }            ",
         "'<U0', 'fortran_order': False, 'shape': (2097152,), }      "},
        {"'<U5', 'fortran_order': False, 'shape': (3,), }                   ",
         "'<U5', 'fortran_order': False, 'shape': (9999999999,9999999999), }"},
        {"'shape': (3,), }", "'shape': (3,1),}"}};
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        skip();
    for (size_t k = 0; k < sizeof lie / sizeof *lie; k++) {
        const char *path = scratch_path(".npz");
        unsigned char data[8192];
        char **texts;
        int64_t count;
        fathom_npz *npz;
        assert_ok(context, write_sample(context, path));
        const size_t size = load(data, sizeof data, path);
        replace(data, size, lie[k].from, lie[k].to);
        assert_ok(context, fathom_npz_open(&npz, context, scratch_file(".npz", data, size)));
        unlink(path);
        assert_int_equal(fathom_npz_get_texts(&texts, &count, npz, "classes"), FATHOM_ERROR_INPUT);
        fathom_npz_close(npz);
    }
}

/* An archive of members with these names and one content. */
static size_t archive_of(unsigned char *out, const char *const *names, int count, int method,
                         const void *content, size_t size)
{
    const uint32_t sum = (uint32_t)crc32(0, content, (unsigned)size);
    size_t used = 0, offset[4];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const size_t length = strlen(names[k]), head = pass ? 46 : 30;
            if (!pass)
                offset[k] = used;
            unsigned char *at = out + used;
            memset(at, 0, head);
            memcpy(at, pass ? "PK\1\2" : "PK\3\4", 4);
            at[pass ? 10 : 8] = (unsigned char)method;
            at[pass ? 20 : 18] = at[pass ? 24 : 22] = (unsigned char)size;
            for (int b = 0; b < 4; b++)
                at[(pass ? 16 : 14) + b] = (unsigned char)(sum >> (8 * b));
            at[pass ? 28 : 26] = (unsigned char)length;
            if (pass)
                at[42] = (unsigned char)offset[k], at[43] = (unsigned char)(offset[k] >> 8);
            memcpy(at + head, names[k], length);
            used += head + length;
            if (!pass) {
                memcpy(out + used, content, size);
                used += size;
            }
        }
    const size_t directory = offset[count - 1] + 30 + strlen(names[count - 1]) + size;
    memset(out + used, 0, 22);
    memcpy(out + used, "PK\5\6", 4);
    out[used + 8] = out[used + 10] = (unsigned char)count;
    out[used + 16] = (unsigned char)directory, out[used + 17] = (unsigned char)(directory >> 8);
    return used + 22;
}

/* Members that a copy of an archive takes over one by one: not those without a name, or with one that is too long, or that are packed. */
static void looks(void **state)
{
    (void)state;
    char longest[251];
    memset(longest, 'n', 250);
    longest[250] = 0;
    const char *const names[] = {"a.npy", ".npy", longest};
    for (int method = 0; method < 9; method += 8) {
        unsigned char data[2048];
        fathom_npz *npz;
        fathom_bytes *bytes;
        fathom_npz_member member;
        const size_t size = archive_of(data, names, 3, method, "x", 1);
        assert_ok(context, fathom_bytes_open_memory(&bytes, context, data, size, "looked.npz"));
        assert_ok(context, fathom_npz_open_bytes(&npz, bytes));
        assert_int_equal(fathom_npz_look(&member, npz, 0), method == 0);
        for (int64_t k = 1; k < 5; k++)
            assert_false(fathom_npz_look(&member, npz, k));
        fathom_npz_close(npz);
        fathom_bytes_close(bytes);
    }
}

/* Texts without a character take no bytes. */
static void empty_texts(void **state)
{
    (void)state;
    static const char *const names[] = {"t.npy"};
    static const char content[] = "\x93NUMPY\1\0\x40\0"
                                  "{'descr':'<U0','fortran_order':False,'shape':(2,)}             \n";
    unsigned char data[512];
    fathom_npz *npz;
    fathom_bytes *bytes;
    char **texts;
    int64_t count;
    const size_t size = archive_of(data, names, 1, 0, content, sizeof content - 1);
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, data, size, "texts.npz"));
    assert_ok(context, fathom_npz_open_bytes(&npz, bytes));
    assert_ok(context, fathom_npz_get_texts(&texts, &count, npz, "t"));
    assert_true(count == 2 && !*texts[0] && !*texts[1]);
    fathom_npz_texts_free(context, texts, count);
    fathom_npz_close(npz);
    fathom_bytes_close(bytes);
}

/* Arrays without numbers, whose checksum version 0.1.0 left 0, are read; one with a number, or another wrong
 * checksum, is not. */
static void empty_arrays(void **state)
{
    (void)state;
    static const char *const names[] = {"a.npy"};
    static const char *const shapes[] = {"(0,)  ", "(0, 3)", "(1,)  "};
    for (int k = 0; k < 3; k++)
        for (int wrong = 0; wrong < 3; wrong++) {
            char content[256];
            unsigned char data[512];
            fathom_npz *npz;
            fathom_bytes *bytes;
            fathom_array array;
            memcpy(content, "\x93NUMPY\1\0\x40\0", 10);
            const int length =
                10 + snprintf(content + 10, sizeof content - 10,
                              "{'descr':'<f8','fortran_order':False,'shape':%s}           \n%s", shapes[k],
                              k == 2 ? "12345678" : "");
            const size_t size = archive_of(data, names, 1, 0, content, (size_t)length);
            unsigned char *directory = data + 30 + strlen(names[0]) + length;
            for (int b = 0; b < 4 && wrong; b++)
                directory[16 + b] = data[14 + b] = wrong == 1 ? 0 : 1;
            assert_ok(context, fathom_bytes_open_memory(&bytes, context, data, size, "empty.npz"));
            assert_ok(context, fathom_npz_open_bytes(&npz, bytes));
            const fathom_status status = fathom_npz_get(&array, npz, "a");
            assert_int_equal(status, wrong == 2 || (wrong && k == 2) ? FATHOM_ERROR_INPUT : FATHOM_OK);
            if (status == FATHOM_OK)
                fathom_array_free(context, &array);
            fathom_npz_close(npz);
            fathom_bytes_close(bytes);
        }
}

/* No end record within the length of a comment, in a long file and in a short one. */
static void no_end(void **state)
{
    (void)state;
    static char data[70000] = "PK\3\4";
    for (size_t size = 10; size <= sizeof data; size += sizeof data - 10) {
        fathom_npz *npz;
        fathom_bytes *bytes;
        assert_ok(context, fathom_bytes_open_memory(&bytes, context, data, size, "endless.npz"));
        assert_int_equal(fathom_npz_open_bytes(&npz, bytes), FATHOM_ERROR_INPUT);
        fathom_bytes_close(bytes);
    }
}

static void broken(void **state)
{
    (void)state;
    const char *path = scratch_path(".npz");
    unsigned char data[8192], *copy = malloc(8192);
    assert_ok(context, write_sample(context, path));
    const size_t size = load(data, sizeof data, path);
    unlink(path);
    for (size_t k = 0; k < 2 * size; k++) {
        const size_t length = k < size ? k : size;
        fathom_bytes *bytes;
        fathom_npz *npz;
        fathom_array array;
        memcpy(copy, data, length);
        if (k >= size)
            copy[k - size] ^= 0x11;
        assert_ok(context, fathom_bytes_open_memory(&bytes, context, copy, length, "x"));
        const fathom_status status = fathom_npz_open_bytes(&npz, bytes);
        assert_true(status == FATHOM_ERROR_INPUT || (k >= size && status == FATHOM_OK));
        if (status == FATHOM_OK && fathom_npz_get(&array, npz, "U") == FATHOM_OK) {
            assert_true(array.values[0] == fathom_random_normal(1, FATHOM_STREAM_SAMPLE, 0, 0));
            fathom_array_free(context, &array);
        }
        fathom_npz_close(npz);
        fathom_bytes_close(bytes);
    }
    free(copy);
}

/* numpy.savez_compressed(f, X=numpy.arange(6.).reshape(3, 2), y=numpy.array([1, -1, 1], "i1")), NumPy 2.4. */
static const unsigned char numpy_file[] = {
#include "numpy_npz.h"
};

static void from_numpy(void **state)
{
    (void)state;
    fathom_table *table;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, -1, 1};
    assert_ok(context, read_bytes_as(&table, ".npz", numpy_file, sizeof numpy_file,
                                     &(fathom_table_request){.labels = NULL}));
    assert_true(table->n == 3 && table->d == 2 && table->outputs == 1);
    assert_memory_equal(table->x, x, sizeof x);
    assert_memory_equal(table->y, y, sizeof y);
    fathom_table_free(context, table);
}

static fathom_status write_and_read(fathom_context *c)
{
    const char *path = scratch_path(".f.npz");
    fathom_npz *npz = NULL;
    fathom_array array = {0};
    char **texts = NULL;
    int64_t count = 0;
    fathom_status status = write_sample(c, path);
    if (status == FATHOM_OK)
        status = fathom_npz_open(&npz, c, path);
    if (status == FATHOM_OK)
        status = fathom_npz_get(&array, npz, "U");
    if (status == FATHOM_OK)
        status = fathom_npz_get_texts(&texts, &count, npz, "classes");
    fathom_npz_texts_free(c, texts, count);
    fathom_array_free(c, &array);
    fathom_npz_close(npz);
    unlink(path);
    return status;
}

static void allocation_failures(void **state)
{
    (void)state;
    assert_true(survives_failures(write_and_read) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),          cmocka_unit_test(extended), cmocka_unit_test(parts),
        cmocka_unit_test(texts_that_lie),      cmocka_unit_test(broken),   cmocka_unit_test(from_numpy),
        cmocka_unit_test(allocation_failures), cmocka_unit_test(looks),    cmocka_unit_test(empty_texts),
        cmocka_unit_test(empty_arrays),        cmocka_unit_test(no_end),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
