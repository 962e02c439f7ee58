/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of lists of cones: see cone_list.h. */
#include "cone_list.h"

#include <string.h>

#include "memory.h"

enum { BUFFER = 1 << 20 };

/* Appends the `size` low bytes of a number. */
static void put_number(fathom_cone_list *list, uint64_t value, int size)
{
    for (int k = 0; k < size; k++)
        list->buffer[list->used++] = (unsigned char)(value >> (8 * k));
}

static void put_double(fathom_cone_list *list, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(list, bits, 8);
}

static fathom_status flush(fathom_cone_list *list)
{
    const fathom_status status = fathom_file_write(list->file, list->buffer, list->used);
    list->used = 0;
    return status;
}

static fathom_status start(fathom_cone_list *list)
{
    FATHOM_TRY(fathom_file_create(&list->file, list->context, list->path));
    list->used = 0;
    list->count = list->checksum = list->mark = 0;
    memset(list->last, 0, (size_t)list->words * sizeof *list->last);
    memcpy(list->buffer, "FATHCONE", 8);
    list->used = 8;
    put_number(list, list->witnesses ? FATHOM_CONE_LIST_VERSION : 1, 4);
    put_number(list, list->witnesses ? FATHOM_CONE_LIST_WITNESSES : 0, 4);
    put_number(list, (uint64_t)list->n, 8);
    put_number(list, (uint64_t)list->d, 8);
    return FATHOM_OK;
}

fathom_status fathom_cone_list_open(fathom_cone_list *list, const fathom_hyperplanes *planes,
                                    const char *path, bool witnesses)
{
    *list = (fathom_cone_list){.context = planes->context,
                               .path = path,
                               .n = planes->n,
                               .d = planes->d,
                               .words = planes->words,
                               .size = planes->n <= 65536 ? 2 : 4,
                               .witnesses = witnesses};
    list->record = 64 + 4 * FATHOM_CONE_LIST_MOST + (size_t)planes->n / 8 + 8 * (size_t)planes->d;
    list->room = BUFFER + list->record;
    list->buffer = fathom_memory_alloc(list->context, (int64_t)list->room, 1);
    list->last = fathom_memory_alloc(list->context, list->words, sizeof *list->last);
    return list->buffer && list->last ? start(list) : FATHOM_ERROR_MEMORY;
}

/* Whether a record of this many flips is allowed and shorter than the whole pattern. */
static bool short_enough(const fathom_cone_list *list, int64_t flips)
{
    return flips <= FATHOM_CONE_LIST_MOST && flips * list->size < (list->n + 7) / 8;
}

static void put_flips(fathom_cone_list *list, int32_t flips, const int32_t *flip)
{
    list->buffer[list->used++] = (unsigned char)flips;
    for (int32_t k = 0; k < flips; k++)
        put_number(list, (uint64_t)flip[k], list->size);
}

/* The pattern `list->last` as a whole. */
static void put_whole(fathom_cone_list *list)
{
    list->buffer[list->used++] = FATHOM_CONE_LIST_WHOLE;
    for (int64_t byte = 0; byte < (list->n + 7) / 8; byte++)
        list->buffer[list->used++] = (unsigned char)(list->last[byte / 8] >> (8 * (byte % 8)));
}

/* A whole pattern by its differences from the last one where these are few. */
static void put_pattern(fathom_cone_list *list, const uint64_t *pattern)
{
    int32_t flip[FATHOM_CONE_LIST_MOST + 1], flips = 0;
    for (int64_t w = 0; w < list->words && flips <= FATHOM_CONE_LIST_MOST; w++)
        for (uint64_t rest = pattern[w] ^ list->last[w]; rest && flips <= FATHOM_CONE_LIST_MOST;
             rest &= rest - 1)
            flip[flips++] = (int32_t)(64 * w + __builtin_ctzll(rest));
    memcpy(list->last, pattern, (size_t)list->words * sizeof *pattern);
    list->mark = fathom_cone_list_mark(pattern, list->words);
    if (short_enough(list, flips))
        put_flips(list, flips, flip);
    else
        put_whole(list);
}

/* The witness of cone j of the block: doubles, and behind NaNs integers, where there are some. */
static fathom_status put_witness(fathom_cone_list *list, const fathom_cone_block *block, int64_t j)
{
    const double *z = block->witness + j * list->d;
    const fathom_integer *exact = block->exact ? block->exact + j * list->d : NULL;
    for (int64_t c = 0; c < list->d; c++)
        put_double(list, z[c]);
    if (list->d == 0 || z[0] == z[0])
        return FATHOM_OK;
    const int64_t length = exact ? fathom_integers_length(exact, list->d) : 0;
    char *text = length > 0 ? fathom_memory_alloc(list->context, length, 1) : NULL;
    if (length > 0 && !text)
        return FATHOM_ERROR_MEMORY;
    const int64_t used = exact ? fathom_integers_print(text, exact, list->d) : 0;
    put_number(list, (uint64_t)used, 4);
    fathom_status status = flush(list);
    if (status == FATHOM_OK && used > 0)
        status = fathom_file_write(list->file, text, (size_t)used);
    fathom_memory_free(list->context, text);
    return status;
}

fathom_status fathom_cone_list_put(fathom_cone_list *list, const fathom_cone_block *block)
{
    const int32_t *flip = block->flip;
    const uint64_t *pattern = block->pattern;
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < block->count && status == FATHOM_OK; j++) {
        const int32_t flips = block->flips[j];
        if (flips < 0) {
            put_pattern(list, pattern);
            pattern += list->words;
        } else {
            for (int32_t k = 0; k < flips; k++)
                list->mark ^= fathom_cone_list_mix((uint64_t)flip[k]);
            if (short_enough(list, flips))
                put_flips(list, flips, flip);
            fathom_cone_block_step(list->last, list->words, flips, &flip, &pattern);
            if (!short_enough(list, flips))
                put_whole(list);
        }
        list->checksum = fathom_cone_list_fold(list->checksum, list->mark);
        if (list->witnesses)
            status = put_witness(list, block, j);
        list->count++;
        if (status == FATHOM_OK && list->used >= BUFFER)
            status = flush(list);
    }
    return status;
}

fathom_status fathom_cone_list_reset(fathom_cone_list *list)
{
    fathom_file_abort(list->file);
    list->file = NULL;
    return start(list);
}

fathom_status fathom_cone_list_close(fathom_cone_list *list)
{
    list->buffer[list->used++] = FATHOM_CONE_LIST_END;
    put_number(list, list->count, 8);
    put_number(list, list->checksum, 8);
    FATHOM_TRY(flush(list));
    fathom_file *file = list->file;
    list->file = NULL;
    return fathom_file_commit(file);
}

void fathom_cone_list_free(fathom_cone_list *list)
{
    if (!list->context)
        return;
    fathom_file_abort(list->file);
    FATHOM_FREE(list->context, list->buffer, list->last);
}
