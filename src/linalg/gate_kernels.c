/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masked products over gates, at the speed of a matrix product.
 *
 *     X n x d points, D n x m gates as bits, W m x o x d weights, V o x n
 *     F(W)_ci  = sum_j D_ij <x_i, w_jc>         forward
 *     F*(V)_jc = sum_i D_ij v_ci x_i            adjoint
 *
 * Both are one matrix product of 2 n m o d operations with a mask on one side, cut into tiles of POINTS x ROWS
 * (ROWS counts pairs of gate and output) that stay in the second-level cache:
 *
 *     forward: T = W_tile X_tile' by dgemm, then f += masked column sums of T
 *     adjoint: T = bits of the tile expanded times v, then g_tile += T X_tile by dgemm
 *
 * so that nothing of size n m is ever stored and the mask costs O(1/d) of the product. Half of the operations meet
 * a closed gate; skipping them would cost more than doing them.
 *
 * Guarantee: the tiles and the order of the sums within an output do not depend on the number of threads, and
 * neither do the bits of the result. Forward runs over tiles of points, adjoint over tiles of gates, in parallel.
 * Each entry is a sum of at most n d (forward: m d) rounded products in some fixed order.
 */
#include "gate_kernels.h"

#include <omp.h>
#include <string.h>

#include "blas.h"
#include "dispatch.h"

enum { POINTS = 256, ROWS = 256 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* sum[i] += p[i] where bit i is set. */
FATHOM_DISPATCH
static void masked_add(double *restrict sum, const double *restrict p, const uint64_t *restrict bits,
                       int64_t count)
{
    for (int64_t start = 0; start < count; start += 64) {
        const uint64_t word = bits[start / 64];
        const int64_t end = min64(64, count - start);
        for (int64_t i = 0; i < end; i++)
            sum[start + i] += (word >> i) & 1 ? p[start + i] : 0.0;
    }
}

/* out[i] = v[i] where bit i is set, else 0. */
FATHOM_DISPATCH
static void masked_copy(double *restrict out, const double *restrict v, const uint64_t *restrict bits,
                        int64_t count)
{
    for (int64_t start = 0; start < count; start += 64) {
        const uint64_t word = bits[start / 64];
        const int64_t end = min64(64, count - start);
        for (int64_t i = 0; i < end; i++)
            out[start + i] = (word >> i) & 1 ? v[start + i] : 0.0;
    }
}

/* Gates per tile: as many as give about ROWS rows. */
static int64_t gates_per_tile(int64_t outputs) { return outputs < ROWS ? ROWS / outputs : 1; }

/* Threads that are worth waking. */
static int useful(const fathom_gate_set *set, int64_t outputs, int threads)
{
    return (double)(set->n * set->d) * (double)(set->count * outputs) < 1e6 ? 1 : threads;
}

int64_t fathom_gate_workspace(int64_t outputs, int threads)
{
    return (int64_t)threads * gates_per_tile(outputs) * outputs * POINTS;
}

/* f over one tile of points, all gates in order. */
static void forward_tile(double *f, const fathom_gate_set *set, const double *w, int64_t outputs,
                         int64_t point, double *tile)
{
    const int64_t points = min64(POINTS, set->n - point), step = gates_per_tile(outputs);
    for (int64_t c = 0; c < outputs; c++)
        memset(f + c * set->n + point, 0, (size_t)points * sizeof *f);
    for (int64_t gate = 0; gate < set->count; gate += step) {
        const int64_t gates = min64(step, set->count - gate);
        fathom_blas_gemm(tile, POINTS, gates * outputs, points, set->d, 1,
                         fathom_plain(w + gate * outputs * set->d, set->d),
                         fathom_transposed(set->x + point * set->ldx, set->ldx), 0);
        for (int64_t row = 0; row < gates * outputs; row++) {
            const uint64_t *pattern = fathom_gate_pattern(set, gate + row / outputs);
            masked_add(f + (row % outputs) * set->n + point, tile + row * POINTS, pattern + point / 64,
                       points);
        }
    }
}

void fathom_gate_forward(double *f, const fathom_gate_set *set, const double *w, int64_t outputs, int threads,
                         double *workspace)
{
    const int64_t size = fathom_gate_workspace(outputs, 1);
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t point = 0; point < set->n; point += POINTS)
        forward_tile(f, set, w, outputs, point, workspace + omp_get_thread_num() * size);
}

/* g over one tile of gates, all points in order. */
static void adjoint_tile(double *g, const fathom_gate_set *set, const double *v, int64_t outputs,
                         int64_t gate, double *tile)
{
    const int64_t gates = min64(gates_per_tile(outputs), set->count - gate);
    for (int64_t point = 0; point < set->n; point += POINTS) {
        const int64_t points = min64(POINTS, set->n - point);
        for (int64_t row = 0; row < gates * outputs; row++)
            masked_copy(tile + row * POINTS, v + (row % outputs) * set->n + point,
                        fathom_gate_pattern(set, gate + row / outputs) + point / 64, points);
        fathom_blas_gemm(g + gate * outputs * set->d, set->d, gates * outputs, set->d, points, 1,
                         fathom_plain(tile, POINTS), fathom_plain(set->x + point * set->ldx, set->ldx),
                         point > 0);
    }
}

void fathom_gate_adjoint(double *g, const fathom_gate_set *set, const double *v, int64_t outputs, int threads,
                         double *workspace)
{
    const int64_t size = fathom_gate_workspace(outputs, 1), step = gates_per_tile(outputs);
    if (set->n == 0)
        memset(g, 0, (size_t)(set->count * outputs * set->d) * sizeof *g);
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t gate = 0; gate < set->count; gate += step)
        adjoint_tile(g, set, v, outputs, gate, workspace + omp_get_thread_num() * size);
}

/* The terms of one tile of gates, in place of T. */
static void terms_tile(double *p, const fathom_gate_set *set, const double *w, int64_t outputs,
                       const double *scale, int64_t gate)
{
    const int64_t rows = min64(gates_per_tile(outputs), set->count - gate) * outputs;
    for (int64_t point = 0; point < set->n; point += POINTS) {
        const int64_t points = min64(POINTS, set->n - point);
        double *tile = p + gate * outputs * set->n + point;
        fathom_blas_gemm(tile, set->n, rows, points, set->d, 1,
                         fathom_plain(w + gate * outputs * set->d, set->d),
                         fathom_transposed(set->x + point * set->ldx, set->ldx), 0);
        for (int64_t row = 0; row < rows; row++) {
            const uint64_t *pattern = fathom_gate_pattern(set, gate + row / outputs) + point / 64;
            double *line = tile + row * set->n;
            for (int64_t i = 0; i < points; i++)
                line[i] = (pattern[i / 64] >> (i % 64)) & 1 ? line[i] * (scale ? scale[point + i] : 1) : 0.0;
        }
    }
}

void fathom_gate_terms(double *p, const fathom_gate_set *set, const double *w, int64_t outputs,
                       const double *scale, int threads)
{
    const int64_t step = gates_per_tile(outputs);
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t gate = 0; gate < set->count; gate += step)
        terms_tile(p, set, w, outputs, scale, gate);
}
