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
 *
 * The edge a = 1 of the logistic loss: H' falls only like a logarithm there, so that a few points with s a next to 1 would stop every
 * step that lowers P. While v moves, H is continued by its tangent from a = 1 - rim on, which has no edge and a best s for every v;
 * certify (joint.c) goes back to H. [docs/explanation/global.md, "The edge of the domain"]
 */
#include <math.h>

#include "joint_internal.h"
#include "loss_row.h"

static bool is_classification(const fathom_objective *p)
{
    return !p->equality && fathom_loss_row_of(p->loss)->signs;
}

static bool is_boxed(const fathom_objective *p)
{
    return !p->equality && fathom_loss_row_of(p->loss)->kinked;
}

/* Whether v keeps the signs it has, so that two sides can be scaled to one mass: labels, and boxes with a free constant. */
static bool has_sides(const fathom_objective *p)
{
    return is_classification(p) || (p->constant && !p->equality && fathom_loss_row_of(p->loss)->boxed);
}

const double *fathom_joint_signs(const fathom_objective *problem, const double *v)
{
    return is_classification(problem) ? problem->y : v;
}

void fathom_joint_orient(fathom_joint *a, const double *v)
{
    const fathom_objective *p = a->p;
    const bool labels = is_classification(p);
    const double least = fathom_loss_row_of(p->loss)->dual == FATHOM_DUAL_ENTROPY ? 1e-9 * a->scale : 0;
    for (int64_t i = 0; i < p->n; i++) {
        const bool turned = has_sides(p) && (labels ? p->y[i] : v[i]) < 0;
        const double c = fathom_objective_weight(p, i);
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
        weight += fathom_objective_weight(a->p, i);
    }
    for (int64_t i = 0; i < n; i++)
        a->v[i] -= fathom_objective_weight(a->p, i) * (sum / weight);
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
        sum += fathom_objective_weight(a->p, i) * gradient[i];
        weight += fathom_objective_weight(a->p, i);
    }
    for (int64_t i = 0; i < n; i++)
        gradient[i] -= sum / weight;
}

/* Where the tangent of H begins: the less P is smoothed, the nearer to the edge. */
static double rim(const fathom_joint *a) { return fmax(1e-5, fmin(1e-2, 0.1 * ldexp(1, -a->now.doublings))); }

/* c H(t), continued by its tangent from the rim on, t > 0; *h = H'. */
static double entropy_term(const fathom_joint *a, double c, double t, double *h)
{
    const double edge = 1 - rim(a), at = fmin(t, edge);
    *h = log1p(-at) - log(at);
    return c * (-at * log(at) - (1 - at) * log1p(-at) + (t - at) * *h);
}

/* D at w = s v and its derivative h by w, for one point. Outside the domain D = -INFINITY. */
static double dual_term(const fathom_joint *a, int64_t i, double w, double *h)
{
    const double c = fathom_objective_weight(a->p, i), y = a->p->y[i];
    const bool linear = a->p->equality || fathom_loss_row_of(a->p->loss)->dual == FATHOM_DUAL_LINEAR;
    *h = linear ? y : y - w / c;
    if (linear || fathom_loss_row_of(a->p->loss)->dual == FATHOM_DUAL_QUADRATIC)
        return linear ? y * w : y * w - w * w / (2 * c);
    const double t = y * w / c; /* a_i >= 0 */
    if (!(t > 0))
        return t == 0 ? (*h = 0, 0) : -INFINITY;
    const double value = entropy_term(a, c, t, h);
    *h *= y;
    return value;
}

/* D(s v) and dD/dlog s; slope = derivatives by v for fixed s. */
static double dual_at(fathom_joint *a, double s, double *radial)
{
    double value = 0;
    *radial = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        double h = 0;
        value += dual_term(a, i, s * a->v[i], &h);
        a->slope[i] = s * h;
        *radial += s * a->v[i] * h;
    }
    return value;
}

/* Squared: D(s v) = s <y, v> - s^2/2 sum v^2/c, largest at the quotient of the two. */
static double squared_scale(const fathom_joint *a)
{
    double linear = 0, quadratic = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        linear += a->p->y[i] * a->v[i];
        quadratic += a->v[i] * a->v[i] / fathom_objective_weight(a->p, i);
    }
    return linear > 0 ? linear / quadratic : 0;
}

/* The best s <= most, D(s v) being concave in s: the end, or where dD/ds vanishes, by bisection. */
static double best_scale(fathom_joint *a, double most)
{
    double radial, low = 0, high = most;
    if (fathom_loss_row_of(a->p->loss)->quadratic)
        return fmin(most, squared_scale(a));
    if (!(dual_at(a, most, &radial) > -INFINITY) || !(radial < 0))
        return most;
    for (int step = 0; step < 60 && low < high; step++) {
        const double s = (low + high) / 2;
        dual_at(a, s, &radial);
        *(radial > 0 ? &low : &high) = s;
    }
    return low;
}

double fathom_joint_dual(fathom_joint *a, double log_price, double *by_log_price)
{
    const double ratio = exp(log_price) / a->p->beta; /* P / beta */
    double s, share, radial;                          /* share: -d log s / d log P */
    if (is_boxed(a->p)) {
        const double power = pow(ratio, a->now.sharpness);
        share = isfinite(power) ? power / (1 + power) : 1;
        s = isfinite(power) ? pow(1 + power, -1 / a->now.sharpness) : 1 / ratio;
    } else {
        s = a->p->equality ? 1 / ratio : best_scale(a, 1 / ratio);
        share = s < 1 / ratio ? 0 : 1;
    }
    const double value = dual_at(a, s, &radial);
    *by_log_price = -share * radial;
    return value;
}

bool fathom_joint_cut_off(fathom_joint *a, double limit)
{
    const fathom_objective *p = a->p;
    const bool edge = !p->equality && fathom_loss_row_of(p->loss)->dual == FATHOM_DUAL_ENTROPY;
    bool changed = false;
    for (int64_t i = 0; i < p->n && edge; i++) {
        const double most = (1 - 1e-5) * limit * fathom_objective_weight(p, i);
        changed = changed || p->y[i] * a->v[i] > most;
        a->v[i] = p->y[i] * fmin(p->y[i] * a->v[i], most);
    }
    if (changed)
        fathom_objective_balance(a->v, p);
    return changed;
}
