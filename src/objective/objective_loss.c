/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses on vectors over the data: value, negative gradient g = -l'(f), curvature l'' = R R'.
 *
 *     squared    c (f - y)^2 / 2, summed over outputs    g = c (y - f)           R = sqrt(c)
 *     logistic   c ln(1 + e^{-y f})                      g = c y s, s = 1/(1+e^{yf})   R = sqrt(c s (1 - s))
 *     softmax    c (ln sum_k e^{f_k} - <y, f>)           g = c (y - p)           R = sqrt(c) (diag(sqrt p) - p sqrt(p)')
 *     hinge      c (1 - y f)_+                           g = c y [1 - y f > 0]
 *     boxed      c max_v (r v - q v^2 / 2), r = y - f    g = c v, the maximiser in -below <= v <= above
 *                huber q = 1, box +-delta; absolute q = 0, box +-1; quantile q = 0, box [tau - 1, tau]
 *
 * c_i > 0 are sample weights. R R' = c (diag p - p p') for softmax. The hinge has no curvature; Newton steps use its
 * barrier form with parameter mu > 0,
 *
 *     l_mu = max over 0 < a < 1 of a z + mu (ln a + ln(1 - a)),   z = 1 - y f,
 *
 * that is the dual's box 0 <= a <= 1 replaced by a logarithmic barrier, so that mu -> 0 is an interior point method. A boxed
 * loss is smoothed likewise, with a = (v + below) / L and L = below + above: for q = 0 it is the hinge of z = L r less
 * below r, and for q = 1 the maximiser solves r = v + mu (1 / (above - v) - 1 / (v + below)).
 */
#include <math.h>

#include "objective.h"

/* ln(1 + e^t) without overflow. */
static double log1pexp(double t) { return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)); }

/* The maximiser of a z + mu (ln a + ln(1 - a)) over 0 < a < 1: mu (1/(1-a) - 1/a) = z, accurate at both ends. */
static double hinge_share(double z, double mu)
{
    const double s = hypot(z, 2 * mu);
    if (z > 0)
        return 1 - hinge_share(-z, mu);
    return mu * (2 * mu / (s - z) + 1) / (s + 2 * mu);
}

static double hinge_value(double z, double mu)
{
    if (mu == 0)
        return fmax(z, 0);
    const double a = hinge_share(z, mu), rest = hinge_share(-z, mu);
    return a * z + mu * (log(a) + log(rest));
}

/* d^2/dz^2 of the smoothed hinge: 1 / (mu (1/a^2 + 1/(1-a)^2)). */
static double hinge_curvature(double z, double mu)
{
    const double a = hinge_share(z, mu), rest = hinge_share(-z, mu);
    return 1 / (mu * (1 / (a * a) + 1 / (rest * rest)));
}

/* The maximiser v of r v - q v^2 / 2 + mu (ln a + ln(1 - a)), with its distances to both ends of the box. */
typedef struct box_point {
    double v, down, up; /* v + below, above - v */
} box_point;

/* q = 1: with t = above - v at most L / 2, above - t - r + mu / t - mu / (L - t) = 0, which falls with t. */
static double huber_distance(double above, double length, double r, double mu)
{
    const double ahead = r - above, s = hypot(ahead, 2 * sqrt(mu));
    double low = 0, high = length / 2, t = ahead > 0 ? 2 * mu / (ahead + s) : (s - ahead) / 2;
    for (int step = 0; step < 60; step++) {
        if (!(t > low && t < high))
            t = low + (high - low) / 2;
        const double rest = length - t, value = -ahead - t + mu / t - mu / rest;
        *(value > 0 ? &low : &high) = t;
        const double next = t + value / (1 + mu / (t * t) + mu / (rest * rest));
        if (fabs(next - t) <= 0x1p-52 * t || t == low + (high - low) / 2)
            break;
        t = next;
    }
    return t;
}

static box_point box_maximiser(const fathom_gated_problem *problem, double r, double mu)
{
    const fathom_loss_box *box = &problem->box;
    const double length = box->below + box->above, middle = (box->above - box->below) / 2;
    double down, up;
    if (fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_LINEAR) {
        down = length * hinge_share(length * r, mu);
        up = length * hinge_share(-length * r, mu);
    } else if (r >= middle) {
        up = huber_distance(box->above, length, r, mu);
        down = length - up;
    } else {
        down = huber_distance(box->below, length, -r, mu);
        up = length - down;
    }
    return (box_point){up < down ? box->above - up : down - box->below, down, up};
}

static double box_value(const fathom_gated_problem *problem, double r, double mu)
{
    if (mu == 0)
        return fathom_loss_boxed(problem->loss, &problem->box, r);
    const double length = problem->box.below + problem->box.above;
    const box_point at = box_maximiser(problem, r, mu);
    const double square =
        fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_QUADRATIC ? at.v * at.v / 2 : 0;
    return r * at.v - square + mu * (log(at.down / length) + log(at.up / length));
}

/* Minus the derivative by f. */
static double box_slope(const fathom_gated_problem *problem, double r, double mu)
{
    if (mu > 0)
        return box_maximiser(problem, r, mu).v;
    if (fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_QUADRATIC)
        return fmin(fmax(r, -problem->box.below), problem->box.above);
    return r > 0 ? problem->box.above : r < 0 ? -problem->box.below : 0;
}

static double box_curvature(const fathom_gated_problem *problem, double r, double mu)
{
    const box_point at = box_maximiser(problem, r, mu);
    const double q = fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_QUADRATIC ? 1 : 0;
    return 1 / (q + mu * (1 / (at.down * at.down) + 1 / (at.up * at.up)));
}

/* Column i of f (outputs x n): ln sum_k e^{f_k} - <y, f>. */
static double softmax_value(const fathom_gated_problem *problem, const double *f, int64_t i)
{
    const int64_t n = problem->n;
    double top = -INFINITY, sum = 0, product = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        top = fmax(top, f[k * n + i]);
    for (int64_t k = 0; k < problem->outputs; k++) {
        sum += exp(f[k * n + i] - top);
        product += problem->y[k * n + i] * (f[k * n + i] - top);
    }
    return log(sum) - product;
}

double fathom_gated_point_loss(const fathom_gated_problem *problem, const double *f, int64_t i,
                               double smoothing)
{
    const double *y = problem->y;
    double sum = 0;
    if (fathom_loss_row_of(problem->loss)->boxed)
        return box_value(problem, y[i] - f[i], smoothing);
    switch (problem->loss) {
    case FATHOM_LOSS_LOGISTIC:
        return log1pexp(-y[i] * f[i]);
    case FATHOM_LOSS_HINGE:
        return hinge_value(1 - y[i] * f[i], smoothing);
    case FATHOM_LOSS_SOFTMAX:
        return softmax_value(problem, f, i);
    default:
        for (int64_t k = 0; k < problem->outputs; k++) {
            const double r = y[k * problem->n + i] - f[k * problem->n + i];
            sum += r * r / 2;
        }
        return sum;
    }
}

double fathom_gated_loss(const fathom_gated_problem *problem, const double *f, double smoothing)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++)
        sum += fathom_gated_weight(problem, i) * fathom_gated_point_loss(problem, f, i, smoothing);
    return sum;
}

/* Column i of p = softmax of column i of f. */
static void softmax_point(double *p, const fathom_gated_problem *problem, const double *f, int64_t i)
{
    const int64_t n = problem->n;
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        top = fmax(top, f[k * n + i]);
    for (int64_t k = 0; k < problem->outputs; k++)
        sum += p[k * n + i] = exp(f[k * n + i] - top);
    for (int64_t k = 0; k < problem->outputs; k++)
        p[k * n + i] /= sum;
}

static void point_residual(double *g, const fathom_gated_problem *problem, const double *f, int64_t i,
                           double smoothing)
{
    const int64_t n = problem->n;
    const double *y = problem->y, c = fathom_gated_weight(problem, i);
    if (fathom_loss_row_of(problem->loss)->boxed) {
        g[i] = c * box_slope(problem, y[i] - f[i], smoothing);
        return;
    }
    switch (problem->loss) {
    case FATHOM_LOSS_LOGISTIC:
        g[i] = c * y[i] / (1 + exp(y[i] * f[i]));
        return;
    case FATHOM_LOSS_HINGE:
        g[i] = c * y[i] * (smoothing > 0 ? hinge_share(1 - y[i] * f[i], smoothing) : y[i] * f[i] < 1);
        return;
    case FATHOM_LOSS_SOFTMAX:
        softmax_point(g, problem, f, i);
        break;
    default:
        for (int64_t k = 0; k < problem->outputs; k++)
            g[k * n + i] = f[k * n + i];
    }
    for (int64_t k = 0; k < problem->outputs; k++)
        g[k * n + i] = c * (y[k * n + i] - g[k * n + i]);
}

void fathom_gated_residual(double *g, const fathom_gated_problem *problem, const double *f, double smoothing)
{
    for (int64_t i = 0; i < problem->n; i++)
        point_residual(g, problem, f, i, smoothing);
}

void fathom_gated_curvature(double *root, const fathom_gated_problem *problem, const double *f,
                            double smoothing)
{
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i), t = problem->y[i] * f[i];
        if (problem->loss == FATHOM_LOSS_SOFTMAX)
            softmax_point(root, problem, f, i);
        else if (problem->loss == FATHOM_LOSS_LOGISTIC)
            root[i] = sqrt(c / ((1 + exp(t)) * (1 + exp(-t))));
        else if (fathom_loss_row_of(problem->loss)->boxed)
            root[i] = smoothing > 0 ? sqrt(c * box_curvature(problem, problem->y[i] - f[i], smoothing)) : 0;
        else if (problem->loss == FATHOM_LOSS_HINGE)
            root[i] = smoothing > 0 ? sqrt(c * hinge_curvature(1 - t, smoothing)) : 0;
        else
            root[i] = sqrt(c);
    }
}

/* R t = sqrt(c) (sqrt p o t - p <sqrt p, t>),  R' t = sqrt(c) sqrt p o (t - <p, t>): they differ in the weights of the
 * inner product and of what is subtracted. */
static void softmax_root(double *t, const fathom_gated_problem *problem, const double *p, bool transposed)
{
    const int64_t n = problem->n;
    for (int64_t i = 0; i < n; i++) {
        const double c = sqrt(fathom_gated_weight(problem, i));
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

void fathom_gated_root(double *t, const fathom_gated_problem *problem, const double *root)
{
    if (!fathom_gated_scalar_root(problem)) {
        softmax_root(t, problem, root, false);
        return;
    }
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = 0; i < problem->n; i++)
            t[k * problem->n + i] *= root[i];
}

void fathom_gated_root_transposed(double *t, const fathom_gated_problem *problem, const double *root)
{
    if (fathom_gated_scalar_root(problem))
        fathom_gated_root(t, problem, root);
    else
        softmax_root(t, problem, root, true);
}

/* The least loss of a constant (or of 0 where the problem has none), per unit of weight: the unit of mu. The hinge's is 1. */
double fathom_gated_smoothing(const fathom_gated_problem *problem, double share)
{
    double sum = 0, mass = 0;
    if (!fathom_loss_row_of(problem->loss)->boxed)
        return fathom_loss_row_of(problem->loss)->kinked ? share : 0;
    const double constant = problem->constant ? fathom_gated_constant(problem, 0) : 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i);
        sum += c * box_value(problem, problem->y[i] - constant, 0);
        mass += c;
    }
    return sum > 0 ? share * (sum / mass) : share;
}
