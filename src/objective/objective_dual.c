/* SPDX-License-Identifier: Apache-2.0 */
/* Dual points moved into the domain of the conjugates, and where runs start: the best constant without neurons. */
#include <math.h>

#include "loss_internal.h"

/* Scales down the side of larger mass: signs and [0, 1] survive. */
void fathom_balance_sides(double *g, const fathom_objective *problem)
{
    double positive = 0, negative = 0;
    for (int64_t i = 0; i < problem->n; i++)
        *(g[i] > 0 ? &positive : &negative) += fabs(g[i]);
    if (positive == 0 && negative == 0)
        return;
    const double up = fmin(1, negative / positive), down = fmin(1, positive / negative);
    for (int64_t i = 0; i < problem->n; i++)
        g[i] *= g[i] > 0 ? up : down;
}

/* Subtracts the weighted mean of every output; a second pass removes what the first one rounded. */
void fathom_balance_means(double *g, const fathom_objective *problem)
{
    const double mass = fathom_objective_mass(problem);
    for (int64_t k = 0; k < 2 * problem->outputs; k++) {
        double *line = g + k / 2 * problem->n, sum = 0;
        for (int64_t i = 0; i < problem->n; i++)
            sum += line[i];
        for (int64_t i = 0; i < problem->n; i++)
            line[i] -= fathom_objective_weight(problem, i) * (sum / mass);
    }
}

void fathom_objective_balance(double *g, const fathom_objective *problem)
{
    if (!problem->constant)
        return;
    if (problem->equality)
        fathom_balance_means(g, problem);
    else
        fathom_loss_row_of(problem->loss)->balance(g, problem);
}

double fathom_objective_box_limit(const fathom_objective *problem, const double *g, double shift)
{
    const fathom_loss_box *box = &problem->box;
    double limit = INFINITY;
    for (int64_t i = 0; fathom_loss_row_of(problem->loss)->boxed && i < problem->n; i++) {
        const double size = fabs(g[i]) / fathom_objective_weight(problem, i) + shift;
        const double end = g[i] > 0 ? box->above : g[i] < 0 ? box->below : fmin(box->below, box->above);
        if (size > 0)
            limit = fmin(limit, end / size);
    }
    return limit;
}

void fathom_objective_enter_box(double *g, const fathom_objective *problem)
{
    for (int64_t i = 0; fathom_loss_row_of(problem->loss)->boxed && i < problem->n; i++) {
        const double c = fathom_objective_weight(problem, i);
        g[i] = fmin(fmax(g[i], -c * problem->box.below), c * problem->box.above);
    }
}

/* Points on the kink share what the others leave of the balance, each as much of its box as the others. */
static void balance_kinks(double *g, const fathom_objective *problem, double f)
{
    double rest = 0, room = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const bool kink = fabs(problem->y[i] - f) <= 0x1p-40 * fabs(f);
        rest -= kink ? 0 : g[i];
        room += kink ? fathom_objective_weight(problem, i) : 0;
    }
    for (int64_t i = 0; i < problem->n && room > 0; i++)
        if (fabs(problem->y[i] - f) <= 0x1p-40 * fabs(f))
            g[i] = fathom_objective_weight(problem, i) * (rest / room);
    fathom_objective_enter_box(g, problem);
}

/* Slopes of uncurved losses are at the ends of the box but for points on kinks: where all are below this share of an
 * end, what is left is rounding. */
static const double LEAST_SLOPE = 0x1p-20;

void fathom_objective_wake_dual(double *g, const fathom_objective *problem)
{
    const fathom_loss_row *row = fathom_loss_row_of(problem->loss);
    const double constant = row->boxed && problem->constant ? fathom_objective_constant(problem, 0) : 0;
    const double least = row->boxed && row->dual == FATHOM_DUAL_LINEAR ? LEAST_SLOPE : 0;
    const double end = fmin(problem->box.below, problem->box.above);
    for (int64_t i = 0; (row->signs || row->boxed) && i < problem->n; i++)
        if (!(fabs(g[i]) <= least * end * fathom_objective_weight(problem, i)))
            return;
    for (int64_t i = 0; (row->signs || row->boxed) && i < problem->n; i++) {
        const double c = fathom_objective_weight(problem, i), y = problem->y[i];
        g[i] = row->signs ? c * y : c * (y > constant ? problem->box.above : -problem->box.below);
    }
    if (row->boxed && problem->constant)
        balance_kinks(g, problem, constant);
    fathom_objective_balance(g, problem);
}

void fathom_objective_first_dual(double *g, const fathom_objective *problem, const double *f)
{
    const fathom_loss_row *row = fathom_loss_row_of(problem->loss);
    fathom_objective_residual(g, problem, f, 0);
    /* at its kink any slope of the hinge serves: all of one class and as much of the other */
    for (int64_t i = 0; row->kinked && row->signs && i < problem->n; i++)
        g[i] = fathom_objective_weight(problem, i) * problem->y[i];
    if (row->boxed && row->dual == FATHOM_DUAL_LINEAR && problem->constant)
        balance_kinks(g, problem, *f);
    fathom_objective_balance(g, problem);
}

/* Shares of classes are kept this far from 0 and 1: a class without points has a large negative log odds, not an infinite one. */
static const double LEAST_SHARE = 1e-12;

fathom_target_masses fathom_targets_weigh(const fathom_objective *p, int64_t k)
{
    fathom_target_masses masses = {0, 0, 0};
    for (int64_t i = 0; i < p->n; i++) {
        const double c = fathom_objective_weight(p, i), y = p->y[k * p->n + i];
        masses.sum += c * y;
        masses.positive += y > 0 ? c : 0;
        masses.mass += c;
    }
    return masses;
}

double fathom_targets_share(const fathom_target_masses *masses)
{
    return fmin(fmax(masses->positive / masses->mass, LEAST_SHARE), 1 - LEAST_SHARE);
}

double fathom_objective_constant(const fathom_objective *problem, int64_t k)
{
    return fathom_loss_row_of(problem->loss)->constant(problem, k);
}

void fathom_objective_start(double *f, double *c, const fathom_objective *problem)
{
    for (int64_t k = 0; k < problem->outputs; k++) {
        c[k] = problem->constant ? fathom_objective_constant(problem, k) : 0;
        for (int64_t i = 0; i < problem->n; i++)
            f[k * problem->n + i] = c[k];
    }
}
