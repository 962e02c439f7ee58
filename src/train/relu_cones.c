/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of the sides of given gates.
 *
 * The dual constraint of side (j, sigma) is  max {sigma <F*(g)_j, u> : u in K_j, |u| <= 1} = |Proj_{K_j}(sigma F*(g)_j)| <= beta.
 * |F*(g)_j| <= beta rules a side out without a projection. Every multiplier mu >= 0 of a projection proves an upper bound
 * (gate_cone.h), which is what enters the dual bound: inexact projections loosen it and never make it wrong.
 *
 * Cost: one adjoint over all gates, and a projection for each side that is not ruled out, started from its last tight
 * rows. Sides are independent, so that threads do not change the result.
 */
#include "relu_cones.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "loss_row.h"
#include "memory.h"

enum { BATCH = 128 };

/* Prices are known to this share of them. */
static const double NOISE = 1e-12;

double fathom_relu_cones_bytes(const fathom_objective *p)
{
    const double n = (double)p->n, d = (double)p->d, m = (double)p->m, rows = m * (double)p->outputs;
    return 8 * (4 * n * (double)p->outputs + rows * (3 * d + 9)) + 4 * 2 * rows * d +
           8.0 * fathom_context_threads(p->context) * (2 * d * d + n) + 16 * m; /* and the tree of gates */
}

static fathom_status open_threads(fathom_relu_cones *run)
{
    const fathom_objective *p = run->problem;
    run->cone = fathom_memory_zero(p->context, run->threads, sizeof *run->cone);
    if (!run->cone)
        return FATHOM_ERROR_MEMORY;
    for (int t = 0; t < run->threads; t++)
        FATHOM_TRY(fathom_gate_cone_open(run->cone + t, p->context, p->n, p->d, p->x, p->reach));
    return FATHOM_OK;
}

fathom_status fathom_relu_cones_open(fathom_relu_cones *run, const fathom_objective *problem)
{
    fathom_context *context = problem->context;
    const int64_t d = problem->d, sides = 2 * problem->m * problem->outputs;
    const bool tree = problem->tree && problem->outputs == 1;
    *run =
        (fathom_relu_cones){.problem = problem, .sides = sides, .threads = fathom_context_threads(context)};
    run->workspace = fathom_memory_alloc(context, fathom_gate_workspace(problem->outputs, run->threads),
                                         sizeof *run->workspace);
    run->f = fathom_memory_zero(context, 3 * problem->n * problem->outputs, sizeof *run->f);
    run->adjoint = fathom_memory_alloc(context, sides / 2 * d, sizeof *run->adjoint);
    run->price = fathom_memory_alloc(context, 2 * sides, sizeof *run->price);
    run->direction = fathom_memory_alloc(context, sides * d, sizeof *run->direction);
    run->tight = fathom_memory_alloc(context, sides * d, sizeof *run->tight);
    run->tight_count = fathom_memory_zero(context, sides, sizeof *run->tight_count);
    run->order = fathom_memory_alloc(context, sides, sizeof *run->order);
    const bool complete = run->workspace && run->f && run->adjoint && run->price && run->direction &&
                          run->tight && run->tight_count && run->order;
    const bool rooted = !tree || fathom_gate_tree_create(&run->tree, context, problem->tree) == FATHOM_OK;
    if (complete && rooted && open_threads(run) == FATHOM_OK) {
        run->g = run->f + problem->n * problem->outputs;
        run->best = run->g + problem->n * problem->outputs;
        run->upper = run->price + sides;
        run->smoothing = fathom_objective_smoothing(problem, 0.1);
        return FATHOM_OK;
    }
    fathom_relu_cones_close(run);
    return FATHOM_ERROR_MEMORY;
}

void fathom_relu_cones_close(fathom_relu_cones *run)
{
    if (!run->problem)
        return;
    fathom_context *context = run->problem->context;
    for (int t = 0; run->cone && t < run->threads; t++)
        fathom_gate_cone_close(run->cone + t);
    fathom_gate_tree_free(run->tree);
    void *blocks[] = {run->cone,       run->workspace, run->f,           run->adjoint, run->price,
                      run->direction,  run->tight,     run->tight_count, run->order,   run->atoms.side,
                      run->atoms.idle, run->atoms.a,   run->atoms.u,     run->atoms.z};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    *run = (fathom_relu_cones){0};
}

static void take_adjoint(fathom_relu_cones *run)
{
    const fathom_objective *p = run->problem;
    if (run->tree) {
        const fathom_data_view data = {.n = p->n, .d = p->d, .x = p->x, .ld = p->d};
        fathom_gate_tree_sums(run->adjoint, NULL, run->tree, &data, run->g);
        return;
    }
    const fathom_gate_set set = {p->n, p->d, p->x, p->d, p->m, p->words, p->words, p->n, p->bits, NULL};
    fathom_gate_adjoint(run->adjoint, &set, run->g, p->outputs, run->threads, run->workspace);
}

/* Projects one side, from its last tight rows. */
static void project_side(fathom_relu_cones *run, int64_t side, fathom_gate_cone *cone)
{
    const fathom_objective *p = run->problem;
    const int64_t d = p->d;
    const uint64_t *open = fathom_side_open(run, side);
    double *u = run->direction + side * d;
    int32_t *tight = run->tight + side * d;
    for (int64_t k = 0; k < d; k++) /* the side's own vector, in place of the result */
        u[k] = side % 2 ? -run->adjoint[side / 2 * d + k] : run->adjoint[side / 2 * d + k];
    cone->count = run->tight_count[side];
    for (int64_t k = 0; k < cone->count; k++)
        cone->tight[k] = tight[k];
    fathom_gate_cone_project(cone, open, u, NULL);
    run->upper[side] = fathom_gate_cone_bound(cone, open, u);
    run->price[side] = cone->exact ? fathom_blas_norm(cone->u, d) : 0;
    memcpy(u, cone->u, (size_t)d * sizeof *u);
    run->tight_count[side] = (int32_t)cone->count;
    for (int64_t k = 0; k < cone->count; k++)
        tight[k] = (int32_t)cone->tight[k];
}

static int compare_sides(const void *a, const void *b)
{
    const fathom_ranked_side *left = a, *right = b;
    if (left->norm != right->norm)
        return left->norm < right->norm ? 1 : -1;
    return (left->side > right->side) - (left->side < right->side);
}

/* The sides that a price above `screen` is possible for, those in use first, then by falling |F*(g)_j|. */
static int64_t rank_sides(fathom_relu_cones *run, double screen)
{
    const fathom_objective *p = run->problem;
    int64_t count = 0;
#pragma omp parallel for schedule(static) num_threads(run->threads)
    for (int64_t j = 0; j < p->m * p->outputs; j++) {
        const double norm = fathom_blas_norm(run->adjoint + j * p->d, p->d);
        for (int64_t side = 2 * j; side < 2 * j + 2; side++) {
            run->price[side] = 0;
            run->upper[side] = norm;
        }
    }
    for (int64_t k = 0; k < run->atoms.count; k++)
        if (run->atoms.a[k] > 0)
            run->price[run->atoms.side[k]] = 1; /* in use */
    for (int64_t side = 0; side < run->sides; side++) {
        const double first = run->price[side] > 0 ? INFINITY : 0;
        if (run->upper[side] > screen || first > 0)
            run->order[count++] = (fathom_ranked_side){fmax(run->upper[side], first), side};
        run->price[side] = 0;
    }
    qsort(run->order, (size_t)count, sizeof *run->order, compare_sides);
    return count;
}

int64_t fathom_relu_cones_violators(fathom_relu_cones *run, int64_t limit)
{
    int64_t count = 0;
    for (int64_t side = 0; side < run->sides; side++)
        if (run->price[side] > run->problem->beta * (1 + NOISE))
            run->order[count++] = (fathom_ranked_side){run->price[side], side};
    qsort(run->order, (size_t)count, sizeof *run->order, compare_sides);
    return count < limit ? count : limit;
}

double fathom_relu_cones_price(fathom_relu_cones *run, double screen, int64_t enough, double *upper)
{
    const fathom_objective *p = run->problem;
    double largest = 0;
    int64_t found = 0;
    fathom_objective_residual(run->g, p, run->f, run->smoothing);
    take_adjoint(run);
    const int64_t count = rank_sides(run, screen);
    for (int64_t top = 0; top < count; top += BATCH) {
        const int64_t end = count - top < BATCH ? count : top + BATCH;
        if (found >= enough && run->order[top].norm <= largest)
            break; /* no side that is left can have a larger price */
        if (fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
            break; /* the others keep the norm of their gradient for a bound */
#pragma omp parallel for schedule(dynamic) num_threads(run->threads)
        for (int64_t k = top; k < end; k++)
            if (!fathom_context_overdue(p->context))
                project_side(run, run->order[k].side, run->cone + omp_get_thread_num());
        for (int64_t k = top; k < end; k++) {
            largest = fmax(largest, run->price[run->order[k].side]);
            found += run->price[run->order[k].side] > screen;
        }
        run->projections += end - top;
    }
    *upper = 0;
    for (int64_t side = 0; side < run->sides; side++)
        *upper = fmax(*upper, run->upper[side]);
    return largest;
}
