/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dual objectives of the relaxation on rays and the form in which V varies (rays_internal.h).
 *
 *     squared  <y, V> - sum V^2 / (2 c)      equality  <y, V>      softmax  sum_i c_i H(q_i), q_i = y_i - V_i / c_i
 *
 * Softmax. V = c (y - p) with p = softmax(Z): s V has q = (1 - s) y + s p, inside the domain for 0 <= s <= 1 and perhaps a little beyond. As
 * with one output, -q ln q is continued by its tangent below a rim where y > 0, so that no edge stops a step. With a free
 * constant V must sum to 0 over the points: Z gets the constants b with sum_i c_i (y_i - p_i) = 0, the minimiser of a convex
 * function of b, by Newton's method; with A_i = c_i (diag p_i - p_i p_i') and A = sum_i A_i, db = -A^+ sum_i A_i dZ_i, so that derivatives r_i by Z_i
 * with b held become r_i - A_i A^+ sum_j r_j.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "loss_row.h"
#include "rays_internal.h"

static const double STEP = 0.2;
enum { NEWTON = 20, OUTPUTS = FATHOM_FAN_ALL };

static bool is_simplex(const fathom_rays *a)
{
    return !a->p->equality && fathom_loss_row_of(a->p->loss)->simplex;
}

static double weight_of(const fathom_rays *a, int64_t i)
{
    return a->p->equality ? 1 : fathom_objective_weight(a->p, i);
}

/* p (outputs) = softmax of the logits of point i. */
static void softmax(double *p, const fathom_rays *a, const double *t, int64_t i)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < o; k++) {
        p[k] = a->first[k * n + i] + STEP / a->scale * t[k * n + i] + a->shift[k];
        top = fmax(top, p[k]);
    }
    for (int64_t k = 0; k < o; k++) {
        p[k] = exp(p[k] - top);
        sum += p[k];
    }
    for (int64_t k = 0; k < o; k++)
        p[k] /= sum;
}

/* x = A^+ r for A = sum_i c_i (diag p - p p'), of which (1, .., 1) is the kernel: A + 1 1' tr A is regular. */
static bool solve_curvature(double *x, const double *curvature, const double *r, int64_t o)
{
    double m[OUTPUTS][OUTPUTS + 1], trace = 0;
    for (int64_t k = 0; k < o; k++)
        trace += curvature[k * o + k];
    for (int64_t k = 0; k < o; k++) {
        for (int64_t l = 0; l < o; l++)
            m[k][l] = curvature[k * o + l] + trace;
        m[k][o] = r[k];
    }
    for (int64_t k = 0; k < o; k++) {
        if (!(m[k][k] > 1e-14 * trace))
            return false;
        for (int64_t l = k + 1; l < o; l++) {
            const double times = m[l][k] / m[k][k];
            for (int64_t e = k; e <= o; e++)
                m[l][e] -= times * m[k][e];
        }
    }
    for (int64_t k = o - 1; k >= 0; k--) {
        x[k] = m[k][o];
        for (int64_t l = k + 1; l < o; l++)
            x[k] -= m[k][l] * x[l];
        x[k] /= m[k][k];
    }
    return true;
}

/* V from t, the sums of V over the points and their derivative by constants. */
static void place_simplex(fathom_rays *a, const double *t, double *sum, double *curvature)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    double p[OUTPUTS];
    memset(sum, 0, (size_t)o * sizeof *sum);
    memset(curvature, 0, (size_t)(o * o) * sizeof *curvature);
    for (int64_t i = 0; i < n; i++) {
        const double c = weight_of(a, i);
        softmax(p, a, t, i);
        for (int64_t k = 0; k < o; k++) {
            a->v[k * n + i] = c * (a->p->y[k * n + i] - p[k]);
            sum[k] += a->v[k * n + i];
            for (int64_t l = 0; l < o; l++)
                curvature[k * o + l] += c * p[k] * ((k == l) - p[l]);
        }
    }
}

/* The constants that make the sums vanish. */
static void balance_simplex(fathom_rays *a, const double *t)
{
    const int64_t o = a->p->outputs;
    double sum[OUTPUTS], curvature[OUTPUTS * OUTPUTS], step[OUTPUTS];
    bool finite = true;
    for (int64_t k = 0; k < o; k++) /* those of the last t, unless that was beyond all bounds */
        finite = finite && fabs(a->shift[k]) < 100;
    for (int64_t k = 0; k < o && !finite; k++)
        a->shift[k] = 0;
    for (int round = 0; round < NEWTON; round++) {
        double size = 0;
        place_simplex(a, t, sum, curvature);
        if (!a->p->constant || !solve_curvature(step, curvature, sum, o))
            return;
        for (int64_t k = 0; k < o; k++)
            size = fmax(size, fabs(step[k]));
        for (int64_t k = 0; k < o; k++) /* damped: the curvature may grow by exp(2 |step|) */
            a->shift[k] += step[k] / (1 + size);
        if (size < 1e-12)
            return;
    }
}

void fathom_rays_place(fathom_rays *a, const double *t)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    if (is_simplex(a)) {
        balance_simplex(a, t);
        return;
    }
    for (int64_t e = 0; e < n * o; e++)
        a->v[e] = a->first[e] + STEP * t[e];
    for (int64_t k = 0; k < o && a->p->constant; k++) {
        double sum = 0, weight = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += a->v[k * n + i];
            weight += weight_of(a, i);
        }
        for (int64_t i = 0; i < n; i++)
            a->v[k * n + i] -= weight_of(a, i) * (sum / weight);
    }
}

/* g_i = A_i g_i, the derivatives by the logits of point i; dV = -A dZ. */
static void by_logits(double *g, const fathom_rays *a, int64_t i)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    const double c = weight_of(a, i);
    double mean = 0;
    for (int64_t k = 0; k < o; k++)
        mean += (a->p->y[k * n + i] - a->v[k * n + i] / c) * g[k * n + i];
    for (int64_t k = 0; k < o; k++)
        g[k * n + i] = c * (a->p->y[k * n + i] - a->v[k * n + i] / c) * (g[k * n + i] - mean);
}

static void pull_back_simplex(double *g, const fathom_rays *a)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    double sum[OUTPUTS] = {0}, curvature[OUTPUTS * OUTPUTS] = {0}, x[OUTPUTS] = {0};
    for (int64_t i = 0; i < n; i++) {
        const double c = weight_of(a, i);
        by_logits(g, a, i);
        for (int64_t k = 0; k < o; k++) {
            const double p = a->p->y[k * n + i] - a->v[k * n + i] / c;
            sum[k] += g[k * n + i];
            for (int64_t l = 0; l < o && a->p->constant; l++)
                curvature[k * o + l] += c * p * ((k == l) - (a->p->y[l * n + i] - a->v[l * n + i] / c));
        }
    }
    const bool moves = a->p->constant && solve_curvature(x, curvature, sum, o);
    for (int64_t i = 0; i < n; i++) {
        double by_shift[OUTPUTS], mean = 0;
        const double c = weight_of(a, i);
        for (int64_t k = 0; k < o; k++)
            mean += (a->p->y[k * n + i] - a->v[k * n + i] / c) * x[k];
        for (int64_t k = 0; k < o; k++) {
            by_shift[k] = c * (a->p->y[k * n + i] - a->v[k * n + i] / c) * (x[k] - mean);
            g[k * n + i] = -STEP / a->scale * (g[k * n + i] - (moves ? by_shift[k] : 0));
        }
    }
}

void fathom_rays_pull_back(double *g, const fathom_rays *a)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    if (is_simplex(a)) {
        pull_back_simplex(g, a);
        return;
    }
    for (int64_t k = 0; k < o; k++) {
        double sum = 0, weight = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += weight_of(a, i) * g[k * n + i];
            weight += weight_of(a, i);
        }
        for (int64_t i = 0; i < n; i++)
            g[k * n + i] = STEP * (g[k * n + i] - (a->p->constant ? sum / weight : 0));
    }
}

void fathom_rays_start(fathom_rays *a, const double *v)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    memset(a->t, 0, (size_t)(n * o) * sizeof *a->t);
    memset(a->shift, 0, (size_t)o * sizeof *a->shift);
    memcpy(a->first, v, (size_t)(n * o) * sizeof *v);
    for (int64_t e = 0; e < n * o && is_simplex(a); e++) /* probabilities away from 0 by a millionth */
        a->first[e] = log(fmax(a->p->y[e] - v[e] / weight_of(a, e % n), 1e-6));
    fathom_rays_place(a, a->t);
}

/* Where the tangent begins: the less the price is smoothed, the nearer to the edge. */
static double rim(const fathom_rays *a) { return fmax(1e-5, fmin(1e-2, 0.1 * ldexp(1, -a->now.doublings))); }

/* -c q ln q, continued by its tangent below the rim where y > 0; *h its derivative by q. */
static double entropy_term(const fathom_rays *a, double c, double q, double y, double *h)
{
    const double least = y > 0 ? rim(a) : 1e-300, at = fmax(q, least);
    *h = -c * (log(at) + 1);
    return -c * at * log(at) + (q - at) * *h;
}

/* D(s V) and dD/dlog s; slope = derivatives by V for fixed s. */
static double dual_at(fathom_rays *a, double s, double *radial)
{
    const int64_t n = a->p->n;
    const bool simplex = is_simplex(a);
    double value = 0;
    *radial = 0;
    for (int64_t e = 0; e < n * a->p->outputs; e++) {
        const double c = weight_of(a, e % n), w = s * a->v[e], y = a->p->y[e];
        double h = a->p->equality ? y : y - w / c;
        if (simplex) {
            value += entropy_term(a, c, y - w / c, y, &h);
            h = -h / c;
        } else
            value += a->p->equality ? y * w : y * w - w * w / (2 * c);
        a->slope[e] = s * h;
        *radial += w * h;
    }
    return value;
}

/* The best s <= most, D(s V) being concave in s: the end, or where dD/ds vanishes, by bisection. */
static double best_scale(fathom_rays *a, double most)
{
    double radial, low = 0, high = most;
    if (a->p->equality || (dual_at(a, most, &radial) > -INFINITY && !(radial < 0)))
        return most;
    for (int step = 0; step < 40; step++) {
        const double s = (low + high) / 2;
        dual_at(a, s, &radial);
        *(radial > 0 ? &low : &high) = s;
    }
    return low;
}

double fathom_rays_dual(fathom_rays *a, double log_price, double *by_log_price)
{
    const double most = a->p->beta / exp(log_price), s = best_scale(a, most);
    double radial;
    const double value = dual_at(a, s, &radial);
    *by_log_price = s < most ? 0 : -radial;
    return value;
}
