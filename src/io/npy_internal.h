/* SPDX-License-Identifier: Apache-2.0 */
/* The header of an NPY array, read and written; npz.c uses it for texts too. */
#ifndef FATHOM_NPY_INTERNAL_H
#define FATHOM_NPY_INTERNAL_H

#include "array.h"
#include "file_write.h"

typedef struct fathom_npy_header {
    fathom_element element; /* kind 'U' (UTF-32 texts) counts size in characters */
    bool columns_first;
} fathom_npy_header;

/* Reads the header and sets the array's rank and shape. */
fathom_status fathom_npy_read_header(fathom_npy_header *header, fathom_array *array, fathom_bytes *bytes);

/* values = the array's numbers in *mapped: as they stand in their file, or where they are not doubles in the order of
 * rows in a scratch file that takes its place. */
fathom_status fathom_npy_settle(fathom_array *array, fathom_mapped **mapped, fathom_context *context,
                                const fathom_npy_header *header);

/* Version 1.0 header, padded to a multiple of 64 bytes, for elements of type `descr`; returns its length. */
enum { FATHOM_NPY_HEADER = 384 };
size_t fathom_npy_format_header(char text[FATHOM_NPY_HEADER], const char *descr, int rank,
                                const int64_t *shape);

/* Rows of the last axis: the product of the shape without it. */
int64_t fathom_npy_rows(int rank, const int64_t *shape);

/* Appends a whole NPY array of doubles to a file, row-major; rows of the last axis are ld apart. */
fathom_status fathom_npy_append(fathom_file *file, const double *values, int rank, const int64_t *shape,
                                int64_t ld);

#endif
