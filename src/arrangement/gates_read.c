/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates from an NPY file. Its matrix is read as
 *
 *     orientations  d x N, one in every column        rows  N x d, one in every row        patterns  n x N,
 *       of 0 and 1
 *
 * where the caller says which, or where one reading alone fits shape and numbers. Nothing is guessed where
 * two do.
 */
#include "gates_internal.h"

#include <math.h>
#include <stdio.h>

#include "array.h"
#include "context_internal.h"
#include "inner/gates.h"
#include "memory.h"

static const char *const NAME[] = {"auto", "orientations", "patterns", "rows"};

const char *fathom_gates_form_name(fathom_gates_form form) { return NAME[form]; }

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

static bool is_binary(const fathom_array *array)
{
    for (int64_t k = 0; k < array->shape[0] * array->shape[1]; k++)
        if (array->values[k] != 0 && array->values[k] != 1)
            return false;
    return true;
}

/* Whether the array can be read in this form. */
static bool fits(const fathom_array *array, const fathom_data_view *view, fathom_gates_form form)
{
    const int64_t rows = array->shape[0], columns = array->shape[1];
    return form == FATHOM_GATES_ORIENTATIONS ? rows == view->d
           : form == FATHOM_GATES_ROWS       ? columns == view->d
                                             : rows == view->n && is_binary(array);
}

/* The one form that fits, in *form; all that do are named where there are several. */
static fathom_status find_form(fathom_gates_form *form, const fathom_array *array,
                               const fathom_data_view *view, fathom_context *context, const char *path)
{
    const long long rows = array->shape[0], columns = array->shape[1];
    int count = 0;
    char text[160] = "";
    size_t used = 0;
    for (int f = FATHOM_GATES_ORIENTATIONS; f <= FATHOM_GATES_ROWS; f++)
        if (fits(array, view, (fathom_gates_form)f)) {
            const long long gates = f == FATHOM_GATES_ROWS ? rows : columns;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%lld gates)",
                                     count++ > 0 ? " or " : "", NAME[f], gates);
            *form = (fathom_gates_form)f;
        }
    if (count == 1)
        return FATHOM_OK;
    if (count > 1)
        return fathom_error_set_at(
            context, FATHOM_ERROR_USAGE, path, 0, 0,
            "the array is %lld x %lld and can be read as %s: say which with --gates-as", rows, columns, text);
    return fathom_error_set_at(
        context, FATHOM_ERROR_INPUT, path, 0, 0,
        "the array is %lld x %lld; expected %lld rows or columns (orientations) or %lld "
        "rows of 0 and 1 (patterns)",
        rows, columns, (long long)view->d, (long long)view->n);
}

/* A form that was asked for. */
static fathom_status check_form(fathom_gates_form form, const fathom_array *array,
                                const fathom_data_view *view, fathom_context *context, const char *path)
{
    if (fits(array, view, form))
        return FATHOM_OK;
    const bool rows = form == FATHOM_GATES_ROWS;
    return fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0,
                               "the array is %lld x %lld; as %s it has %lld %s%s", (long long)array->shape[0],
                               (long long)array->shape[1], NAME[form],
                               (long long)(form == FATHOM_GATES_PATTERNS ? view->n : view->d),
                               rows ? "columns" : "rows", form == FATHOM_GATES_PATTERNS ? " of 0 and 1" : "");
}

fathom_status fathom_gates_weigh(fathom_gates *gates, const double *weight, int64_t count,
                                 const int64_t *gate_of)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!(weight[k] >= 0) || !isfinite(weight[k]))
            return fathom_error_set(gates->context, FATHOM_ERROR_INPUT,
                                    "weight %lld is %g: weights of gates are not negative", (long long)k,
                                    weight[k]);
        sum += weight[k];
    }
    if (!(sum > 0))
        return fathom_error_set(gates->context, FATHOM_ERROR_INPUT, "all weights of the gates are 0");
    for (int64_t j = 0; j < gates->m; j++)
        gates->weight[j] = 0;
    for (int64_t k = 0; k < count; k++)
        gates->weight[gate_of ? gate_of[k] : k] += weight[k] / sum;
    return FATHOM_OK;
}

/* The matrix of a file. */
static fathom_status read_array(fathom_array *array, fathom_context *context, const char *path)
{
    fathom_bytes *bytes = NULL;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    FATHOM_THEN(status, fathom_npy_read(array, bytes));
    fathom_bytes_close(bytes);
    return status;
}

/* One weight for each of the gates in the file. */
static fathom_status read_weights(fathom_gates *gates, const char *path, int64_t count,
                                  const int64_t *gate_of)
{
    fathom_array array = {0};
    fathom_status status = read_array(&array, gates->context, path);
    if (status == FATHOM_OK && array.count != count)
        status = fathom_error_set_at(gates->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "expected a weight for each of the %lld gates, not %lld numbers",
                                     (long long)count, (long long)array.count);
    FATHOM_THEN(status, fathom_gates_weigh(gates, array.values, count, gate_of));
    fathom_array_free(gates->context, &array);
    return status;
}

/* Gates from an array in a form that it fits, and their weights. */
static fathom_status interpret(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                               const fathom_array *array, fathom_gates_form form, const char *weights)
{
    const int64_t rows = array->shape[0], columns = array->shape[1];
    const int64_t count = form == FATHOM_GATES_ROWS ? rows : columns;
    double *turned = NULL;
    int64_t *gate_of = fathom_memory_alloc(context, count, sizeof *gate_of);
    fathom_status status = gate_of ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && form != FATHOM_GATES_ROWS)
        status = transpose(&turned, array->values, rows, columns, context);
    if (status == FATHOM_OK)
        status =
            form == FATHOM_GATES_PATTERNS
                ? fathom_gates_from_patterns(gates, context, data, columns, turned, rows)
                : fathom_gates_from_orientations(gates, context, data, count, turned ? turned : array->values,
                                                 turned ? rows : columns, gate_of);
    if (status == FATHOM_OK && weights)
        status = read_weights(*gates, weights, count, form == FATHOM_GATES_PATTERNS ? NULL : gate_of);
    FATHOM_FREE(context, turned, gate_of);
    if (status != FATHOM_OK) {
        fathom_gates_free(*gates);
        *gates = NULL;
    }
    return status;
}

fathom_status fathom_gates_read_as(fathom_gates **gates, int64_t *count, fathom_gates_form *form,
                                   fathom_context *context, const fathom_data *data, const char *path,
                                   const char *weights)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_array array = {0};
    *gates = NULL;
    fathom_status status = read_array(&array, context, path);
    if (status == FATHOM_OK && array.rank != 2)
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "gates are a matrix, this array has %d dimensions", array.rank);
    FATHOM_THEN(status, *form == FATHOM_GATES_AUTO ? find_form(form, &array, &view, context, path)
                                                   : check_form(*form, &array, &view, context, path));
    FATHOM_THEN(status, interpret(gates, context, data, &array, *form, weights));
    if (status == FATHOM_OK && count)
        *count = *form == FATHOM_GATES_ROWS ? array.shape[0] : array.shape[1];
    fathom_array_free(context, &array);
    return status;
}
