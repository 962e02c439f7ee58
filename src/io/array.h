/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of numbers in binary files: NPY, IDX and the members of NPZ.
 *
 * A header's shape is believed only as far as bytes arrive: where the size of the stream is known it must agree, and
 * otherwise memory grows with what has been read.
 */
#ifndef FATHOM_ARRAY_H
#define FATHOM_ARRAY_H

#include "bytes.h"
#include "table.h"

enum { FATHOM_ARRAY_RANK = 8 };

typedef struct fathom_array {
    int rank;
    int64_t shape[FATHOM_ARRAY_RANK];
    int64_t count;  /* product of the shape */
    double *values; /* row-major */
} fathom_array;

/* How an element is stored. */
typedef struct fathom_element {
    char kind; /* 'f' float, 'i' signed, 'u' unsigned, 'b' truth value */
    int size;  /* bytes: 1, 2, 4 or 8 */
    bool big_endian;
} fathom_element;

/* Reads array->count elements (rank and shape are set) up to the end of the stream and gives array->values.
 * `columns_first`: the first index varies fastest in the file. */
fathom_status fathom_array_read(fathom_array *array, fathom_bytes *bytes, fathom_element element,
                                bool columns_first);
void fathom_array_free(fathom_context *context, fathom_array *array);

/* out = `count` elements. */
void fathom_array_convert(double *out, const void *elements, int64_t count, fathom_element element);

/* ERROR_INPUT where the stream is known to have more or fewer elements than the array, which is counted. */
fathom_status fathom_array_agrees(const fathom_array *array, const fathom_bytes *bytes, int size);

/* Sets count = product of the shape; ERROR_INPUT where it is negative or beyond 2^48. */
fathom_status fathom_array_count(fathom_array *array, const fathom_bytes *bytes);

/* Makes the array (n x the rest) the table's features, or its targets (a vector, or n x outputs), and leaves it
 * empty. ERROR_INPUT for a non-finite value, an empty array, or a number of rows that differs. */
fathom_status fathom_array_to_features(fathom_table *table, fathom_context *context, fathom_array *array,
                                       const char *file);
fathom_status fathom_array_to_targets(fathom_table *table, fathom_context *context, fathom_array *array,
                                      const char *file);

/* The two file formats. */
fathom_status fathom_npy_read(fathom_array *array, fathom_bytes *bytes);

/* The same, or with values in *mapped, borrowed from there, where the request wants that and it can be. */
fathom_status fathom_npy_read_or_map(fathom_array *array, fathom_mapped **mapped, fathom_bytes *bytes,
                                     const fathom_table_request *request);
fathom_status fathom_idx_read(fathom_array *array, fathom_bytes *bytes);
bool fathom_npy_starts(const unsigned char *data, size_t size);
bool fathom_idx_starts(const unsigned char *data, size_t size);

#endif
