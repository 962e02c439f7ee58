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

/* Text of the whole value, indented (pretty) or on one line; to be freed with fathom_json_text_free. */
FATHOM_API fathom_status fathom_json_text(char **text, const fathom_json *root, bool pretty);
FATHOM_API void fathom_json_text_free(const fathom_json *root, char *text);

/* Writes the value and a line end as a whole file; "-" is standard output. */
FATHOM_API fathom_status fathom_json_write(const fathom_json *root, const char *path, bool pretty);

#ifdef __cplusplus
}
#endif
#endif
