/* SPDX-License-Identifier: Apache-2.0 */
/* Support of the io tests: a context, scratch files, tables from text, errors with their position. */
#ifndef FATHOM_IO_TESTING_H
#define FATHOM_IO_TESTING_H

#include "testing.h"

#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "table.h"

static fathom_context *context;

static inline int make_context(void **state)
{
    (void)state;
    return fathom_context_create(&context, NULL) == FATHOM_OK ? 0 : -1;
}

static inline int free_context(void **state)
{
    (void)state;
    fathom_context_free(context);
    return 0;
}

/* Path of a scratch file with this ending; one per process and ending. */
static inline const char *scratch_path(const char *ending)
{
    static char path[16][256];
    static int turn;
    turn = (turn + 1) % 16;
    const char *directory = getenv("TMPDIR");
    snprintf(path[turn], sizeof path[turn], "%s/fathom-test-%ld%s", directory ? directory : "/tmp",
             (long)getpid(), ending);
    return path[turn];
}

static inline const char *scratch_file(const char *ending, const void *data, size_t size)
{
    const char *path = scratch_path(ending);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Reads a file with these bytes; the file is gone afterwards. */
static inline fathom_status read_bytes_as(fathom_table **table, const char *ending, const void *data,
                                          size_t size, const fathom_table_request *request)
{
    const char *path = scratch_file(ending, data, size);
    const fathom_status status = fathom_table_read(table, context, path, request);
    unlink(path);
    return status;
}

/* Reading must fail with ERROR_INPUT at this line and column, with this in its text. */
static inline void refuses_bytes(const char *ending, const void *data, size_t size,
                                 const fathom_table_request *request, int64_t line, int64_t column,
                                 const char *words)
{
    fathom_table *table;
    const fathom_status status = read_bytes_as(&table, ending, data, size, request);
    const fathom_error *error = fathom_context_error(context);
    if (status != FATHOM_ERROR_INPUT || error->line != line || error->column != column || !error->file ||
        !strstr(error->text, words)) {
        print_error("status %d, %s:%lld:%lld: %s\nexpected :%lld:%lld: ...%s...\n", (int)status, error->file,
                    (long long)error->line, (long long)error->column, error->text, (long long)line,
                    (long long)column, words);
        fail();
    }
    assert_null(table);
}

/* An allocator that fails at the n-th call and counts what is out. */
typedef struct {
    int64_t left, out;
} failing;

static inline void *failing_allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0)
        return NULL;
    f->out++;
    return malloc(size);
}

static inline void *failing_resize(void *user, void *block, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0)
        return NULL;
    f->out += block == NULL;
    return realloc(block, size);
}

static inline void failing_release(void *user, void *block)
{
    failing *f = user;
    f->out -= block != NULL;
    free(block);
}

/* Runs `work` with the first allocation failing, then the second, and so on until it succeeds: it must return OK or
 * ERROR_MEMORY and leave nothing allocated. Gives the number of allocations. */
static inline int64_t survives_failures(fathom_status (*work)(fathom_context *context))
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    int64_t n = 0;
    for (; status != FATHOM_OK; n++) {
        failing f = {n + 1, 0};
        const fathom_allocator allocator = {failing_allocate, failing_resize, failing_release, &f};
        fathom_context *c;
        assert_ok(NULL, fathom_context_create(&c, &allocator));
        status = work(c);
        if (status != FATHOM_OK && status != FATHOM_ERROR_MEMORY) {
            print_error("allocation %lld: status %d: %s\n", (long long)n, (int)status,
                        fathom_context_error(c)->text);
            fail();
        }
        fathom_context_free(c);
        assert_int_equal(f.out, 0);
        assert_true(n < 100000);
    }
    return n;
}

/* Where the data sets lie: $FATHOM_SHARED, else ../shared beside the source tree; NULL where `name` is not there. */
static inline const char *shared_path(const char *name)
{
    static char path[512];
    const char *shared = getenv("FATHOM_SHARED");
    if (shared)
        snprintf(path, sizeof path, "%s/%s", shared, name);
    else
        snprintf(path, sizeof path, FATHOM_SOURCE_ROOT "/../shared/%s", name);
    if (access(path, R_OK) == 0)
        return path;
    print_message("no %s: skipped\n", path);
    return NULL;
}

#endif
