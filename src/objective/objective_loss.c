/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses on vectors over the data: value, negative gradient g = -l'(f), curvature l'' = R R', point by point by the
 * functions of the loss (loss_row.h), which state the formulas. c_i > 0 are sample weights.
 */
#include <math.h>

#include "objective.h"

double fathom_objective_mass(const fathom_objective *problem)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++)
        sum += fathom_objective_weight(problem, i);
    return sum;
}

fathom_objective fathom_objective_one_output(const fathom_objective *problem, const double *w)
{
    fathom_objective one = *problem;
    one.outputs = 1;
    one.equality = true;
    one.loss = FATHOM_LOSS_SQUARED;
    one.y = w;
    one.weight = NULL;
    one.beta = 1;
    return one;
}

double fathom_objective_point_loss(const fathom_objective *problem, const double *f, int64_t i,
                                   double smoothing)
{
    return fathom_loss_row_of(problem->loss)->point(problem, f, i, smoothing);
}

double fathom_objective_loss(const fathom_objective *problem, const double *f, double smoothing)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++)
        sum += fathom_objective_weight(problem, i) * fathom_objective_point_loss(problem, f, i, smoothing);
    return sum;
}

void fathom_objective_residual(double *g, const fathom_objective *problem, const double *f, double smoothing)
{
    for (int64_t i = 0; i < problem->n; i++)
        fathom_loss_row_of(problem->loss)->residual(g, problem, f, i, smoothing);
}

void fathom_objective_curvature(double *root, const fathom_objective *problem, const double *f,
                                double smoothing)
{
    for (int64_t i = 0; i < problem->n; i++)
        fathom_loss_row_of(problem->loss)->curvature(root, problem, f, i, smoothing);
}

/* R t = sqrt(c) (sqrt p o t - p <sqrt p, t>),  R' t = sqrt(c) sqrt p o (t - <p, t>): they differ in the weights of the
 * inner product and of what is subtracted. */
static void softmax_root(double *t, const fathom_objective *problem, const double *p, bool transposed,
                         int64_t first, int64_t end)
{
    const int64_t n = problem->n;
    for (int64_t i = first; i < end; i++) {
        const double c = sqrt(fathom_objective_weight(problem, i));
        double product = 0;
        for (int64_t k = 0; k < problem->outputs; k++) {
            const double q = p[k * n + i];
            product += (transposed ? q : sqrt(q)) * t[k * n + i];
        }
        for (int64_t k = 0; k < problem->outputs; k++) {
            const double q = p[k * n + i], s = sqrt(q);
            t[k * n + i] = c * (s * t[k * n + i] - (transposed ? s : q) * product);
        }
    }
}

void fathom_objective_root_range(double *t, const fathom_objective *problem, const double *root,
                                 bool transposed, int64_t first, int64_t end)
{
    if (!fathom_objective_scalar_root(problem)) {
        softmax_root(t, problem, root, transposed, first, end);
        return;
    }
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = first; i < end; i++)
            t[k * problem->n + i] *= root[i];
}

void fathom_objective_root(double *t, const fathom_objective *problem, const double *root)
{
    fathom_objective_root_range(t, problem, root, false, 0, problem->n);
}

void fathom_objective_root_transposed(double *t, const fathom_objective *problem, const double *root)
{
    fathom_objective_root_range(t, problem, root, true, 0, problem->n);
}

/* The least loss of a constant (or of 0 where the problem has none), per unit of weight: the unit of mu. The hinge's is 1. */
double fathom_objective_smoothing(const fathom_objective *problem, double share)
{
    double sum = 0, mass = 0;
    if (!fathom_loss_row_of(problem->loss)->boxed)
        return fathom_loss_row_of(problem->loss)->kinked ? share : 0;
    const double constant = problem->constant ? fathom_objective_constant(problem, 0) : 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_objective_weight(problem, i);
        sum += c * fathom_loss_boxed(problem->loss, &problem->box, problem->y[i] - constant);
        mass += c;
    }
    return sum > 0 ? share * (sum / mass) : share;
}
