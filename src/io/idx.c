/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IDX arrays (MNIST): 00 00 type rank | rank sizes, 4 bytes each | data; all big-endian.
 *
 *     type: 08 unsigned byte, 09 signed byte, 0B 2-byte integer, 0C 4-byte integer, 0D float, 0E double
 */
#include "array.h"
#include "context_internal.h"

/* The table of types above. */
static bool element_of(fathom_element *element, unsigned char type)
{
    static const struct {
        unsigned char type;
        fathom_element element;
    } known[] = {{0x08, {'u', 1, true}}, {0x09, {'i', 1, true}}, {0x0B, {'i', 2, true}},
                 {0x0C, {'i', 4, true}}, {0x0D, {'f', 4, true}}, {0x0E, {'f', 8, true}}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].type == type) {
            *element = known[k].element;
            return true;
        }
    return false;
}

static bool starts(fathom_element *element, const unsigned char *data, size_t size)
{
    return size >= 4 && data[0] == 0 && data[1] == 0 && element_of(element, data[2]) && data[3] >= 1 &&
           data[3] <= FATHOM_ARRAY_RANK;
}

bool fathom_idx_starts(const unsigned char *data, size_t size)
{
    fathom_element element;
    return starts(&element, data, size);
}

fathom_status fathom_idx_read(fathom_array *array, fathom_bytes *bytes)
{
    unsigned char head[4], sizes[4 * FATHOM_ARRAY_RANK];
    fathom_element element;
    size_t got;
    array->values = NULL;
    FATHOM_TRY(fathom_bytes_read(bytes, head, 4, &got));
    if (!starts(&element, head, got))
        return fathom_error_set_at(
            fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes), 0, 0,
            "expected an IDX header: two zero bytes, type, number of dimensions (1 to 8)");
    array->rank = head[3];
    FATHOM_TRY(fathom_bytes_read(bytes, sizes, 4 * (size_t)array->rank, &got));
    if (got < 4 * (size_t)array->rank)
        return fathom_error_set_at(fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes),
                                   0, 0, "expected %d sizes in the IDX header, found the end of the file",
                                   array->rank);
    for (int k = 0; k < array->rank; k++) {
        const unsigned char *p = sizes + 4 * k;
        /* A size is a signed 32-bit number: from 2^31 on it is negative and refused. */
        array->shape[k] = (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
    }
    return fathom_array_read(array, bytes, element, false);
}
