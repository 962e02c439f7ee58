/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: members of JSON objects. */
#ifndef FATHOM_INNER_JSON_H
#define FATHOM_INNER_JSON_H

#include "fathom/json.h"
#include "inner/program.h"

/* Sets a member of an object, replacing one of that name. A NULL text is written as null. */
FATHOM_PROGRAM fathom_status fathom_json_set_text(fathom_json *object, const char *key, const char *text);
FATHOM_PROGRAM fathom_status fathom_json_set_real(fathom_json *object, const char *key, double value);
FATHOM_PROGRAM fathom_status fathom_json_set_integer(fathom_json *object, const char *key, int64_t value);
FATHOM_PROGRAM fathom_status fathom_json_set_bool(fathom_json *object, const char *key, bool value);
FATHOM_PROGRAM fathom_status fathom_json_set_null(fathom_json *object, const char *key);

/* Sets a member to a list of numbers, or to rows x columns as a list of lists (row-major, leading dimension ld). */
FATHOM_PROGRAM fathom_status fathom_json_set_vector(fathom_json *object, const char *key,
                                                    const double *values, int64_t count);
FATHOM_PROGRAM fathom_status fathom_json_set_matrix(fathom_json *object, const char *key,
                                                    const double *values, int64_t rows, int64_t columns,
                                                    int64_t ld);
FATHOM_PROGRAM fathom_status fathom_json_set_texts(fathom_json *object, const char *key,
                                                   const char *const *texts, int64_t count);

/* Sets a member to a new empty object or list and lends it; append objects to a list. */
FATHOM_PROGRAM fathom_status fathom_json_set_object(fathom_json *object, const char *key,
                                                    fathom_json **member);
FATHOM_PROGRAM fathom_status fathom_json_set_list(fathom_json *object, const char *key, fathom_json **member);
FATHOM_PROGRAM fathom_status fathom_json_append_object(fathom_json *list, fathom_json **member);

#endif
