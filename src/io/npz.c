/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NPZ archives read. The zip format, from its end:
 *
 *     ... | central directory: one entry per member | end record 'PK' 5 6 with the directory's place
 *     member at its offset: local header 'PK' 3 4 (30 bytes), name, extra field, data (stored or deflated)
 *
 * Sizes come from the central directory, and every offset is checked against the archive. The archive is
 * held in memory; members are decompressed in blocks, their CRC-32 checked at the end. Archives beyond 4
 * GB (zip64) are refused.
 */
#include "npz_internal.h"

#include <string.h>

#include "context_internal.h"
#include "decoder.h"
#include "memory.h"
#include "npy_internal.h"
#include "utf32.h"

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, COMMENT_LIMIT = 65535 };

struct fathom_npz {
    fathom_context *context;
    char *name;
    const char *part; /* what names begin with */
    unsigned char *data;
    int64_t size;
    int64_t directory, members;
};

/* What the directory says of a member. */
typedef struct {
    const unsigned char *data; /* compressed bytes */
    int64_t size;
    bool deflated;
    uint32_t crc;
} member;

/* Little-endian numbers of the zip records. */
static uint32_t get16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }

static uint32_t get32(const unsigned char *p) { return get16(p) | get16(p + 2) << 16; }

static fathom_status bad(const fathom_npz *npz, const char *what)
{
    return fathom_error_set_at(npz->context, FATHOM_ERROR_INPUT, npz->name, 0, 0, "expected %s", what);
}

/* Finds the end record, which only a comment may follow, and the directory. */
static fathom_status find_directory(fathom_npz *npz)
{
    const int64_t lowest = npz->size - END_SIZE - COMMENT_LIMIT;
    for (int64_t k = npz->size - END_SIZE; k >= 0 && k >= lowest; k--) {
        const unsigned char *p = npz->data + k;
        if (memcmp(p, "PK\5\6", 4) != 0 || k + END_SIZE + (int64_t)get16(p + 20) != npz->size)
            continue;
        npz->members = get16(p + 10);
        npz->directory = get32(p + 16);
        if (npz->members == 0xffff || npz->directory == 0xffffffff)
            return bad(npz, "a zip archive below 4 GB");
        if (npz->directory > k)
            return bad(npz, "the zip directory inside the archive");
        return FATHOM_OK;
    }
    return bad(npz, "an NPZ (zip) archive with its end record");
}

/* The directory entry number `index` after the one at `entry` (-1: the first); -1 where it does not fit. */
static int64_t next_entry(const fathom_npz *npz, int64_t entry)
{
    int64_t next = npz->directory;
    if (entry >= 0) {
        const unsigned char *p = npz->data + entry;
        next = entry + ENTRY_SIZE + (int64_t)get16(p + 28) + (int64_t)get16(p + 30) + (int64_t)get16(p + 32);
    }
    if (next + ENTRY_SIZE > npz->size || memcmp(npz->data + next, "PK\1\2", 4) != 0)
        return -1;
    return next + ENTRY_SIZE + (int64_t)get16(npz->data + next + 28) > npz->size ? -1 : next;
}

/* The directory entry of "<part><name>.npy"; -1 where there is none. */
static int64_t find_entry(const fathom_npz *npz, const char *name)
{
    const size_t before = strlen(npz->part), length = strlen(name);
    int64_t entry = -1;
    for (int64_t k = 0; k < npz->members; k++) {
        entry = next_entry(npz, entry);
        if (entry < 0)
            return -1;
        const unsigned char *text = npz->data + entry + ENTRY_SIZE;
        if (get16(npz->data + entry + 28) == before + length + 4 && memcmp(text, npz->part, before) == 0 &&
            memcmp(text + before, name, length) == 0 && memcmp(text + before + length, ".npy", 4) == 0)
            return entry;
    }
    return -1;
}

/* Checks a directory entry and its local header and says where the data lies. */
static fathom_status locate(member *m, const fathom_npz *npz, int64_t entry)
{
    const unsigned char *p = npz->data + entry;
    const uint32_t method = get16(p + 10);
    const int64_t offset = get32(p + 42);
    m->crc = get32(p + 16);
    m->size = get32(p + 20);
    m->deflated = method == 8;
    if ((method != 0 && method != 8) || (get16(p + 8) & 1))
        return bad(npz, "zip members that are stored or deflated, without a password");
    if (offset + LOCAL_SIZE > npz->size || memcmp(npz->data + offset, "PK\3\4", 4) != 0)
        return bad(npz, "a zip member where the directory says");
    const unsigned char *local = npz->data + offset;
    const int64_t start = offset + LOCAL_SIZE + (int64_t)get16(local + 26) + (int64_t)get16(local + 28);
    if (start + m->size > npz->size)
        return bad(npz, "a zip member inside the archive");
    m->data = npz->data + start;
    return FATHOM_OK;
}

void fathom_npz_enter(fathom_npz *npz, const char *part) { npz->part = part; }

bool fathom_npz_has(const fathom_npz *npz, const char *name) { return find_entry(npz, name) >= 0; }

bool fathom_npz_look(fathom_npz_member *found, const fathom_npz *npz, int64_t index)
{
    int64_t entry = -1;
    member m;
    if (index >= npz->members)
        return false;
    for (int64_t k = 0; k <= index; k++) {
        entry = next_entry(npz, entry);
        if (entry < 0)
            return false;
    }
    const int64_t length = (int64_t)get16(npz->data + entry + 28) - 4;
    if (length < 1 || length >= (int64_t)sizeof found->name || locate(&m, npz, entry) != FATHOM_OK ||
        m.deflated)
        return false;
    *found = (fathom_npz_member){.data = m.data, .size = m.size, .crc = m.crc};
    memcpy(found->name, npz->data + entry + ENTRY_SIZE, (size_t)length);
    return true;
}

/* Opens a member as a stream. */
static fathom_status open_member(fathom_bytes **bytes, member *m, const fathom_npz *npz, const char *name)
{
    const int64_t entry = find_entry(npz, name);
    *bytes = NULL;
    if (entry < 0)
        return fathom_error_set_at(npz->context, FATHOM_ERROR_INPUT, npz->name, 0, 0,
                                   "expected an array '%s' in the archive", name);
    FATHOM_TRY(locate(m, npz, entry));
    return fathom_bytes_open_member(bytes, npz->context, m->data, (size_t)m->size, npz->name, m->deflated);
}

/* Version 0.1.0 wrote the checksum 0 beside arrays without numbers: there is nothing in them that could be
 * wrong. */
static bool is_checked(const fathom_array *array, const fathom_bytes *bytes, uint32_t crc)
{
    return fathom_bytes_crc(bytes) == crc || (array->count == 0 && crc == 0);
}

fathom_status fathom_npz_get(fathom_array *array, const fathom_npz *npz, const char *name)
{
    fathom_bytes *bytes;
    member m;
    array->values = NULL;
    FATHOM_TRY(open_member(&bytes, &m, npz, name));
    fathom_status status = fathom_npy_read(array, bytes);
    if (status == FATHOM_OK && !is_checked(array, bytes, m.crc)) {
        fathom_array_free(npz->context, array);
        status = bad(npz, "data with the checksum of the zip directory");
    }
    fathom_bytes_close(bytes);
    return status;
}

/* --- texts ---------------------------------------------------------------------------------------------- */

void fathom_npz_texts_free(fathom_context *context, char **texts, int64_t count)
{
    for (int64_t k = 0; texts && k < count; k++)
        fathom_memory_free(context, texts[k]);
    fathom_memory_free(context, texts);
}

/* The texts of `count` elements of `size` characters each, all in data. */
static char **split_texts(const fathom_npz *npz, const unsigned char *data, int64_t count,
                          fathom_element element)
{
    char **texts = fathom_memory_zero(npz->context, count, sizeof *texts);
    for (int64_t k = 0; texts && k < count; k++) {
        texts[k] =
            fathom_utf32_decode(npz->context, data + 4 * k * element.size, element.size, element.big_endian);
        if (!texts[k]) {
            fathom_npz_texts_free(npz->context, texts, count);
            texts = NULL;
        }
    }
    return texts;
}

/* Texts are read whole: they are names, not data. */
static fathom_status read_texts(char ***texts, int64_t *count, const fathom_npz *npz, fathom_bytes *bytes,
                                const char *name)
{
    fathom_npy_header h;
    fathom_array array;
    unsigned char *data;
    int64_t size;
    FATHOM_TRY(fathom_npy_read_header(&h, &array, bytes));
    FATHOM_TRY(fathom_array_count(&array, bytes));
    fathom_status status = FATHOM_OK;
    if (h.element.kind != 'U' || array.rank > 1)
        return fathom_error_set_at(npz->context, FATHOM_ERROR_INPUT, npz->name, 0, 0,
                                   "expected a text or a list of texts as '%s'", name);
    FATHOM_TRY(fathom_bytes_read_all(bytes, &data, &size, INT32_MAX));
    const int64_t width = 4 * (int64_t)h.element.size;
    if (width == 0 ? array.count > 1 << 20 || size != 0 : size % width != 0 || size / width != array.count)
        status = bad(npz, "as many texts as the header says");
    if (status == FATHOM_OK) {
        *count = array.count;
        *texts = split_texts(npz, data, array.count, h.element);
        status = *texts ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    fathom_memory_free(npz->context, data);
    return status;
}

fathom_status fathom_npz_get_texts(char ***texts, int64_t *count, const fathom_npz *npz, const char *name)
{
    fathom_bytes *bytes;
    member m;
    *texts = NULL;
    *count = 0;
    FATHOM_TRY(open_member(&bytes, &m, npz, name));
    fathom_status status = read_texts(texts, count, npz, bytes, name);
    if (status == FATHOM_OK && fathom_bytes_crc(bytes) != m.crc) {
        fathom_npz_texts_free(npz->context, *texts, *count);
        *texts = NULL;
        status = bad(npz, "data with the checksum of the zip directory");
    }
    fathom_bytes_close(bytes);
    return status;
}

/* --- archives ------------------------------------------------------------------------------------------- */

fathom_status fathom_npz_open_bytes(fathom_npz **npz, fathom_bytes *bytes)
{
    fathom_context *context = fathom_bytes_context(bytes);
    *npz = NULL;
    fathom_npz *archive = fathom_memory_zero(context, 1, sizeof *archive);
    if (!archive)
        return FATHOM_ERROR_MEMORY;
    archive->context = context;
    archive->part = "";
    archive->name = fathom_memory_text(context, fathom_bytes_name(bytes));
    fathom_status status = archive->name ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_context_require(context, (double)fathom_bytes_total(bytes), "the archive"));
    FATHOM_THEN(status, fathom_bytes_read_all(bytes, &archive->data, &archive->size, INT64_C(1) << 33));
    FATHOM_THEN(status, find_directory(archive));
    if (status == FATHOM_OK)
        *npz = archive;
    else
        fathom_npz_close(archive);
    return status;
}

fathom_status fathom_npz_open(fathom_npz **npz, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    *npz = NULL;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_npz_open_bytes(npz, bytes);
    fathom_bytes_close(bytes);
    return status;
}

void fathom_npz_close(fathom_npz *npz)
{
    if (!npz)
        return;
    FATHOM_FREE(npz->context, npz->name, npz->data, npz);
}
