/* SPDX-License-Identifier: Apache-2.0 */
/* Memory on one list, newest first, with a ceiling; failure as a jump that leaves nothing behind. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

struct block {
    struct block *newer, *older;
    int64_t size, serial;
    max_align_t align[];
};

static check *owner; /* of what FLINT, Arb and GMP allocate */

void check_that(check *c, int code, bool holds, const char *format, ...)
{
    if (holds)
        return;
    va_list arguments;
    va_start(arguments, format);
    const int head = code == 4 && c->line > 0 ? sprintf(c->message, "line %lld: ", (long long)c->line) : 0;
    vsnprintf(c->message + head, sizeof c->message - (size_t)head, format, arguments);
    va_end(arguments);
    c->code = code;
    longjmp(c->end, 1);
}

void check_work(check *c, double more)
{
    num_work += more;
    check_that(c, 6, num_work <= c->budget, "this is more work than files of these sizes justify");
}

void *check_alloc(check *c, int64_t count, size_t size)
{
    const bool fits = (uint64_t)count <= (uint64_t)(c->limits->bytes - c->bytes) / size;
    struct block *b = fits ? calloc(1, sizeof *b + (size_t)count * size) : NULL;
    check_that(c, 6, b, "more than %.3g GB of memory would be needed", (double)c->limits->bytes * 0x1p-30);
    *b = (struct block){.older = c->blocks, .size = count * (int64_t)size, .serial = ++c->serial};
    if (b->older)
        b->older->newer = b;
    c->blocks = b;
    c->bytes += b->size;
    return b + 1;
}

static void release_block(check *c, struct block *b)
{
    *(b->newer ? &b->newer->older : &c->blocks) = b->older;
    if (b->older)
        b->older->newer = b->newer;
    c->bytes -= b->size;
    free(b);
}

/* The functions that the libraries call: FLINT's without sizes, GMP's with them. */
static void *library_alloc(size_t size) { return check_alloc(owner, (int64_t)size, 1); }
static void *library_zeroed(size_t count, size_t size) { return check_alloc(owner, (int64_t)count, size); }

static void library_free(void *block)
{
    if (block)
        release_block(owner, (struct block *)block - 1);
}

static void *library_resize(void *block, size_t size)
{
    const size_t before = (size_t)((struct block *)block - 1)->size;
    void *other = memcpy(library_alloc(size), block, before < size ? before : size);
    library_free(block);
    return other;
}

static void *gmp_resize(void *block, size_t before, size_t size)
{
    (void)before;
    return library_resize(block, size);
}

static void gmp_free(void *block, size_t size)
{
    (void)size;
    library_free(block);
}

void check_open(check *c)
{
    owner = c;
    num_work = 0;
    mp_set_memory_functions(library_alloc, gmp_resize, gmp_free);
    __flint_set_memory_functions(library_alloc, library_zeroed, library_resize, library_free);
}

/* The caches of the libraries first: they may be among the blocks. */
void check_release(check *c, int64_t mark)
{
    flint_cleanup();
    while (c->blocks && c->blocks->serial > mark)
        release_block(c, c->blocks);
}

void check_close(check *c)
{
    check_release(c, 0);
    mp_set_memory_functions(NULL, NULL, NULL);
    __flint_set_memory_functions(malloc, calloc, realloc, free);
}
