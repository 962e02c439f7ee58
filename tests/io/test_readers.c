/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every reader of a table on every seed of its harness (tests/fuzz/corpus), on longer files and on both in gzip: as it is, cut
 * anywhere, any byte changed, through a pipe (a size that nobody knows beforehand), with each allocation and each read failing in
 * turn, with reads that give a few bytes or are interrupted.
 *
 * What a reader makes of the bytes is the same whole or in pieces; a failure is the input's, the memory's or the system's, has
 * a text, and leaves nothing allocated.
 */
#include "io_testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <zlib.h>

#include "npz_internal.h"

enum { LARGEST = 50000, PIECES = 40, CHANGES = 150 };

/* How reads answer from now on: this program's `read` stands before that of the C library. */
static struct {
    int64_t fails_at; /* the call that fails; 0: none */
    int error;        /* with this */
    size_t most;      /* bytes at once; 0: all that are asked for */
    int64_t calls;
} reads;

ssize_t read(int descriptor, void *buffer, size_t size)
{
    if (++reads.calls == reads.fails_at) {
        errno = reads.error;
        return -1;
    }
    return syscall(SYS_read, descriptor, buffer, reads.most && size > reads.most ? reads.most : size);
}

/* A seed, and what is asked of its reader. */
typedef struct seed {
    unsigned char data[LARGEST];
    size_t size;
    fathom_table_request request;
} seed;

static fathom_status read_path(fathom_table **table, fathom_context *c, const seed *s, const char *path)
{
    return fathom_table_read(table, c, path, &s->request);
}

/* The first `size` bytes through a pipe. */
static fathom_status read_pipe(fathom_table **table, fathom_context *c, const seed *s, size_t size)
{
    int end[2];
    char path[40];
    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], s->data, size), size);
    close(end[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    const fathom_status status = read_path(table, c, s, path);
    close(end[0]);
    return status;
}

/* Equal in all numbers, bit for bit. */
static void same_tables(const fathom_table *a, const fathom_table *b)
{
    assert_true(a->n == b->n && a->d == b->d && a->outputs == b->outputs && !a->x == !b->x);
    if (a->x)
        assert_memory_equal(a->x, b->x, (size_t)(a->n * a->d) * sizeof *a->x);
    if (a->outputs > 0)
        assert_memory_equal(a->y, b->y, (size_t)(a->n * a->outputs) * sizeof *a->y);
}

/* The input's fault, that of the options (a column that is not there), or `other`. */
static void check_error(fathom_context *c, fathom_status status, fathom_status other)
{
    const fathom_error *error = fathom_context_error(c);
    assert_true(status == FATHOM_ERROR_INPUT || status == FATHOM_ERROR_USAGE || status == other);
    assert_true(error->status == status && error->text[0]);
    assert_true(status != FATHOM_ERROR_INPUT || error->file);
}

/* Two outcomes for the same bytes. */
static void same_outcome(fathom_status a, fathom_table *x, fathom_status b, fathom_table *y)
{
    assert_int_equal(a, b);
    if (a == FATHOM_OK)
        same_tables(x, y);
    else
        check_error(context, b, b);
    fathom_table_free(context, y);
}

static void in_pieces(const seed *s)
{
    const size_t step = s->size / (size_t)test_trials(PIECES) + 1;
    for (size_t size = 0; size <= s->size;
         size += size + step > s->size && size < s->size ? s->size - size : step) {
        fathom_table *whole, *again;
        const char *path = scratch_file("", s->data, size);
        const fathom_status status = read_path(&whole, context, s, path);
        if (status != FATHOM_OK)
            check_error(context, status, FATHOM_ERROR_INPUT);
        const fathom_status piped = read_pipe(&again, context, s, size);
        same_outcome(status, whole, piped, again);
        reads.most = s->size / 1000 + 1;
        const fathom_status slow = read_path(&again, context, s, path);
        reads.most = 0;
        same_outcome(status, whole, slow, again);
        fathom_table_free(context, whole);
        unlink(path);
    }
}

/* Each read fails, then is interrupted, in turn; the second is no failure. */
static void failing_reads(const seed *s)
{
    static const int errors[] = {EIO, EISDIR, EINTR};
    const char *path = scratch_file("", s->data, s->size);
    fathom_table *whole, *table;
    const fathom_status outcome = read_path(&whole, context, s, path);
    for (int k = 0; k < 3; k++)
        for (int64_t n = 1; n == 1 || reads.calls + 1 >= n; n++) {
            reads.calls = 0;
            reads.fails_at = n;
            reads.error = errors[k];
            reads.most = s->size / 5 + 1;
            const fathom_status status = read_path(&table, context, s, path);
            reads.fails_at = 0;
            reads.most = 0;
            if (errors[k] == EINTR)
                same_outcome(outcome, whole, status, table);
            else if (status == FATHOM_OK)
                fathom_table_free(context, table);
            else
                check_error(context, status, FATHOM_ERROR_RUNTIME);
        }
    fathom_table_free(context, whole);
    unlink(path);
}

/* The members of an archive by number and by name, as numbers and as texts. */
static void look_into(const seed *s, const unsigned char *data)
{
    static const char *const names[] = {"X", "y", "kind", "format", "activation", "U"};
    fathom_bytes *bytes;
    fathom_npz *npz = NULL;
    fathom_npz_member member;
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, data, s->size, "memory"));
    const fathom_status status = fathom_npz_open_bytes(&npz, bytes);
    fathom_bytes_close(bytes);
    if (status != FATHOM_OK)
        return;
    for (int64_t k = 0; k < 20; k++)
        fathom_npz_look(&member, npz, k);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        fathom_array array;
        char **texts;
        int64_t count;
        if (fathom_npz_get(&array, npz, names[k]) == FATHOM_OK)
            fathom_array_free(context, &array);
        if (fathom_npz_get_texts(&texts, &count, npz, names[k]) == FATHOM_OK)
            fathom_npz_texts_free(context, texts, count);
    }
    fathom_npz_close(npz);
}

/* Writes over the byte at k: nearly the same, its opposite, zero; or four times 255 from there on. */
static void damage(unsigned char *data, const seed *s, size_t k, int how)
{
    const size_t left = s->size - k;
    if (how == 3)
        memset(data + k, 255, left < 4 ? left : 4);
    else
        data[k] = (unsigned char)(how == 0 ? s->data[k] ^ 1 : how == 1 ? ~s->data[k] : 0);
}

/* Any byte another one: evenly spaced, and all of the end, where archives have their directory. */
static void changed(const seed *s)
{
    static unsigned char data[LARGEST];
    const size_t step = s->size / (size_t)test_trials(CHANGES) + 1;
    for (size_t k = 0; k<s->size; k += k + 64> s->size ? 1 : step)
        for (int how = 0; how < 4; how++) {
            fathom_bytes *bytes;
            fathom_table *table = NULL;
            memcpy(data, s->data, s->size);
            damage(data, s, k, how);
            fathom_status status = fathom_bytes_open_memory(&bytes, context, data, s->size, "memory");
            if (status == FATHOM_OK)
                status = fathom_table_read_bytes(&table, bytes, &s->request);
            if (status != FATHOM_OK)
                check_error(context, status, FATHOM_ERROR_MEMORY);
            fathom_table_free(context, table);
            fathom_bytes_close(bytes);
            if (s->request.format == FATHOM_FORMAT_NPZ)
                look_into(s, data);
        }
}

/* The same in gzip, not made smaller: cut anywhere, a part of the bytes is there. */
static void pressed(seed *out, const seed *in)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 0, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in->data;
    z.avail_in = (uInt)in->size;
    z.next_out = out->data;
    z.avail_out = sizeof out->data;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size = sizeof out->data - z.avail_out;
    out->request = in->request;
    deflateEnd(&z);
}

static const seed *watched;

/* Through a pipe, where memory grows with what arrives, and from a file. */
static fathom_status read_watched(fathom_context *c)
{
    fathom_table *table;
    fathom_status status = read_pipe(&table, c, watched, watched->size);
    fathom_table_free(c, table);
    if (status != FATHOM_OK)
        return status;
    const char *path = scratch_file("", watched->data, watched->size);
    status = read_path(&table, c, watched, path);
    unlink(path);
    fathom_table_free(c, table);
    return status;
}

static void attack(const seed *s)
{
    fathom_table *table;
    in_pieces(s);
    changed(s);
    failing_reads(s);
    const bool good = read_pipe(&table, context, s, s->size) == FATHOM_OK;
    fathom_table_free(context, table);
    watched = s;
    if (good)
        survives_failures(read_watched);
}

/* All seeds of a harness; returns their number. */
static int each_seed(const char *harness, const fathom_table_request *request)
{
    char path[600];
    static seed s, small;
    int count = 0;
    snprintf(path, sizeof path, FATHOM_SOURCE_ROOT "/tests/fuzz/corpus/%s", harness);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, FATHOM_SOURCE_ROOT "/tests/fuzz/corpus/%s/%s", harness, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        s.size = fread(s.data, 1, sizeof s.data - 1000, file);
        s.request = *request;
        fclose(file);
        attack(&s);
        pressed(&small, &s);
        attack(&small);
        count++;
    }
    closedir(folder);
    return count;
}

/* Rows of text until the buffers of the readers are full several times over. */
static void long_text(fathom_format format, const char *row)
{
    static seed s, small;
    s = (seed){.request = {.format = format}};
    for (const size_t size = strlen(row); s.size + size < 40000; s.size += size)
        memcpy(s.data + s.size, row, size);
    attack(&s);
    pressed(&small, &s);
    attack(&small);
}

static void long_files(void **state)
{
    (void)state;
    static seed s;
    long_text(FATHOM_FORMAT_CSV, "0.1250,\"-3\", 4e-5,1\r\n");
    long_text(FATHOM_FORMAT_TSV, "12345678901234567890.5\t-0.1\t7\n");
    long_text(FATHOM_FORMAT_LIBSVM, "-1 1:0.5 7:2.25 # row\n");
    s = (seed){.request = {.format = FATHOM_FORMAT_NPY}, .size = 128 + 8 * 5000};
    memset(s.data, ' ', 128);
    memcpy(s.data, "\x93NUMPY\x01\0\x76\0{'descr' : '<f8', 'fortran_order':True, 'shape': (1000L, 5)}", 67);
    s.data[127] = '\n';
    attack(&s);
}

/* "-" is standard input; CSV where nothing is said. */
static void standard_input(void **state)
{
    (void)state;
    static const char text[] = "1,2\n3,4\n";
    const int kept = dup(STDIN_FILENO);
    for (int format = 0; format < 2; format++) {
        int end[2];
        fathom_table *table;
        const fathom_table_request request = {.format = format ? FATHOM_FORMAT_CSV : FATHOM_FORMAT_AUTO};
        assert_int_equal(pipe(end), 0);
        assert_int_equal(write(end[1], text, sizeof text - 1), sizeof text - 1);
        close(end[1]);
        assert_int_equal(dup2(end[0], STDIN_FILENO), STDIN_FILENO);
        close(end[0]);
        assert_ok(context, fathom_table_read(&table, context, "-", &request));
        assert_true(table->n == 2 && table->d == 1 && table->y[1] == 4);
        fathom_table_free(context, table);
    }
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
}

/* A read that is interrupted in a run that is to end is stopped, which is no failure of the file. */
static void interrupted(void **state)
{
    (void)state;
    fathom_context *c;
    fathom_table *table;
    const char *path = scratch_file("", "1,2\n", 4);
    assert_ok(NULL, fathom_context_create(&c, NULL));
    fathom_context_interrupt(c);
    reads.calls = 0;
    reads.fails_at = 1;
    reads.error = EINTR;
    assert_int_equal(fathom_table_read(&table, c, path, &(fathom_table_request){0}), FATHOM_ERROR_STOPPED);
    reads.fails_at = 0;
    assert_int_equal(fathom_table_read(&table, c, path, &(fathom_table_request){0}), FATHOM_ERROR_STOPPED);
    fathom_context_free(c);
    unlink(path);
}

static void every_reader(void **state)
{
    (void)state;
    static const struct {
        const char *harness;
        fathom_table_request request;
    } readers[] = {
        {"csv", {.format = FATHOM_FORMAT_CSV}},
        {"csv", {.format = FATHOM_FORMAT_CSV, .categorical = true, .weights = "0"}},
        {"csv", {.format = FATHOM_FORMAT_CSV, .no_target = true, .features = 3}},
        {"csv", {.format = FATHOM_FORMAT_TSV, .target = "9"}},
        {"libsvm", {.format = FATHOM_FORMAT_LIBSVM}},
        {"libsvm", {.format = FATHOM_FORMAT_LIBSVM, .columns = 3}},
        {"npy", {.format = FATHOM_FORMAT_NPY}},
        {"npz", {.format = FATHOM_FORMAT_NPZ}},
        {"idx", {.format = FATHOM_FORMAT_IDX}},
        {"cifar", {.format = FATHOM_FORMAT_CIFAR}},
        {"table", {.format = FATHOM_FORMAT_AUTO}},
        {"bytes", {.format = FATHOM_FORMAT_AUTO}},
    };
    for (size_t k = 0; k < sizeof readers / sizeof readers[0]; k++)
        assert_true(each_seed(readers[k].harness, &readers[k].request) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_reader), cmocka_unit_test(long_files),
                                       cmocka_unit_test(standard_input), cmocka_unit_test(interrupted)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
