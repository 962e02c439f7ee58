/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values read back; see fathom/json.h for making them.
 *
 * A fault in the text gives ERROR_INPUT with file, line and column; a member that is missing or of another kind
 * gives ERROR_INPUT with the file and the key. Duplicate keys, nesting deeper than 2048 and anything after the
 * value are refused.
 */
#ifndef FATHOM_JSON_INTERNAL_H
#define FATHOM_JSON_INTERNAL_H

#include "fathom/json.h"
#include "inner/program.h"

/* Gives the value (object or list) in text[0..size); `name` is the file that stands in messages. */
FATHOM_PROGRAM fathom_status fathom_json_parse(fathom_json **root, fathom_context *context, const char *text,
                                               size_t size, const char *name);

/* The same from a file, decompressed on the way. */
FATHOM_PROGRAM fathom_status fathom_json_read(fathom_json **root, fathom_context *context, const char *path);

/* The same for a file of at most this many bytes; longer ones are refused. */
FATHOM_PROGRAM fathom_status fathom_json_read_within(fathom_json **root, fathom_context *context,
                                                     const char *path, int64_t most_bytes);

/* The context that a value was made with. */
FATHOM_PROGRAM fathom_context *fathom_json_context(const fathom_json *json);

/* Whether an object has this member, null or not; whether it has it as null. */
FATHOM_PROGRAM bool fathom_json_has(const fathom_json *object, const char *key);
FATHOM_PROGRAM bool fathom_json_is_null(const fathom_json *object, const char *key);

/* A member of an object. Texts are lent. An integer is also a real; a real is never an integer. */
FATHOM_PROGRAM fathom_status fathom_json_get_text(const char **text, const fathom_json *object,
                                                  const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_real(double *value, const fathom_json *object, const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_integer(int64_t *value, const fathom_json *object,
                                                     const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_bool(bool *value, const fathom_json *object, const char *key);

/* Length of a list; shape of a list of lists of equal lengths (0 x 0 where it is empty). */
FATHOM_PROGRAM fathom_status fathom_json_get_count(int64_t *count, const fathom_json *object,
                                                   const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_shape(int64_t *rows, int64_t *columns, const fathom_json *object,
                                                   const char *key);

/* Sets a member to lists of lists of lists (row-major, packed), or to a copy of another value. */
fathom_status fathom_json_set_tensor(fathom_json *object, const char *key, const double *values,
                                     const int64_t shape[3]);
FATHOM_PROGRAM fathom_status fathom_json_set_copy(fathom_json *object, const char *key,
                                                  const fathom_json *value);

/* Copies of one member of another object, whatever it is (null where there is none), and of all its members. */
FATHOM_PROGRAM fathom_status fathom_json_set_member(fathom_json *object, const char *key,
                                                    const fathom_json *other, const char *from);
FATHOM_PROGRAM fathom_status fathom_json_set_all(fathom_json *object, const fathom_json *other);

/* A list of exactly `count` numbers, `rows` lists of exactly `columns` numbers, or lists of lists of lists of exactly
 * this shape, into the caller's memory (leading dimension ld; NULL values: only checked). A list of texts: text number `index`, lent. */
FATHOM_PROGRAM fathom_status fathom_json_get_vector(double *values, int64_t count, const fathom_json *object,
                                                    const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_matrix(double *values, int64_t rows, int64_t columns, int64_t ld,
                                                    const fathom_json *object, const char *key);
fathom_status fathom_json_get_tensor(double *values, const int64_t shape[3], const fathom_json *object,
                                     const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_text_item(const char **text, const fathom_json *object,
                                                       const char *key, int64_t index);

/* Whether item `index` of a list is a number, and which. */
FATHOM_PROGRAM bool fathom_json_get_number_item(double *value, const fathom_json *object, const char *key,
                                                int64_t index);

/* Whether the value is a list; the first member of an object whose name is not known, or NULL (names end with
 * NULL). */
FATHOM_PROGRAM bool fathom_json_is_list(const fathom_json *json);
FATHOM_PROGRAM const char *fathom_json_stranger(const fathom_json *object, const char *const *known);

/* The name of member `index` of an object, or NULL. */
FATHOM_PROGRAM const char *fathom_json_key(const fathom_json *object, int64_t index);

/* Lends a member that is an object or a list; items of a list by number. */
FATHOM_PROGRAM fathom_status fathom_json_get_object(fathom_json **member, fathom_json *object,
                                                    const char *key);
FATHOM_PROGRAM fathom_status fathom_json_get_list(fathom_json **member, fathom_json *object, const char *key);
FATHOM_PROGRAM int64_t fathom_json_count(const fathom_json *list);
FATHOM_PROGRAM fathom_status fathom_json_get_item(fathom_json **object, fathom_json *list, int64_t index);

#endif
