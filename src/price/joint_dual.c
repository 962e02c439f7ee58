/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dual objectives of the joint relaxation and the form in which v varies.
 *
 *     squared   <y, v> - sum v^2 / (2 c)            logistic  sum c H(a), a = y v / c in (0, 1)
 *     equality  <y, v>                              hinge     sum c a,    a in [0, 1]
 *
 * v_i is free for the first column, y_i times a variable >= 0 for the second; with a free bias the mean is taken off (weighted), or the
 * class of larger mass is scaled down. The value is D(s v) for the best s <= beta / P. Only the hinge keeps its box by bounds on
 * the variables, since its best points sit on both ends of it; its s = min(1, beta / P) is smoothed to (1 + (P / beta)^k)^(-1/k).
 * [convex.md a]
 */
#include <math.h>

#include "joint_internal.h"
#include "loss_row.h"

static bool is_classification(const fathom_gated_problem *p)
{
    return !p->equality && fathom_loss_row_of(p->loss)->signs;
}

static bool is_boxed(const fathom_gated_problem *p)
{
    return !p->equality && fathom_loss_row_of(p->loss)->kinked;
}

/* Whether v keeps the signs it has, so that two sides can be scaled to one mass: labels, and boxes with a free constant. */
static bool has_sides(const fathom_gated_problem *p)
{
    return is_classification(p) || (p->constant && !p->equality && fathom_loss_row_of(p->loss)->boxed);
}

const double *fathom_joint_signs(const fathom_gated_problem *problem, const double *v)
{
    return is_classification(problem) ? problem->y : v;
}

void fathom_joint_orient(fathom_joint *a, const double *v)
{
    const fathom_gated_problem *p = a->p;
    const bool labels = is_classification(p);
    const double least = fathom_loss_row_of(p->loss)->dual == FATHOM_DUAL_ENTROPY ? 1e-9 * a->scale : 0;
    for (int64_t i = 0; i < p->n; i++) {
        const bool turned = has_sides(p) && (labels ? p->y[i] : v[i]) < 0;
        const double c = fathom_gated_weight(p, i);
        a->orient[i] = turned ? -1 : 1;
        a->lower[i] = labels ? least : -INFINITY;
        if (is_boxed(p) && labels)
            a->upper[i] = c;
        else if (is_boxed(p)) {
            a->lower[i] = p->constant ? 0 : -c * p->box.below;
            a->upper[i] = c * (turned ? p->box.below : p->box.above);
        }
        a->x[i] = fmin(fmax(a->orient[i] * v[i], a->lower[i]), a->upper[i]);
    }
}

/* Masses M of the two classes, sums of their variables, and the common mass T that both are scaled to: their minimum, smoothed from below
 * to (M_0^-k + M_1^-k)^(-1/k), so that no v_i grows. */
static double common_mass(double mass[2], const fathom_joint *a, const double *x)
{
    const double k = a->now.sharpness;
    mass[0] = mass[1] = 0;
    for (int64_t i = 0; i < a->p->n; i++)
        mass[a->orient[i] < 0] += x[i];
    const double least = fmin(mass[0], mass[1]), most = fmax(mass[0], mass[1]);
    return isfinite(k) && least > 0 ? least * pow(1 + pow(least / most, k), -1 / k) : least;
}

void fathom_joint_place(fathom_joint *a, const double *x)
{
    const int64_t n = a->p->n;
    double mass[2], sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++)
        a->v[i] = a->orient[i] * x[i];
    if (!a->p->constant)
        return;
    if (has_sides(a->p)) {
        const double common = common_mass(mass, a, x);
        for (int64_t i = 0; i < n; i++)
            a->v[i] *= common > 0 ? common / mass[a->orient[i] < 0] : 0;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        sum += a->v[i];
        weight += fathom_gated_weight(a->p, i);
    }
    for (int64_t i = 0; i < n; i++)
        a->v[i] -= fathom_gated_weight(a->p, i) * (sum / weight);
}

/* v = (T / M_c) x on class c, d log T / dM_c = q_c / M_c with q_c = (T / M_c)^k. With G_c the sum of g_i x_i over class c (g by the
 * oriented v), d/dx_i = (T / M_c) (g_i - G_c / M_c) + (q_c / M_c) sum over both classes of (T / M) G. */
static void pull_back_classes(double *g, const fathom_joint *a, const double *x)
{
    double mass[2], sum[2] = {0, 0}, both = 0;
    const double common = common_mass(mass, a, x);
    if (!(common > 0))
        return;
    for (int64_t i = 0; i < a->p->n; i++)
        sum[a->orient[i] < 0] += g[i] * x[i];
    for (int c = 0; c < 2; c++)
        both += common / mass[c] * sum[c];
    for (int64_t i = 0; i < a->p->n; i++) {
        const int c = a->orient[i] < 0;
        const double ratio = common / mass[c];
        g[i] = ratio * (g[i] - sum[c] / mass[c]) + pow(ratio, a->now.sharpness) / mass[c] * both;
    }
}

void fathom_joint_pull_back(double *gradient, const fathom_joint *a, const double *x)
{
    const int64_t n = a->p->n;
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++)
        gradient[i] *= a->orient[i];
    if (!a->p->constant)
        return;
    if (has_sides(a->p)) {
        pull_back_classes(gradient, a, x);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        sum += fathom_gated_weight(a->p, i) * gradient[i];
        weight += fathom_gated_weight(a->p, i);
    }
    for (int64_t i = 0; i < n; i++)
        gradient[i] -= sum / weight;
}

/* D at w = s v and its derivative h by w, for one point. Outside the domain D = -INFINITY. */
static double dual_term(const fathom_joint *a, int64_t i, double w, double *h)
{
    const double c = fathom_gated_weight(a->p, i), y = a->p->y[i];
    const bool linear = a->p->equality || fathom_loss_row_of(a->p->loss)->dual == FATHOM_DUAL_LINEAR;
    *h = linear ? y : y - w / c;
    if (linear || fathom_loss_row_of(a->p->loss)->dual == FATHOM_DUAL_QUADRATIC)
        return linear ? y * w : y * w - w * w / (2 * c);
    const double t = y * w / c; /* a_i in (0, 1) */
    if (!(t > 0 && t < 1))
        return t == 0 ? (*h = 0, 0) : -INFINITY;
    *h = y * (log1p(-t) - log(t));
    return c * (-t * log(t) - (1 - t) * log1p(-t));
}

/* The largest useful s: the best multiple for the squared loss, the edge of the domain for the logistic one, none for equality. */
static double scale_limit(const fathom_joint *a)
{
    const fathom_gated_problem *p = a->p;
    double linear = 0, quadratic = 0, largest = 0;
    for (int64_t i = 0; i < p->n; i++) {
        linear += p->y[i] * a->v[i];
        quadratic += a->v[i] * a->v[i] / fathom_gated_weight(p, i);
        largest = fmax(largest, p->y[i] * a->v[i] / fathom_gated_weight(p, i));
    }
    if (p->equality)
        return INFINITY;
    if (fathom_loss_row_of(p->loss)->quadratic)
        return linear > 0 ? linear / quadratic : 0;
    return largest > 0 ? (1 - 1e-9) / largest : 0;
}

double fathom_joint_dual(fathom_joint *a, double log_price, double *by_log_price)
{
    const double ratio = exp(log_price) / a->p->beta; /* P / beta */
    double s, share;                                  /* share: -d log s / d log P */
    if (is_boxed(a->p)) {
        const double power = pow(ratio, a->now.sharpness);
        share = isfinite(power) ? power / (1 + power) : 1;
        s = isfinite(power) ? pow(1 + power, -1 / a->now.sharpness) : 1 / ratio;
    } else {
        const double limit = scale_limit(a);
        s = fmin(limit, 1 / ratio);
        share = 1 / ratio < limit ? 1 : 0;
    }
    double value = 0, radial = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        double h = 0;
        value += dual_term(a, i, s * a->v[i], &h);
        if (!(value > -INFINITY))
            return -INFINITY;
        a->slope[i] = s * h;
        radial += s * a->v[i] * h;
    }
    *by_log_price = -share * radial;
    return value;
}
