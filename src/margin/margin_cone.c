/* SPDX-License-Identifier: Apache-2.0 */
/* The second-order cone of one gate; formulas in margin_cone.h. [Nesterov, Todd 1997; Mehrotra 1992] */
#include "margin_cone.h"

#include <math.h>

static double dot(const double *a, const double *b, int64_t dimension)
{
    double total = 0;
    for (int64_t k = 0; k < dimension; k++)
        total += a[k] * b[k];
    return total;
}

void fathom_cone_scale(fathom_cone *cone, double *w1, const double *s, const double *w, int64_t dimension)
{
    const double norm_s = sqrt(dot(s, s, dimension)), norm_w = sqrt(dot(w, w, dimension));
    const double ds = sqrt((cone->t - norm_s) * (cone->t + norm_s));
    const double dw = sqrt((1 - norm_w) * (1 + norm_w)), dz = cone->rho * dw;
    /* <x, y> / (ds dz) with x, y normalised to unit Lorentz length. */
    const double cosine = (cone->t - dot(s, w, dimension)) / (ds * dw);
    const double c = sqrt((1 + cosine) / 2);
    double square = 0;
    for (int64_t k = 0; k < dimension; k++) {
        w1[k] = (s[k] / ds + w[k] / dw) / (2 * c);
        square += w1[k] * w1[k];
    }
    cone->w0 = sqrt(1 + square);
    cone->alpha = dz / ds;
    cone->beta = 2 * cone->alpha / (1 + 2 * square);
}

/* 2 w0^2 - 1 = 1 + 2 |w1|^2 */
static double lorentz(const fathom_cone *cone) { return 2 * cone->alpha / cone->beta; }

void fathom_cone_affine(fathom_cone *cone, double *c, const double *w1, const double *w, int64_t dimension)
{
    /* lambda \ (-lambda o lambda) = -lambda, so p = -N^{-1} lambda = -y = (-rho, rho w). */
    cone->p0 = -cone->rho;
    const double factor = 2 * cone->w0 * cone->p0 / lorentz(cone);
    for (int64_t k = 0; k < dimension; k++)
        c[k] = cone->rho * w[k] + factor * w1[k];
}

/* N v / eta (sign +1) or eta N^{-1} v (sign -1) for v = (v0, v1), inner = <w1, v1>: returns the head; the tail is
 * v1 + factor w1. */
static double hyperbolic(double *factor, const fathom_cone *cone, double sign, double v0, double inner)
{
    *factor = sign * v0 + inner / (1 + cone->w0);
    return cone->w0 * v0 + sign * inner;
}

void fathom_cone_correct(fathom_cone *cone, double *c, double *u, const double *w1, const double *s,
                         double dt, const double *ds, const double *dw, double mu, int64_t dimension)
{
    const double root = sqrt(cone->alpha); /* 1 / eta */
    double fl, fa, fb, fu;
    /* lambda = N^{-1} x, a = N^{-1} dx, b = N dy with dy = (0, -rho dw). */
    const double l0 = hyperbolic(&fl, cone, -1, cone->t, dot(w1, s, dimension)) * root;
    const double a0 = hyperbolic(&fa, cone, -1, dt, dot(w1, ds, dimension)) * root;
    const double b0 = hyperbolic(&fb, cone, 1, 0, -cone->rho * dot(w1, dw, dimension)) / root;
    /* v = mu e - a o b = (mu - <a, b>, -(a0 b1 + b0 a1)); u1 holds v1 for now. */
    double v0 = mu - a0 * b0, lv = 0, ll = 0;
    for (int64_t k = 0; k < dimension; k++) {
        const double l1 = root * (s[k] + fl * w1[k]), a1 = root * (ds[k] + fa * w1[k]);
        const double b1 = (fb * w1[k] - cone->rho * dw[k]) / root;
        u[k] = -(a0 * b1 + b0 * a1);
        v0 -= a1 * b1;
        lv += l1 * u[k];
        ll += l1 * l1;
    }
    /* u = lambda \ v: u0 = (l0 v0 - <l1, v1>) / (l0^2 - |l1|^2), u1 = (v1 - u0 l1) / l0; then p += N^{-1} u. */
    const double norm = sqrt(ll), u0 = (l0 * v0 - lv) / ((l0 - norm) * (l0 + norm));
    for (int64_t k = 0; k < dimension; k++)
        u[k] = (u[k] - u0 * root * (s[k] + fl * w1[k])) / l0;
    const double p0 = hyperbolic(&fu, cone, -1, u0, dot(w1, u, dimension)) * root;
    const double factor = root * fu + 2 * cone->w0 * p0 / lorentz(cone);
    for (int64_t k = 0; k < dimension; k++)
        c[k] += root * u[k] + factor * w1[k];
    cone->p0 += p0;
}

double fathom_cone_direction(const fathom_cone *cone, double *dw, const double *c, const double *w1,
                             const double *ds, int64_t dimension)
{
    const double inner = dot(w1, ds, dimension);
    for (int64_t k = 0; k < dimension; k++)
        dw[k] = -(c[k] - cone->alpha * ds[k] + cone->beta * inner * w1[k]) / cone->rho;
    return (cone->p0 / cone->alpha + 2 * cone->w0 * inner) / lorentz(cone);
}

/* The smallest positive root of q a^2 + 2 b a + c, c > 0, or `most`. */
static double first_root(double q, double b, double c, double most)
{
    const double discriminant = b * b - q * c;
    if (!(discriminant >= 0))
        return most;
    const double below = sqrt(discriminant) - b;
    return below > 0 ? fmin(most, c / below) : most;
}

double fathom_cone_step(const fathom_cone *cone, const double *s, double dt, const double *ds,
                        const double *w, const double *dw, double most, int64_t dimension)
{
    const double norm_s = sqrt(dot(s, s, dimension)), norm_w = sqrt(dot(w, w, dimension));
    most = first_root(dt * dt - dot(ds, ds, dimension), cone->t * dt - dot(s, ds, dimension),
                      (cone->t - norm_s) * (cone->t + norm_s), most);
    if (dt < 0) /* the apex: t + a dt >= 0 */
        most = fmin(most, -cone->t / dt);
    return first_root(-dot(dw, dw, dimension), -dot(w, dw, dimension), (1 - norm_w) * (1 + norm_w), most);
}
