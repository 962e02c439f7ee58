/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The squared loss (f - y)^2 / 2, summed over outputs: g = c (y - f), R = sqrt(c), D(g) = <y, g> - sum g^2 / (2 c).
 */
#include "loss_internal.h"

static double value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    double sum = 0;
    (void)row;
    for (int64_t k = 0; k < outputs; k++)
        sum += (f[k] - y[k]) * (f[k] - y[k]) / 2;
    return sum;
}

static double log_value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    double norm = 0;
    (void)row;
    for (int64_t k = 0; k < outputs; k++)
        norm = hypot(norm, f[k] - y[k]); /* squares may underflow, their root does not */
    return 2 * log(norm) - log(2);
}

static void derivative(double *g, const fathom_loss_row *row, const double *f, const double *y,
                       int64_t outputs, double shift)
{
    const double factor = shift != 0 ? exp(-shift) : 1;
    (void)row;
    for (int64_t k = 0; k < outputs; k++)
        g[k] = factor * (f[k] - y[k]);
}

static double point_value(const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    double sum = 0;
    (void)smoothing;
    for (int64_t k = 0; k < p->outputs; k++) {
        const double r = p->y[k * p->n + i] - f[k * p->n + i];
        sum += r * r / 2;
    }
    return sum;
}

static void point_residual(double *g, const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double c = fathom_objective_weight(p, i);
    (void)smoothing;
    for (int64_t k = 0; k < p->outputs; k++)
        g[k * p->n + i] = c * (p->y[k * p->n + i] - f[k * p->n + i]);
}

static void point_curvature(double *root, const fathom_objective *p, const double *f, int64_t i,
                            double smoothing)
{
    (void)f;
    (void)smoothing;
    root[i] = sqrt(fathom_objective_weight(p, i));
}

/* The weighted mean. */
static double best_constant(const fathom_objective *p, int64_t k)
{
    const fathom_target_masses masses = fathom_targets_weigh(p, k);
    return masses.sum / masses.mass;
}

const fathom_loss_row fathom_loss_squared_row = {
    .name = "squared",
    .targets = "finite numbers",
    .numbers = true,
    .quadratic = true,
    .dual = FATHOM_DUAL_QUADRATIC,
    .value = value,
    .log_value = log_value,
    .derivative = derivative,
    .point = point_value,
    .residual = point_residual,
    .curvature = point_curvature,
    .constant = best_constant,
    .balance = fathom_balance_means,
    .bound = fathom_bound_quadratic,
};
