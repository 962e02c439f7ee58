/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a network on the line is from the linear spline through its data [001, Fig. 1].
 *
 *     max |f(t) - s(t)|,  x_(1) <= t <= x_(n),   s the linear interpolation of the points (x_i, y_i)
 *
 * f and s are piecewise linear, so that the maximum is attained at a kink of either: the data, and t_j = -b_j / v_j. Exact up to
 * rounding. Inputs that repeat with different targets have no interpolation. Cost: O((n + m) m + n log n).
 */
#include <math.h>
#include <stdlib.h>

#include "dynamics_internal.h"
#include "loss_row.h"
#include "memory.h"

typedef struct place {
    double x, y;
} place;

static int by_input(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

static double network_at(const dynamics_problem *problem, const dynamics_state *state, double t)
{
    double f = 0;
    for (int64_t j = 0; j < problem->m; j++) {
        const double *v = state->hidden + j * problem->d;
        const double z = v[0] * t + (problem->bias ? v[1] : 0);
        f += state->output[j] * (z > 0 ? z : problem->plan.parameter * z);
    }
    return f;
}

/* s(t) between the first and the last of `count` places with different inputs. */
static double spline_at(const place *at, int64_t count, double t)
{
    int64_t low = 0, high = count - 1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(at[middle].x <= t ? &low : &high) = middle;
    }
    const double part = (t - at[low].x) / (at[high].x - at[low].x);
    return (1 - part) * at[low].y + part * at[high].y;
}

/* The data in order, each input once; 0 where two targets contradict each other. */
static int64_t sort_places(place *at, const dynamics_problem *problem)
{
    int64_t count = 1;
    for (int64_t i = 0; i < problem->n; i++)
        at[i] = (place){problem->x[i * problem->d], problem->y[i]};
    qsort(at, (size_t)problem->n, sizeof *at, by_input);
    for (int64_t i = 1; i < problem->n; i++) {
        if (at[i].x != at[count - 1].x)
            at[count++] = at[i];
        else if (at[i].y != at[count - 1].y)
            return 0;
    }
    return count;
}

fathom_status fathom_dynamics_line(double *deviation, const dynamics_problem *problem,
                                   const dynamics_state *state)
{
    const bool piecewise = problem->plan.kind == FATHOM_NET_RELU || problem->plan.kind == FATHOM_NET_LEAKY;
    *deviation = NAN;
    if (!piecewise || problem->d - problem->bias != 1 || problem->o != 1 ||
        !fathom_loss_row_of(problem->plan.loss)->numbers ||
        !fathom_dynamics_watches(problem, 4 * (double)problem->m * (double)(problem->m + problem->n)))
        return FATHOM_OK;
    place *at = fathom_memory_alloc(problem->context, problem->n, sizeof *at);
    if (!at)
        return FATHOM_ERROR_MEMORY;
    const int64_t count = sort_places(at, problem);
    double worst = 0;
    for (int64_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(network_at(problem, state, at[i].x) - at[i].y));
    for (int64_t j = 0; j < problem->m && count > 1; j++) {
        const double *v = state->hidden + j * problem->d;
        const double t = problem->bias ? -v[1] / v[0] : 0;
        if (t > at[0].x && t < at[count - 1].x)
            worst = fmax(worst, fabs(network_at(problem, state, t) - spline_at(at, count, t)));
    }
    if (count > 1)
        *deviation = worst * (problem->target ? problem->target[1] : 1);
    fathom_memory_free(problem->context, at);
    return FATHOM_OK;
}
