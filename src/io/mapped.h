/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices of doubles that stay in a file: the file's bytes are memory that the system fills as they are read, and takes
 * back. Numbers are where they would be, so that whoever computes with them need not know.
 *
 * Where the context has a limit on its memory, what the file holds in memory stays within what the limit leaves: a thread
 * gives it back whenever it has become more than half of that, and so do those who read it, block by block.
 *
 * A file that is cut meanwhile reads as zeros from there on and asks the run to stop; one that is written to is noticed by
 * its time of change. Either way the call ends with an error that names it.
 */
#ifndef FATHOM_MAPPED_H
#define FATHOM_MAPPED_H

#include "fathom/context.h"
#include "platform.h"

typedef struct fathom_mapped fathom_mapped;

/* Maps a plain file, known from when its header was read, that begins `offset` before the numbers. *mapped = NULL, without
 * an error, where it cannot be: a stream, a system without. */
fathom_status fathom_mapped_open(fathom_mapped **mapped, fathom_context *context, const char *path,
                                 const fathom_platform_file *known, int64_t offset);

/* ERROR_INPUT where the file was cut or written to since. The context knows it too, when a call is settled or a file put in
 * place: no result is made of rows that were others half-way. */
fathom_status fathom_mapped_check(fathom_mapped *mapped);
void fathom_mapped_close(fathom_mapped *mapped);

/* The numbers, or what stands in the file in their place; only to be read. */
void *fathom_mapped_numbers(const fathom_mapped *mapped);

/* A matrix written to a file without a name, row after row, and then mapped. */
typedef struct fathom_scratch {
    fathom_context *context;
    const char *folder;
    int descriptor;
    int64_t written; /* bytes */
} fathom_scratch;

fathom_status fathom_scratch_open(fathom_scratch *scratch, fathom_context *context);
fathom_status fathom_scratch_write(fathom_scratch *scratch, const double *values, int64_t count);

/* Gives the matrix that was written. */
fathom_status fathom_scratch_map(fathom_mapped **mapped, fathom_scratch *scratch);

/* Ends a scratch file, mapped or not. */
void fathom_scratch_close(fathom_scratch *scratch);

#endif
