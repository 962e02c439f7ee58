/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NPY arrays that stay in their file.
 *
 * Little-endian doubles in the order of rows, at a multiple of eight bytes, are used where they are. Others (single
 * precision, integers, columns first) are converted block by block into a scratch file. Where the original is written to or
 * cut meanwhile, there is no result (mapped.h).
 */
#include <math.h>

#include "context_internal.h"
#include "memory.h"
#include "npy_internal.h"

enum { BLOCK = 1 << 15 }; /* numbers converted at a time, at least a row of them */

static bool is_plain(const fathom_npy_header *h, const fathom_array *array, const void *numbers)
{
    const uint16_t one = 1;
    return h->element.kind == 'f' && h->element.size == 8 && h->element.big_endian == !*(const char *)&one &&
           (!h->columns_first || array->rank <= 1) && (uintptr_t)numbers % sizeof(double) == 0;
}

/* Rows first .. first + rows of an n x d matrix whose columns follow each other; d runs over the other indices in the order
 * of rows. `index` and `stride` have room for the rank. */
static void convert_columns(double *out, const unsigned char *from, const fathom_array *array, int64_t first,
                            int64_t rows, fathom_element element)
{
    const int64_t n = array->shape[0], d = array->count / n;
    for (int64_t j = 0; j < d; j++) {
        int64_t place = 0, stride = 1, rest = j, below = d;
        for (int k = 1; k < array->rank;
             k++) { /* the number of column j where the second index varies fastest */
            below /= array->shape[k];
            place += rest / below * stride;
            rest %= below;
            stride *= array->shape[k];
        }
        const unsigned char *column = from + (place * n + first) * element.size;
        for (int64_t i = 0; i < rows; i++)
            fathom_array_convert(out + i * d + j, column + i * element.size, 1, element);
    }
}

static fathom_status convert_all(fathom_scratch *scratch, const fathom_array *array, const void *from,
                                 const fathom_npy_header *h, fathom_context *context)
{
    const int64_t n = array->shape[0], d = array->count / n, step = d < BLOCK ? BLOCK / d : 1;
    double *block = fathom_memory_alloc(context, step * d, sizeof *block);
    fathom_status status = block ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t first = 0; first < n && status == FATHOM_OK; first += step) {
        const int64_t rows = n - first < step ? n - first : step;
        if (h->columns_first && array->rank > 1)
            convert_columns(block, from, array, first, rows, h->element);
        else
            fathom_array_convert(block, (const char *)from + first * d * h->element.size, rows * d,
                                 h->element);
        status = fathom_scratch_write(scratch, block, rows * d);
        fathom_context_passed(context);
    }
    fathom_memory_free(context, block);
    return status;
}

fathom_status fathom_npy_settle(fathom_array *array, fathom_mapped **mapped, fathom_context *context,
                                const fathom_npy_header *h)
{
    void *numbers = fathom_mapped_numbers(*mapped);
    fathom_mapped *made = NULL;
    fathom_scratch scratch;
    if (is_plain(h, array, numbers)) {
        array->values = numbers;
        return FATHOM_OK;
    }
    fathom_status status = fathom_scratch_open(&scratch, context);
    FATHOM_THEN(status, convert_all(&scratch, array, numbers, h, context));
    FATHOM_THEN(status, fathom_mapped_check(*mapped));
    FATHOM_THEN(status, fathom_scratch_map(&made, &scratch));
    fathom_scratch_close(&scratch);
    fathom_mapped_close(*mapped);
    *mapped = made;
    array->values = made ? fathom_mapped_numbers(made) : NULL;
    return status;
}
