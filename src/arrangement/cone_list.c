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
    const fathom_status status = fathom_file_create(&list->file, list->context, list->path);
    if (status != FATHOM_OK)
        return status;
    list->used = 0;
    list->count = list->checksum = 0;
    memset(list->last, 0, (size_t)list->words * sizeof *list->last);
    memcpy(list->buffer, "FATHCONE", 8);
    list->used = 8;
    put_number(list, FATHOM_CONE_LIST_VERSION, 4);
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
                               .witnesses = witnesses};
    list->record = 64 + 4 * FATHOM_CONE_LIST_MOST + (size_t)planes->n / 8 + 8 * (size_t)planes->d;
    list->room = BUFFER + list->record;
    list->buffer = fathom_memory_alloc(list->context, (int64_t)list->room, 1);
    list->last = fathom_memory_alloc(list->context, list->words, sizeof *list->last);
    return list->buffer && list->last ? start(list) : FATHOM_ERROR_MEMORY;
}

/* The flips from the last pattern, where there are few. */
static bool put_flips(fathom_cone_list *list, const uint64_t *bits)
{
    const int size = list->n <= 65536 ? 2 : 4;
    const size_t whole = ((size_t)list->n + 7) / 8, begin = list->used++;
    int flips = 0;
    for (int64_t w = 0; w < list->words; w++)
        for (uint64_t rest = bits[w] ^ list->last[w]; rest; rest &= rest - 1) {
            if (++flips > FATHOM_CONE_LIST_MOST || (size_t)(flips * size) > whole) {
                list->used = begin;
                return false;
            }
            put_number(list, (uint64_t)(64 * w + __builtin_ctzll(rest)), size);
        }
    list->buffer[begin] = (unsigned char)flips;
    return true;
}

static void put_whole(fathom_cone_list *list, const uint64_t *bits)
{
    list->buffer[list->used++] = FATHOM_CONE_LIST_WHOLE;
    for (int64_t byte = 0; byte < (list->n + 7) / 8; byte++)
        list->buffer[list->used++] = (unsigned char)(bits[byte / 8] >> (8 * (byte % 8)));
}

fathom_status fathom_cone_list_put(fathom_cone_list *list, const fathom_cone_block *block)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < block->count && status == FATHOM_OK; j++) {
        const uint64_t *bits = block->bits + j * list->words;
        if (!put_flips(list, bits))
            put_whole(list, bits);
        memcpy(list->last, bits, (size_t)list->words * sizeof *bits);
        list->checksum = fathom_cone_list_fold(list->checksum, bits, list->words);
        for (int64_t c = 0; c < list->d && list->witnesses; c++)
            put_double(list, block->witness[j * list->d + c]);
        list->count++;
        if (list->used >= BUFFER)
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
    const fathom_status status = flush(list);
    if (status != FATHOM_OK)
        return status;
    fathom_file *file = list->file;
    list->file = NULL;
    return fathom_file_commit(file);
}

void fathom_cone_list_free(fathom_cone_list *list)
{
    if (!list->context)
        return;
    fathom_file_abort(list->file);
    fathom_memory_free(list->context, list->buffer);
    fathom_memory_free(list->context, list->last);
}
