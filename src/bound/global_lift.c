/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free biases as one more coordinate. Atoms (Xu + b 1)_+, |u| <= 1, b free, are finite in price only where 1'v = 0; then a best b
 * lies on a kink, b = -x_k'u. Moving the data to its centre changes b alone, and |b| <= R = max_i |x_i - centre|: the neuron is
 * (u, b/R) with both parts at most 1 long, on points (x_i - centre, R). What bounds such prices is in joint_internal.h.
 *
 * reach_i = |x_i - centre| + R, rounded up: the most that a unit of v_i can add to any price. A v that is balanced to rounding only is as
 * good as the balanced one next to it at that cost (objective_bound.c), and centring rounds by less than is charged there per reach.
 */
#include "global_lift.h"

#include <float.h>
#include <math.h>

#include "blas.h"
#include "memory.h"

void fathom_global_lift_free(fathom_objective *lifted)
{
    if (!lifted)
        return;
    fathom_context *context = lifted->context;
    double *x = (double *)(uintptr_t)lifted->x; /* owned, unlike those of other problems */
    FATHOM_FREE(context, x, lifted);
}

fathom_status fathom_global_lift(fathom_objective **given, const fathom_objective *p, double *centre)
{
    const int64_t n = p->n, d = p->d;
    fathom_objective *lifted = *given = fathom_memory_zero(p->context, 1, sizeof *lifted);
    if (!lifted)
        return FATHOM_ERROR_MEMORY;
    *lifted = *p;
    lifted->d = d + 1;
    double *x = fathom_memory_alloc(p->context, n * (d + 2) + d, sizeof *x);
    lifted->x = x;
    if (!x)
        return FATHOM_ERROR_MEMORY;
    double *reach = x + n * (d + 1), *mean = reach + n, radius = 0;
    for (int64_t l = 0; l < d; l++)
        mean[l] = 0;
    for (int64_t i = 0; i < n; i++)
        fathom_blas_axpy(mean, 1 / (double)n, p->x + i * d, d);
    for (int64_t l = 0; l < d && centre; l++)
        centre[l] = mean[l];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l < d; l++)
            x[i * (d + 1) + l] = p->x[i * d + l] - mean[l];
        reach[i] = fathom_blas_norm_up(x + i * (d + 1), d, 8);
        radius = fmax(radius, reach[i]);
    }
    if (!(radius > 0)) /* all points are the centre: any R > 0 is right, and this one has a small price */
        radius = 0x1p-100;
    for (int64_t i = 0; i < n; i++) {
        x[i * (d + 1) + d] = radius;
        reach[i] = (reach[i] + radius) * (1 + DBL_EPSILON);
    }
    lifted->reach = reach;
    return FATHOM_OK;
}
