/* SPDX-License-Identifier: Apache-2.0 */
/* Splines by their knots: storage, values at the points, norm. See spline.h. */
#include "spline.h"

#include <math.h>

#include "memory.h"

fathom_status fathom_spline_reserve(fathom_spline *spline, fathom_context *context, int64_t count)
{
    if (count <= spline->capacity)
        return FATHOM_OK;
    const int64_t capacity = count + count / 2;
    FATHOM_TRY(fathom_memory_resize(context, (void **)&spline->knot, capacity, sizeof *spline->knot));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&spline->z, capacity, sizeof *spline->z));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&spline->s, capacity, sizeof *spline->s));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&spline->jump, capacity, sizeof *spline->jump));
    spline->capacity = capacity;
    return FATHOM_OK;
}

void fathom_spline_free(fathom_spline *spline, fathom_context *context)
{
    FATHOM_FREE(context, spline->knot, spline->z, spline->s, spline->jump);
    *spline = (fathom_spline){0};
}

void fathom_spline_values(double *f, const fathom_spline *spline, const fathom_spline_points *points)
{
    for (int64_t k = 0; k + 1 < spline->count; k++) {
        const int64_t first = points->first[spline->knot[k]];
        const int64_t last = k + 2 < spline->count ? points->first[spline->knot[k + 1]] : points->n;
        const double t0 = points->t[first], z = spline->z[k], s = spline->s[k];
        for (int64_t i = first; i < last; i++)
            f[i] = z + s * (points->t[i] - t0);
    }
}

double fathom_spline_norm(double *tv, double *ends, const fathom_spline *spline)
{
    *tv = 0;
    for (int64_t k = 1; k < spline->count - 1; k++)
        *tv += fabs(spline->jump[k]);
    *ends = spline->s[0] + spline->s[spline->count - 2];
    return fmax(*tv, (*tv + fabs(*ends)) / 2);
}
