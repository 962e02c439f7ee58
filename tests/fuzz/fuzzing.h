/* SPDX-License-Identifier: Apache-2.0 */
/* What the harnesses of the readers share: a context with little memory, a table from bytes, a property that holds. */
#ifndef FATHOM_FUZZING_H
#define FATHOM_FUZZING_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "context_internal.h"
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process where a property does not hold; the input is the report. */
#define must_hold(condition)                                                              \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

enum { FUZZ_BLOCK_LIMIT = 1 << 28 };

/* An input of some kilobytes has no business with larger blocks: they fail, and must fail well. */
static inline void *fuzz_allocate(void *user, size_t size)
{
    (void)user;
    return size > FUZZ_BLOCK_LIMIT ? NULL : malloc(size);
}

static inline void *fuzz_resize(void *user, void *block, size_t size)
{
    (void)user;
    return size > FUZZ_BLOCK_LIMIT ? NULL : realloc(block, size);
}

static inline void fuzz_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static inline fathom_context *fuzz_context(void)
{
    static const fathom_allocator allocator = {fuzz_allocate, fuzz_resize, fuzz_release, NULL};
    static fathom_context *context; /* one for all inputs: making it asks the system about its memory */
    if (!context) {
        must_hold(fathom_context_create(&context, &allocator) == FATHOM_OK);
        fathom_context_set_memory_limit(context, FUZZ_BLOCK_LIMIT);
    }
    return context;
}

/* A failure has a text and is the input's or the memory's fault (or, for options, the user's). */
static inline void check_failure(const fathom_context *context, fathom_status status)
{
    const fathom_error *error = fathom_context_error(context);
    must_hold(status == FATHOM_ERROR_INPUT || status == FATHOM_ERROR_MEMORY || status == FATHOM_ERROR_USAGE);
    must_hold(error->status == status && error->text[0]);
    must_hold(status != FATHOM_ERROR_INPUT || error->file);
}

/* The input as a file without a place on disk, for readers that take a path; the same file for every
 * input. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int descriptor = -1;
    static char path[40];
    if (descriptor < 0) {
        descriptor = memfd_create("input", MFD_CLOEXEC);
        must_hold(descriptor >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    must_hold(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == (ssize_t)size);
    return path;
}

/* What every reader promises of a table. */
static inline void check_table(const fathom_table *table)
{
    must_hold(table->n > 0 && table->d > 0);
    for (int64_t k = 0; table->x && k < table->n * table->d; k++)
        must_hold(isfinite(table->x[k]));
    for (int64_t k = 0; k < table->n * table->outputs; k++)
        must_hold(isfinite(table->y[k]) &&
                  (!table->labels || (table->y[k] >= 0 && table->y[k] < (double)table->labels)));
    for (int64_t i = 0; table->weight && i < table->n; i++)
        must_hold(table->weight[i] >= 0);
    for (int64_t i = 0; !table->x && i < table->n; i++)
        for (int64_t k = table->row_start[i]; k < table->row_start[i + 1]; k++) {
            must_hold(isfinite(table->value[k]));
            must_hold(table->column[k] >= 0 && table->column[k] < table->d);
            must_hold(k == table->row_start[i] || table->column[k] > table->column[k - 1]);
        }
}

static inline void fuzz_table(const uint8_t *data, size_t size, const fathom_table_request *request)
{
    fathom_context *context = fuzz_context();
    fathom_bytes *bytes;
    fathom_table *table = NULL;
    fathom_status status = fathom_bytes_open_memory(&bytes, context, data, size, "input");
    if (status == FATHOM_OK)
        status = fathom_table_read_bytes(&table, bytes, request);
    if (status == FATHOM_OK)
        check_table(table);
    else
        check_failure(context, status);
    fathom_table_free(context, table);
    fathom_bytes_close(bytes);
}

#endif
