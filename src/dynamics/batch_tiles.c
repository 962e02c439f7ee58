/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs and gradients by tiles of neurons, where the activations of all pairs are too many to keep.
 *
 *   f = sum over tiles T of Phi_T A_T,  gradients by A_T and H_T from Phi_T and Phi'_T, made again for
 *   each tile.
 *
 * A tile is NEURONS neurons by ROWS examples, whatever the memory and the threads. All threads work on
 * tiles, and every tile's part of f is kept until those before it have been added: the bits are those of
 * one thread. Beside the weights a pass takes three tiles and 2 n o numbers for each thread; 6 n m d +
 * 4 n m o flops for both.
 */
#include <omp.h>

#include "activation.h"
#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "memory.h"

enum { NEURONS = 1024, ROWS = 128, AREA = NEURONS * ROWS, PARTS = 3, WAVE = 2 };

/* Neurons [first, first + count) on examples [row, row + rows), and where their numbers are: rows of
 * length count. */
typedef struct tile {
    int64_t first, count, row, rows;
    double *z, *phi, *gate;
} tile;

double fathom_dynamics_tiles_bytes(const dynamics_problem *problem)
{
    const double threads = fathom_context_threads(problem->context);
    return 8 * threads * ((double)AREA * PARTS + WAVE * (double)problem->n * (double)problem->o);
}

fathom_status fathom_dynamics_tiles_create(dynamics_batch *batch, const dynamics_problem *problem)
{
    const int64_t threads = fathom_context_threads(problem->context);
    batch->tile = fathom_memory_alloc(problem->context, threads * AREA * PARTS, sizeof(double));
    batch->part =
        fathom_memory_alloc(problem->context, threads * WAVE * problem->n * problem->o, sizeof(double));
    return batch->tile && batch->part ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The tile that begins at neuron `first`, in the room of the calling thread. */
static tile tile_at(const dynamics_batch *batch, const dynamics_problem *problem, int64_t first, int thread)
{
    double *room = batch->tile + (int64_t)thread * AREA * PARTS;
    const int64_t left = problem->m - first;
    return (tile){.first = first,
                  .count = left < NEURONS ? left : NEURONS,
                  .z = room,
                  .phi = room + AREA,
                  .gate = room + 2 * AREA};
}

/* The next examples of a tile; begins with rows = 0, false at the end. */
static bool next_rows(tile *t, int64_t n)
{
    t->row += t->rows;
    t->rows = n - t->row < ROWS ? n - t->row : ROWS;
    return t->rows > 0;
}

/* G of gated and scalar networks on a tile: from the fixed rows. */
static void fill_gate(const tile *t, const dynamics_problem *problem)
{
    const int64_t d = problem->d;
    fathom_blas_gemm(t->gate, t->count, t->rows, t->count, d, 1, fathom_plain(problem->x + t->row * d, d),
                     fathom_transposed(problem->fixed + t->first * d, d), 0);
    for (int64_t k = 0; k < t->rows * t->count && problem->plan.kind == FATHOM_NET_GATED; k++)
        t->gate[k] = t->gate[k] > 0;
}

/* z = X H', or H_j G_ij, into out. */
static void fill_z(double *out, const tile *t, const dynamics_problem *problem, const double *hidden)
{
    const int64_t d = problem->d;
    if (problem->plan.kind != FATHOM_NET_SCALAR)
        fathom_blas_gemm(out, t->count, t->rows, t->count, d, 1, fathom_plain(problem->x + t->row * d, d),
                         fathom_transposed(hidden + t->first * d, d), 0);
    else
        for (int64_t i = 0; i < t->rows; i++)
            for (int64_t j = 0; j < t->count; j++)
                out[i * t->count + j] = hidden[t->first + j] * t->gate[i * t->count + j];
}

/* G, z and phi. */
static void respond(const tile *t, const dynamics_problem *problem, const dynamics_state *state)
{
    const fathom_net_kind kind = problem->plan.kind;
    const int64_t size = t->rows * t->count;
    if (problem->fixed)
        fill_gate(t, problem);
    fill_z(t->z, t, problem, state->hidden);
    for (int64_t k = 0; k < size; k++)
        t->phi[k] = kind == FATHOM_NET_GATED ? t->gate[k] * t->z[k] : t->z[k];
    if (kind != FATHOM_NET_GATED)
        fathom_activation_apply(t->phi, t->count, t->rows, t->count, kind, problem->plan.parameter, NULL);
}

/* Phi A of one tile of neurons on all examples. */
static void add_outputs(double *part, tile t, const dynamics_problem *problem, const dynamics_state *state)
{
    const int64_t o = problem->o;
    while (next_rows(&t, problem->n)) {
        respond(&t, problem, state);
        fathom_blas_gemm(part + t.row * o, o, t.rows, o, t.count, 1, fathom_plain(t.phi, t.count),
                         fathom_plain(state->output + t.first * o, o), 0);
    }
}

fathom_status fathom_dynamics_tiles_outputs(dynamics_batch *batch, const dynamics_problem *problem,
                                            const dynamics_state *state)
{
    const int64_t size = problem->n * problem->o, tiles = (problem->m + NEURONS - 1) / NEURONS;
    const int threads = fathom_context_threads(problem->context);
    for (int64_t k = 0; k < size; k++)
        batch->f[k] = 0;
    for (int64_t wave = 0; wave < tiles; wave += (int64_t)threads * WAVE) {
        const int64_t left = tiles - wave, count = left < threads * WAVE ? left : threads * WAVE;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int64_t k = 0; k < count; k++)
            if (!fathom_context_overdue(problem->context))
                add_outputs(batch->part + k * size,
                            tile_at(batch, problem, (wave + k) * NEURONS, omp_get_thread_num()), problem,
                            state);
        if (fathom_context_overdue(problem->context))
            return fathom_context_late(problem->context, "the outputs of a network");
        for (int64_t k = 0; k < count; k++)
            fathom_blas_axpy(batch->f, 1, batch->part + k * size, size);
    }
    return FATHOM_OK;
}

/* M = (S A') phi' in the place of phi. */
static void push_back(const tile *t, const dynamics_batch *batch, const dynamics_problem *problem,
                      const dynamics_state *state)
{
    const int64_t o = problem->o;
    const fathom_net_kind kind = problem->plan.kind;
    fathom_blas_gemm(t->phi, t->count, t->rows, t->count, o, 1, fathom_plain(batch->slope + t->row * o, o),
                     fathom_transposed(state->output + t->first * o, o), 0);
    for (int64_t k = 0; k < t->rows * t->count && problem->fixed; k++)
        t->phi[k] *= t->gate[k];
    if (kind != FATHOM_NET_GATED) /* scalar networks are ReLU in z */
        fathom_activation_apply_slope(t->phi, t->count, t->z, t->count, t->rows, t->count,
                                      kind == FATHOM_NET_SCALAR ? FATHOM_NET_RELU : kind,
                                      problem->plan.parameter, NULL);
}

/* Adds M' X, or the sums of the columns of M, to the gradient by H. */
static void add_hidden(double *hidden, const tile *t, const dynamics_problem *problem)
{
    const int64_t d = problem->d;
    if (problem->plan.kind == FATHOM_NET_SCALAR)
        for (int64_t i = 0; i < t->rows; i++)
            fathom_blas_axpy(hidden, 1, t->phi + i * t->count, t->count);
    else
        fathom_blas_gemm(hidden, d, t->count, d, t->rows, 1, fathom_transposed(t->phi, t->count),
                         fathom_plain(problem->x + t->row * d, d), 1);
}

/* Both gradients of one tile of neurons. */
static void find_gradients(dynamics_batch *batch, tile t, const dynamics_problem *problem,
                           const dynamics_state *state)
{
    const int64_t o = problem->o, h = problem->h;
    double *hidden = batch->hidden + t.first * h, *output = batch->output + t.first * o;
    for (int64_t k = 0; k < t.count * h && problem->plan.first; k++)
        hidden[k] = 0;
    for (int64_t k = 0; k < t.count * o && problem->plan.output; k++)
        output[k] = 0;
    while (next_rows(&t, problem->n)) {
        respond(&t, problem, state);
        if (problem->plan.output)
            fathom_blas_gemm(output, o, t.count, o, t.rows, 1, fathom_transposed(t.phi, t.count),
                             fathom_plain(batch->slope + t.row * o, o), 1);
        if (!problem->plan.first)
            continue;
        push_back(&t, batch, problem, state);
        add_hidden(hidden, &t, problem);
    }
}

fathom_status fathom_dynamics_tiles_gradients(dynamics_batch *batch, const dynamics_problem *problem,
                                              const dynamics_state *state)
{
    const int threads = fathom_context_threads(problem->context);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t first = 0; first < problem->m; first += NEURONS)
        if (!fathom_context_overdue(problem->context))
            find_gradients(batch, tile_at(batch, problem, first, omp_get_thread_num()), problem, state);
    return fathom_context_overdue(problem->context)
               ? fathom_context_late(problem->context, "the gradient of a network")
               : FATHOM_OK;
}

/* Pairs of a tile whose gate is not that of the beginning; z0 takes the place of phi. */
static int64_t changes_of(tile t, const dynamics_problem *problem, const dynamics_state *state)
{
    int64_t count = 0;
    while (next_rows(&t, problem->n)) {
        if (problem->fixed)
            fill_gate(&t, problem);
        fill_z(t.z, &t, problem, state->hidden);
        fill_z(t.phi, &t, problem, state->hidden0);
        for (int64_t k = 0; k < t.rows * t.count; k++)
            count += (t.z[k] > 0) != (t.phi[k] > 0);
    }
    return count;
}

fathom_status fathom_dynamics_tiles_changes(int64_t *count, const dynamics_batch *batch,
                                            const dynamics_problem *problem, const dynamics_state *state)
{
    const int threads = fathom_context_threads(problem->context);
    int64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : sum)
    for (int64_t first = 0; first < problem->m; first += NEURONS)
        if (!fathom_context_overdue(problem->context))
            sum += changes_of(tile_at(batch, problem, first, omp_get_thread_num()), problem, state);
    *count = sum;
    return fathom_context_overdue(problem->context)
               ? fathom_context_late(problem->context, "the activations of a network")
               : FATHOM_OK;
}
