/* SPDX-License-Identifier: Apache-2.0 */
/* NPY arrays: version 1 or 2, f4, f8, integers and bool, little-endian, either order of indices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* The element at `at` as a double. */
static double element(char kind, int64_t size, const unsigned char *at)
{
    uint64_t bits = 0;
    for (int64_t k = size - 1; k >= 0; k--)
        bits = bits << 8 | at[k];
    if (kind == 'f' && size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (kind == 'f') {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return value;
    }
    if (kind == 'i' && size < 8 && bits >> (8 * size - 1))
        bits |= ~UINT64_C(0) << (8 * size);
    return kind == 'i' ? (double)(int64_t)bits : (double)bits;
}

/* The text after 'key': in the header. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at, ':') : NULL;
    while (at && (*++at == ' '))
        ;
    return at;
}

/* "(3, 2)" or "(3,)": at most two sizes. */
static bool shape_of(int64_t shape[2], const char *text)
{
    char *end;
    if (!text || *text++ != '(')
        return false;
    shape[0] = strtoll(text, &end, 10);
    shape[1] = 1;
    if (end == text || *end != ',')
        return false;
    text = end + 1;
    while (*text == ' ')
        text++;
    if (*text == ')')
        return true;
    shape[1] = strtoll(text, &end, 10);
    return end > text && *end == ')';
}

/* Takes n x d values in the order of rows. */
static double *read_values(check *c, const unsigned char *bytes, int64_t left, char kind, int64_t size,
                           bool columns, const int64_t shape[2])
{
    const int64_t n = shape[0], d = shape[1];
    if (n < 1 || d < 1 || n > left / size / d || n * d * size != left)
        check_fail(c, 5, "the NPY file's size does not agree with its shape");
    double *out = check_alloc(c, n * d, sizeof *out);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            out[i * d + j] = element(kind, size, bytes + (columns ? j * n + i : i * d + j) * size);
            if (!isfinite(out[i * d + j]))
                check_fail(c, 5, "row %lld (from 0) of the NPY file has a value that is not finite",
                           (long long)i);
        }
    return out;
}

void check_read_npy(check *c, const unsigned char *bytes, int64_t size, bool labels)
{
    int64_t shape[2];
    const int64_t wide = size > 10 && bytes[6] == 2 ? 4 : 2; /* bytes of the header's length */
    int64_t length = 0;
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 2)
        check_fail(c, 5, "this is no NPY file of version 1 or 2");
    for (int64_t k = wide - 1; k >= 0; k--)
        length = length << 8 | bytes[8 + k];
    if (length > size - 8 - wide || length > 65536)
        check_fail(c, 5, "the NPY file's header is not whole");
    char *header = check_alloc(c, length + 1, 1);
    memcpy(header, bytes + 8 + wide, (size_t)length);
    const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
    const char *text = value_of(header, "'shape'");
    const bool known = type && *type == '\'' && strchr("<|", type[1]) && strchr("fiub", type[2]) &&
                       type[4] == '\'' &&
                       (type[2] == 'f' ? strchr("48", type[3]) != NULL : strchr("1248", type[3]) != NULL);
    if (!known || !order || !shape_of(shape, text))
        check_fail(c, 5, "the NPY file holds something other than a matrix or vector of numbers");
    const char kind = type[2] == 'b' ? 'u' : type[2];
    double *values = read_values(c, bytes + 8 + wide + length, size - 8 - wide - length, kind, type[3] - '0',
                                 *order == 'T', shape);
    if (!labels) {
        c->data.n = shape[0];
        c->data.d = shape[1];
        c->data.x = values;
        return;
    }
    if (shape[0] != c->data.n)
        check_fail(c, 5, "there are %lld labels for %lld rows", (long long)shape[0], (long long)c->data.n);
    c->data.outputs = shape[1];
    c->data.y = values;
}
