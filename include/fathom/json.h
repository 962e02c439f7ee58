/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values: what model files, results and logs are made of.
 *
 * Doubles are written with 17 significant digits, so that reading them back gives the same bits; infinite and
 * undefined numbers are written as null. Objects keep the order in which their keys were set.
 */
#ifndef FATHOM_JSON_H
#define FATHOM_JSON_H

#include "fathom/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value that is part of a larger one is borrowed from it; only a root is freed. */
typedef struct fathom_json fathom_json;

/* Gives an empty object. */
FATHOM_API fathom_status fathom_json_create(fathom_json **object, fathom_context *context);
FATHOM_API void fathom_json_free(fathom_json *root);

/* Sets a member of an object, replacing one of that name. A NULL text is written as null. */
FATHOM_API fathom_status fathom_json_set_text(fathom_json *object, const char *key, const char *text);
FATHOM_API fathom_status fathom_json_set_real(fathom_json *object, const char *key, double value);
FATHOM_API fathom_status fathom_json_set_integer(fathom_json *object, const char *key, int64_t value);
FATHOM_API fathom_status fathom_json_set_bool(fathom_json *object, const char *key, bool value);
FATHOM_API fathom_status fathom_json_set_null(fathom_json *object, const char *key);

/* Sets a member to a list of numbers, or to rows x columns as a list of lists (row-major, leading dimension ld). */
FATHOM_API fathom_status fathom_json_set_vector(fathom_json *object, const char *key, const double *values,
                                                int64_t count);
FATHOM_API fathom_status fathom_json_set_matrix(fathom_json *object, const char *key, const double *values,
                                                int64_t rows, int64_t columns, int64_t ld);
FATHOM_API fathom_status fathom_json_set_texts(fathom_json *object, const char *key, const char *const *texts,
                                               int64_t count);

/* Sets a member to a new empty object or list and lends it; append objects to a list. */
FATHOM_API fathom_status fathom_json_set_object(fathom_json *object, const char *key, fathom_json **member);
FATHOM_API fathom_status fathom_json_set_list(fathom_json *object, const char *key, fathom_json **member);
FATHOM_API fathom_status fathom_json_append_object(fathom_json *list, fathom_json **member);

/* Text of the whole value, indented (pretty) or on one line; to be freed with fathom_json_text_free. */
FATHOM_API fathom_status fathom_json_text(char **text, const fathom_json *root, bool pretty);
FATHOM_API void fathom_json_text_free(const fathom_json *root, char *text);

/* Writes the value and a line end as a whole file; "-" is standard output. */
FATHOM_API fathom_status fathom_json_write(const fathom_json *root, const char *path, bool pretty);

#ifdef __cplusplus
}
#endif
#endif
