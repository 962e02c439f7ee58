/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as the command line names them: all cones, N sampled orientations, or a file of orientations or patterns. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "context_internal.h"
#include "fathom/train.h"
#include "memory.h"

enum { DEFAULT_GATES = 1000 };

/* out (columns x rows) = the transpose of a (rows x columns). */
static double *transpose_copy(fathom_context *context, const double *a, int64_t rows, int64_t columns)
{
    double *out = fathom_memory_alloc(context, rows * columns, sizeof *out);
    for (int64_t i = 0; out && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            out[j * rows + i] = a[i * columns + j];
    return out;
}

/* d x N orientations, else N x d orientations, else n x N patterns. */
static fathom_status gates_from_array(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                      const fathom_array *array, const char *path)
{
    const fathom_data_view view = fathom_data_look(data);
    const int64_t rows = array->rank == 2 ? array->shape[0] : 0,
                  columns = array->rank == 2 ? array->shape[1] : 0;
    if (rows != view.d && columns == view.d)
        return fathom_gates_from_orientations(gates, context, data, rows, array->values, columns, NULL);
    if (rows != view.d && rows != view.n)
        return fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 0, 0,
            "gates are %lld x N or N x %lld orientations, or an %lld x N matrix of 0 and 1",
            (long long)view.d, (long long)view.d, (long long)view.n);
    double *lines = transpose_copy(context, array->values, rows, columns);
    if (!lines)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status =
        rows == view.d ? fathom_gates_from_orientations(gates, context, data, columns, lines, rows, NULL)
                       : fathom_gates_from_patterns(gates, context, data, columns, lines, rows);
    fathom_memory_free(context, lines);
    return status;
}

static fathom_status gates_from_file(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                     const char *path)
{
    fathom_bytes *bytes;
    fathom_array array = {0};
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status != FATHOM_OK)
        return status;
    status = fathom_npy_read(&array, bytes);
    if (status == FATHOM_OK)
        status = gates_from_array(gates, context, data, &array, path);
    fathom_array_free(context, &array);
    fathom_bytes_close(bytes);
    return status;
}

fathom_status fathom_gates_open(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                const char *text)
{
    *gates = NULL;
    if (!text)
        return fathom_gates_sample(gates, context, data, DEFAULT_GATES);
    if (strcmp(text, "all") == 0)
        return fathom_gates_enumerate(gates, context, data);
    if (text[0] && strspn(text, "0123456789") == strlen(text)) {
        const double count = strtod(text, NULL);
        if (!(count >= 1 && count <= 1e12))
            return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                    "--gates takes a number from 1 to 1e12, not '%s'", text);
        return fathom_gates_sample(gates, context, data, (int64_t)count);
    }
    return gates_from_file(gates, context, data, text);
}
