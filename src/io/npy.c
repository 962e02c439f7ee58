/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NPY arrays:
 *
 *     93 'N' 'U' 'M' 'P' 'Y' | major minor | header length (2 bytes, from version 2 on 4, little-endian) | header | data
 *     header = {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } and spaces, the keys in any order
 */
#include <string.h>

#include "array.h"
#include "context_internal.h"
#include "npy_internal.h"

enum { HEADER_LIMIT = 4096 };

bool fathom_npy_starts(const unsigned char *data, size_t size)
{
    return size >= 6 && memcmp(data, "\x93NUMPY", 6) == 0;
}

/* ERROR_INPUT with the byte up to which the header was read. */
static fathom_status bad(const fathom_bytes *bytes, const char *what)
{
    return fathom_error_set_at(fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes), 0,
                               0, "expected %s in the NPY header (byte %lld)", what,
                               (long long)fathom_bytes_offset(bytes));
}

/* Reads exactly size bytes of the header. */
static fathom_status need(fathom_bytes *bytes, void *buffer, size_t size)
{
    size_t got;
    const fathom_status status = fathom_bytes_read(bytes, buffer, size, &got);
    return status == FATHOM_OK && got < size ? bad(bytes, "more bytes") : status;
}

/* The text between the quotes that follow the key, or after its colon; NULL where the key is missing. */
static const char *find_value(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    if (!p)
        return NULL;
    p += strlen(key);
    while (*p == ' ')
        p++;
    if (*p++ != ':')
        return NULL;
    while (*p == ' ')
        p++;
    return p;
}

/* Whether every key is there once, so that there is one way to read them. */
static bool unambiguous(const char *header, size_t length)
{
    static const char *const key[] = {"'descr'", "'shape'", "'fortran_order'"};
    for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
        const char *at = strstr(header, key[k]);
        if (at && strstr(at + 1, key[k]))
            return false;
    }
    const char *end = strrchr(header, '}');
    return !strpbrk(header, "\"\\") && end && end + 1 + strspn(end + 1, " \n") == header + length;
}

/* '<f8' and its like; a brace follows, so no character that is read here is behind the end. */
static bool parse_type(fathom_npy_header *h, const char *p)
{
    if (!p || *p++ != '\'')
        return false;
    const char order = *p;
    if (order == '<' || order == '>' || order == '|' || order == '=')
        p++;
    h->element.big_endian = order == '>';
    h->element.kind = *p++;
    if (h->element.kind == '?') {
        h->element.kind = 'b';
        h->element.size = 1;
        return *p == '\'';
    }
    int64_t size = 0;
    for (; *p >= '0' && *p <= '9' && size < (1 << 24); p++)
        size = 10 * size + (*p - '0');
    h->element.size = (int)size;
    return *p == '\'';
}

/* (), (3,), (3, 4), ...; negative numbers are no numbers here. */
static bool parse_shape(fathom_array *array, const char *p)
{
    array->rank = 0;
    if (!p || *p++ != '(')
        return false;
    for (;;) {
        while (*p == ' ' || *p == ',')
            p++;
        if (*p == ')')
            return true;
        int64_t size = 0;
        const char *first = p;
        for (; *p >= '0' && *p <= '9' && size < INT64_MAX / 100; p++)
            size = 10 * size + (*p - '0');
        if (p == first || (*p != ',' && *p != ')' && *p != 'L') || array->rank == FATHOM_ARRAY_RANK)
            return false;
        p += *p == 'L';
        array->shape[array->rank++] = size;
    }
}

fathom_status fathom_npy_read_header(fathom_npy_header *h, fathom_array *array, fathom_bytes *bytes)
{
    unsigned char start[12];
    char header[HEADER_LIMIT + 1];
    FATHOM_TRY(need(bytes, start, 10));
    fathom_status status = FATHOM_OK;
    size_t length = start[8] | (size_t)start[9] << 8;
    if (!fathom_npy_starts(start, 10) || start[6] < 1 || start[6] > 3)
        return bad(bytes, "the magic bytes and version 1, 2 or 3");
    if (start[6] >= 2) {
        status = need(bytes, start + 10, 2);
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (status == FATHOM_OK && length > HEADER_LIMIT)
        status = bad(bytes, "at most 4096 bytes");
    FATHOM_THEN(status, need(bytes, header, length));
    if (status != FATHOM_OK)
        return status;
    header[length] = 0;
    if (!unambiguous(header, length))
        return bad(bytes, "every key once, in single quotes");
    if (!parse_type(h, find_value(header, "'descr'")))
        return bad(bytes, "a plain 'descr' like '<f8'");
    if (!parse_shape(array, find_value(header, "'shape'")))
        return bad(bytes, "a 'shape' of at most 8 sizes");
    const char *order = find_value(header, "'fortran_order'");
    h->columns_first = order && strncmp(order, "True", 4) == 0;
    if (!h->columns_first && (!order || strncmp(order, "False", 5) != 0))
        return bad(bytes, "a 'fortran_order' of True or False");
    return FATHOM_OK;
}

/* Half and extended floats, complex numbers, texts and objects are refused. */
static bool is_number(fathom_element e)
{
    const bool whole = e.size == 1 || e.size == 2 || e.size == 4 || e.size == 8;
    return (e.kind == 'f' && (e.size == 4 || e.size == 8)) || ((e.kind == 'i' || e.kind == 'u') && whole) ||
           (e.kind == 'b' && e.size == 1);
}

static fathom_status read_numbers_header(fathom_npy_header *h, fathom_array *array, fathom_bytes *bytes)
{
    array->values = NULL;
    FATHOM_TRY(fathom_npy_read_header(h, array, bytes));
    if (!is_number(h->element))
        return bad(bytes, "an element type f4, f8, i1 to i8, u1 to u8 or bool");
    return FATHOM_OK;
}

fathom_status fathom_npy_read(fathom_array *array, fathom_bytes *bytes)
{
    fathom_npy_header h;
    FATHOM_TRY(read_numbers_header(&h, array, bytes));
    return fathom_array_read(array, bytes, h.element, h.columns_first);
}

/* Whether the numbers of a file are to stay there. */
static bool stays(const fathom_array *array, const fathom_bytes *bytes, const fathom_table_request *request)
{
    return request->path && fathom_bytes_file(bytes) && array->count > 0 && request->map != 2 &&
           (request->map == 1 ||
            !fathom_context_fits(fathom_bytes_context(bytes), 16 * (double)array->count));
}

fathom_status fathom_npy_read_or_map(fathom_array *array, fathom_mapped **mapped, fathom_bytes *bytes,
                                     const fathom_table_request *request)
{
    fathom_npy_header h;
    *mapped = NULL;
    FATHOM_TRY(read_numbers_header(&h, array, bytes));
    FATHOM_TRY(fathom_array_count(array, bytes));
    if (stays(array, bytes, request)) {
        FATHOM_TRY(fathom_array_agrees(array, bytes, h.element.size));
        FATHOM_TRY(fathom_mapped_open(mapped, fathom_bytes_context(bytes), request->path,
                                      fathom_bytes_file(bytes), fathom_bytes_offset(bytes)));
        if (*mapped)
            return fathom_npy_settle(array, mapped, fathom_bytes_context(bytes), &h);
    }
    return fathom_array_read(array, bytes, h.element, h.columns_first);
}
