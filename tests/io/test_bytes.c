/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams: plain and compressed give the same bytes in every block size; broken ones are refused. */
#include "io_testing.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"
#include "random.h"

enum { SIZE = 700000, ROOM = SIZE + 10000 };

static unsigned char *plain;

static int make_plain(void **state)
{
    plain = malloc(SIZE);
    for (uint64_t k = 0; k < SIZE; k++) /* compressible, but not much */
        plain[k] = (unsigned char)(16 * fathom_random_uniform(7, FATHOM_STREAM_SAMPLE, 0, k));
    return make_context(state);
}

static int free_plain(void **state)
{
    free(plain);
    return free_context(state);
}

/* Compressors: bytes written to out. */
static size_t gz(unsigned char *out, const unsigned char *in, size_t size)
{
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_in = (unsigned char *)(uintptr_t)in;
    s.avail_in = (unsigned)size;
    s.next_out = out;
    s.avail_out = ROOM;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    const size_t made = s.total_out;
    deflateEnd(&s);
    return made;
}

static size_t xz(unsigned char *out, const unsigned char *in, size_t size)
{
    size_t made = 0;
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, in, size, out, &made, ROOM), LZMA_OK);
    return made;
}

static size_t bz2(unsigned char *out, const unsigned char *in, size_t size)
{
    unsigned made = ROOM;
    assert_int_equal(
        BZ2_bzBuffToBuffCompress((char *)out, &made, (char *)(uintptr_t)in, (unsigned)size, 1, 0, 0), BZ_OK);
    return made;
}

static size_t zst(unsigned char *out, const unsigned char *in, size_t size)
{
    ZSTD_CCtx *state = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
    const size_t made = ZSTD_compress2(state, out, ROOM, in, size);
    assert_false(ZSTD_isError(made));
    ZSTD_freeCCtx(state);
    return made;
}

typedef size_t compressor(unsigned char *out, const unsigned char *in, size_t size);
static compressor *const compressors[] = {gz, xz, bz2, zst};
static const char *const endings[] = {".gz", ".xz", ".bz2", ".zst"};

/* Reads everything in blocks of `block` bytes. */
static fathom_status read_through(unsigned char *out, size_t *total, const void *data, size_t size,
                                  size_t block, const char *name)
{
    fathom_bytes *bytes;
    fathom_status status = fathom_bytes_open_memory(&bytes, context, data, size, name);
    *total = 0;
    for (size_t got = block; status == FATHOM_OK && got == block; *total += got)
        status = fathom_bytes_read(bytes, out + *total, block, &got);
    fathom_bytes_close(bytes);
    return status;
}

static void is_plain(const void *data, size_t size, const char *name)
{
    static const size_t blocks[] = {1 << 20, 65536, 4097};
    unsigned char *out = malloc(2 * SIZE + (1 << 21));
    for (int k = 0; k < 3; k++) {
        size_t total;
        assert_ok(context, read_through(out, &total, data, size, blocks[k], name));
        assert_int_equal(total, SIZE);
        assert_memory_equal(out, plain, SIZE);
    }
    free(out);
}

static void refuses(const void *data, size_t size, const char *name, const char *words)
{
    unsigned char *out = malloc(2 * SIZE + (1 << 21));
    size_t total;
    assert_int_equal(read_through(out, &total, data, size, 65536, name), FATHOM_ERROR_INPUT);
    const fathom_error *error = fathom_context_error(context);
    assert_string_equal(error->file, name);
    if (!strstr(error->text, words)) {
        print_error("'%s' does not say '%s'\n", error->text, words);
        fail();
    }
    free(out);
}

static void all_formats(void **state)
{
    (void)state;
    unsigned char *packed = malloc(2 * ROOM);
    is_plain(plain, SIZE, "data");
    for (int k = 0; k < 4; k++) {
        const size_t size = compressors[k](packed, plain, SIZE);
        is_plain(packed, size, endings[k] + 1);
        /* two members make one stream */
        const size_t first = compressors[k](packed, plain, 12345);
        const size_t second = compressors[k](packed + first, plain + 12345, SIZE - 12345);
        is_plain(packed, first + second, "members");
        /* padding */
        memset(packed + size, 0, 64);
        if (k != 1) {
            compressors[k](packed, plain, SIZE);
            memset(packed + size, 0, 64);
            is_plain(packed, size + 64, "padded");
        }
    }
    free(packed);
}

static void broken(void **state)
{
    (void)state;
    unsigned char *packed = malloc(2 * ROOM);
    for (int k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "data%s", endings[k]);
        const size_t size = compressors[k](packed, plain, SIZE);
        static const size_t cuts[] = {1, 2, 9, 1000, 200000};
        for (int c = 0; c < 5; c++)
            refuses(packed, size - cuts[c], name, "truncated");
        refuses(packed, 20, name, "truncated");
        refuses(plain, SIZE, name, "as the name says");
        packed[size / 2] ^= 0x55;
        refuses(packed, size, name, "corrupt");
        packed[size / 2] ^= 0x55;
        if (k != 1) {
            strcpy((char *)packed + size, "more");
            refuses(packed, size + 4, name, "found other bytes after it");
        }
    }
    free(packed);
}

/*
 * An xz header may ask for a dictionary of 4 GB: refused without allocating it. An encoder would need several times
 * that, so a small stream is patched: block header (after the 12 bytes of the stream header) = size, flags, filter id
 * 0x21, length 1, dictionary, padding, CRC32 of all before it.
 */
static void greedy_xz(void **state)
{
    (void)state;
    lzma_options_lzma options;
    unsigned char packed[1000], out[1 << 16];
    size_t made = 0, total;
    lzma_lzma_preset(&options, 0);
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    const lzma_ret code = lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, (const uint8_t *)"text",
                                                    4, packed, &made, sizeof packed);
    assert_int_equal(code, LZMA_OK);
    unsigned char *header = packed + 12;
    const size_t length = 4 * ((size_t)header[0] + 1);
    unsigned char *filter = memchr(header + 2, 0x21, length - 6);
    assert_non_null(filter);
    assert_int_equal(filter[1], 1);
    filter[2] = 40; /* 4 GiB - 1 */
    const uint32_t check = lzma_crc32(header, length - 4, 0);
    for (int k = 0; k < 4; k++)
        header[length - 4 + (size_t)k] = (unsigned char)(check >> 8 * k);
    assert_int_equal(read_through(out, &total, packed, made, 65536, "x.xz"), FATHOM_ERROR_MEMORY);
}

/* A zstd frame may ask for a window of 2^41 bytes: magic, no flags, window 10 + 31, an empty last block. */
static void greedy_zstd(void **state)
{
    (void)state;
    static const unsigned char packed[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00};
    unsigned char out[16];
    size_t total;
    assert_int_equal(read_through(out, &total, packed, sizeof packed, sizeof out, "x.zst"),
                     FATHOM_ERROR_MEMORY);
}

static void peeking(void **state)
{
    (void)state;
    fathom_bytes *bytes;
    const unsigned char *data;
    size_t size, got;
    unsigned char *out = malloc(SIZE + 1);
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, plain, SIZE, "data"));
    assert_ok(context, fathom_bytes_peek(bytes, &data, &size));
    assert_int_equal(size, FATHOM_BYTES_PEEK);
    assert_memory_equal(data, plain, size);
    assert_int_equal(fathom_bytes_offset(bytes), 0);
    assert_ok(context, fathom_bytes_read(bytes, out, 100, &got));
    assert_ok(context, fathom_bytes_peek(bytes, &data, &size));
    assert_memory_equal(data, plain + 100, size);
    assert_ok(context, fathom_bytes_read(bytes, out + 100, SIZE, &got));
    assert_int_equal(got, SIZE - 100);
    assert_memory_equal(out, plain, SIZE);
    fathom_bytes_close(bytes);
    free(out);
}

static void files(void **state)
{
    (void)state;
    fathom_bytes *bytes;
    unsigned char *data;
    int64_t size;
    const char *path = scratch_file(".data", plain, SIZE);
    assert_ok(context, fathom_bytes_open(&bytes, context, path));
    assert_int_equal(fathom_bytes_total(bytes), SIZE);
    assert_ok(context, fathom_bytes_read_all(bytes, &data, &size, SIZE));
    assert_int_equal(size, SIZE);
    assert_memory_equal(data, plain, SIZE);
    fathom_memory_free(context, data);
    fathom_bytes_close(bytes);
    assert_ok(context, fathom_bytes_open(&bytes, context, path));
    assert_int_equal(fathom_bytes_read_all(bytes, &data, &size, SIZE - 1), FATHOM_ERROR_INPUT);
    assert_null(data);
    fathom_bytes_close(bytes);
    unlink(path);
    assert_int_equal(fathom_bytes_open(&bytes, context, path), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_bytes_open(&bytes, context, "/"), FATHOM_ERROR_INPUT);
    assert_null(bytes);
}

static compressor *failing_compressor;

static fathom_status read_compressed(fathom_context *c)
{
    unsigned char packed[2000], out[4000];
    size_t got;
    const size_t first = failing_compressor(packed, plain, 1000);
    const size_t size = first + failing_compressor(packed + first, plain, 1000);
    fathom_bytes *bytes;
    fathom_status status = fathom_bytes_open_memory(&bytes, c, packed, size, "data");
    if (status == FATHOM_OK)
        status = fathom_bytes_read(bytes, out, sizeof out, &got);
    if (status == FATHOM_OK)
        assert_int_equal(got, 2000);
    fathom_bytes_close(bytes);
    return status;
}

static void allocation_failures(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        failing_compressor = compressors[k];
        assert_true(survives_failures(read_compressed) > 4);
    }
}

/* A limit that has passed long ago is heard between any two pieces: of plain and compressed bytes, in files and in
 * memory. */
static void late(void **state)
{
    (void)state;
    enum { LONG = 600000, FIRST = 1000 };
    unsigned char *noise = malloc(LONG), *out = malloc(LONG);
    uint64_t draw = 1;
    assert_true(noise && out);
    for (int k = 0; k < LONG; k++) { /* nothing that a compressor makes short */
        draw = draw * UINT64_C(6364136223846793005) + 1;
        noise[k] = (unsigned char)(draw >> 56);
    }
    for (int form = -1; form < 4; form++)
        for (int memory = 0; memory < 2; memory++) {
            unsigned char *packed = malloc(2 * LONG);
            fathom_bytes *bytes;
            size_t got;
            const size_t size = form < 0 ? LONG : compressors[form](packed, noise, LONG);
            if (form < 0)
                memcpy(packed, noise, LONG);
            const char *path = scratch_file(".bin", (const char *)packed, size);
            assert_ok(context, memory ? fathom_bytes_open_memory(&bytes, context, packed, size, "data")
                                      : fathom_bytes_open(&bytes, context, path));
            assert_ok(context, fathom_bytes_read(bytes, out, FIRST, &got));
            assert_int_equal(got, FIRST);
            fathom_context_set_time_limit(context, -100);
            assert_int_equal(fathom_bytes_read(bytes, out, LONG - FIRST, &got), FATHOM_ERROR_STOPPED);
            fathom_context_set_time_limit(context, INFINITY);
            fathom_bytes_close(bytes);
            unlink(path);
            free(packed);
        }
    free(noise);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats),         cmocka_unit_test(broken),  cmocka_unit_test(greedy_xz),
        cmocka_unit_test(greedy_zstd),         cmocka_unit_test(peeking), cmocka_unit_test(files),
        cmocka_unit_test(allocation_failures), cmocka_unit_test(late),
    };
    return cmocka_run_group_tests(tests, make_plain, free_plain);
}
