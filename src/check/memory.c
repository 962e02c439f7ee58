/* SPDX-License-Identifier: Apache-2.0 */
/* Memory on one list, with a ceiling; failure as a jump that leaves nothing behind. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

struct block {
    struct block *next, *previous;
    size_t size;
    max_align_t align[];
};

static const int64_t CEILING = INT64_C(8) << 30;
static check *owner; /* of what GMP allocates */

void check_fail(check *c, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->message, sizeof c->message, format, arguments);
    va_end(arguments);
    c->code = code;
    longjmp(c->end, 1);
}

static void *attach(check *c, struct block *b, size_t size)
{
    b->size = size;
    b->previous = NULL;
    b->next = c->blocks;
    if (b->next)
        b->next->previous = b;
    c->blocks = b;
    c->bytes += (int64_t)size;
    return b + 1;
}

static void detach(check *c, const struct block *b)
{
    if (b->previous)
        b->previous->next = b->next;
    else
        c->blocks = b->next;
    if (b->next)
        b->next->previous = b->previous;
    c->bytes -= (int64_t)b->size;
}

void *check_alloc(check *c, int64_t count, size_t size)
{
    if (count < 0 || (size_t)count > (size_t)(CEILING - c->bytes) / size)
        check_fail(c, 6, "more than %d GB of memory would be needed", (int)(CEILING >> 30));
    const size_t bytes = (size_t)count * size;
    struct block *b = calloc(1, sizeof *b + (bytes ? bytes : 1));
    if (!b)
        check_fail(c, 6, "out of memory");
    return attach(c, b, bytes);
}

void check_free(check *c, void *block)
{
    if (!block)
        return;
    struct block *b = (struct block *)block - 1;
    detach(c, b);
    free(b);
}

void *check_resize(check *c, void *block, size_t size)
{
    const size_t before = ((struct block *)block - 1)->size;
    void *larger = check_alloc(c, (int64_t)size, 1);
    memcpy(larger, block, before < size ? before : size);
    check_free(c, block);
    return larger;
}

static void *gmp_alloc(size_t size) { return check_alloc(owner, (int64_t)size, 1); }

static void gmp_free(void *block, size_t size)
{
    (void)size;
    check_free(owner, block);
}

static void *gmp_resize(void *block, size_t before, size_t size)
{
    (void)before;
    return check_resize(owner, block, size);
}

void check_gmp(check *c)
{
    owner = c;
    mp_set_memory_functions(gmp_alloc, gmp_resize, gmp_free);
}

void check_release(check *c)
{
    while (c->blocks)
        check_free(c, c->blocks + 1);
    mp_set_memory_functions(NULL, NULL, NULL);
}
