/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates from an NPY file: a d x N matrix of orientations, or N x d, or an n x N matrix of zeros and ones.
 *
 * The shape decides, in that order: d rows mean orientations in columns even where n = d.
 */
#include "gates_internal.h"

#include "array.h"
#include "context_internal.h"
#include "memory.h"

/* Gives the transpose (columns x rows). */
static fathom_status transpose(double **out, const double *a, int64_t rows, int64_t columns,
                               fathom_context *context)
{
    *out = fathom_memory_alloc(context, rows * columns, sizeof **out);
    if (!*out)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            (*out)[j * rows + i] = a[i * columns + j];
    return FATHOM_OK;
}

/* Gates from a rows x columns array that was read. */
static fathom_status interpret(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                               const fathom_array *array, const char *path)
{
    const fathom_data_view view = fathom_data_look(data);
    const int64_t rows = array->shape[0], columns = array->shape[1];
    if (rows != view.d && columns == view.d)
        return fathom_gates_from_orientations(gates, context, data, rows, array->values, columns, NULL);
    if (rows != view.d && rows != view.n)
        return fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 0, 0,
            "the array is %lld x %lld; expected %lld rows or columns (orientations) or "
            "%lld rows (patterns)",
            (long long)rows, (long long)columns, (long long)view.d, (long long)view.n);
    double *turned = NULL;
    fathom_status status = transpose(&turned, array->values, rows, columns, context);
    if (status == FATHOM_OK)
        status = rows == view.d
                     ? fathom_gates_from_orientations(gates, context, data, columns, turned, rows, NULL)
                     : fathom_gates_from_patterns(gates, context, data, columns, turned, rows);
    fathom_memory_free(context, turned);
    return status;
}

fathom_status fathom_gates_read(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                const char *path)
{
    fathom_bytes *bytes = NULL;
    fathom_array array = {0};
    *gates = NULL;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status == FATHOM_OK)
        status = fathom_npy_read(&array, bytes);
    fathom_bytes_close(bytes);
    if (status == FATHOM_OK && array.rank != 2)
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "gates are a matrix, this array has %d dimensions", array.rank);
    if (status == FATHOM_OK)
        status = interpret(gates, context, data, &array, path);
    fathom_array_free(context, &array);
    return status;
}
