/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct texts: FNV-1a hash, linear probing, at most half full. */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "platform.h"

void fathom_dictionary_free(fathom_context *context, fathom_dictionary *d)
{
    FATHOM_FREE(context, d->text, d->start, d->slot);
    *d = (fathom_dictionary){0};
}

/* FNV-1a; the high half is folded in, as only low bits choose the slot. */
static uint64_t hash(const char *text, size_t size)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < size; k++)
        h = (h ^ (unsigned char)text[k]) * UINT64_C(1099511628211);
    return h ^ (h >> 32);
}

const char *fathom_dictionary_text(const fathom_dictionary *d, int64_t number)
{
    return d->text + d->start[number];
}

/* The slot that holds the text, or the free one where it belongs. */
static int64_t find_slot(const fathom_dictionary *d, const char *text, size_t size)
{
    int64_t k = (int64_t)(hash(text, size) & (uint64_t)(d->slots - 1));
    while (d->slot[k] != 0) {
        const char *other = fathom_dictionary_text(d, d->slot[k] - 1);
        if (strlen(other) == size && memcmp(other, text, size) == 0)
            break;
        k = (k + 1) & (d->slots - 1);
    }
    return k;
}

int64_t fathom_dictionary_find(const fathom_dictionary *d, const char *text, size_t size)
{
    return d->slots == 0 ? -1 : d->slot[find_slot(d, text, size)] - 1;
}

/* Keeps the table at most half full: doubles it and enters all texts again. */
static fathom_status grow_slots(fathom_dictionary *d, fathom_context *context)
{
    if (2 * (d->count + 1) <= d->slots)
        return FATHOM_OK;
    const int64_t slots = d->slots ? 2 * d->slots : 16;
    int64_t *slot = fathom_memory_zero(context, slots, sizeof *slot);
    if (!slot)
        return FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, d->slot);
    d->slot = slot;
    d->slots = slots;
    for (int64_t k = 0; k < d->count; k++) {
        const char *text = fathom_dictionary_text(d, k);
        slot[find_slot(d, text, strlen(text))] = k + 1;
    }
    return FATHOM_OK;
}

/* All room is made before anything changes, so that a failure leaves the dictionary as it was. */
fathom_status fathom_dictionary_add(fathom_dictionary *d, fathom_context *context, int64_t *number,
                                    const char *text, size_t size)
{
    *number = fathom_dictionary_find(d, text, size);
    if (*number >= 0)
        return FATHOM_OK;
    void *block = d->text;
    fathom_status status =
        fathom_memory_grow(context, &block, &d->text_capacity, d->text_size + (int64_t)size + 1, 1);
    d->text = block;
    if (status != FATHOM_OK)
        return status;
    block = d->start;
    status = fathom_memory_grow(context, &block, &d->start_capacity, d->count + 1, sizeof *d->start);
    d->start = block;
    FATHOM_THEN(status, grow_slots(d, context));
    if (status != FATHOM_OK)
        return status;
    *number = d->count;
    d->slot[find_slot(d, text, size)] = d->count + 1;
    memcpy(d->text + d->text_size, text, size);
    d->text[d->text_size + (int64_t)size] = 0;
    d->start[d->count++] = d->text_size;
    d->text_size += (int64_t)size + 1;
    return FATHOM_OK;
}

static int compare(const void *a, const void *b, void *dictionary)
{
    return strcmp(fathom_dictionary_text(dictionary, *(const int64_t *)a),
                  fathom_dictionary_text(dictionary, *(const int64_t *)b));
}

void fathom_dictionary_rank(int64_t *rank, int64_t *order, const fathom_dictionary *d)
{
    for (int64_t k = 0; k < d->count; k++)
        order[k] = k;
    fathom_platform_sort(order, (size_t)d->count, sizeof *order, compare, (void *)(uintptr_t)d);
    for (int64_t k = 0; k < d->count; k++)
        rank[order[k]] = k;
}
