/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers by their bits: those of a double that is not negative ascend with it, those of a negative one descend. Turned so that
 * all ascend they are sorted byte by byte, the lowest first; a pass keeps the order of equal bytes, and one where all agree is
 * left out. O(count).
 */
#include "sort_numbers.h"

#include <string.h>

enum { BYTES = 8, VALUES = 256 };

/* Ascends with the number; -0 is 0. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* How often every byte has every value. */
static void count_bytes(int64_t count_of[BYTES][VALUES], const double *value, int64_t count)
{
    memset(count_of, 0, sizeof(int64_t) * BYTES * VALUES);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t key = key_of(value[i]);
        for (int byte = 0; byte < BYTES; byte++)
            count_of[byte][key >> (8 * byte) & 0xff]++;
    }
}

void fathom_sort_numbers(double *value, double *room, int64_t count)
{
    int64_t count_of[BYTES][VALUES];
    double *from = value, *to = room;
    count_bytes(count_of, value, count);
    for (int byte = 0; byte < BYTES && count > 0; byte++) {
        int64_t *place = count_of[byte], before = 0;
        if (place[key_of(from[0]) >> (8 * byte) & 0xff] == count)
            continue;
        for (int v = 0; v < VALUES; v++) {
            const int64_t here = place[v];
            place[v] = before;
            before += here;
        }
        for (int64_t i = 0; i < count; i++)
            to[place[key_of(from[i]) >> (8 * byte) & 0xff]++] = from[i];
        double *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != value)
        memcpy(value, from, (size_t)count * sizeof *value);
}
