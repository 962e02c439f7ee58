/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax: the logistic loss of the margin p = f_y - LSE_{k != y} f_k; dp/df_y = 1, dp/df_k = -e^{f_k - LSE}.
 *
 * Over the data, with distributions y in place of classes: c (ln sum_k e^{f_k} - <y, f>), g = c (y - p), p = softmax(f);
 * l'' = R R' = c (diag p - p p'), R = sqrt(c) (diag(sqrt p) - p sqrt(p)'); D = sum c H(p), p = y - g / c a distribution.
 */
#include "loss_exact.h"
#include "loss_internal.h"

int64_t fathom_loss_class(const double *y, int64_t outputs)
{
    int64_t best = 0;
    for (int64_t k = 1; k < outputs; k++)
        if (y[k] > y[best])
            best = k;
    return best;
}

/* LSE_{k != y} f_k; -inf for one output. */
static double log_others(const double *f, int64_t outputs, int64_t y)
{
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < outputs; k++)
        if (k != y && (f[k] > top || isnan(f[k])))
            top = f[k];
    if (!isfinite(top))
        return top;
    for (int64_t k = 0; k < outputs; k++)
        if (k != y)
            sum += exp(f[k] - top);
    return top + log(sum);
}

static double margin(const double *f, const double *y, int64_t outputs)
{
    const int64_t k = fathom_loss_class(y, outputs);
    return f[k] - log_others(f, outputs, k);
}

static double value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    (void)row;
    return fathom_softplus(-margin(f, y, outputs));
}

static double log_value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    (void)row;
    return fathom_logistic_log(margin(f, y, outputs));
}

static void derivative(double *g, const fathom_loss_row *row, const double *f, const double *y,
                       int64_t outputs, double shift)
{
    const int64_t right = fathom_loss_class(y, outputs);
    const double rest = log_others(f, outputs, right), p = f[right] - rest;
    const double log_slope = fathom_logistic_log_slope(p) - shift;
    (void)row;
    for (int64_t k = 0; k < outputs; k++)
        g[k] = k == right ? -exp(log_slope) : exp(log_slope + (f[k] - rest));
}

/* Column i of f (outputs x n): ln sum_k e^{f_k} - <y, f>. */
static double point_value(const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const int64_t n = p->n;
    double top = -INFINITY, sum = 0, product = 0;
    (void)smoothing;
    for (int64_t k = 0; k < p->outputs; k++)
        top = fmax(top, f[k * n + i]);
    for (int64_t k = 0; k < p->outputs; k++) {
        sum += exp(f[k * n + i] - top);
        product += p->y[k * n + i] * (f[k * n + i] - top);
    }
    return log(sum) - product;
}

/* Column i of `root` = softmax of column i of f. */
static void point_curvature(double *root, const fathom_objective *p, const double *f, int64_t i,
                            double smoothing)
{
    const int64_t n = p->n;
    double top = -INFINITY, sum = 0;
    (void)smoothing;
    for (int64_t k = 0; k < p->outputs; k++)
        top = fmax(top, f[k * n + i]);
    for (int64_t k = 0; k < p->outputs; k++)
        sum += root[k * n + i] = exp(f[k * n + i] - top);
    for (int64_t k = 0; k < p->outputs; k++)
        root[k * n + i] /= sum;
}

static void point_residual(double *g, const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double c = fathom_objective_weight(p, i);
    point_curvature(g, p, f, i, smoothing);
    for (int64_t k = 0; k < p->outputs; k++)
        g[k * p->n + i] = c * (p->y[k * p->n + i] - g[k * p->n + i]);
}

/* The log frequency. */
static double best_constant(const fathom_objective *p, int64_t k)
{
    const fathom_target_masses masses = fathom_targets_weigh(p, k);
    return log(fathom_targets_share(&masses));
}

/* P' = (1 - e) P + e Q with one distribution Q for all points, chosen so that the column sums become those of Y:
 * Q_k = (N_k - (1 - e) S_k) / (e mass), S = column sums of c P, N those of c Y, and e the least that keeps Q >= 0.
 * In g = c (Y - P): g' = (1 - e) g + e c (Y - Q), and e mass Q_k = G_k + e S_k where G = N - S is the imbalance. */
static void balance_distributions(double *g, const fathom_objective *p)
{
    const int64_t n = p->n;
    const double mass = fathom_objective_mass(p);
    double e = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < p->outputs; k++) {
            double gap = 0, target = 0;
            for (int64_t i = 0; i < n; i++) {
                gap += g[k * n + i];
                target += fathom_objective_weight(p, i) * p->y[k * n + i];
            }
            const double sum = target - gap;
            if (pass == 0 && sum > 0)
                e = fmax(e, -gap / sum);
            for (int64_t i = 0; pass == 1 && i < n; i++) {
                const double c = fathom_objective_weight(p, i);
                g[k * n + i] = (1 - e) * g[k * n + i] + c * (e * p->y[k * n + i] - (gap + e * sum) / mass);
            }
        }
}

/* The entropy of y - s g / c. */
static double entropy(double *slope, const fathom_objective *p, const double *g, int64_t i, double s)
{
    const double c = fathom_objective_weight(p, i);
    const int64_t n = p->n;
    double sum = 0;
    *slope = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        const double a = g[k * n + i] / c, t = fmin(fmax(p->y[k * n + i] - s * a, 0), 1);
        if (t > 0)
            *slope += a * (1 + log(t));
        sum += fathom_plogp(t);
    }
    return sum;
}

/* At g = 0 too: targets may be distributions with an entropy of their own. */
static double dual_bound(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                         double limit)
{
    return fathom_bound_entropy(p, g, sums, fmin(limit, 1), entropy);
}

/* l e^{2e}, as |l'|_1 <= 2 l, l = ln(1 + sum_k e^{f_k - f_y}) over the other classes. */
static double value_above(const fathom_objective *p, const double *f, int64_t i, double e)
{
    const int64_t n = p->n;
    double own = 0, sum = 0, top = 0, size = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        own = p->y[k * n + i] == 1 ? f[k * n + i] : own;
        size = fmax(size, fabs(f[k * n + i]));
    }
    for (int64_t k = 0; k < p->outputs; k++)
        top = fmax(top, f[k * n + i] - own);
    for (int64_t k = 0; k < p->outputs; k++)
        sum += p->y[k * n + i] == 1 ? 0 : exp(f[k * n + i] - own - top);
    const double loss = top > 0 ? top + log(sum + exp(-top)) : log1p(sum);
    return loss * exp(2 * (e + 4 * FATHOM_UNIT * size)) * fathom_functions_above(p->outputs);
}

/* c (ln sum_k e^{f_k} - <p, f> + sum_k p_k ln p_k), p = y - v / c. */
static double slack(const fathom_loss_row *row, const fathom_loss_pair *at)
{
    double top = -INFINITY, sum = 0, rest = 0;
    (void)row;
    for (int64_t k = 0; k < at->outputs; k++)
        top = fmax(top, at->f[k]);
    for (int64_t k = 0; k < at->outputs; k++) {
        const double p = at->y[k] - at->v[k * at->step] / at->weight;
        sum += exp(at->f[k] - top);
        rest += -fathom_plogp(p) - p * (at->f[k] - top);
    }
    return at->weight * (log(sum) + rest);
}

/* ln sum_k e^{f_k - f_y}; the term of y itself, which is 1, is left to log1p. */
static void exact_value(arb_t sum, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                        const double *y, int64_t outputs)
{
    bool one = false;
    arb_t own, t;
    (void)row, (void)box;
    arb_init(own), arb_init(t);
    for (int64_t k = 0; k < outputs; k++) {
        arb_set_d(t, y[k]);
        arb_addmul(own, t, f + k, BITS);
    }
    arb_zero(sum);
    for (int64_t k = 0; k < outputs; k++) {
        if (!one && y[k] == 1) {
            one = true; /* y is a unit vector: f_k - <y, f> = 0 */
            continue;
        }
        arb_sub(t, f + k, own, BITS);
        arb_exp(t, t, BITS);
        arb_add(sum, sum, t, BITS);
    }
    if (one)
        arb_log1p(sum, sum, BITS);
    else
        arb_log(sum, sum, BITS);
    arb_clear(own), arb_clear(t);
}

/* p = c y - w in [0, c]: c times its share of the entropy. */
static bool exact_dual(arb_t out, const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w,
                       double y, double weight)
{
    arb_t p, rest;
    (void)row, (void)box;
    arb_init(p), arb_init(rest);
    arb_set_d(p, y);
    arb_set_d(rest, weight);
    arb_mul(p, p, rest, ARF_PREC_EXACT);
    arb_sub(p, p, w, ARF_PREC_EXACT);
    arb_sub(rest, rest, p, ARF_PREC_EXACT);
    const bool inside = arb_is_nonnegative(p) && arb_is_nonnegative(rest);
    if (inside)
        fathom_exact_add_entropy(out, p, weight);
    arb_clear(p), arb_clear(rest);
    return inside;
}

static const fathom_loss_exact exact = {exact_value, exact_dual};

const fathom_loss_row fathom_loss_softmax_row = {
    .name = "softmax",
    .targets = "zeros with a single one",
    .simplex = true,
    .probabilities = true,
    .dual = FATHOM_DUAL_ENTROPY,
    .value = value,
    .log_value = log_value,
    .derivative = derivative,
    .margin_log = fathom_logistic_log,
    .margin_log_slope = fathom_logistic_log_slope,
    .margin_inverse = fathom_logistic_inverse,
    .point = point_value,
    .residual = point_residual,
    .curvature = point_curvature,
    .constant = best_constant,
    .balance = balance_distributions,
    .bound = dual_bound,
    .above = value_above,
    .slack = slack,
    .exact = &exact,
};
