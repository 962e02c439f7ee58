/* SPDX-License-Identifier: Apache-2.0 */
/* The text window: see the header. It grows so that a record fills at most half of it. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

enum { WINDOW = 1 << 18, RECORD_LIMIT = 1 << 28 };

static void say_encoding(const fathom_text *text)
{
    fathom_log(text->context, FATHOM_LOG_INFO, "the text is read as %s",
               fathom_encoding_name(text->encoding));
}

/* Carriage returns from data[from] on become line feeds. */
static void end_lines(fathom_text *text, size_t from)
{
    for (size_t k = from; k < text->end; k++)
        if (text->data[k] == '\r')
            text->data[k] = '\n';
}

/* A small file gets a small window. */
fathom_status fathom_text_init(fathom_text *text, fathom_context *context, fathom_bytes *bytes)
{
    const int64_t total = fathom_bytes_total(bytes);
    *text = (fathom_text){.context = context, .bytes = bytes, .line = 1, .capacity = WINDOW};
    if (total >= 0 && total < WINDOW / 4)
        text->capacity = 2 * (size_t)total + 64;
    text->data = fathom_memory_alloc(context, (int64_t)text->capacity, 1);
    if (!text->data)
        return FATHOM_ERROR_MEMORY;
    const unsigned char *first;
    size_t size;
    FATHOM_TRY(fathom_bytes_peek(bytes, &first, &size));
    text->encoding = fathom_encoding_of(first, size);
    if (text->encoding != FATHOM_ENCODING_UTF8)
        say_encoding(text);
    FATHOM_TRY(fathom_text_more(text));
    if (!memchr(text->data, '\n', text->end) && memchr(text->data, '\r', text->end)) {
        text->returns = true;
        fathom_log(context, FATHOM_LOG_INFO, "lines end in carriage returns");
        end_lines(text, 0);
    }
    if (text->end >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
        text->start = 3;
    return FATHOM_OK;
}

void fathom_text_free(fathom_text *text)
{
    FATHOM_FREE(text->context, text->data, text->raw);
    text->data = NULL;
    text->raw = NULL;
}

/* Room for raw[0..size). */
static fathom_status reserve_raw(fathom_text *text, size_t size)
{
    void *block = text->raw;
    if (size <= text->raw_capacity)
        return FATHOM_OK;
    const fathom_status status = fathom_memory_resize(text->context, &block, (int64_t)size, 1);
    text->raw = block;
    if (status == FATHOM_OK)
        text->raw_capacity = size;
    return status;
}

/* Converts the raw bytes to the end of the window, which has room for them; an incomplete character waits. */
static void convert(fathom_text *text)
{
    size_t used;
    text->end += fathom_encoding_convert(text->data + text->end, &used, text->encoding, text->raw,
                                         text->raw_size, text->last);
    text->data[text->end] = 0;
    text->raw_size -= used;
    memmove(text->raw, text->raw + used, text->raw_size);
}

/* Each byte may become three. */
static fathom_status read_encoded(fathom_text *text)
{
    size_t got;
    const size_t room = (text->capacity - 1 - text->end) / 3;
    FATHOM_TRY(reserve_raw(text, room + 8));
    const size_t wanted = room - text->raw_size; /* no more than the rest of a character waits */
    fathom_status status = fathom_bytes_read(text->bytes, text->raw + text->raw_size, wanted, &got);
    text->raw_size += got;
    text->last = got < wanted;
    convert(text);
    return status;
}

/* The last `got` bytes of the window are no UTF-8, and only ASCII came before: they are taken back and converted. */
static fathom_status turn_to_windows(fathom_text *text, size_t got)
{
    void *block = text->data;
    const size_t before = text->end - got, needed = before + 3 * got + 1;
    fathom_status status = reserve_raw(text, got + 8);
    if (status == FATHOM_OK && needed > text->capacity) {
        status = fathom_memory_resize(text->context, &block, (int64_t)needed, 1);
        text->data = block;
        text->capacity = status == FATHOM_OK ? needed : text->capacity;
    }
    if (status != FATHOM_OK)
        return status;
    memcpy(text->raw, text->data + before, got);
    text->raw_size = got;
    text->end = before;
    text->encoding = FATHOM_ENCODING_WINDOWS;
    say_encoding(text);
    convert(text);
    return FATHOM_OK;
}

static fathom_status read_plain(fathom_text *text)
{
    bool ascii;
    size_t got;
    const size_t room = text->capacity - 1 - text->end;
    const fathom_status status = fathom_bytes_read(text->bytes, text->data + text->end, room, &got);
    text->end += got;
    text->data[text->end] = 0;
    text->last = got < room;
    if (status != FATHOM_OK || text->foreign)
        return status;
    if (!fathom_encoding_is_utf8(&ascii, (const unsigned char *)text->data + text->end - got, got))
        return turn_to_windows(text, got);
    text->foreign = !ascii;
    return FATHOM_OK;
}

/* The record moves to the front; where it fills half of the window, the window doubles, so that records are parsed
 * again at most a few times. */
fathom_status fathom_text_more(fathom_text *text)
{
    const size_t record = text->end - text->start;
    memmove(text->data, text->data + text->start, record);
    text->start = 0;
    text->end = record;
    if (record >= text->capacity / 2) {
        void *block = text->data;
        if (text->capacity >= RECORD_LIMIT)
            return fathom_text_error(text, 0, "expected a line end within %d MB", RECORD_LIMIT >> 21);
        const fathom_status grown =
            fathom_memory_resize(text->context, &block, 2 * (int64_t)text->capacity, 1);
        if (grown != FATHOM_OK)
            return grown;
        text->data = block;
        text->capacity *= 2;
    }
    const fathom_status status =
        text->encoding == FATHOM_ENCODING_UTF8 ? read_plain(text) : read_encoded(text);
    if (text->returns)
        end_lines(text, record);
    return status;
}

int64_t fathom_text_consumed(const fathom_text *text)
{
    return fathom_bytes_offset(text->bytes) - (int64_t)(text->end - text->start);
}

int64_t fathom_text_predict(const fathom_text *text, int64_t count)
{
    const int64_t total = fathom_bytes_total(text->bytes), consumed = fathom_text_consumed(text);
    if (total < consumed || consumed <= 0)
        return count + count / 2;
    const double left = (double)(total - consumed) / (double)consumed * (double)count;
    return count + (int64_t)(left * (65.0 / 64.0)) + 16;
}

/* Lines are counted only here, from the start of the record: rows that are right pay nothing. */
fathom_status fathom_text_error(const fathom_text *text, size_t offset, const char *format, ...)
{
    int64_t line = text->line, column = 1;
    for (size_t k = text->start; k < offset; k++) {
        column++;
        if (text->data[k] == '\n') {
            line++;
            column = 1;
        }
    }
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c; c++) /* no control bytes from the file on a terminal */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return fathom_error_set_at(text->context, FATHOM_ERROR_INPUT, fathom_bytes_name(text->bytes), line,
                               column, "%s", message);
}
