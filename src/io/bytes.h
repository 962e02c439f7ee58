/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of bytes from a file, standard input or memory, decompressed on the way.
 *
 * gz, xz, bz2 and zst are recognised by their first bytes; a name that ends in .gz, .xz, .bz2 or .zst over other bytes is an
 * error. Concatenated members read as one stream. Truncated or corrupt data gives ERROR_INPUT with the file.
 */
#ifndef FATHOM_BYTES_H
#define FATHOM_BYTES_H

#include "fathom/context.h"
#include "inner/program.h"
#include "platform.h"

typedef struct fathom_bytes fathom_bytes;

/* Opens `path`; "-" is standard input. */
FATHOM_PROGRAM fathom_status fathom_bytes_open(fathom_bytes **bytes, fathom_context *context,
                                               const char *path);

/* The same over memory, which it borrows; `name` stands in messages. */
fathom_status fathom_bytes_open_memory(fathom_bytes **bytes, fathom_context *context, const void *data,
                                       size_t size, const char *name);

/* The member of a zip archive: bytes as they are, or raw deflate data, never looked into for other formats. */
fathom_status fathom_bytes_open_member(fathom_bytes **bytes, fathom_context *context, const void *data,
                                       size_t size, const char *name, bool deflated);

/* CRC-32 of all bytes that a member has given. */
uint32_t fathom_bytes_crc(const fathom_bytes *bytes);
FATHOM_PROGRAM void fathom_bytes_close(fathom_bytes *bytes);

/* Fills buffer[0..size); *got < size only at the end of the stream. */
fathom_status fathom_bytes_read(fathom_bytes *bytes, void *buffer, size_t size, size_t *got);

/* Lends the next bytes, up to FATHOM_BYTES_PEEK of them, without consuming any. */
enum { FATHOM_BYTES_PEEK = 16384 };
fathom_status fathom_bytes_peek(fathom_bytes *bytes, const unsigned char **data, size_t *size);

/* The number of bytes in the whole stream where that is known beforehand (a plain file, memory), else -1. */
int64_t fathom_bytes_total(const fathom_bytes *bytes);

/* What a plain file was when it was opened; NULL of other streams. */
const fathom_platform_file *fathom_bytes_file(const fathom_bytes *bytes);

/* Offset in the (decompressed) stream of the next byte that fathom_bytes_read gives. */
int64_t fathom_bytes_offset(const fathom_bytes *bytes);

/* What stands in messages: the path, or "standard input". */
const char *fathom_bytes_name(const fathom_bytes *bytes);
fathom_context *fathom_bytes_context(const fathom_bytes *bytes);

/* Gives all that is left as one block of *size bytes; more than `limit` bytes are refused. */
FATHOM_PROGRAM fathom_status fathom_bytes_read_all(fathom_bytes *bytes, unsigned char **data, int64_t *size,
                                                   int64_t limit);

#endif
