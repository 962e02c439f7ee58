/* SPDX-License-Identifier: Apache-2.0 */
/* Binary arrays: bytes -> doubles in blocks, order of the indices, hand-over to a table. */
#include "array.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

enum { BLOCK = 8192 }; /* elements converted at a time */

static const int64_t count_limit = INT64_C(1) << 48;

void fathom_array_free(fathom_context *context, fathom_array *array)
{
    fathom_memory_free(context, array->values);
    array->values = NULL;
    array->count = 0;
}

/* The limit of 2^48 elements keeps every later product of counts and sizes within 64 bits. It holds for the sizes that
 * are not zero: in an empty array too, products of some of the sizes are formed. */
fathom_status fathom_array_count(fathom_array *array, const fathom_bytes *bytes)
{
    int64_t product = 1;
    bool good = true, empty = false;
    for (int k = 0; k < array->rank && good; k++) {
        const int64_t size = array->shape[k];
        empty = empty || size == 0;
        good = size >= 0 && !__builtin_mul_overflow(product, size ? size : 1, &product) &&
               product <= count_limit;
    }
    array->count = empty ? 0 : product;
    if (good)
        return FATHOM_OK;
    return fathom_error_set_at(fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes), 0,
                               0, "expected a shape of sensible sizes in the header");
}

/* --- elements --------------------------------------------------------------------------------------------- */

/* The element's bytes as an unsigned number. */
static inline uint64_t gather(const unsigned char *p, fathom_element element)
{
    uint64_t word = 0;
    for (int k = 0; k < element.size; k++)
        word = word << 8 | p[element.big_endian ? k : element.size - 1 - k];
    return word;
}

/* One element as a double. Integers beyond 2^53 round to nearest, as the same digits in a text would. */
static double convert_one(const unsigned char *p, fathom_element element)
{
    const uint64_t word = gather(p, element);
    if (element.kind == 'f' && element.size == 4) {
        const uint32_t bits = (uint32_t)word;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (element.kind == 'f') {
        double value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    if (element.kind == 'i') {
        const int unused = 64 - 8 * element.size;
        return (double)((int64_t)(word << unused) >> unused);
    }
    return element.kind == 'b' ? word != 0 : (double)word;
}

/* Pixels (unsigned bytes) have a loop of their own: it vectorises, and images are the largest arrays. */
static void convert(double *out, const unsigned char *in, int64_t count, fathom_element element)
{
    if (element.kind == 'u' && element.size == 1) {
        for (int64_t k = 0; k < count; k++)
            out[k] = in[k];
        return;
    }
    for (int64_t k = 0; k < count; k++)
        out[k] = convert_one(in + k * element.size, element);
}

void fathom_array_convert(double *out, const void *elements, int64_t count, fathom_element element)
{
    convert(out, elements, count, element);
}

/* --- reading ---------------------------------------------------------------------------------------------- */

/* The header and the data disagree about the number of elements. */
static fathom_status wrong_size(const fathom_array *array, const fathom_bytes *bytes, const char *what)
{
    return fathom_error_set_at(fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes), 0,
                               0, "expected %lld numbers after the header, found %s (byte %lld)",
                               (long long)array->count, what, (long long)fathom_bytes_offset(bytes));
}

fathom_status fathom_array_agrees(const fathom_array *array, const fathom_bytes *bytes, int size)
{
    const int64_t total = fathom_bytes_total(bytes), left = total - fathom_bytes_offset(bytes);
    if (total >= 0 && left / size < array->count)
        return wrong_size(array, bytes, "fewer");
    if (total >= 0 && left > array->count * size)
        return wrong_size(array, bytes, "more");
    return FATHOM_OK;
}

/* Refuses before anything large is allocated. */
static fathom_status check_size(const fathom_array *array, const fathom_bytes *bytes, int size)
{
    FATHOM_TRY(fathom_array_agrees(array, bytes, size));
    return fathom_context_require(fathom_bytes_context(bytes), 8.0 * (double)array->count, "the array");
}

/* One block of elements behind the `used` that are there. */
static fathom_status read_block(fathom_array *array, fathom_bytes *bytes, fathom_element element,
                                int64_t *used, int64_t *capacity)
{
    fathom_context *context = fathom_bytes_context(bytes);
    unsigned char raw[BLOCK * 8];
    const int64_t left = array->count - *used, count = left < BLOCK ? left : BLOCK;
    size_t got;
    FATHOM_TRY(fathom_bytes_read(bytes, raw, (size_t)(count * element.size), &got));
    if (got < (size_t)(count * element.size))
        return wrong_size(array, bytes, "fewer");
    void *block = array->values;
    fathom_status status = fathom_memory_grow(context, &block, capacity, *used + count, sizeof(double));
    array->values = block;
    if (status != FATHOM_OK)
        return status;
    convert(array->values + *used, raw, count, element);
    *used += count;
    return FATHOM_OK;
}

/* Values whose first index varies fastest, into row-major order: an odometer over the shape in file order. */
static fathom_status reorder(fathom_array *array, fathom_context *context)
{
    int64_t index[FATHOM_ARRAY_RANK] = {0}, stride[FATHOM_ARRAY_RANK] = {0}, place = 0;
    double *ordered = fathom_memory_alloc(context, array->count, sizeof *ordered);
    if (!ordered)
        return FATHOM_ERROR_MEMORY;
    for (int k = array->rank - 1; k >= 0; k--)
        stride[k] = k == array->rank - 1 ? 1 : stride[k + 1] * array->shape[k + 1];
    for (int64_t f = 0; f < array->count; f++) {
        ordered[place] = array->values[f];
        for (int k = 0; k < array->rank; k++) {
            place += stride[k];
            if (++index[k] < array->shape[k])
                break;
            place -= stride[k] * array->shape[k];
            index[k] = 0;
        }
    }
    fathom_memory_free(context, array->values);
    array->values = ordered;
    return FATHOM_OK;
}

/* Where the size of the stream is known the shape has been checked against it, and the whole array is allocated at
 * once; a compressed stream could promise anything, so there memory grows with the elements that arrive. */
fathom_status fathom_array_read(fathom_array *array, fathom_bytes *bytes, fathom_element element,
                                bool columns_first)
{
    fathom_context *context = fathom_bytes_context(bytes);
    int64_t used = 0, capacity = 0;
    array->values = NULL;
    fathom_status status = fathom_array_count(array, bytes);
    FATHOM_THEN(status, check_size(array, bytes, element.size));
    if (status == FATHOM_OK && fathom_bytes_total(bytes) >= 0) {
        array->values = fathom_memory_alloc(context, array->count, sizeof *array->values);
        capacity = array->count;
        if (!array->values)
            status = FATHOM_ERROR_MEMORY;
    }
    while (status == FATHOM_OK && used < array->count)
        status = read_block(array, bytes, element, &used, &capacity);
    unsigned char extra;
    size_t got = 0;
    FATHOM_THEN(status, fathom_bytes_read(bytes, &extra, 1, &got));
    if (status == FATHOM_OK && got > 0)
        status = wrong_size(array, bytes, "more");
    if (status == FATHOM_OK && columns_first && array->rank > 1)
        status = reorder(array, context);
    if (status != FATHOM_OK)
        fathom_array_free(context, array);
    return status;
}

/* --- tables ----------------------------------------------------------------------------------------------- */

enum { PASSED = 1 << 17 }; /* numbers between two looks at the memory of files */

/* Rows and columns of an array, all of whose values must be finite. */
static fathom_status as_matrix(int64_t *rows, int64_t *columns, fathom_context *context,
                               const fathom_array *array, const char *file)
{
    if (array->rank < 1 || array->count == 0)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, file, 0, 0,
                                   "expected a non-empty array with one row per example");
    *rows = array->shape[0];
    *columns = array->count / array->shape[0];
    for (int64_t k = 0; k < array->count; k++) {
        if (k % PASSED == PASSED - 1)
            fathom_context_passed(context);
        if (!isfinite(array->values[k]))
            return fathom_error_set_at(context, FATHOM_ERROR_INPUT, file, 0, 0,
                                       "expected finite numbers, found %g in row %lld, column %lld (from 0)",
                                       array->values[k], (long long)(k / *columns),
                                       (long long)(k % *columns));
    }
    return FATHOM_OK;
}

/* n = the first size, d = the product of the others: an image is a row. */
fathom_status fathom_array_to_features(fathom_table *table, fathom_context *context, fathom_array *array,
                                       const char *file)
{
    FATHOM_TRY(as_matrix(&table->n, &table->d, context, array, file));
    table->x = array->values;
    array->values = NULL;
    return FATHOM_OK;
}

fathom_status fathom_array_to_targets(fathom_table *table, fathom_context *context, fathom_array *array,
                                      const char *file)
{
    int64_t rows = 0, outputs = 0;
    FATHOM_TRY(as_matrix(&rows, &outputs, context, array, file));
    if (array->rank > 2 || rows != table->n)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, file, 0, 0,
                                   "expected labels for %lld rows, found %lld rows in %d dimensions",
                                   (long long)table->n, (long long)rows, array->rank);
    table->outputs = outputs;
    table->y = array->values;
    array->values = NULL;
    return FATHOM_OK;
}
