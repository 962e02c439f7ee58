/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NPZ archives written: stored members in the order they were added, dated 1980-01-01, so that equal
 * contents give equal bytes. A member's CRC-32 stands before its data, so the data is passed over twice.
 */
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "decoder.h"
#include "memory.h"
#include "npy_internal.h"
#include "npz_internal.h"
#include "utf32.h"

enum { NAME_SIZE = 64, DATE = 0x0021 }; /* 1980-01-01 */

typedef struct {
    char name[NAME_SIZE];
    uint32_t crc, size, offset;
} entry;

struct fathom_npz_writer {
    fathom_context *context;
    fathom_file *file;
    fathom_status status;
    int64_t offset;
    const char *part; /* what names begin with */
    entry *entries;
    int64_t count, capacity;
};

/* Little-endian numbers; each gives the place after it. */
static unsigned char *put16(unsigned char *p, uint32_t value)
{
    p[0] = (unsigned char)value;
    p[1] = (unsigned char)(value >> 8);
    return p + 2;
}

static unsigned char *put32(unsigned char *p, uint32_t value) { return put16(put16(p, value), value >> 16); }

fathom_status fathom_npz_create(fathom_npz_writer **writer, fathom_context *context, const char *path)
{
    *writer = NULL;
    fathom_npz_writer *w = fathom_memory_zero(context, 1, sizeof *w);
    if (!w)
        return FATHOM_ERROR_MEMORY;
    w->context = context;
    w->part = "";
    const fathom_status status = fathom_file_create(&w->file, context, path);
    if (status == FATHOM_OK)
        *writer = w;
    else
        fathom_memory_free(context, w);
    return status;
}

/* Appends bytes and counts them, also after a failure. */
static void put(fathom_npz_writer *w, const void *data, size_t size)
{
    if (w->status == FATHOM_OK)
        w->status = fathom_file_write(w->file, data, size);
    w->offset += (int64_t)size;
}

/* The fields that local header and directory share: version, flags, method, time, date, crc, sizes,
 * lengths. */
static unsigned char *put_common(unsigned char *p, const entry *e)
{
    p = put16(p, 20);
    p = put16(p, 0);
    p = put16(p, 0);
    p = put16(p, 0);
    p = put16(p, DATE);
    p = put32(p, e->crc);
    p = put32(p, e->size);
    p = put32(p, e->size);
    p = put16(p, (uint32_t)strlen(e->name));
    return put16(p, 0);
}

/* Starts a member of `size` bytes in all. */
static fathom_status start(fathom_npz_writer *w, const char *part, const char *name, int64_t size,
                           uint32_t crc)
{
    unsigned char local[30];
    if (w->status != FATHOM_OK)
        return w->status;
    if (w->offset + size > UINT32_MAX - 1000000 || w->count >= 65534)
        return w->status = fathom_error_set(w->context, FATHOM_ERROR_RUNTIME, "an NPZ archive ends at 4 GB");
    void *block = w->entries;
    w->status = fathom_memory_grow(w->context, &block, &w->capacity, w->count + 1, sizeof *w->entries);
    w->entries = block;
    if (w->status != FATHOM_OK)
        return w->status;
    entry *e = &w->entries[w->count++];
    *e = (entry){.crc = crc, .size = (uint32_t)size, .offset = (uint32_t)w->offset};
    snprintf(e->name, sizeof e->name, "%.25s%.*s.npy", part, *part ? 34 : 59, name);
    put_common(put32(local, 0x04034b50), e);
    put(w, local, sizeof local);
    put(w, e->name, strlen(e->name));
    return w->status;
}

/* Of doubles as fathom_file_write_doubles writes them. */
static uint32_t crc_doubles(uint32_t crc, const double *values, int64_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, values + k, sizeof bits);
        bits = __builtin_bswap64(bits);
        crc = fathom_decoder_crc32(crc, &bits, sizeof bits);
    }
    return crc;
#else
    return fathom_decoder_crc32(crc, values, (size_t)count * sizeof *values);
#endif
}

fathom_status fathom_npz_add(fathom_npz_writer *w, const char *name, const double *values, int rank,
                             const int64_t *shape, int64_t ld)
{
    char header[FATHOM_NPY_HEADER];
    const size_t length = fathom_npy_format_header(header, "<f8", rank, shape);
    const int64_t rows = fathom_npy_rows(rank, shape), columns = rank == 0 ? 1 : shape[rank - 1];
    uint32_t crc = fathom_decoder_crc32(0, header, length);
    for (int64_t i = 0; i < rows && columns > 0; i++)
        crc = crc_doubles(crc, values + i * ld, columns);
    const int64_t size = (int64_t)length + 8 * rows * columns;
    if (start(w, w->part, name, size, crc) == FATHOM_OK) {
        w->status = fathom_npy_append(w->file, values, rank, shape, ld);
        w->offset += size;
    }
    return w->status;
}

/* Texts as a list (rank 1) or a single one (rank 0). */
static fathom_status add_texts(fathom_npz_writer *w, const char *name, const char *const *texts,
                               int64_t count, int rank)
{
    char header[FATHOM_NPY_HEADER], descr[32];
    int64_t width = 1;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = fathom_utf32_length(texts[k]);
        width = length > width ? length : width;
    }
    snprintf(descr, sizeof descr, "<U%lld", (long long)width);
    const size_t length = fathom_npy_format_header(header, descr, rank, &count);
    const size_t size = (size_t)(4 * width * count);
    unsigned char *data = fathom_memory_alloc(w->context, (int64_t)size, 1);
    if (!data)
        return w->status = FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        fathom_utf32_encode(data + 4 * width * k, width, texts[k]);
    const uint32_t crc = fathom_decoder_crc32(fathom_decoder_crc32(0, header, length), data, size);
    if (start(w, w->part, name, (int64_t)(length + size), crc) == FATHOM_OK) {
        put(w, header, length);
        put(w, data, size);
    }
    fathom_memory_free(w->context, data);
    return w->status;
}

fathom_status fathom_npz_add_texts(fathom_npz_writer *w, const char *name, const char *const *texts,
                                   int64_t count)
{
    return add_texts(w, name, texts, count, 1);
}

fathom_status fathom_npz_add_text(fathom_npz_writer *w, const char *name, const char *text)
{
    return add_texts(w, name, &text, 1, 0);
}

fathom_status fathom_npz_add_all(fathom_npz_writer *w, const fathom_npz *npz, const char *except)
{
    fathom_npz_member m;
    for (int64_t k = 0; w->status == FATHOM_OK && fathom_npz_look(&m, npz, k); k++) {
        if (strncmp(m.name, except, strlen(except)) == 0)
            continue;
        if (start(w, "", m.name, m.size, m.crc) == FATHOM_OK)
            put(w, m.data, (size_t)m.size);
    }
    return w->status;
}

void fathom_npz_writer_enter(fathom_npz_writer *w, const char *part) { w->part = part; }

fathom_status fathom_npz_commit(fathom_npz_writer *w)
{
    const int64_t directory = w->offset;
    for (int64_t k = 0; k < w->count; k++) {
        unsigned char record[46] = {0};
        const entry *e = &w->entries[k];
        put_common(put16(put32(record, 0x02014b50), 20), e);
        put32(record + 42, e->offset);
        put(w, record, sizeof record);
        put(w, e->name, strlen(e->name));
    }
    unsigned char end[22] = {0};
    put32(end, 0x06054b50);
    put16(end + 8, (uint32_t)w->count);
    put16(end + 10, (uint32_t)w->count);
    put32(end + 12, (uint32_t)(w->offset - directory));
    put32(end + 16, (uint32_t)directory);
    put(w, end, sizeof end);
    fathom_status status = w->status;
    if (status == FATHOM_OK) {
        status = fathom_file_commit(w->file);
        w->file = NULL;
    }
    fathom_npz_abort(w);
    return status;
}

void fathom_npz_abort(fathom_npz_writer *w)
{
    if (!w)
        return;
    fathom_file_abort(w->file);
    FATHOM_FREE(w->context, w->entries, w);
}
