/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of penalties, small to large.
 *
 * From a small penalty, where many neurons are at work, larger ones remove what is not needed; the other
 * way round neurons that are 0 never come back. Each point starts from the one before.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "local.h"

int64_t fathom_local_path(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                          const double *beta, const bool *keep, int64_t points, int64_t first, int64_t next,
                          uint64_t seed, uint32_t draw, float *work)
{
    const int64_t size = fathom_local_size(problem);
    const float *before = NULL;
    for (int64_t k = 0; k < points; k++) {
        float *now = theta + k * size;
        fathom_local_problem one = *problem;
        one.beta = beta[k];
        if (before)
            memcpy(now, before, (size_t)size * sizeof *now);
        else
            fathom_local_start(now, &one, seed, draw);
        if (keep && !keep[k])
            continue;
        const double value = fathom_local_descend(now, &one, context, before ? next : first, work);
        if (!before && isinf(value)) /* a start at random is worse than nothing */
            memset(now, 0, (size_t)(size - problem->outputs) * sizeof *now);
        before = now;
        if (fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            return k + 1;
    }
    return points;
}
