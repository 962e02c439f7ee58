/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a call, compared before it runs: inputs are never outputs.
 *
 * A caller lists what it will read and write, under the names its user knows ("DATA", "--output"). The check refuses
 * two uses of one file where one of them writes, and tries every output: its folder must be there and take a file.
 * Two texts name one file where device and inode agree, or, for a file that is not there yet, its folder and name.
 * The state of a run may be read from the file it is written to (--resume FILE --checkpoint FILE).
 */
#ifndef FATHOM_INNER_FILES_H
#define FATHOM_INNER_FILES_H

#include "fathom/options.h"
#include "inner/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_file_purpose {
    FATHOM_FILE_READ,       /* may also be no file: "gen:circle,n=8", "0:10", "FILE:0:10" */
    FATHOM_FILE_WRITE,      /* replaced as a whole */
    FATHOM_FILE_RESUME,     /* a state that is read */
    FATHOM_FILE_CHECKPOINT, /* a state that is written */
    FATHOM_FILE_BESIDE      /* may be written by its own rules; must not be another output */
} fathom_file_purpose;

typedef struct fathom_file_use {
    const char *path; /* "-" and NULL name no file */
    const char *name; /* what the user calls it */
    fathom_file_purpose purpose;
} fathom_file_use;

/* ERROR_USAGE names the two uses of one file; ERROR_RUNTIME the output that cannot be written, and why. */
FATHOM_PROGRAM fathom_status fathom_files_check(fathom_context *context, const fathom_file_use *use,
                                                int64_t count);

/* Removes what calls have begun to write and not finished: temporary files, data beside a certificate that is not there
 * yet. For a handler that ends the process at once: it may be called at any moment, on any thread. */
FATHOM_PROGRAM void fathom_files_abandon(void);

/* The files that options name, in the order of the table's rows INPUT and OUTPUT: fills use[0..most) and returns how
 * many there are. Names are those of the rows, without dashes; texts are borrowed. */
FATHOM_PROGRAM int64_t fathom_options_files(fathom_file_use *use, int64_t most, const void *options,
                                            const fathom_option_table *table);

#ifdef __cplusplus
}
#endif
#endif
