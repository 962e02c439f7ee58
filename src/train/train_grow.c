/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates that grow: train, look for gates that violate the dual constraint, add them, repeat until none is found.
 *
 * At the residual G (outputs x n) a gate lowers the objective exactly where |X' D(u) G'| > beta (Frobenius norm), D(u) the points
 * with <x_i, u> > 0. The search is local: the gate's matrix P = X' D(u) G' (d x outputs) has the form sum_k p_k, and the next u is
 * its leading left singular vector, by the sign of its product with u; for one output that is X' D(u) g / |.|. It runs from
 * random starts, from the gates in use and their opposites, while the value grows. It proves nothing (the bound stays that
 * of the gates), but every gate that it adds pays.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"
#include "train_internal.h"

enum { FIRST = 128, STARTS = 256, ASCENT = 50, ROUNDS = 60, POWER_STEPS = 8 };
static const double MARGIN = 1e-6; /* a violation beyond the gap's own noise */

/* P (outputs x d) = G D(u) X; returns its norm. */
static double price(double *matrix, const double *u, const fathom_train_problem *p, const double *g)
{
    const int64_t n = p->n, d = p->d, outputs = p->outputs;
    memset(matrix, 0, (size_t)(outputs * d) * sizeof *matrix);
    for (int64_t i = 0; i < n; i++)
        if (fathom_blas_dot(p->x + i * d, u, d) > 0)
            for (int64_t k = 0; k < outputs; k++)
                fathom_blas_axpy(matrix + k * d, g[k * n + i], p->x + i * d, d);
    return fathom_blas_norm(matrix, outputs * d);
}

/* next (d) = the leading right singular vector of P (outputs x d), by a few steps of the power method from u. */
static void lead(double *next, const double *u, const double *matrix, const fathom_train_problem *p)
{
    const int64_t d = p->d;
    memcpy(next, u, (size_t)d * sizeof *next);
    for (int step = 0; step < POWER_STEPS; step++) {
        double *sum = next + d, size;
        memset(sum, 0, (size_t)d * sizeof *sum);
        for (int64_t k = 0; k < p->outputs; k++) {
            const double *row = matrix + k * d;
            fathom_blas_axpy(sum, p->outputs == 1 ? 1 : fathom_blas_dot(row, next, d), row, d);
        }
        size = fathom_blas_norm(sum, d);
        if (!(size > 0))
            return;
        for (int64_t k = 0; k < d; k++)
            next[k] = sum[k] / size;
        if (p->outputs == 1)
            return;
    }
}

/* Moves u to the leading direction of its own matrix while the value grows; returns the value of the last u's pattern. */
static double ascend(double *u, const fathom_train_problem *p, const double *g, double *work)
{
    double *matrix = work, *next = work + p->outputs * p->d, best = price(matrix, u, p, g);
    for (int step = 0; step < ASCENT && best > 0; step++) {
        lead(next, u, matrix, p);
        const double gained = price(matrix, next, p, g);
        if (!(gained > best * (1 + 1e-12)))
            break;
        best = gained;
        memcpy(u, next, (size_t)p->d * sizeof *u);
    }
    return best;
}

/* Start number k: gates in use, their opposites, then random directions of this round. */
static void start_at(double *u, const fathom_train_problem *p, const fathom_gates_view *gates, int64_t k,
                     uint32_t round)
{
    if (k < 2 * gates->m) {
        for (int64_t i = 0; i < p->d; i++)
            u[i] = (k % 2 ? -1 : 1) * gates->orientation[k / 2 * p->d + i];
        return;
    }
    fathom_random_normals(u, p->d, fathom_context_seed(p->context), FATHOM_STREAM_START, round,
                          (uint64_t)((k - 2 * gates->m) * (p->d + p->d % 2)));
}

/* Appends to `list` (count rows so far, room for all starts) the violating orientations. */
static int64_t search(double *list, int64_t count, const fathom_train_problem *p,
                      const fathom_gates_view *gates, const double *g, double beta, uint32_t round,
                      double *work)
{
    const int64_t starts = 2 * gates->m + STARTS;
    for (int64_t k = 0; k < starts; k++) {
        double *u = list + count * p->d;
        start_at(u, p, gates, k, round);
        if (ascend(u, p, g, work) > beta * (1 + MARGIN))
            count++;
    }
    return count;
}

/* Trains on the gates; *grown receives them with the violators that were found, or NULL where there are none. */
static fathom_status grow_round(fathom_gates **grown, fathom_train_result *result,
                                const fathom_train_problem *p, const fathom_gates *gates, uint32_t round)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    fathom_context *context = p->context;
    const int64_t size = p->n * p->outputs;
    double *g = fathom_memory_alloc(context, size + (p->outputs + 2) * p->d, sizeof *g);
    double *list = fathom_memory_alloc(context, (3 * view.m + STARTS + 1) * p->d, sizeof *list);
    fathom_status status = g && list ? fathom_train_on(result, g, p, &view, false) : FATHOM_ERROR_MEMORY;
    *grown = NULL;
    if (status == FATHOM_OK && result->end == FATHOM_END_REACHED) {
        memcpy(list, view.orientation, (size_t)(view.m * p->d) * sizeof *list);
        const int64_t count = search(list, view.m, p, &view, g, result->beta * p->divisor, round, g + size);
        if (count > view.m)
            status = fathom_gates_from_orientations(grown, context, p->data, count, list, p->d, NULL);
        if (status == FATHOM_OK && *grown && fathom_gates_look(*grown).m == view.m) {
            fathom_gates_free(*grown);
            *grown = NULL;
        }
    }
    FATHOM_FREE(context, g, list);
    return status;
}

fathom_status fathom_train_grow(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_gates *gates = NULL, *grown = NULL;
    int64_t steps = 0;
    fathom_status status = fathom_gates_sample(&gates, problem->context, problem->data, FIRST);
    for (uint32_t round = 0; round < ROUNDS && status == FATHOM_OK; round++) {
        fathom_train_result_clear(result);
        status = grow_round(&grown, result, problem, gates, round);
        steps += result->iterations;
        result->iterations = steps;
        if (!grown)
            break;
        fathom_log(problem->context, FATHOM_LOG_DEBUG, "round %d: objective %.10g, %lld gates, %lld new",
                   (int)round + 1, result->objective, (long long)fathom_gates_look(gates).m,
                   (long long)(fathom_gates_look(grown).m - fathom_gates_look(gates).m));
        fathom_gates_free(gates);
        gates = grown;
        grown = NULL;
    }
    fathom_gates_free(grown);
    fathom_gates_free(gates);
    return status;
}
