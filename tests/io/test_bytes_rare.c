/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rarer turns of compressed files: members that end where the buffer of compressed bytes does, memory that
 * libraries ask for themselves, texts that unpack to a thousand times their size.
 */
#include "io_testing.h"

#include <bzlib.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"
#include "sheet.h"

enum { INPUT = 1 << 17 };

/* "1,2\n3,4\n" as a gzip member of this size, made up by a comment in its header. */
static size_t padded_member(unsigned char *out, size_t size)
{
    static const char text[] = "1,2\n3,4\n";
    unsigned char packed[100];
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_in = (unsigned char *)(uintptr_t)text;
    s.avail_in = sizeof text - 1;
    s.next_out = packed;
    s.avail_out = sizeof packed;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    const size_t made = s.total_out, more = size - made;
    deflateEnd(&s);
    memcpy(out, packed, 10);
    out[3] = 0x10; /* a comment, ended by a zero byte */
    memset(out + 10, 'c', more - 1);
    out[10 + more - 1] = 0;
    memcpy(out + 10 + more, packed + 10, made - 10);
    return size;
}

/* A member ends within the last bytes of the buffer, and another one follows; or the limit has passed by then. */
static void members_to_the_end(void **state)
{
    (void)state;
    unsigned char *file = malloc(2 * INPUT);
    for (size_t left = 0; left < 20; left++) {
        fathom_bytes *bytes;
        char text[64];
        size_t got;
        size_t size = padded_member(file, INPUT - left);
        size += padded_member(file + size, 200);
        assert_ok(context, fathom_bytes_open_memory(&bytes, context, file, size, "two.gz"));
        assert_ok(context, fathom_bytes_read(bytes, text, sizeof text, &got));
        assert_int_equal(got, 16);
        assert_memory_equal(text, "1,2\n3,4\n1,2\n3,4\n", 16);
        fathom_bytes_close(bytes);
        assert_ok(context, fathom_bytes_open_memory(&bytes, context, file, size, "two.gz"));
        fathom_context_set_time_limit(context, -100);
        const fathom_status status = fathom_bytes_read(bytes, text, sizeof text, &got);
        fathom_context_set_time_limit(context, INFINITY);
        assert_true(status == FATHOM_ERROR_STOPPED || (left >= 16 && status == FATHOM_OK));
        fathom_bytes_close(bytes);
    }
    free(file);
}

/* 40 MB of spaces in 40 kB: no text of a certificate or a model; as much data as it likes, since that is read in blocks. */
static void bombs(void **state)
{
    (void)state;
    enum { PLAIN = 40 << 20 };
    char *spaces = malloc(PLAIN);
    uLongf size = 1 << 20;
    unsigned char *packed = malloc(size), *data;
    memset(spaces, ' ', PLAIN);
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_in = (unsigned char *)spaces;
    s.avail_in = PLAIN;
    s.next_out = packed;
    s.avail_out = (unsigned)size;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    size = s.total_out;
    deflateEnd(&s);
    fathom_bytes *bytes;
    int64_t length;
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, packed, size, "bomb.gz"));
    assert_int_equal(fathom_bytes_read_all(bytes, &data, &length, INT64_MAX / 2), FATHOM_ERROR_INPUT);
    assert_null(data);
    assert_non_null(strstr(fathom_context_error(context)->text, "unpack it first"));
    fathom_bytes_close(bytes);
    free(spaces);
    free(packed);
}

/* Memory of a context that does not come from the system. */
static char pool[1 << 22];
static size_t pool_used;

static void *pool_allocate(void *user, size_t size)
{
    (void)user;
    void *block = pool + pool_used;
    size = (size + 31) / 16 * 16;
    if (size > sizeof pool - pool_used)
        return NULL;
    pool_used += size;
    return block;
}

static void pool_release(void *user, void *block) { (void)user, (void)block; }

/* zstd asks the system for memory; where there is none, at the start or for the window, that is said. */
static void library_memory(void **state)
{
    (void)state;
    skip_if_sanitized();
    enum { PLAIN = 3 << 20, STEP = 1 << 14 };
    char *text = calloc(1, PLAIN);
    unsigned char *packed = malloc(PLAIN);
    const fathom_allocator allocator = {pool_allocate, NULL, pool_release, NULL};
    const size_t size = ZSTD_compress(packed, PLAIN, text, PLAIN, 3);
    assert_false(ZSTD_isError(size));
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    int refused[2] = {0, 0};
    for (int late = 0; late < 2; late++) {
        pool_used = 0;
        fathom_context *c;
        fathom_bytes *bytes = NULL;
        void *held[4096];
        int count = 0;
        size_t got;
        assert_ok(NULL, fathom_context_create(&c, &allocator));
        fathom_status status = FATHOM_OK;
        if (late)
            status = fathom_bytes_open_memory(&bytes, c, packed, size, "text.zst");
        assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){0, before.rlim_max}), 0);
        while (count < 4096 && (held[count] = malloc(STEP)))
            count++;
        if (!late)
            status = fathom_bytes_open_memory(&bytes, c, packed, size, "text.zst");
        if (status == FATHOM_OK)
            status = fathom_bytes_read(bytes, text, STEP, &got); /* in pieces: a window is needed */
        refused[late] = status == FATHOM_ERROR_MEMORY;
        while (count > 0)
            free(held[--count]);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        fathom_bytes_close(bytes);
        fathom_context_free(c);
    }
    free(text);
    free(packed);
    assert_true(refused[0] && refused[1]);
}

/* Names of compressed tables tell the format inside; tables by tabs as cells. */
static void names_of_formats(void **state)
{
    (void)state;
    static const char text[] = "a\tb c\n1\t2 3\n";
    unsigned char packed[200];
    unsigned length = sizeof packed;
    assert_int_equal(
        BZ2_bzBuffToBuffCompress((char *)packed, &length, (char *)(uintptr_t)text, sizeof text - 1, 1, 0, 0),
        BZ_OK);
    const fathom_table_request cells = {.as_is = true};
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, ".tsv.bz2", packed, length, &cells));
    assert_true(table->n == 1 && strcmp(fathom_sheet_at(table->sheet, 0, 1), "2 3") == 0);
    fathom_table_free(context, table);
    const size_t size = ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 3);
    assert_ok(context, read_bytes_as(&table, ".tsv.zst", packed, size, &cells));
    assert_true(table->n == 1 && strcmp(fathom_sheet_at(table->sheet, 0, 1), "2 3") == 0);
    fathom_table_free(context, table);
}

/* A second member of bzip2 data for which there is no memory: that is said, however often one asks. */
static void lost_member(void **state)
{
    (void)state;
    unsigned char packed[200];
    unsigned length = 100, more = 100;
    char text[10] = "text\n";
    assert_int_equal(BZ2_bzBuffToBuffCompress((char *)packed, &length, text, 5, 1, 0, 0), BZ_OK);
    assert_int_equal(BZ2_bzBuffToBuffCompress((char *)packed + length, &more, text, 5, 1, 0, 0), BZ_OK);
    for (int64_t n = 1; n < 30; n++) {
        failing f = {n, 0};
        const fathom_allocator allocator = {failing_allocate, failing_resize, failing_release, &f};
        fathom_context *c;
        fathom_bytes *bytes;
        size_t got;
        fathom_status status = fathom_context_create(&c, &allocator);
        if (status != FATHOM_OK)
            continue;
        status = fathom_bytes_open_memory(&bytes, c, packed, length + more, "two.bz2");
        if (status == FATHOM_OK) {
            status = fathom_bytes_read(bytes, text, sizeof text, &got);
            assert_int_equal(fathom_bytes_read(bytes, text, sizeof text, &got), status);
        }
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
        fathom_bytes_close(bytes);
        fathom_context_free(c);
        assert_int_equal(f.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_to_the_end), cmocka_unit_test(bombs),
                                       cmocka_unit_test(library_memory), cmocka_unit_test(names_of_formats),
                                       cmocka_unit_test(lost_member)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
