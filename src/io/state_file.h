/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of interrupted runs share: NPZ archives of numbers, tied to the problem that they belong
 * to. */
#ifndef FATHOM_STATE_FILE_H
#define FATHOM_STATE_FILE_H

#include "npz.h"

/* A checksum (FNV-1a over 64-bit words) continued; the first one starts from FATHOM_STATE_HASH. */
#define FATHOM_STATE_HASH UINT64_C(0xcbf29ce484222325)
uint64_t fathom_state_hash(uint64_t hash, const void *data, int64_t words);

/* Adds a vector; as with fathom_npz_add, checking the commit is enough. */
fathom_status fathom_state_add(fathom_npz_writer *writer, const char *name, const double *values,
                               int64_t count);

/* Copies a member of `count` numbers; ERROR_INPUT where it has another length. */
fathom_status fathom_state_take(double *values, const fathom_npz *npz, fathom_context *context,
                                const char *path, const char *name, int64_t count);

/* Starts a file with the members "format" and "problem"; ended by fathom_state_end, which commits it where
 * `status` is OK. */
fathom_status fathom_state_create(fathom_npz_writer **writer, fathom_context *context, const char *path,
                                  const char *format, const double *problem, int64_t count);
fathom_status fathom_state_end(fathom_npz_writer *writer, fathom_status status);

/* The file goes on: all of its members but those whose name begins with `except`, then what is added. */
fathom_status fathom_state_extend(fathom_npz_writer **writer, fathom_context *context, const char *path,
                                  const char *except);

/* States of a run that is one of several (the points of a path) are parts of one file: where the context
 * names a part (fathom_context_set_part), the four functions above and below write and read that part and
 * leave the others as they are. A file of parts is begun by fathom_state_begin with what all of them
 * belong to; `resume` is a file to go on from, or NULL. */
fathom_status fathom_state_begin(fathom_context *context, const char *path, const char *resume,
                                 const char *format, const double *problem, int64_t count);

/* Whether the file has a state in the context's part. */
fathom_status fathom_state_has(bool *has, fathom_context *context, const char *path);

/* Opens a file and checks these two; closed where that fails. */
fathom_status fathom_state_open(fathom_npz **npz, fathom_context *context, const char *path,
                                const char *format, const double *problem, int64_t count);

#endif
