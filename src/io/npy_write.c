/* SPDX-License-Identifier: Apache-2.0 */
/* NPY arrays written: little-endian doubles in row-major order, version 1.0. */
#include <stdio.h>
#include <string.h>

#include "npy_internal.h"

size_t fathom_npy_format_header(char text[FATHOM_NPY_HEADER], const char *descr, int rank,
                                const int64_t *shape)
{
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    char *p = text + 10, *end = text + FATHOM_NPY_HEADER;
    p += snprintf(p, (size_t)(end - p), "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int k = 0; k < rank; k++)
        p += snprintf(p, (size_t)(end - p), "%s%lld%s", k ? ", " : "", (long long)shape[k],
                      rank == 1 ? "," : "");
    p += snprintf(p, (size_t)(end - p), "), }");
    while ((p + 1 - text) % 64 != 0)
        *p++ = ' ';
    *p++ = '\n';
    const size_t length = (size_t)(p - text);
    text[8] = (char)((length - 10) & 0xff);
    text[9] = (char)((length - 10) >> 8);
    return length;
}

int64_t fathom_npy_rows(int rank, const int64_t *shape)
{
    int64_t rows = 1;
    for (int k = 0; k + 1 < rank; k++)
        rows *= shape[k];
    return rows;
}

fathom_status fathom_npy_append(fathom_file *file, const double *values, int rank, const int64_t *shape,
                                int64_t ld)
{
    char header[FATHOM_NPY_HEADER];
    const size_t length = fathom_npy_format_header(header, "<f8", rank, shape);
    const int64_t rows = fathom_npy_rows(rank, shape), columns = rank == 0 ? 1 : shape[rank - 1];
    FATHOM_TRY(fathom_file_write(file, header, length));
    for (int64_t i = 0; i < rows && columns > 0; i++)
        FATHOM_TRY(fathom_file_write_doubles(file, values + i * ld, columns));
    return FATHOM_OK;
}
