/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extreme points along basis directions among a few points [001, eq. 10]:
 *
 *     u_i = (q_i - z_i) / |q_i - z_i|,   z_i the point of conv{q_j : j != i} nearest to q_i.
 *
 * A point inside the hull of the others has no u_i. Cost: a minimum-norm point each (min_norm.c), in parallel; same bits
 * for every number of threads.
 */
#include "extreme_directions.h"

#include <math.h>
#include <omp.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "min_norm.h"

enum { BATCH = 256 };

/* u_i of (10), where point i is outside the hull of the others. */
static bool see(double *u, const double *points, int64_t count, int64_t d, int64_t i, double reach,
                fathom_min_norm *w)
{
    fathom_min_norm_solve(w, points, count, points + i * d, i, reach);
    if (!(w->lower > 0) || isinf(w->upper)) /* the only point sees nothing */
        return false;
    for (int64_t k = 0; k < d; k++)
        u[k] = -w->x[k] / w->upper;
    return true;
}

fathom_status fathom_extreme_directions(double *u, bool *made, const double *points, int64_t count, int64_t d,
                                        fathom_context *context)
{
    const int threads = fathom_context_threads(context);
    fathom_min_norm *work = fathom_memory_zero(context, threads, sizeof *work);
    fathom_status status = work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    double reach = 0;
    int open = 0;
    for (; open < threads && status == FATHOM_OK; open++)
        status = fathom_min_norm_open(&work[open], context, count, d);
    for (int64_t i = 0; i < count; i++)
        reach = fmax(reach, fathom_blas_norm_up(points + i * d, d, 0));
    for (int64_t first = 0; first < count && status == FATHOM_OK; first += BATCH) {
        const int64_t last = first + BATCH < count ? first + BATCH : count;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = first; i < last; i++)
            made[i] = see(u + i * d, points, count, d, i, reach, &work[omp_get_thread_num()]);
        if (fathom_context_poll(context, "extreme points", last, NAN, NAN) != FATHOM_STOP_NONE)
            status = fathom_error_set(context, FATHOM_ERROR_STOPPED,
                                      "stopped before the extreme points were found");
    }
    for (int k = 0; work && k < open; k++)
        fathom_min_norm_close(&work[k]);
    fathom_memory_free(context, work);
    return status;
}
