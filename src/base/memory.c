/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <string.h>

#include "context_internal.h"

/* count * size in bytes, at least 1; false where it does not fit. */
static bool byte_count(size_t *bytes, int64_t count, size_t size)
{
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, bytes) || *bytes > PTRDIFF_MAX)
        return false;
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

static fathom_status refuse(fathom_context *context, int64_t count, size_t size)
{
    return fathom_error_set(context, FATHOM_ERROR_MEMORY,
                            fathom_context_counts_memory(context)
                                ? "%.3g GB more would be needed than the limit on memory leaves"
                                : "no memory for %.3g GB",
                            (double)count * (double)size / 1e9);
}

void *fathom_memory_alloc(fathom_context *context, int64_t count, size_t size)
{
    const fathom_allocator *allocator = fathom_context_allocator(context);
    size_t bytes;
    void *block = NULL;
    if (byte_count(&bytes, count, size))
        block = allocator->allocate(allocator->user, bytes);
    if (!block)
        refuse(context, count, size);
    return block;
}

void *fathom_memory_zero(fathom_context *context, int64_t count, size_t size)
{
    void *block = fathom_memory_alloc(context, count, size);
    if (block)
        memset(block, 0, (size_t)count * size);
    return block;
}

fathom_status fathom_memory_resize(fathom_context *context, void **block, int64_t count, size_t size)
{
    const fathom_allocator *allocator = fathom_context_allocator(context);
    size_t bytes;
    void *resized = NULL;
    if (byte_count(&bytes, count, size))
        resized = allocator->resize(allocator->user, *block, bytes);
    if (!resized)
        return refuse(context, count, size);
    *block = resized;
    return FATHOM_OK;
}

fathom_status fathom_memory_grow(fathom_context *context, void **block, int64_t *capacity, int64_t count,
                                 size_t size)
{
    if (count <= *capacity)
        return FATHOM_OK;
    int64_t wanted = *capacity + *capacity / 2;
    if (wanted < count)
        wanted = count;
    FATHOM_TRY(fathom_memory_resize(context, block, wanted, size));
    *capacity = wanted;
    return FATHOM_OK;
}

char *fathom_memory_text(fathom_context *context, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fathom_memory_alloc(context, (int64_t)size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void fathom_memory_free(fathom_context *context, void *block)
{
    const fathom_allocator *allocator = fathom_context_allocator(context);
    allocator->release(allocator->user, block);
}

void *fathom_context_allocate(fathom_context *context, int64_t count, size_t size)
{
    return fathom_memory_alloc(context, count, size);
}

void fathom_context_release(fathom_context *context, void *block) { fathom_memory_free(context, block); }

void fathom_memory_free_all(fathom_context *context, void *const *block, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        fathom_memory_free(context, block[k]);
}
