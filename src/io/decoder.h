/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompressors behind one interface, one adapter file per library.
 *
 * A decoder turns input into output until one of them is used up; its memory comes from the context
 * where the library lets it.
 */
#ifndef FATHOM_DECODER_H
#define FATHOM_DECODER_H

#include "fathom/context.h"

typedef enum fathom_decode {
    FATHOM_DECODE_MORE,    /* needs more input or more room */
    FATHOM_DECODE_END,     /* a compressed member ended; what is left of the input belongs to the next */
    FATHOM_DECODE_CORRUPT, /* not what the compressor wrote */
    FATHOM_DECODE_MEMORY   /* no memory, or more than a decoder may take */
} fathom_decode;

/* What is left to read and to fill. */
typedef struct fathom_decode_cursor {
    const unsigned char *in;
    size_t in_size;
    unsigned char *out;
    size_t out_size;
    bool finish; /* no input beyond in[0..in_size) will come */
} fathom_decode_cursor;

typedef struct fathom_decoder {
    const char *name;      /* "gzip" */
    const char *extension; /* ".gz" */
    const char *magic;     /* the first bytes of every member */
    size_t magic_size;
    /* Gives a state ready for the first member, or NULL. */
    void *(*create)(fathom_context *context);
    fathom_decode (*run)(void *state, fathom_decode_cursor *cursor);
    bool (*restart)(void *state); /* for the next member */
    void (*release)(fathom_context *context, void *state);
} fathom_decoder;

extern const fathom_decoder fathom_decoder_gzip;
extern const fathom_decoder fathom_decoder_xz;
extern const fathom_decoder fathom_decoder_bzip2;
extern const fathom_decoder fathom_decoder_zstd;

/* Raw deflate data without a header, as in zip files; its create, run and release only. */
extern const fathom_decoder fathom_decoder_deflate;

/* CRC-32 of zip files, continued from `crc` (0 at the start). */
uint32_t fathom_decoder_crc32(uint32_t crc, const void *data, size_t size);

#endif
