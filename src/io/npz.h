/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NPZ archives: zip files of NPY arrays, read (stored or deflated) and written (stored, the same bytes
 * every time).
 *
 * Members are named without their ".npy". Texts are arrays of UTF-32 strings, as NumPy writes str.
 */
#ifndef FATHOM_NPZ_H
#define FATHOM_NPZ_H

#include "array.h"

typedef struct fathom_npz fathom_npz;

fathom_status fathom_npz_open(fathom_npz **npz, fathom_context *context, const char *path);

/* The same from a stream, which it reads to the end and does not keep. */
fathom_status fathom_npz_open_bytes(fathom_npz **npz, fathom_bytes *bytes);
void fathom_npz_close(fathom_npz *npz);

/* From here on names are those of a part of the archive: `part` and the name together name a member.
 * Borrowed. */
void fathom_npz_enter(fathom_npz *npz, const char *part);

bool fathom_npz_has(const fathom_npz *npz, const char *name);

/* Gives a member's numbers; ERROR_INPUT where it is missing. Values may be infinite or NaN. */
fathom_status fathom_npz_get(fathom_array *array, const fathom_npz *npz, const char *name);

/* Gives the *count texts of a member (a single text counts 1). */
fathom_status fathom_npz_get_texts(char ***texts, int64_t *count, const fathom_npz *npz, const char *name);
void fathom_npz_texts_free(fathom_context *context, char **texts, int64_t count);

typedef struct fathom_npz_writer fathom_npz_writer;

fathom_status fathom_npz_create(fathom_npz_writer **writer, fathom_context *context, const char *path);

/* Adds an array of rank 0 to 8 (row-major, rows of the last axis ld apart). As with fathom_file, the first
 * failure stays: checking the commit is enough. */
fathom_status fathom_npz_add(fathom_npz_writer *writer, const char *name, const double *values, int rank,
                             const int64_t *shape, int64_t ld);

/* Adds texts (UTF-8): a list, or one text as an array of rank 0. */
fathom_status fathom_npz_add_texts(fathom_npz_writer *writer, const char *name, const char *const *texts,
                                   int64_t count);
fathom_status fathom_npz_add_text(fathom_npz_writer *writer, const char *name, const char *text);

/* Adds all members of an archive that this library has written (they are stored), but for those whose name
 * begins with `except`: an archive extended. */
fathom_status fathom_npz_add_all(fathom_npz_writer *writer, const fathom_npz *npz, const char *except);

/* The same for what is added from here on. */
void fathom_npz_writer_enter(fathom_npz_writer *writer, const char *part);

/* Both free the writer. */
fathom_status fathom_npz_commit(fathom_npz_writer *writer);
void fathom_npz_abort(fathom_npz_writer *writer);

#endif
