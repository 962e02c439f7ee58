/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a model file by name, whether it is JSON or NPZ.
 *
 * Every getter gives memory to be freed with fathom_memory_free (texts: fathom_model_free_texts), and ERROR_INPUT with
 * file and member where it is missing or of another kind or shape. Objects are JSON members in JSON files and JSON
 * texts in NPZ files.
 */
#ifndef FATHOM_MODEL_SOURCE_H
#define FATHOM_MODEL_SOURCE_H

#include "bytes.h"
#include "fathom/json.h"

typedef struct fathom_source {
    fathom_context *context;
    const char *file; /* borrowed from the stream */
    fathom_json *json;
    struct fathom_npz *npz;
} fathom_source;

/* Reads the whole stream; must be closed, also after a failure. */
fathom_status fathom_source_open(fathom_source *source, fathom_bytes *bytes);
void fathom_source_close(fathom_source *source);

/* Whether the member is there and not null. */
bool fathom_source_has(const fathom_source *source, const char *name);

fathom_status fathom_source_text(char **text, const fathom_source *source, const char *name);
fathom_status fathom_source_integer(int64_t *value, const fathom_source *source, const char *name);
fathom_status fathom_source_real(double *value, const fathom_source *source, const char *name);

/* Numbers of exactly this shape, rank 1 to 3; allocated only after the shape has been found to agree. */
fathom_status fathom_source_array(double **values, const fathom_source *source, const char *name, int rank,
                                  const int64_t *shape);

/* The same for texts that need not be UTF-8: their bytes stand in NAME_bytes where one is not. */
fathom_status fathom_source_names(char ***texts, int64_t *count, const fathom_source *source,
                                  const char *name);

/* Gives a root of its own, to be freed with fathom_json_free. */
fathom_status fathom_source_object(fathom_json **object, const fathom_source *source, const char *name);

/* ERROR_INPUT with the file: "<name>: expected <what>". */
fathom_status fathom_source_refuse(const fathom_source *source, const char *name, const char *what);

#endif
