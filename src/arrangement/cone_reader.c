/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lists of cones; the format stands in cone_list.h. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "cone_list.h"
#include "context_internal.h"
#include "fathom/cones.h"
#include "memory.h"
#include "patterns.h"

enum { LONGEST = 1 << 26 }; /* bytes of the integers of one cone */

struct fathom_cones_reader {
    fathom_context *context;
    fathom_bytes *bytes;
    fathom_cones_header header;
    uint64_t *pattern;
    double *witness;
    uint32_t version;
    char *exact; /* of the last cone, a text */
    int64_t exact_capacity;
    bool thin;           /* the last cone has such a text */
    unsigned char *room; /* one record */
    uint64_t mark, count, checksum;
    bool ended;
};

static fathom_status damaged(const fathom_cones_reader *reader, const char *what)
{
    return fathom_error_set_at(reader->context, FATHOM_ERROR_INPUT, fathom_bytes_name(reader->bytes), 0, 0,
                               "%s at byte %lld", what, (long long)fathom_bytes_offset(reader->bytes));
}

static uint64_t number(const unsigned char *from, int size)
{
    uint64_t value = 0;
    for (int k = 0; k < size; k++)
        value |= (uint64_t)from[k] << (8 * k);
    return value;
}

/* The next `size` bytes into reader->room. */
static fathom_status read_bytes(fathom_cones_reader *reader, size_t size)
{
    size_t got;
    FATHOM_TRY(fathom_bytes_read(reader->bytes, reader->room, size, &got));
    return got == size ? FATHOM_OK : damaged(reader, "the list of cones ends early");
}

static fathom_status read_header(fathom_cones_reader *reader)
{
    unsigned char head[FATHOM_CONE_LIST_HEADER];
    size_t got;
    FATHOM_TRY(fathom_bytes_read(reader->bytes, head, sizeof head, &got));
    if (got < sizeof head || memcmp(head, "FATHCONE", 8) != 0)
        return damaged(reader, "this is no list of cones");
    if (number(head + 8, 4) > FATHOM_CONE_LIST_VERSION)
        return damaged(reader, "this list of cones was written by a newer version");
    reader->version = (uint32_t)number(head + 8, 4);
    const uint64_t n = number(head + 16, 8), d = number(head + 24, 8);
    if (number(head + 8, 4) == 0 || number(head + 12, 4) > FATHOM_CONE_LIST_WITNESSES ||
        n > (uint64_t)1 << 31 || d > (uint64_t)1 << 31)
        return damaged(reader, "the header of the list of cones is damaged");
    reader->header = (fathom_cones_header){(int64_t)n, (int64_t)d, fathom_pattern_words((int64_t)n),
                                           number(head + 12, 4) == FATHOM_CONE_LIST_WITNESSES};
    return FATHOM_OK;
}

static fathom_status allocate(fathom_cones_reader *reader)
{
    const fathom_cones_header *h = &reader->header;
    int64_t room = (h->n + 7) / 8;
    room = room < 4 * FATHOM_CONE_LIST_MOST ? 4 * FATHOM_CONE_LIST_MOST : room;
    room = h->witnesses && room < 8 * h->d ? 8 * h->d : room;
    reader->room = fathom_memory_alloc(reader->context, room, 1);
    reader->pattern = fathom_memory_zero(reader->context, h->words, sizeof *reader->pattern);
    reader->witness = fathom_memory_alloc(reader->context, h->witnesses ? h->d : 0, sizeof *reader->witness);
    return reader->room && reader->pattern && reader->witness ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_cones_reader_open(fathom_cones_reader **reader, fathom_context *context,
                                       const char *path)
{
    *reader = fathom_memory_zero(context, 1, sizeof **reader);
    if (!*reader)
        return FATHOM_ERROR_MEMORY;
    (*reader)->context = context;
    fathom_status status = fathom_bytes_open(&(*reader)->bytes, context, path);
    FATHOM_THEN(status, read_header(*reader));
    FATHOM_THEN(status, allocate(*reader));
    if (status != FATHOM_OK) {
        fathom_cones_reader_free(*reader);
        *reader = NULL;
    }
    return status;
}

void fathom_cones_reader_free(fathom_cones_reader *reader)
{
    if (!reader)
        return;
    if (reader->bytes)
        fathom_bytes_close(reader->bytes);
    FATHOM_FREE(reader->context, reader->room, reader->pattern, reader->witness, reader->exact, reader);
}

fathom_cones_header fathom_cones_reader_look(const fathom_cones_reader *reader) { return reader->header; }

static fathom_status read_flips(fathom_cones_reader *reader, int flips)
{
    const int size = reader->header.n <= 65536 ? 2 : 4;
    const fathom_status status = read_bytes(reader, (size_t)(flips * size));
    for (int k = 0; k < flips && status == FATHOM_OK; k++) {
        const uint64_t i = number(reader->room + k * size, size);
        if (i >= (uint64_t)reader->header.n)
            return damaged(reader, "a flipped point beyond the last one");
        reader->pattern[i / 64] ^= (uint64_t)1 << (i % 64);
        reader->mark ^= fathom_cone_list_mix(i);
    }
    return status;
}

static fathom_status read_whole(fathom_cones_reader *reader)
{
    const int64_t n = reader->header.n, size = (n + 7) / 8;
    FATHOM_TRY(read_bytes(reader, (size_t)size));
    if (n % 8 != 0 && reader->room[size - 1] >> (n % 8) != 0)
        return damaged(reader, "an active point beyond the last one");
    memset(reader->pattern, 0, (size_t)reader->header.words * sizeof *reader->pattern);
    for (int64_t byte = 0; byte < size; byte++)
        reader->pattern[byte / 8] |= (uint64_t)reader->room[byte] << (8 * (byte % 8));
    reader->mark = fathom_cone_list_mark(reader->pattern, reader->header.words);
    return FATHOM_OK;
}

/* The integers behind NaNs: a length, then that many of "0123456789abcdef- ". */
static fathom_status read_exact(fathom_cones_reader *reader)
{
    size_t got = 0;
    fathom_status status = read_bytes(reader, 4);
    const uint64_t length = status == FATHOM_OK ? number(reader->room, 4) : 0;
    if (status != FATHOM_OK || length == 0)
        return status;
    if (length > LONGEST)
        return damaged(reader, "the integers of a cone are too long");
    status = fathom_memory_grow(reader->context, (void **)&reader->exact, &reader->exact_capacity,
                                (int64_t)length + 1, 1);
    FATHOM_THEN(status, fathom_bytes_read(reader->bytes, reader->exact, length, &got));
    if (status != FATHOM_OK)
        return status;
    reader->exact[got] = 0;
    if (got != length || strspn(reader->exact, "0123456789abcdef- ") != length)
        return damaged(reader, "the integers of a cone are damaged");
    reader->thin = true;
    return FATHOM_OK;
}

static fathom_status read_witness(fathom_cones_reader *reader)
{
    fathom_status status = read_bytes(reader, (size_t)(8 * reader->header.d));
    reader->thin = false;
    for (int64_t c = 0; c < reader->header.d && status == FATHOM_OK; c++) {
        const uint64_t bits = number(reader->room + 8 * c, 8);
        memcpy(reader->witness + c, &bits, sizeof bits);
    }
    if (status == FATHOM_OK && reader->version >= FATHOM_CONE_LIST_EXACT && reader->header.d > 0 &&
        isnan(reader->witness[0]))
        status = read_exact(reader);
    return status;
}

const char *fathom_cones_reader_exact(const fathom_cones_reader *reader)
{
    return reader->thin ? reader->exact : NULL;
}

static fathom_status read_end(fathom_cones_reader *reader)
{
    FATHOM_TRY(read_bytes(reader, 16));
    if (number(reader->room, 8) != reader->count || number(reader->room + 8, 8) != reader->checksum)
        return damaged(reader, "number of cones or checksum disagree");
    reader->ended = true;
    return FATHOM_OK;
}

fathom_status fathom_cones_reader_next(fathom_cones_reader *reader, const uint64_t **bits,
                                       const double **witness)
{
    *bits = NULL;
    *witness = NULL;
    if (reader->ended)
        return FATHOM_OK;
    FATHOM_TRY(read_bytes(reader, 1));
    fathom_status status = FATHOM_OK;
    const int code = reader->room[0];
    if (code == FATHOM_CONE_LIST_END)
        return read_end(reader);
    if (code <= FATHOM_CONE_LIST_MOST)
        status = read_flips(reader, code);
    else
        status = code == FATHOM_CONE_LIST_WHOLE ? read_whole(reader) : damaged(reader, "an unknown record");
    if (status == FATHOM_OK && reader->header.witnesses)
        status = read_witness(reader);
    if (status != FATHOM_OK)
        return status;
    reader->count++;
    reader->checksum = fathom_cone_list_fold(reader->checksum, reader->mark);
    *bits = reader->pattern;
    *witness = reader->header.witnesses ? reader->witness : NULL;
    return FATHOM_OK;
}
