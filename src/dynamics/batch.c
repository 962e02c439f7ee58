/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs and gradients on all examples, with workspace that lives as long as the run.
 *
 *   z = X H' (or H_j G_ij),  F = Phi A (n x o),
 *   with S (n x o) the derivatives by F:  gradient by A = Phi' S,  by H = M' X, M_ij = (S A')_ij phi'_ij (scalar: column
 *   sums). One output is done by rows.
 *
 * Matrix products run on all threads over fixed tiles; rows of activations are independent: same bits for
 * every number of threads. Cost 4 n m (d + o) flops.
 */
#include <math.h>

#include "activation.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "gemm.h"
#include "memory.h"

/* Room for pre-activations and activations of all pairs. */
static fathom_status create_pairs(dynamics_batch *batch, const dynamics_problem *problem)
{
    const int64_t n = problem->n, m = problem->m;
    FATHOM_TRY(fathom_context_require(problem->context, 16.0 * (double)n * (double)m,
                                      "pre-activations of all pairs"));
    batch->z = fathom_memory_alloc(problem->context, n * m, sizeof(double));
    batch->work = fathom_memory_alloc(problem->context, n * m, sizeof(double));
    return batch->z && batch->work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_dynamics_batch_create(dynamics_batch *batch, const dynamics_problem *problem)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, m = problem->m, o = problem->o;
    *batch = (dynamics_batch){0};
    FATHOM_TRY(problem->tiled ? fathom_dynamics_tiles_create(batch, problem) : create_pairs(batch, problem));
    batch->f = fathom_memory_alloc(context, n * o, sizeof(double));
    batch->slope = fathom_memory_alloc(context, n * o, sizeof(double));
    batch->hidden = problem->plan.first ? fathom_memory_alloc(context, m * problem->h, sizeof(double))
                                        : fathom_memory_zero(context, m * problem->h, sizeof(double));
    batch->output = fathom_memory_zero(context, m * o, sizeof(double));
    const bool ok = batch->f && batch->slope && batch->hidden && batch->output;
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_dynamics_batch_free(dynamics_batch *batch, fathom_context *context)
{
    FATHOM_FREE(context, batch->z, batch->work, batch->tile, batch->part, batch->f, batch->slope,
                batch->hidden, batch->output);
    *batch = (dynamics_batch){0};
}

double fathom_dynamics_unit(const dynamics_problem *problem, double gate, double z)
{
    if (problem->plan.kind == FATHOM_NET_GATED)
        return gate * z;
    return fathom_activation(problem->plan.kind, problem->plan.parameter, z);
}

double fathom_dynamics_unit_slope(const dynamics_problem *problem, double gate, double z)
{
    if (problem->plan.kind == FATHOM_NET_GATED)
        return gate;
    const double slope = fathom_activation_slope(problem->plan.kind, problem->plan.parameter, z);
    return problem->plan.kind == FATHOM_NET_SCALAR ? slope * gate : slope;
}

/* phi of row i. */
static void unit_row(double *phi, const double *z, const dynamics_problem *problem, int64_t i)
{
    const int64_t m = problem->m;
    if (problem->plan.kind == FATHOM_NET_GATED)
        for (int64_t j = 0; j < m; j++)
            phi[j] = problem->gate[i * m + j] * z[j];
    else {
        for (int64_t j = 0; j < m; j++)
            phi[j] = z[j];
        fathom_activation_apply(phi, m, 1, m, problem->plan.kind, problem->plan.parameter, NULL);
    }
}

/* M of row i: (S A')_ij phi'_ij; the row holds the first factor where there are more outputs than one. */
static void slope_row(double *row, const double *z, const dynamics_problem *problem, const double *a,
                      double s, int64_t i)
{
    const int64_t m = problem->m;
    const double *gate = problem->gate ? problem->gate + i * m : NULL;
    const fathom_net_kind kind = problem->plan.kind;
    if (problem->o == 1 && (kind == FATHOM_NET_RELU || kind == FATHOM_NET_LEAKY)) {
        fathom_activation_pull(row, s, a, z, m, kind, problem->plan.parameter);
        return;
    }
    for (int64_t j = 0; j < m; j++)
        row[j] = (problem->o == 1 ? s * a[j] : row[j]) * (gate ? gate[j] : 1);
    if (problem->plan.kind != FATHOM_NET_GATED) /* scalar networks are ReLU in z */
        fathom_activation_apply_slope(row, m, z, m, 1, m,
                                      problem->plan.kind == FATHOM_NET_SCALAR ? FATHOM_NET_RELU
                                                                              : problem->plan.kind,
                                      problem->plan.parameter, NULL);
}

enum { LARGE = 1000000 }; /* pairs of a point and a neuron */

/* Threads worth their start. */
static int threads_for(const dynamics_problem *problem)
{
    return fathom_threads_worth(8 * (double)problem->n * (double)problem->m,
                                fathom_context_threads(problem->context)); /* an exponential for each */
}

/* z_ij = H_j G_ij of scalar networks; a row that is given up leaves the pass late, and the pass says so. */
static void multiply_gates(dynamics_batch *batch, const dynamics_problem *problem,
                           const dynamics_state *state)
{
    const int64_t n = problem->n, m = problem->m;
#pragma omp parallel for schedule(static) num_threads(threads_for(problem))
    for (int64_t i = 0; i < n; i++)
        if (n * m <= LARGE || !fathom_context_overdue(problem->context))
            for (int64_t j = 0; j < m; j++)
                batch->z[i * m + j] = state->hidden[j] * problem->gate[i * m + j];
}

/* f, with z and Phi of all pairs kept in z and work. */
static fathom_status find_outputs(dynamics_batch *batch, const dynamics_problem *problem,
                                  const dynamics_state *state)
{
    const int64_t n = problem->n, m = problem->m, d = problem->d, o = problem->o;
    fathom_status status = FATHOM_OK;
    if (problem->plan.kind == FATHOM_NET_SCALAR)
        multiply_gates(batch, problem, state);
    else
        status = fathom_gemm(batch->z, m, n, m, d, 1, fathom_plain(problem->x, d),
                             fathom_transposed(state->hidden, d), 0, problem->context);
    if (status != FATHOM_OK)
        return status;
    const bool large = n * m > LARGE; /* enough for looks at the clock */
#pragma omp parallel for schedule(static) num_threads(threads_for(problem))
    for (int64_t i = 0; i < n; i++) {
        if (large && fathom_context_overdue(problem->context))
            continue;
        unit_row(batch->work + i * m, batch->z + i * m, problem, i);
        if (o == 1)
            batch->f[i] = fathom_blas_dot(batch->work + i * m, state->output, m);
    }
    if (large && fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "the outputs of a network");
    if (o > 1)
        status = fathom_gemm(batch->f, o, n, o, m, 1, fathom_plain(batch->work, m),
                             fathom_plain(state->output, o), 0, problem->context);
    return status;
}

fathom_status fathom_dynamics_forward(dynamics_batch *batch, const dynamics_problem *problem,
                                      const dynamics_state *state, fathom_slope slope)
{
    FATHOM_TRY(batch->z ? find_outputs(batch, problem, state)
                        : fathom_dynamics_tiles_outputs(batch, problem, state));
    return fathom_loss_summarize(&batch->summary, batch->slope, slope, problem->context, problem->plan.loss,
                                 batch->f, problem->y, problem->weight, problem->n, problem->o);
}

/* Scalar networks: the derivatives by a_j and b_j are b_j G_j and a_j G_j with one G_j. Where |a_j| =
 * |b_j| they are made equal in size to the last bit, or rounding would part a_j and b_j on their way to 0,
 * and one of them would pass it. */
static void keep_balance(dynamics_batch *batch, const dynamics_problem *problem, const dynamics_state *state)
{
    for (int64_t j = 0; j < problem->m && problem->plan.output && problem->o == 1; j++)
        if (fabs(state->output[j]) == fabs(state->hidden[j]))
            batch->output[j] = state->output[j] == state->hidden[j] ? batch->hidden[j] : -batch->hidden[j];
}

/* Both gradients, from z and Phi of all pairs. */
static fathom_status find_gradients(dynamics_batch *batch, const dynamics_problem *problem,
                                    const dynamics_state *state)
{
    const int64_t n = problem->n, m = problem->m, d = problem->d, o = problem->o;
    fathom_status status = FATHOM_OK;
    if (problem->plan.output && o == 1) /* work still holds Phi */
        fathom_blas_gemv(batch->output, m, n, 1, fathom_transposed(batch->work, m), batch->slope, 0);
    else if (problem->plan.output)
        status = fathom_gemm(batch->output, o, m, o, n, 1, fathom_transposed(batch->work, m),
                             fathom_plain(batch->slope, o), 0, problem->context);
    if (status != FATHOM_OK || !problem->plan.first)
        return status;
    if (o > 1)
        status = fathom_gemm(batch->work, m, n, m, o, 1, fathom_plain(batch->slope, o),
                             fathom_transposed(state->output, o), 0, problem->context);
    if (status != FATHOM_OK)
        return status;
#pragma omp parallel for schedule(static) num_threads(threads_for(problem))
    for (int64_t i = 0; i < n; i++)
        if (n * m <= LARGE || !fathom_context_overdue(problem->context))
            slope_row(batch->work + i * m, batch->z + i * m, problem, state->output, batch->slope[i], i);
    if (n * m > LARGE && fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "the gradient of a network");
    if (problem->plan.kind != FATHOM_NET_SCALAR)
        return fathom_gemm(batch->hidden, d, m, d, n, 1, fathom_transposed(batch->work, m),
                           fathom_plain(problem->x, d), 0, problem->context);
    for (int64_t j = 0; j < m; j++)
        batch->hidden[j] = 0;
    for (int64_t i = 0; i < n; i++)
        fathom_blas_axpy(batch->hidden, 1, batch->work + i * m, m);
    return FATHOM_OK;
}

fathom_status fathom_dynamics_backward(dynamics_batch *batch, const dynamics_problem *problem,
                                       const dynamics_state *state)
{
    FATHOM_TRY(batch->z ? find_gradients(batch, problem, state)
                        : fathom_dynamics_tiles_gradients(batch, problem, state));
    if (problem->plan.kind == FATHOM_NET_SCALAR && problem->plan.first)
        keep_balance(batch, problem, state);
    return FATHOM_OK;
}
