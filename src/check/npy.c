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
    double value;
    float single;
    for (int64_t k = size - 1; k >= 0; k--)
        bits = bits << 8 | at[k];
    if (kind == 'i') /* the sign bit to the top and back */
        return (double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
    if (kind != 'f')
        return (double)bits;
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &bits, sizeof single); /* the low half */
    return size == 8 ? value : (double)single;
}

/* The text after "'key':" in the header, without blanks; "" where there is none. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? at + strlen(key) : "";
    return at + strspn(at, " ");
}

double *check_read_npy(check *c, const char *bytes, int64_t size, int64_t shape[2])
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (size < 12 || memcmp(b, "\x93NUMPY", 6) != 0 || (b[6] != 1 && b[6] != 2))
        check_fail(c, 5, "this is no NPY file of version 1 or 2");
    const int64_t wide = 2 * b[6]; /* bytes of the header's length */
    const int64_t length = b[8] | b[9] << 8 | (wide == 4 ? b[10] << 16 | (int64_t)b[11] << 24 : 0);
    int64_t left = size - 8 - wide - length;
    if (left < 0)
        check_fail(c, 5, "the NPY file's header is not whole");
    char *header = memcpy(check_alloc(c, length + 1, 1), b + 8 + wide, (size_t)length);
    const char *type = value_of(header, "'descr':");
    const bool columns = *value_of(header, "'fortran_order':") == 'T';
    char name[3] = "?", end[2];
    long long n = 0, d = 1;
    sscanf(type, "'%*[<|]%2[fiub1248]'", name);
    const char *known = strstr("f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1", name);
    const int sizes = sscanf(value_of(header, "'shape':"), "(%10lld ,%10lld%1[)]", &n, &d, end);
    if (!known || name[1] == 0 || sizes < 1 || sizes == 2)
        check_fail(c, 5, "the NPY file holds something other than a matrix or vector of numbers");
    const int64_t each = name[1] - '0';
    if (n < 1 || d < 1 || n > left / each / d || n * d * each != left)
        check_fail(c, 5, "the NPY file's size does not agree with its shape");
    double *out = check_alloc(c, n * d, sizeof *out);
    for (int64_t k = 0; k < n * d; k++) {
        const int64_t at = columns ? k % d * n + k / d : k;
        out[k] = element(name[0], each, b + size - left + at * each);
        if (!isfinite(out[k]))
            check_fail(c, 5, "row %lld (from 0) of the NPY file is not finite", (long long)(k / d));
    }
    shape[0] = n;
    shape[1] = d;
    return out;
}
