/* SPDX-License-Identifier: Apache-2.0 */
/* All maximal minors of a growing matrix: see minors.h. */
#include "minors.h"

#include <math.h>

#include "memory.h"

fathom_status fathom_minor_sets_init(fathom_minor_sets *sets, fathom_context *context, int64_t r)
{
    const uint32_t count = (uint32_t)1 << r;
    sets->r = r;
    sets->set = fathom_memory_alloc(context, count, sizeof *sets->set);
    if (!sets->set)
        return FATHOM_ERROR_MEMORY;
    int64_t filled = 0;
    for (int64_t m = 0; m <= r; m++) {
        sets->start[m] = filled;
        for (uint32_t set = 0; set < count; set++)
            if (__builtin_popcount(set) == m)
                sets->set[filled++] = set;
    }
    sets->start[r + 1] = filled;
    return FATHOM_OK;
}

void fathom_minor_sets_free(fathom_minor_sets *sets, fathom_context *context)
{
    fathom_memory_free(context, sets->set);
    sets->set = NULL;
}

void fathom_minors_start(double *value, double *bound) { value[0] = bound[0] = 1; }

void fathom_minors_add(double *value, double *bound, const fathom_minor_sets *sets, int64_t m,
                       const double *row)
{
    for (int64_t k = sets->start[m + 1]; k < sets->start[m + 2]; k++) {
        const uint32_t set = sets->set[k];
        double sum = 0, size = 0, sign = 1;
        /* From the last column down the cofactor signs of the last row are +, -, +, ... */
        for (uint32_t rest = set; rest;) {
            const int c = 31 - __builtin_clz(rest);
            const uint32_t bit = (uint32_t)1 << c;
            rest ^= bit;
            sum += sign * row[c] * value[set ^ bit];
            size += fabs(row[c]) * bound[set ^ bit];
            sign = -sign;
        }
        value[set] = sum;
        bound[set] = size;
    }
}
