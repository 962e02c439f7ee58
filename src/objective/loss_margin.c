/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses of the margin p = y f, y = -1 or +1, summed over outputs.
 *
 * With softplus(t) = ln(1 + e^t):
 *   logistic      l(p) = softplus(-p),  ln |l'(p)| = -softplus(p),  ln l(p) = ln softplus(-p), -p - e^{-p}/2 for p > 30
 *   exponential   l(p) = e^{-p},        ln |l'(p)| = -p,            ln l(p) = -p
 *   hinge         l(p) = max(0, 1 - p), |l'(p)| = 1[p < 1]
 * Inverses with S = ln s: exponential -S; logistic -(s + ln(1 - e^{-s})), -S - e^S/2 for S < -30 (the next terms are
 * e^{-2p}/24 and below, under rounding there).
 *
 * Over the data, with sample weights c_i > 0 and one output:
 *   logistic      g = c y s, s = 1/(1+e^{yf})     R = sqrt(c s (1 - s))     D = sum c H(a), a = y g / c in [0, 1]
 *   hinge         g = c y [1 - y f > 0]                                     D = sum c a
 * The hinge has no curvature; Newton steps use its barrier form with parameter mu > 0,
 *
 *     l_mu = max over 0 < a < 1 of a z + mu (ln a + ln(1 - a)),   z = 1 - y f,
 *
 * that is the dual's box 0 <= a <= 1 replaced by a logarithmic barrier, so that mu -> 0 is an interior point method.
 */
#include "loss_exact.h"
#include "loss_internal.h"

/* Beyond this margin the first two terms of the expansion are exact to rounding. */
static const double FAR = 30;

/* Constants at which the logistic loss of a single class is its infimum 0 to rounding; it is reached at infinity. */
static const double NEVER_WRONG = 800;

double fathom_logistic_log(double p) { return p > FAR ? -p - exp(-p) / 2 : log(fathom_softplus(-p)); }

double fathom_logistic_log_slope(double p) { return -fathom_softplus(p); }

double fathom_logistic_inverse(double log_value)
{
    if (log_value < -FAR)
        return -log_value - exp(log_value) / 2;
    const double s = exp(log_value);
    return -(s + log(-expm1(-s)));
}

static double logistic_value(double p) { return fathom_softplus(-p); }
static double exponential_value(double p) { return exp(-p); }
static double exponential_log(double p) { return -p; }
static double hinge_value(double p) { return p >= 1 ? 0 : 1 - p; }
static double hinge_log(double p) { return p < 1 ? log1p(-p) : p >= 1 ? -INFINITY : NAN; }
static double hinge_log_slope(double p) { return p < 1 ? 0 : p >= 1 ? -INFINITY : NAN; }

static double value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++)
        sum += row->margin_value(y[k] * f[k]);
    return sum;
}

/* ln sum_k e^{t_k} one term at a time. */
static double log_add(double a, double b)
{
    const double top = a > b ? a : b, low = a > b ? b : a;
    return top == -INFINITY ? top : top + log1p(exp(low - top));
}

static double log_value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    double log_sum = row->margin_log(y[0] * f[0]);
    for (int64_t k = 1; k < outputs; k++)
        log_sum = log_add(log_sum, row->margin_log(y[k] * f[k]));
    return log_sum;
}

static void derivative(double *g, const fathom_loss_row *row, const double *f, const double *y,
                       int64_t outputs, double shift)
{
    for (int64_t k = 0; k < outputs; k++)
        g[k] = -y[k] * exp(row->margin_log_slope(y[k] * f[k]) - shift);
}

/* --- logistic over the data --- */

static double logistic_point(const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    (void)smoothing;
    return fathom_softplus(-p->y[i] * f[i]);
}

static void logistic_residual(double *g, const fathom_objective *p, const double *f, int64_t i,
                              double smoothing)
{
    (void)smoothing;
    g[i] = fathom_objective_weight(p, i) * p->y[i] / (1 + exp(p->y[i] * f[i]));
}

static void logistic_curvature(double *root, const fathom_objective *p, const double *f, int64_t i,
                               double smoothing)
{
    const double t = p->y[i] * f[i];
    (void)smoothing;
    root[i] = sqrt(fathom_objective_weight(p, i) / ((1 + exp(t)) * (1 + exp(-t))));
}

/* The log odds. */
static double logistic_constant(const fathom_objective *p, int64_t k)
{
    const fathom_target_masses masses = fathom_targets_weigh(p, k);
    if (masses.positive == 0 || masses.positive == masses.mass)
        return masses.positive > 0 ? NEVER_WRONG : -NEVER_WRONG;
    const double share = fathom_targets_share(&masses);
    return log(share / (1 - share));
}

/* H(s a_i) = -t ln t - (1 - t) ln(1 - t), t = s a_i. */
static double logistic_entropy(double *slope, const fathom_objective *p, const double *g, int64_t i, double s)
{
    const double a = p->y[i] * g[i] / fathom_objective_weight(p, i), t = fmin(s * a, 1);
    *slope = t > 0 ? a * (log1p(-t) - log(t)) : 0;
    return fathom_plogp(t) + (t < 1 ? -(1 - t) * log1p(-t) : 0);
}

static double logistic_bound(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                             double limit)
{
    if (!(sums->largest > 0))
        return 0;
    return fathom_bound_entropy(p, g, sums, fmin(limit, (1 - 4 * sums->q) / sums->largest), logistic_entropy);
}

/* l e^e, as |l'| <= l; `size` times rounding is how far the margin is off. */
static double logistic_above(const fathom_objective *p, const double *f, int64_t i, double e)
{
    const double z = p->y[i] * f[i];
    return (z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z) * exp(e + FATHOM_UNIT * fabs(f[i])) *
           fathom_functions_above(p->outputs);
}

static double logistic_slack(const fathom_loss_row *row, const fathom_loss_pair *at)
{
    double sum = 0;
    (void)row;
    for (int64_t k = 0; k < at->outputs; k++) {
        const double z = at->y[k] * at->f[k], a = at->y[k] * at->v[k * at->step] / at->weight;
        sum += at->weight * ((z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z) - fathom_plogp(a) -
                             fathom_plogp(1 - a) + a * at->y[k] * at->f[k]);
    }
    return sum;
}

/* sum_k y_k f_k. */
static void exact_margin(arb_t margin, arb_srcptr f, const double *y, int64_t outputs)
{
    arb_t t;
    arb_init(t);
    arb_zero(margin);
    for (int64_t k = 0; k < outputs; k++) {
        arb_set_d(t, y[k]);
        arb_addmul(margin, t, f + k, BITS);
    }
    arb_clear(t);
}

static void logistic_exact(arb_t sum, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                           const double *y, int64_t outputs)
{
    arb_t t;
    (void)row, (void)box;
    arb_init(t);
    exact_margin(t, f, y, outputs);
    arb_neg(t, t);
    arb_exp(t, t, BITS);
    arb_log1p(sum, t, BITS);
    arb_clear(t);
}

void fathom_exact_add_entropy(arb_t out, const arb_t z, double weight)
{
    arb_t t;
    if (arb_is_zero(z))
        return;
    arb_init(t);
    arb_set_d(t, weight);
    arb_div(t, t, z, BITS);
    arb_log(t, t, BITS);
    arb_addmul(out, z, t, BITS);
    arb_clear(t);
}

/* p = y w and c - p, both in [0, c]: linear duals add p, the others c H(p / c). */
static bool exact_dual(arb_t out, const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w,
                       double y, double weight)
{
    arb_t p, rest;
    (void)box;
    arb_init(p), arb_init(rest);
    arb_set_d(p, y);
    arb_mul(p, p, w, ARF_PREC_EXACT);
    arb_set_d(rest, weight);
    arb_sub(rest, rest, p, ARF_PREC_EXACT);
    const bool inside = arb_is_nonnegative(p) && arb_is_nonnegative(rest);
    if (inside && row->dual == FATHOM_DUAL_LINEAR)
        arb_add(out, out, p, BITS);
    else if (inside) {
        fathom_exact_add_entropy(out, p, weight);
        fathom_exact_add_entropy(out, rest, weight);
    }
    arb_clear(p), arb_clear(rest);
    return inside;
}

static const fathom_loss_exact logistic_balls = {logistic_exact, exact_dual};

/* --- hinge over the data --- */

double fathom_hinge_share(double z, double mu)
{
    /* mu (1/(1-a) - 1/a) = z, accurate at both ends */
    const double s = hypot(z, 2 * mu);
    if (z > 0)
        return 1 - fathom_hinge_share(-z, mu);
    return mu * (2 * mu / (s - z) + 1) / (s + 2 * mu);
}

static double hinge_point(const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double z = 1 - p->y[i] * f[i];
    if (smoothing == 0)
        return fmax(z, 0);
    const double a = fathom_hinge_share(z, smoothing), rest = fathom_hinge_share(-z, smoothing);
    return a * z + smoothing * (log(a) + log(rest));
}

static void hinge_residual(double *g, const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double c = fathom_objective_weight(p, i), t = p->y[i] * f[i];
    g[i] = c * p->y[i] * (smoothing > 0 ? fathom_hinge_share(1 - t, smoothing) : t < 1);
}

/* d^2/dz^2 of the smoothed hinge: 1 / (mu (1/a^2 + 1/(1-a)^2)). */
static void hinge_curvature(double *root, const fathom_objective *p, const double *f, int64_t i,
                            double smoothing)
{
    const double z = 1 - p->y[i] * f[i];
    root[i] = 0;
    if (!(smoothing > 0))
        return;
    const double a = fathom_hinge_share(z, smoothing), rest = fathom_hinge_share(-z, smoothing);
    const double second = 1 / (smoothing * (1 / (a * a) + 1 / (rest * rest)));
    root[i] = sqrt(fathom_objective_weight(p, i) * second);
}

/* The larger class. */
static double hinge_constant(const fathom_objective *p, int64_t k)
{
    return fathom_targets_weigh(p, k).sum >= 0 ? 1 : -1;
}

static double hinge_bound(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                          double limit)
{
    double total = 0;
    for (int64_t i = 0; i < p->n; i++)
        total += p->y[i] * g[i];
    if (!(sums->largest > 0))
        return 0;
    const double s = fmin(limit, (1 - 4 * sums->q) / sums->largest);
    return s * total * (1 - 2 * sums->q) - s * sums->shift * sums->mass;
}

static double hinge_above(const fathom_objective *p, const double *f, int64_t i, double e)
{
    return (fmax(0, 1 - p->y[i] * f[i]) + e) * fathom_few_above(p->outputs);
}

static double hinge_slack(const fathom_loss_row *row, const fathom_loss_pair *at)
{
    double sum = 0;
    (void)row;
    for (int64_t k = 0; k < at->outputs; k++) {
        const double a = at->y[k] * at->v[k * at->step] / at->weight, z = 1 - at->y[k] * at->f[k];
        sum += at->weight * (fmax(z, 0) - a * z);
    }
    return sum;
}

static void hinge_exact(arb_t sum, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                        const double *y, int64_t outputs)
{
    (void)row, (void)box;
    exact_margin(sum, f, y, outputs);
    arb_sub_si(sum, sum, 1, BITS);
    arb_neg(sum, sum);
    arb_nonnegative_part(sum, sum);
}

static const fathom_loss_exact hinge_balls = {hinge_exact, exact_dual};

const fathom_loss_row fathom_loss_logistic_row = {
    .name = "logistic",
    .targets = "-1 or +1",
    .signs = true,
    .probabilities = true,
    .dual = FATHOM_DUAL_ENTROPY,
    .value = value,
    .log_value = log_value,
    .derivative = derivative,
    .margin_value = logistic_value,
    .margin_log = fathom_logistic_log,
    .margin_log_slope = fathom_logistic_log_slope,
    .margin_inverse = fathom_logistic_inverse,
    .point = logistic_point,
    .residual = logistic_residual,
    .curvature = logistic_curvature,
    .constant = logistic_constant,
    .balance = fathom_balance_sides,
    .bound = logistic_bound,
    .above = logistic_above,
    .slack = logistic_slack,
    .exact = &logistic_balls,
    .modulus = 4,
};

const fathom_loss_row fathom_loss_exponential_row = {
    .name = "exponential",
    .targets = "-1 or +1",
    .signs = true,
    .probabilities = true,
    .halved = true,
    .value = value,
    .log_value = log_value,
    .derivative = derivative,
    .margin_value = exponential_value,
    .margin_log = exponential_log,
    .margin_log_slope = exponential_log,
    .margin_inverse = exponential_log, /* -S */
};

const fathom_loss_row fathom_loss_hinge_row = {
    .name = "hinge",
    .targets = "-1 or +1",
    .signs = true,
    .kinked = true,
    .dual = FATHOM_DUAL_LINEAR,
    .value = value,
    .log_value = log_value,
    .derivative = derivative,
    .margin_value = hinge_value,
    .margin_log = hinge_log,
    .margin_log_slope = hinge_log_slope,
    .point = hinge_point,
    .residual = hinge_residual,
    .curvature = hinge_curvature,
    .constant = hinge_constant,
    .balance = fathom_balance_sides,
    .bound = hinge_bound,
    .above = hinge_above,
    .slack = hinge_slack,
    .exact = &hinge_balls,
};
