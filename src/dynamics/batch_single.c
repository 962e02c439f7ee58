/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs and gradients on all examples in single precision, for gradient descent with --precision single.
 *
 * Weights of the state are numbers of single precision; X is rounded to it once. Products and activations are
 * those of float_panels.h: outputs by chunks of examples, gradients by panels of neurons, so every number is
 * a sum in a fixed order for any number of threads. Losses, their logarithms and slopes are found in double
 * from the outputs; slopes are rounded. Cost 4 n m (d + o) operations of single precision and 4 n m bytes; 6
 * n m d and no such memory where networks are too wide to keep z.
 */
#include <omp.h>

#include "context_internal.h"
#include "dynamics_internal.h"
#include "float_panels.h"
#include "memory.h"

enum { LARGE = 1000000 }; /* pairs of a point and a neuron: enough for looks at the clock */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Floats of workspace for one thread, whole lines of the cache. */
static int64_t room(const dynamics_problem *problem)
{
    const int64_t o = problem->o, forward = FATHOM_PANEL_ROWS * (FATHOM_PANEL + FATHOM_PANEL_LANES * o),
                  backward = (2 * FATHOM_PANEL_ROWS + problem->d + o) * FATHOM_PANEL;
    return (larger(forward, backward) + 15) / 16 * 16;
}

static int threads_for(const dynamics_problem *problem)
{
    return fathom_threads_worth((double)problem->n * (double)problem->m * (double)(problem->d + 8),
                                fathom_context_threads(problem->context));
}

double fathom_dynamics_single_bytes(const dynamics_problem *problem)
{
    const double n = (double)problem->n, m = (double)fathom_panels_columns(problem->m);
    const double weights = m * (double)(problem->d + problem->o);
    return 4 * (n * (double)(problem->d + problem->o) + weights + (problem->tiled ? 0 : n * m) +
                (double)room(problem) * fathom_context_threads(problem->context));
}

fathom_status fathom_dynamics_single_create(dynamics_single *single, const dynamics_problem *problem)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, d = problem->d, o = problem->o, columns = fathom_panels_columns(problem->m);
    *single = (dynamics_single){.apart = room(problem)};
    single->x = fathom_memory_alloc(context, n * d, sizeof(float));
    single->u = fathom_memory_alloc(context, columns * d, sizeof(float));
    single->a = fathom_memory_zero(context, columns * o, sizeof(float));
    single->slope = fathom_memory_alloc(context, n * o, sizeof(float));
    single->room =
        fathom_memory_alloc(context, single->apart * fathom_context_threads(context), sizeof(float));
    single->z = problem->tiled ? NULL : fathom_memory_alloc(context, n * columns, sizeof(float));
    if (!single->x || !single->u || !single->a || !single->slope || !single->room ||
        (!single->z && !problem->tiled))
        return FATHOM_ERROR_MEMORY;
    for (int64_t t = 0; t < n * d; t++)
        single->x[t] = (float)problem->x[t];
    single->low = problem->plan.kind == FATHOM_NET_LEAKY ? (float)problem->plan.parameter : 0;
    return FATHOM_OK;
}

void fathom_dynamics_single_free(dynamics_single *single, fathom_context *context)
{
    FATHOM_FREE(context, single->x, single->u, single->a, single->z, single->slope, single->room);
    *single = (dynamics_single){0};
}

void fathom_dynamics_single_round(double *weights, int64_t count)
{
    for (int64_t t = 0; t < count; t++)
        weights[t] = (double)(float)weights[t];
}

fathom_status fathom_dynamics_single_forward(dynamics_batch *batch, dynamics_single *single,
                                             const dynamics_problem *problem, const dynamics_state *state,
                                             fathom_slope slope)
{
    const int64_t n = problem->n, m = problem->m, o = problem->o, columns = fathom_panels_columns(m);
    const int64_t chunks = (n + FATHOM_PANEL_ROWS - 1) / FATHOM_PANEL_ROWS;
    const bool large = n * m > LARGE;
    fathom_panels_pack(single->u, state->hidden, m, problem->d);
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < o; k++)
            single->a[k * columns + j] = (float)state->output[j * o + k];
#pragma omp parallel for schedule(dynamic) num_threads(threads_for(problem)) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++)
        if (!large || !fathom_context_overdue(problem->context))
            fathom_panels_forward(batch->f, single->z, single->room + omp_get_thread_num() * single->apart,
                                  single->x, single->u, single->a, c * FATHOM_PANEL_ROWS, n, problem->d, m, o,
                                  single->low, fathom_float_kernel_chosen());
    if (large && fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "the outputs of a network");
    return fathom_loss_summarize(&batch->summary, batch->slope, slope, problem->context, problem->plan.loss,
                                 batch->f, problem->y, problem->weight, n, o);
}

fathom_status fathom_dynamics_single_backward(dynamics_batch *batch, dynamics_single *single,
                                              const dynamics_problem *problem)
{
    const int64_t n = problem->n, m = problem->m, o = problem->o, panels = fathom_panels_count(m);
    const bool large = n * m > LARGE;
    for (int64_t t = 0; t < n * o; t++)
        single->slope[t] = (float)batch->slope[t];
#pragma omp parallel for schedule(dynamic) num_threads(threads_for(problem)) if (panels > 1)
    for (int64_t p = 0; p < panels; p++)
        if (!large || !fathom_context_overdue(problem->context))
            fathom_panels_backward(
                problem->plan.first ? batch->hidden : NULL, problem->plan.output ? batch->output : NULL,
                single->room + omp_get_thread_num() * single->apart, single->z, single->x, single->u,
                single->a, single->slope, n, problem->d, m, o, p, single->low, fathom_float_kernel_chosen());
    if (large && fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "the gradient of a network");
    return FATHOM_OK;
}
