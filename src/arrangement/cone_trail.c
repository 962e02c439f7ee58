/* SPDX-License-Identifier: Apache-2.0 */
/* Cones as they are found, each by its difference from the one before: see simple.h. */
#include <string.h>

#include "memory.h"
#include "simple.h"

/* Makes room for `count` items in a block of the trail; keeps the first failure. */
static bool grow(fathom_cone_trail *trail, void **block, int64_t *capacity, int64_t count, size_t size)
{
    const fathom_status status = fathom_memory_grow(trail->context, block, capacity, count, size);
    if (trail->status == FATHOM_OK)
        trail->status = status;
    return status == FATHOM_OK;
}

void fathom_cone_trail_flip(fathom_cone_trail *trail, int32_t i)
{
    const int64_t at = trail->recorded + trail->pending;
    if (at >= trail->flip_capacity &&
        !grow(trail, (void **)&trail->flip, &trail->flip_capacity, at + 1, sizeof *trail->flip))
        return;
    trail->flip[at] = i;
    trail->pending++;
}

double *fathom_cone_trail_add(fathom_cone_trail *trail, const uint64_t *bits, bool whole, bool witnesses)
{
    const int64_t words = trail->words;
    if (trail->count >= trail->flips_capacity &&
        !grow(trail, (void **)&trail->flips, &trail->flips_capacity, trail->count + 1, sizeof *trail->flips))
        return NULL;
    if (whole) {
        if (!grow(trail, (void **)&trail->pattern, &trail->pattern_capacity, (trail->whole + 1) * words,
                  sizeof *trail->pattern))
            return NULL;
        memcpy(trail->pattern + trail->whole++ * words, bits, (size_t)words * sizeof *bits);
    } else {
        trail->recorded += trail->pending;
    }
    trail->flips[trail->count] = whole ? -1 : (int32_t)trail->pending;
    trail->pending = 0;
    if (witnesses && !grow(trail, (void **)&trail->witness, &trail->witness_capacity,
                           (trail->count + 1) * trail->d, sizeof *trail->witness))
        return NULL;
    return witnesses ? trail->witness + trail->count++ * trail->d : (trail->count++, NULL);
}

fathom_status fathom_cone_trail_mirror(fathom_cone_trail *trail, const uint64_t *nonzero)
{
    const int64_t words = trail->words, patterns = trail->whole * words, numbers = trail->count * trail->d;
    if (!grow(trail, (void **)&trail->pattern, &trail->pattern_capacity, 2 * patterns,
              sizeof *trail->pattern))
        return trail->status;
    for (int64_t k = 0; k < patterns; k++)
        trail->pattern[patterns + k] = trail->pattern[k] ^ nonzero[k % words];
    if (!trail->witness ||
        !grow(trail, (void **)&trail->witness, &trail->witness_capacity, 2 * numbers, sizeof *trail->witness))
        return trail->status;
    for (int64_t k = 0; k < numbers; k++)
        trail->witness[numbers + k] = -trail->witness[k];
    return trail->status;
}

void fathom_cone_trail_clear(fathom_cone_trail *trail)
{
    trail->count = trail->whole = trail->pending = trail->recorded = 0;
}

void fathom_cone_trail_free(fathom_cone_trail *trail)
{
    FATHOM_FREE(trail->context, trail->flips, trail->flip, trail->pattern, trail->witness);
}
