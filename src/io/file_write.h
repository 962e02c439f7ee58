/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files written whole or not at all (of several ranks by rank 0 alone): temporary file in the same directory, fsync, rename, fsync of the directory.
 *
 * "-" and "/dev/stdout" write to standard output; an existing device or pipe is written in place. A failure
 * (disk full, no permission) gives ERROR_RUNTIME with the file and leaves what was there before; after the check of
 * fathom/files.h the bytes are in a rescue file that the text names.
 */
#ifndef FATHOM_FILE_WRITE_H
#define FATHOM_FILE_WRITE_H

#include "fathom/context.h"
#include "inner/program.h"
#include "sha256.h"

typedef struct fathom_file fathom_file;

/* Whether a file could be written there: its temporary file is made and goes again. */
fathom_status fathom_file_try(fathom_context *context, const char *path);

FATHOM_PROGRAM fathom_status fathom_file_create(fathom_file **file, fathom_context *context,
                                                const char *path);

/* Appends bytes, or formatted text. After a failure the file takes no more,
 * and every further call, commit included, returns that failure: checking the last call is enough. */
FATHOM_PROGRAM fathom_status fathom_file_write(fathom_file *file, const void *data, size_t size);
FATHOM_PRINTF(2, 3)
FATHOM_PROGRAM fathom_status fathom_file_print(fathom_file *file, const char *format, ...);

/* Appends the shortest decimal of at most 17 significant digits that reads back as the same double. */
fathom_status fathom_file_write_number(fathom_file *file, double value);

/* Appends doubles as 8 little-endian bytes each. */
fathom_status fathom_file_write_doubles(fathom_file *file, const double *values, int64_t count);

/* All further bytes go into this hash too, which the caller has begun. */
void fathom_file_watch(fathom_file *file, fathom_sha256 *hash);

/* Makes the file appear under its name, and frees it whatever happens; on failure nothing appears. */
FATHOM_PROGRAM fathom_status fathom_file_commit(fathom_file *file);

/* The middle of names under which files of this process pass before they settle: ".123.tmp" in
 * "c.123.tmp.csv". What is said of such a file, and what is rescued of it, has the name without it. */
enum { FATHOM_FILE_MIDDLE = 32 };
void fathom_file_passing(char middle[FATHOM_FILE_MIDDLE]);

/* Lets a finished file appear under a name that was not asked for by itself: *made where it did; where a
 * file of the same bytes is there already, that one stays; ERROR_USAGE where it has other bytes. The
 * temporary file goes, or is left to the caller after a failure. What was made is an entry of
 * leftovers.h until the caller drops *leftover. */
fathom_status fathom_file_settle(bool *made, int *leftover, fathom_context *context, const char *temporary,
                                 const char *path);

/* Frees a file that is not to appear. free(NULL) is legal. */
FATHOM_PROGRAM void fathom_file_abort(fathom_file *file);

/* The whole file in one call. */
fathom_status fathom_file_write_all(fathom_context *context, const char *path, const void *data, size_t size);

#endif
