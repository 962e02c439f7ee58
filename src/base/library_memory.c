/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of GMP, FLINT and Arb. Where the system refuses them a block they abort, and with them the program
 * or the interpreter that called. There is no way out of the middle of a product of integers on several
 * threads, so they are never refused: what the system does not give comes from a reserve, taken when the
 * first context is made. The arithmetic goes on and stays right; the failure is counted, contexts see the
 * count (fathom_context_stop_reason), and the run winds down to ERROR_MEMORY (fathom_context_settle). Other
 * blocks are those of malloc, as the libraries themselves would take them: whoever shares the libraries in
 * this process may free them. Where the reserve is used up before anybody looked, the program ends with exit
 * code 6.
 */
#include "library_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <flint/flint.h>
#include <gmp.h>

#include "platform.h"

enum { RESERVE = 1 << 23, LEAST = 1 << 20, HEAD = 16, EXIT_MEMORY = 6, LIBRARY = 1 << 26 };

static fathom_platform_once_flag once = FATHOM_PLATFORM_ONCE;
static fathom_platform_mutex lock = FATHOM_PLATFORM_MUTEX; /* of all that follows but the count */
static unsigned char *reserve;
static size_t size_of_reserve, used;
static long blocks; /* of the reserve, in use: where there are none all of it is free again */
static atomic_long failures;

static bool is_reserve(const void *block)
{
    const uintptr_t at = (uintptr_t)block, begin = (uintptr_t)reserve;
    return reserve && at >= begin && at < begin + size_of_reserve;
}

_Noreturn static void give_up(void)
{
    fathom_platform_end(EXIT_MEMORY, "fathom: out of memory in exact arithmetic\n");
}

/* A block of the reserve, its size in front of it. */
static void *from_reserve(size_t size)
{
    void *block = NULL;
    fathom_library_memory_refuse();
    fathom_platform_mutex_lock(&lock);
    if (size < size_of_reserve) {
        const size_t whole = (HEAD + size + HEAD - 1) / HEAD * HEAD;
        if (whole <= size_of_reserve - used) {
            memcpy(reserve + used, &size, sizeof size);
            block = reserve + used + HEAD;
            used += whole;
            blocks++;
        }
    }
    fathom_platform_mutex_unlock(&lock);
    if (!block)
        give_up();
    return block;
}

void *fathom_library_alloc(size_t size)
{
    void *block = malloc(size ? size : 1);
    return block ? block : from_reserve(size);
}

static void *alloc_zeros(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (block)
        return block;
    if (size && count > SIZE_MAX / size)
        give_up();
    block = from_reserve(count * size);
    return memset(block, 0, count * size);
}

static size_t size_of(const void *block)
{
    size_t size;
    if (!is_reserve(block))
        return fathom_platform_block_size(block);
    memcpy(&size, (const unsigned char *)block - HEAD, sizeof size);
    return size;
}

void fathom_library_free(void *block)
{
    if (!is_reserve(block)) {
        free(block);
        return;
    }
    fathom_platform_mutex_lock(&lock);
    if (--blocks == 0)
        used = 0;
    fathom_platform_mutex_unlock(&lock);
}

void *fathom_library_resize(void *block, size_t size)
{
    if (!block)
        return fathom_library_alloc(size);
    void *other = is_reserve(block) ? NULL : realloc(block, size ? size : 1);
    if (other)
        return other;
    const size_t before = size_of(block);
    if (before == 0 && !is_reserve(block)) /* nobody knows how much to copy */
        give_up();
    other = is_reserve(block) ? fathom_library_alloc(size) : from_reserve(size);
    memcpy(other, block, before < size ? before : size);
    fathom_library_free(block);
    return other;
}

/* GMP tells sizes, too. */
static void *gmp_resize(void *block, size_t before, size_t size)
{
    (void)before;
    return fathom_library_resize(block, size);
}

static void gmp_free(void *block, size_t size)
{
    (void)size;
    fathom_library_free(block);
}

static void serve_gmp(void)
{
    void *(*allocate)(size_t), *(*standard)(size_t);
    void *(*resize)(void *, size_t, size_t);
    void (*release)(void *, size_t);
    mp_get_memory_functions(&allocate, &resize, &release);
    mp_set_memory_functions(NULL, NULL, NULL);
    mp_get_memory_functions(&standard, NULL, NULL);
    if (allocate == standard)
        mp_set_memory_functions(fathom_library_alloc, gmp_resize, gmp_free);
    else
        mp_set_memory_functions(allocate, resize, release);
}

/* Whether `release` is what FLINT begins with: free, or a function of its own, which lies near its others. */
static bool is_standard(void (*release)(void *))
{
    const uintptr_t at = (uintptr_t)release, near = (uintptr_t)flint_free;
    return release == free || (at > near ? at - near : near - at) < LIBRARY;
}

#if __FLINT_RELEASE >= 30100
/* Blocks that begin at multiples of `alignment` are never resized: they need no size in front. */
static void *alloc_aligned(size_t alignment, size_t size)
{
    void *block = fathom_platform_aligned(alignment, size);
    if (block)
        return block;
    const uintptr_t at = (uintptr_t)from_reserve(size + alignment);
    return (void *)((at + alignment - 1) / alignment * alignment);
}

static void free_aligned(void *block)
{
    if (is_reserve(block))
        fathom_library_free(block);
    else
        fathom_platform_aligned_free(block);
}

static void serve_flint(void)
{
    __flint_set_all_memory_functions(fathom_library_alloc, alloc_zeros, fathom_library_resize,
                                     fathom_library_free, alloc_aligned, free_aligned);
}
#else
static void serve_flint(void)
{
    __flint_set_memory_functions(fathom_library_alloc, alloc_zeros, fathom_library_resize,
                                 fathom_library_free);
}
#endif

static void try_flint(void)
{
    void *(*allocate)(size_t), *(*zeros)(size_t, size_t), *(*resize)(void *, size_t);
    void (*release)(void *);
    __flint_get_memory_functions(&allocate, &zeros, &resize, &release);
    if (is_standard(release))
        serve_flint();
}

static void take_over(void)
{
    for (size_of_reserve = RESERVE; size_of_reserve >= LEAST && !reserve; size_of_reserve /= 2)
        reserve = fathom_platform_reserve(size_of_reserve);
    size_of_reserve = reserve ? 2 * size_of_reserve : 0;
    serve_gmp();
    try_flint();
}

void fathom_library_memory_take_over(void) { fathom_platform_once(&once, take_over); }

long fathom_library_memory_failures(void) { return atomic_load(&failures); }

void fathom_library_memory_refuse(void) { atomic_fetch_add(&failures, 1); }
