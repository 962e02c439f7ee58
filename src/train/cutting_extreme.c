/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neurons of [001, eq. 10] beside the cutting planes, as A.2 of 001 has them for its Table 1.
 *
 *     u_i = (x_i - z_i) / |x_i - z_i|,   z_i in conv{x_j : j != i} nearest to x_i,   b_i = min_{j != i} -<x_j, u_i>
 *
 * i and j run over N rows drawn with equal probability and without repetition (--extreme N, --seed), as over the patches
 * drawn of Algorithm 2: over all rows a neuron with the printed b_i would be active on row i alone. b_i is 0 without free
 * biases. Rows inside the hull of the others drawn have no neuron.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "cutting.h"
#include "extreme_directions.h"
#include "memory.h"
#include "random.h"

/* points (count x d) = rows drawn: the first `count` places of a random order. */
static fathom_status draw_rows(double *points, int64_t count, const fathom_train_problem *p)
{
    const uint64_t seed = fathom_context_seed(p->context);
    int64_t *order = fathom_memory_alloc(p->context, p->n, sizeof *order);
    if (!order)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        order[i] = i;
    for (int64_t k = 0; k < count; k++) {
        const double u = fathom_random_uniform(seed, FATHOM_STREAM_PATCH, 2, (uint64_t)k);
        const int64_t far = (int64_t)(u * (double)(p->n - k)), j = k + (far < p->n - k ? far : p->n - k - 1);
        const int64_t row = order[j];
        order[j] = order[k];
        memcpy(points + k * p->d, p->x + row * p->d, (size_t)p->d * sizeof *points);
    }
    fathom_memory_free(p->context, order);
    return FATHOM_OK;
}

/* The printed bias of direction u: none of the other points is on its active side. */
static double bias_beside(const double *points, int64_t count, int64_t d, int64_t i, const double *u)
{
    double most = -INFINITY;
    for (int64_t j = 0; j < count; j++)
        if (j != i)
            most = fmax(most, fathom_blas_dot(points + j * d, u, d));
    return -most;
}

static fathom_status add_neurons(fathom_cutting *cut, const double *points, int64_t count, const double *u,
                                 const bool *made)
{
    const fathom_train_problem *p = cut->problem;
    double *neuron = fathom_memory_alloc(p->context, p->d + 1, sizeof *neuron);
    fathom_status status = neuron ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == FATHOM_OK; i++) {
        if (!made[i])
            continue;
        memcpy(neuron, u + i * p->d, (size_t)p->d * sizeof *neuron);
        neuron[p->d] = p->constant ? bias_beside(points, count, p->d, i, neuron) : 0;
        status = fathom_cutting_add(cut, neuron);
    }
    fathom_memory_free(p->context, neuron);
    return status;
}

fathom_status fathom_cutting_add_extreme(fathom_cutting *cut, int64_t wanted)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t count = wanted < p->n ? wanted : p->n;
    if (count < 2) /* one row has no others to be seen from */
        return FATHOM_OK;
    double *points = fathom_memory_alloc(p->context, 2 * count * p->d, sizeof *points);
    bool *made = fathom_memory_zero(p->context, count, sizeof *made);
    fathom_status status = points && made ? draw_rows(points, count, p) : FATHOM_ERROR_MEMORY;
    double *u = points ? points + count * p->d : NULL;
    FATHOM_THEN(status, fathom_extreme_directions(u, made, points, count, p->d, p->context));
    FATHOM_THEN(status, add_neurons(cut, points, count, u, made));
    if (status == FATHOM_OK)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "extreme points of %lld rows drawn: %lld neurons beside the cutting planes",
                   (long long)count, (long long)cut->m);
    FATHOM_FREE(p->context, points, made);
    return status;
}
