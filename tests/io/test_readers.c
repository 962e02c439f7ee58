/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every reader of a table on every seed of its harness (tests/fuzz/corpus): as it is, cut anywhere, through a pipe (a size that
 * nobody knows beforehand), with each allocation and each read failing in turn, with reads that give one byte or are interrupted.
 *
 * What a reader makes of the bytes is the same whole or in pieces; a failure is the input's, the memory's or the system's, has
 * a text, and leaves nothing allocated.
 */
#include "io_testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

enum { LARGEST = 4096, PIECES = 48 };

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
    const size_t step = s->size / PIECES + 1;
    for (size_t size = 0; size <= s->size;
         size += size + step > s->size && size < s->size ? s->size - size : step) {
        fathom_table *whole, *again;
        const char *path = scratch_file("", s->data, size);
        const fathom_status status = read_path(&whole, context, s, path);
        if (status != FATHOM_OK)
            check_error(context, status, FATHOM_ERROR_INPUT);
        const fathom_status piped = read_pipe(&again, context, s, size);
        same_outcome(status, whole, piped, again);
        reads.most = 1;
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
    static seed s;
    int count = 0;
    snprintf(path, sizeof path, FATHOM_SOURCE_ROOT "/tests/fuzz/corpus/%s", harness);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, FATHOM_SOURCE_ROOT "/tests/fuzz/corpus/%s/%s", harness, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        s.size = fread(s.data, 1, sizeof s.data, file);
        s.request = *request;
        fclose(file);
        attack(&s);
        count++;
    }
    closedir(folder);
    return count;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_reader)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
