/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic programming over the knots: see spline_band.h.
 *
 * V_j(z, s) is the least cost of cells j, j+1, ... for a spline that leaves knot j at height z with slope s. Backward, the
 * form after the jump at j gives the one before it: minimising
 *     a (z + m q - alpha)^2 / 2 + c q^2 / 2 - l q + r (q - s)^2 / 2 + kappa (q - s)   over q
 * leaves a form in (z, s) with, for C = c + r,
 *     a' = a C / (C + a m^2),  m' = m r / C,  c' = c r / C,  l' = (r l + c kappa) / C,  alpha' = alpha - m (l - kappa) / C.
 * A cell of width h shifts m by h. Forward, J = (l - kappa - c s - a m (z + m s - alpha)) / (C + a m^2).
 */
#include "spline_band.h"

/* The sum of two forms. */
static fathom_spline_form add_forms(fathom_spline_form p, fathom_spline_form q)
{
    const double a = p.a + q.a;
    if (!(a > 0))
        return (fathom_spline_form){0, 0, p.c + q.c, 0, p.l + q.l};
    /* both shares, so that a target far away with next to no weight does not cost the other its digits */
    const double share = p.a / a, other = q.a / a, w = share * q.a, ahead = p.m - q.m;
    return (fathom_spline_form){a, share * p.m + other * q.m, p.c + q.c + w * ahead * ahead,
                                share * p.alpha + other * q.alpha,
                                p.l + q.l + w * ahead * (p.alpha - q.alpha)};
}

/* The form before a jump from the one after it. */
static fathom_spline_form before_jump(fathom_spline_form v, double r, double kappa)
{
    const double sum = v.c + r, share = r / sum;
    return (fathom_spline_form){v.a / (1 + v.a * v.m * v.m / sum), v.m * share, v.c * share,
                                v.alpha - v.m * (v.l - kappa) / sum, kappa + share * (v.l - kappa)};
}

static fathom_spline_form cell_form(const fathom_spline_form *cell, int64_t k, bool homogeneous)
{
    fathom_spline_form q = cell[k];
    if (homogeneous)
        q.alpha = q.l = 0;
    return q;
}

void fathom_spline_band_solve(double *z, double *s, double *jump, int64_t count,
                              const fathom_spline_form *cell, const double *h, const double *r,
                              const double *kappa, double e, bool homogeneous, fathom_spline_form *work)
{
    fathom_spline_form v = cell_form(cell, count - 2, homogeneous);
    v.l -= e;
    for (int64_t j = count - 2; j > 0; j--) {
        work[j] = v;
        v = before_jump(v, r[j], kappa[j]);
        v.m += h[j - 1];
        v = add_forms(v, cell_form(cell, j - 1, homogeneous));
    }
    s[0] = (v.l - e) / v.c;
    z[0] = v.alpha - v.m * s[0];
    z[1] = z[0] + h[0] * s[0];
    jump[0] = jump[count - 1] = 0;
    for (int64_t j = 1; j < count - 1; j++) {
        const fathom_spline_form f = work[j];
        const double slope = s[j - 1], miss = z[j] + f.m * slope - f.alpha;
        jump[j] = (f.l - kappa[j] - f.c * slope - f.a * f.m * miss) / (f.c + r[j] + f.a * f.m * f.m);
        s[j] = slope + jump[j];
        z[j + 1] = z[j] + h[j] * s[j];
    }
}
