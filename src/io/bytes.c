/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte streams: file descriptor or memory -> (decoder) -> caller's buffer.
 *
 *     source --raw_fill--> in[0..INPUT) --decoder--> caller
 *     source ------------------- read -------------> caller      (plain files: no copy)
 *
 * A compressed stream ends well only where its last member ended; everything else is "truncated". Memory: one
 * input buffer, one peek buffer and the decoder's own (xz: at most 256 MB).
 */
#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "decoder.h"
#include "memory.h"
#include "platform.h"
#include "ranks.h"

enum { INPUT = 1 << 17 };
static const double WAIT = 0.1; /* seconds for which a pipe is waited for between two looks at the limits */
static const size_t MOST = 1 << 22; /* bytes of one read: signals and limits are heard in between */

struct fathom_bytes {
    fathom_context *context;
    char *name;
    int descriptor; /* -1: memory, of which memory[0..memory_size) is left */
    const unsigned char *memory;
    size_t memory_size;
    int64_t total; /* bytes in the plain source, -1 where unknown */
    fathom_platform_file file;
    int64_t offset; /* bytes given so far */
    int64_t raw;    /* bytes taken from the source so far */
    const fathom_decoder *decoder;
    void *state;
    bool member_ended, ended;
    unsigned char *in; /* raw bytes in[in_start..in_end) wait, of at most in_size */
    size_t in_start, in_end, in_size;
    bool in_last;          /* the source has no more than these */
    unsigned char *peeked; /* decoded bytes peeked[peek_start..peek_end) go before all others */
    size_t peek_start, peek_end;
    void *shared;   /* standard input that several ranks have in common */
    bool is_member; /* of a zip archive: no sniffing, and a CRC-32 */
    uint32_t crc;
};

/* The stop came so long ago that the file is given up: how far it was read. */
static fathom_status late(const fathom_bytes *b)
{
    const double megabytes = 1e-6 * (double)b->raw;
    if (b->total > b->raw)
        return fathom_error_set_at(b->context, FATHOM_ERROR_STOPPED, b->name, 0, 0,
                                   "stopped while reading, after %.1f of %.1f MB", megabytes,
                                   1e-6 * (double)b->total);
    return fathom_error_set_at(b->context, FATHOM_ERROR_STOPPED, b->name, 0, 0,
                               "stopped while reading, after %.1f MB", megabytes);
}

static fathom_status interrupted(const fathom_bytes *b)
{
    return fathom_error_set_at(b->context, FATHOM_ERROR_STOPPED, b->name, 0, 0, "interrupted while reading");
}

/* Reads raw bytes; *got < size only at the end of the source. */
static fathom_status raw_read(fathom_bytes *b, unsigned char *buffer, size_t size, size_t *got)
{
    *got = 0;
    if (b->descriptor < 0 && fathom_context_overdue(b->context))
        return late(b);
    if (b->descriptor < 0) {
        *got = size < b->memory_size ? size : b->memory_size;
        b->raw += (int64_t)*got;
        if (*got > 0)
            memcpy(buffer, b->memory, *got);
        b->memory += *got;
        b->memory_size -= *got;
        return FATHOM_OK;
    }
    while (*got < size) {
        if (fathom_context_overdue(b->context))
            return late(b);
        if (!fathom_platform_await(b->descriptor, WAIT)) {
            if (fathom_context_interrupted(b->context))
                return interrupted(b);
            continue;
        }
        const size_t piece = size - *got < MOST ? size - *got : MOST;
        const int64_t count = fathom_platform_read(b->descriptor, buffer + *got, piece);
        if (count == 0)
            break;
        if (count > 0) {
            *got += (size_t)count;
            b->raw += count;
        } else if (errno == EINTR && fathom_context_interrupted(b->context))
            return interrupted(b);
        else if (errno != EINTR)
            return fathom_error_set_at(b->context,
                                       errno == EISDIR ? FATHOM_ERROR_INPUT : FATHOM_ERROR_RUNTIME, b->name,
                                       0, 0, "cannot read: %s", strerror(errno));
    }
    return FATHOM_OK;
}

/* Moves the waiting raw bytes to the front and fills the input buffer up. */
static fathom_status raw_fill(fathom_bytes *b)
{
    size_t got;
    memmove(b->in, b->in + b->in_start, b->in_end - b->in_start);
    b->in_end -= b->in_start;
    b->in_start = 0;
    FATHOM_TRY(raw_read(b, b->in + b->in_end, b->in_size - b->in_end, &got));
    b->in_end += got;
    b->in_last = b->in_end < b->in_size;
    return FATHOM_OK;
}

/* The name without its extension must not be empty. */
static bool has_extension(const char *name, const char *extension)
{
    const size_t size = strlen(name), ending = strlen(extension);
    return size > ending && strcmp(name + size - ending, extension) == 0;
}

/* Whether a member of this compressor begins here. */
static bool has_magic(const unsigned char *data, size_t size, const fathom_decoder *decoder)
{
    return size >= decoder->magic_size && memcmp(data, decoder->magic, decoder->magic_size) == 0;
}

/* Looks at the first bytes and sets up the decoder they ask for. Text may well begin with BZh: the block magic
 * (pi, or the square root of pi where the member is empty) must follow. */
static fathom_status choose_decoder(fathom_bytes *b)
{
    if (b->is_member)
        return FATHOM_OK;
    static const fathom_decoder *const decoders[] = {&fathom_decoder_gzip, &fathom_decoder_xz,
                                                     &fathom_decoder_bzip2, &fathom_decoder_zstd};
    for (size_t k = 0; k < sizeof decoders / sizeof *decoders; k++) {
        bool magic = has_magic(b->in, b->in_end, decoders[k]);
        const bool named = has_extension(b->name, decoders[k]->extension);
        if (magic && decoders[k] == &fathom_decoder_bzip2 && !named)
            magic = b->in_end >= 10 && (memcmp(b->in + 4, "1AY&SY", 6) == 0 ||
                                        memcmp(b->in + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
        if (named && !magic)
            return fathom_error_set_at(b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
                                       "expected %s data, as the name says", decoders[k]->name);
        if (magic) {
            b->decoder = decoders[k];
            b->total = -1;
            b->state = b->decoder->create(b->context);
            return b->state ? FATHOM_OK
                            : fathom_error_set(b->context, FATHOM_ERROR_MEMORY, "no memory to decompress %s",
                                               b->name);
        }
    }
    return FATHOM_OK;
}

/* At the end of a member: the next one, nothing, or zero padding. Sets `ended` where the stream is over. */
static fathom_status next_member(fathom_bytes *b)
{
    if (b->in_end - b->in_start < 16 && !b->in_last) {
        FATHOM_TRY(raw_fill(b));
    }
    const unsigned char *rest = b->in + b->in_start;
    const size_t size = b->in_end - b->in_start;
    if (!b->is_member && has_magic(rest, size, b->decoder)) {
        b->member_ended = false;
        return b->decoder->restart(b->state)
                   ? FATHOM_OK
                   : fathom_error_set(b->context, FATHOM_ERROR_MEMORY, "no memory to decompress %s", b->name);
    }
    for (size_t k = 0; k < size; k++)
        if (rest[k] != 0)
            return fathom_error_set_at(b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
                                       "expected the end of the %s data, found other bytes after it",
                                       b->decoder->name);
    b->in_start = b->in_end;
    b->ended = b->in_last;
    return FATHOM_OK;
}

/* Runs the decoder once over what waits. */
static fathom_status decode_step(fathom_bytes *b, fathom_decode_cursor *cursor)
{
    const size_t before = b->in_end - b->in_start, room = cursor->out_size;
    cursor->in = b->in + b->in_start;
    cursor->in_size = before;
    cursor->finish = b->in_last;
    const fathom_decode outcome = b->decoder->run(b->state, cursor);
    b->in_start = b->in_end - cursor->in_size;
    b->member_ended = outcome == FATHOM_DECODE_END;
    if (outcome == FATHOM_DECODE_MEMORY)
        return fathom_error_set(b->context, FATHOM_ERROR_MEMORY, "no memory to decompress %s", b->name);
    /* what waits moves a decoder, unless it lacks what follows the end of the file */
    const bool stuck = outcome == FATHOM_DECODE_MORE && cursor->in_size == before && cursor->out_size == room;
    if (outcome == FATHOM_DECODE_CORRUPT)
        return fathom_error_set_at(b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
                                   "the %s data is corrupt (after %lld decompressed bytes)", b->decoder->name,
                                   (long long)b->offset);
    if (stuck)
        return fathom_error_set_at(b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
                                   "the %s data is truncated (after %lld decompressed bytes)",
                                   b->decoder->name, (long long)b->offset);
    return FATHOM_OK;
}

/* Decoded bytes, across members, until the buffer is full or the stream ends. */
static fathom_status decode(fathom_bytes *b, unsigned char *buffer, size_t size, size_t *got)
{
    fathom_decode_cursor cursor = {.out = buffer, .out_size = size};
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && cursor.out_size > 0 && !b->ended) {
        if (b->member_ended)
            status = next_member(b);
        else if (b->in_start == b->in_end && !b->in_last)
            status = raw_fill(b);
        else
            status = decode_step(b, &cursor);
    }
    *got = size - cursor.out_size;
    return status;
}

/* Decoded or plain bytes, before the peek buffer is considered. */
static fathom_status stream_read(fathom_bytes *b, unsigned char *buffer, size_t size, size_t *got)
{
    if (b->decoder)
        return decode(b, buffer, size, got);
    const size_t waiting = b->in_end - b->in_start, first = size < waiting ? size : waiting;
    memcpy(buffer, b->in + b->in_start, first);
    b->in_start += first;
    *got = first;
    if (first == size || b->in_last)
        return FATHOM_OK;
    const fathom_status status = raw_read(b, buffer + first, size - first, got);
    *got += first;
    return status;
}

/* Everything but the source; on failure the half-made stream is closed. */
static fathom_status start(fathom_bytes **bytes, fathom_bytes *b, const char *name)
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    const int64_t size = b->descriptor < 0 ? (int64_t)b->memory_size : b->total;
    b->in_size = size >= 0 && size < INPUT ? (size_t)size + 1 : INPUT; /* one more: the end shows at once */
    b->name = fathom_memory_text(b->context, name);
    b->in = fathom_memory_alloc(b->context, (int64_t)b->in_size, 1);
    if (b->name && b->in)
        status = raw_fill(b);
    FATHOM_THEN(status, choose_decoder(b));
    if (status != FATHOM_OK) {
        fathom_bytes_close(b);
        return status;
    }
    *bytes = b;
    return FATHOM_OK;
}

fathom_status fathom_bytes_open_memory(fathom_bytes **bytes, fathom_context *context, const void *data,
                                       size_t size, const char *name)
{
    *bytes = NULL;
    fathom_bytes *b = fathom_memory_zero(context, 1, sizeof *b);
    if (!b)
        return FATHOM_ERROR_MEMORY;
    b->context = context;
    b->descriptor = -1;
    b->memory = data;
    b->memory_size = size;
    b->total = (int64_t)size;
    return start(bytes, b, name);
}

/* A deflated member has no total: the directory of the archive says one, but whoever wrote it may lie. */
fathom_status fathom_bytes_open_member(fathom_bytes **bytes, fathom_context *context, const void *data,
                                       size_t size, const char *name, bool deflated)
{
    *bytes = NULL;
    fathom_bytes *b = fathom_memory_zero(context, 1, sizeof *b);
    if (!b)
        return FATHOM_ERROR_MEMORY;
    b->context = context;
    b->descriptor = -1;
    b->memory = data;
    b->memory_size = size;
    b->is_member = true;
    b->total = deflated ? -1 : (int64_t)size;
    if (deflated) {
        b->decoder = &fathom_decoder_deflate;
        b->state = b->decoder->create(context);
        if (!b->state) {
            fathom_bytes_close(b);
            return fathom_error_set(context, FATHOM_ERROR_MEMORY, "no memory to decompress %s", name);
        }
    }
    return start(bytes, b, name);
}

/* Standard input is that of rank 0. */
static fathom_status open_shared(fathom_bytes **bytes, fathom_bytes *b)
{
    const fathom_status status = fathom_ranks_share(&b->shared, &b->total, b->context, "-");
    if (status != FATHOM_OK) {
        fathom_memory_free(b->context, b);
        return status;
    }
    b->descriptor = -1;
    b->memory = b->shared;
    b->memory_size = (size_t)b->total;
    return start(bytes, b, "standard input");
}

fathom_status fathom_bytes_open(fathom_bytes **bytes, fathom_context *context, const char *path)
{
    *bytes = NULL;
    const bool standard = strcmp(path, "-") == 0;
    fathom_bytes *b = fathom_memory_zero(context, 1, sizeof *b);
    if (!b)
        return FATHOM_ERROR_MEMORY;
    b->context = context;
    if (standard && fathom_ranks_several())
        return open_shared(bytes, b);
    b->descriptor = standard ? FATHOM_PLATFORM_INPUT : fathom_platform_open(path, FATHOM_PLATFORM_READ);
    if (b->descriptor < 0) {
        fathom_memory_free(context, b);
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "cannot open: %s",
                                   strerror(errno));
    }
    fathom_platform_file file = {.kind = FATHOM_PLATFORM_STREAM}; /* where it cannot be looked at */
    fathom_platform_look_open(&file, b->descriptor);
    b->total = !standard && file.kind == FATHOM_PLATFORM_REGULAR ? file.size : -1;
    b->file = file;
    return start(bytes, b, standard ? "standard input" : path);
}

void fathom_bytes_close(fathom_bytes *b)
{
    if (!b)
        return;
    if (b->decoder)
        b->decoder->release(b->context, b->state);
    if (b->descriptor > FATHOM_PLATFORM_INPUT)
        fathom_platform_close(b->descriptor);
    FATHOM_FREE(b->context, b->shared, b->peeked, b->in, b->name, b);
}

fathom_status fathom_bytes_read(fathom_bytes *b, void *buffer, size_t size, size_t *got)
{
    const size_t waiting = b->peek_end - b->peek_start, first = size < waiting ? size : waiting;
    if (first > 0)
        memcpy(buffer, b->peeked + b->peek_start, first);
    b->peek_start += first;
    *got = first;
    fathom_status status = FATHOM_OK;
    if (first < size) {
        status = stream_read(b, (unsigned char *)buffer + first, size - first, got);
        *got += first;
    }
    b->offset += (int64_t)*got;
    if (b->is_member)
        b->crc = fathom_decoder_crc32(b->crc, buffer, *got);
    return status;
}

/* What is left of an earlier look is lent again, so at least one byte is there before the end of the stream. */
fathom_status fathom_bytes_peek(fathom_bytes *b, const unsigned char **data, size_t *size)
{
    fathom_status status = FATHOM_OK;
    *data = NULL;
    *size = 0;
    if (!b->peeked)
        b->peeked = fathom_memory_alloc(b->context, FATHOM_BYTES_PEEK, 1);
    if (!b->peeked)
        return FATHOM_ERROR_MEMORY;
    if (b->peek_start == b->peek_end) {
        b->peek_start = 0;
        b->peek_end = 0;
        status = stream_read(b, b->peeked, FATHOM_BYTES_PEEK, &b->peek_end);
    }
    *data = b->peeked + b->peek_start;
    *size = b->peek_end - b->peek_start;
    return status;
}

int64_t fathom_bytes_total(const fathom_bytes *b) { return b->total; }

const fathom_platform_file *fathom_bytes_file(const fathom_bytes *b)
{
    return b->descriptor > FATHOM_PLATFORM_INPUT && b->total >= 0 ? &b->file : NULL;
}

int64_t fathom_bytes_offset(const fathom_bytes *b) { return b->offset; }

uint32_t fathom_bytes_crc(const fathom_bytes *b) { return b->crc; }

const char *fathom_bytes_name(const fathom_bytes *b) { return b->name; }

fathom_context *fathom_bytes_context(const fathom_bytes *b) { return b->context; }

/* A small file may unpack to a thousand times its size. Numbers and words do not: beyond PLAIN bytes a text is
 * at most RATIO times as long as what was read for it. */
static fathom_status check_ratio(const fathom_bytes *b, int64_t used)
{
    const int64_t PLAIN = 1 << 24, RATIO = 20;
    if (!b->decoder || b->is_member || used <= PLAIN + RATIO * b->raw)
        return FATHOM_OK;
    return fathom_error_set_at(
        b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
        "expected a text at most %lld times as long as its compressed form; unpack it first",
        (long long)RATIO);
}

/* Blocks grow by half; nothing is allocated for bytes that have not arrived, but for one look at the source. */
fathom_status fathom_bytes_read_all(fathom_bytes *b, unsigned char **data, int64_t *size, int64_t limit)
{
    void *block = NULL;
    int64_t capacity = 0, used = 0;
    fathom_status status = FATHOM_OK;
    for (size_t got = 1; got > 0 && status == FATHOM_OK; used += (int64_t)got) {
        got = 0;
        if (used > limit)
            status = fathom_error_set_at(b->context, FATHOM_ERROR_INPUT, b->name, 0, 0,
                                         "expected at most %lld bytes", (long long)limit);
        FATHOM_THEN(status, check_ratio(b, used));
        FATHOM_THEN(status, fathom_memory_grow(b->context, &block, &capacity, used + (int64_t)b->in_size, 1));
        FATHOM_THEN(status, fathom_bytes_read(b, (char *)block + used, (size_t)(capacity - used), &got));
    }
    if (status != FATHOM_OK) {
        fathom_memory_free(b->context, block);
        block = NULL;
    }
    *data = block;
    *size = used;
    return status;
}
