/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct patterns: linear probing over a table of row numbers, at most half full. */
#include "patterns.h"

#include <string.h>

#include "memory.h"

enum { FIRST_CAPACITY = 64 };

/* A 64-bit mix of all words: multiply, rotate, finish as splitmix64. */
static uint64_t hash(const uint64_t *pattern, int64_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t k = 0; k < words; k++) {
        h = (h ^ pattern[k]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 31;
}

fathom_status fathom_pattern_index_init(fathom_pattern_index *index, fathom_context *context, int64_t words)
{
    *index = (fathom_pattern_index){.context = context, .words = words, .capacity = FIRST_CAPACITY};
    index->slot = fathom_memory_alloc(context, FIRST_CAPACITY, sizeof *index->slot);
    if (!index->slot)
        return FATHOM_ERROR_MEMORY;
    memset(index->slot, 0xff, FIRST_CAPACITY * sizeof *index->slot);
    return FATHOM_OK;
}

void fathom_pattern_index_free(fathom_pattern_index *index)
{
    if (index->context)
        fathom_memory_free(index->context, index->slot);
    index->slot = NULL;
}

/* The slot that holds `pattern`, or the free one where it belongs. */
static int64_t probe(const fathom_pattern_index *index, const uint64_t *bits, const uint64_t *pattern)
{
    const size_t bytes = (size_t)index->words * sizeof *pattern;
    const int64_t mask = index->capacity - 1;
    int64_t at = (int64_t)(hash(pattern, index->words) & (uint64_t)mask);
    while (index->slot[at] >= 0 && memcmp(bits + index->slot[at] * index->words, pattern, bytes) != 0)
        at = (at + 1) & mask;
    return at;
}

int64_t fathom_pattern_index_find(const fathom_pattern_index *index, const uint64_t *bits,
                                  const uint64_t *pattern)
{
    return index->slot[probe(index, bits, pattern)];
}

static fathom_status rehash(fathom_pattern_index *index, const uint64_t *bits)
{
    const int64_t capacity = 2 * index->capacity;
    int64_t *slot = fathom_memory_alloc(index->context, capacity, sizeof *slot);
    if (!slot)
        return FATHOM_ERROR_MEMORY;
    memset(slot, 0xff, (size_t)capacity * sizeof *slot);
    fathom_memory_free(index->context, index->slot);
    index->slot = slot;
    index->capacity = capacity;
    for (int64_t j = 0; j < index->count; j++)
        slot[probe(index, bits, bits + j * index->words)] = j;
    return FATHOM_OK;
}

fathom_status fathom_pattern_index_add(fathom_pattern_index *index, const uint64_t *bits)
{
    if (2 * (index->count + 1) > index->capacity) {
        FATHOM_TRY(rehash(index, bits));
    }
    index->slot[probe(index, bits, bits + index->count * index->words)] = index->count;
    index->count++;
    return FATHOM_OK;
}
