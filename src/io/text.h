/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window on a text stream that always holds the current record from its first byte.
 *
 * A reader parses at data + start and, when it runs into the end of the window, asks for more and starts the record
 * again. The byte after the window is zero, so that scans stop there without counting.
 */
#ifndef FATHOM_TEXT_H
#define FATHOM_TEXT_H

#include "bytes.h"
#include "encoding.h"

typedef struct fathom_text {
    fathom_context *context;
    fathom_bytes *bytes;
    char *data; /* the record begins at data[start]; data[end] = 0 */
    size_t start, end;
    size_t capacity;
    bool last;                /* nothing comes after data[end] */
    fathom_encoding encoding; /* of the stream; the window has UTF-8 */
    bool returns;             /* lines end in carriage returns alone; the window has line feeds */
    bool foreign;             /* characters beyond ASCII have been there, as UTF-8 */
    unsigned char *raw;       /* bytes of another encoding on their way into the window */
    size_t raw_size, raw_capacity;
    int64_t line; /* number of the line on which the record begins, from 1 */
} fathom_text;

/* Starts on a stream, which it borrows, and skips a byte-order mark. UTF-16 is decoded; bytes that are no UTF-8 are
 * read as Windows-1252, and carriage returns without a line feed end lines, both with a word in the log. */
fathom_status fathom_text_init(fathom_text *text, fathom_context *context, fathom_bytes *bytes);
void fathom_text_free(fathom_text *text);

/* Moves the record to the front of the window and reads on; a record beyond 128 MB is refused. */
fathom_status fathom_text_more(fathom_text *text);

/* Bytes of the stream before the current record. */
int64_t fathom_text_consumed(const fathom_text *text);

/* How many things there will be in the whole stream, given that there are `count` before the current record: by the
 * share of bytes read where the size is known, and 1/64 more; else half as many again. */
int64_t fathom_text_predict(const fathom_text *text, int64_t count);

/* ERROR_INPUT at data + offset, an offset within the current record. */
FATHOM_PRINTF(3, 4)
fathom_status fathom_text_error(const fathom_text *text, size_t offset, const char *format, ...);

#endif
