/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The squared loss (f - y)^2 / 2, summed over outputs: g = c (y - f), R = sqrt(c), D(g) = <y, g> - sum g^2 / (2 c).
 */
#include "loss_exact.h"
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

/* (|f - y| + e)^2 / 2. */
static double value_above(const fathom_objective *p, const double *f, int64_t i, double e)
{
    double sum = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        const double off = fabs(f[k * p->n + i] - p->y[k * p->n + i]) * (1 + 2 * FATHOM_UNIT) + e;
        sum += off * off / 2;
    }
    return sum * fathom_few_above(p->outputs);
}

static double slack(const fathom_loss_row *row, const fathom_loss_pair *at)
{
    double sum = 0;
    (void)row;
    for (int64_t k = 0; k < at->outputs; k++)
        sum += pow(at->weight * (at->f[k] - at->y[k]) + at->v[k * at->step], 2) / (2 * at->weight);
    return sum;
}

void fathom_exact_square(arb_t sum, arb_srcptr f, const double *y, int64_t outputs)
{
    arb_t t;
    arb_init(t);
    arb_zero(sum);
    for (int64_t k = 0; k < outputs; k++) {
        arb_set_d(t, y[k]);
        arb_sub(t, f + k, t, BITS);
        arb_addmul(sum, t, t, BITS);
    }
    arb_clear(t);
}

static void exact_value(arb_t sum, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                        const double *y, int64_t outputs)
{
    (void)row, (void)box;
    fathom_exact_square(sum, f, y, outputs);
    arb_mul_2exp_si(sum, sum, -1);
}

void fathom_exact_add_quadratic(arb_t out, const arb_t w, double y, double weight, bool q)
{
    arb_t square, t;
    arb_init(square), arb_init(t);
    arb_set_d(t, y);
    arb_addmul(out, t, w, BITS);
    arb_mul(square, w, w, BITS);
    arb_set_d(t, weight);
    arb_mul_2exp_si(t, t, 1);
    arb_div(square, square, t, BITS);
    if (q)
        arb_sub(out, out, square, BITS);
    arb_clear(square), arb_clear(t);
}

static bool exact_dual(arb_t out, const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w,
                       double y, double weight)
{
    (void)row, (void)box;
    fathom_exact_add_quadratic(out, w, y, weight, true);
    return true;
}

static const fathom_loss_exact exact = {exact_value, exact_dual};

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
    .above = value_above,
    .slack = slack,
    .exact = &exact,
    .modulus = 1,
};
