/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory through the context's allocator.
 *
 * Every allocation of the library goes through these functions, so that a test can fail the n-th one. Sizes
 * are products checked for overflow; a failed allocation leaves ERROR_MEMORY in the context.
 */
#ifndef FATHOM_MEMORY_H
#define FATHOM_MEMORY_H

#include "fathom/context.h"
#include "inner/program.h"

/* Gives `count` items of `size` bytes, uninitialised; NULL on failure. Zero bytes give a block to free. */
FATHOM_PROGRAM void *fathom_memory_alloc(fathom_context *context, int64_t count, size_t size);

/* The same, zeroed. */
FATHOM_PROGRAM void *fathom_memory_zero(fathom_context *context, int64_t count, size_t size);

/* Resizes *block to `count` items in place of it; on failure *block is as it was. */
fathom_status fathom_memory_resize(fathom_context *context, void **block, int64_t count, size_t size);

/* Makes room in *block for at least `count` items, growing by half so that appending is linear in total;
 * *capacity counts items. */
fathom_status fathom_memory_grow(fathom_context *context, void **block, int64_t *capacity, int64_t count,
                                 size_t size);

/* Gives a copy of a string, or NULL. */
char *fathom_memory_text(fathom_context *context, const char *text);

/* free(NULL) is legal. */
FATHOM_PROGRAM void fathom_memory_free(fathom_context *context, void *block);

/* Several blocks at once: FATHOM_FREE(context, a, b, c). All are looked up before the first is freed. */
void fathom_memory_free_all(fathom_context *context, void *const *block, int64_t count);
#define FATHOM_FREE(context, ...)                                   \
    fathom_memory_free_all((context), (void *const[]){__VA_ARGS__}, \
                           (int64_t)(sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *)))

#endif
