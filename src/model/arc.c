/* SPDX-License-Identifier: Apache-2.0 */
/* Arc kernels, see arc.h: loops without branches, compiled for several instruction sets and chosen at run time. */
#include "arc.h"

#include <math.h>

#include "dispatch.h"

#define INVERSE_PI 0.31830988618379067154
#define INVERSE_TWO_PI 0.15915494309189533577

/* asin(s) = s + s t p(t), t = s^2 <= 1/4: p interpolates at the 13 Chebyshev nodes of [0, 1/4]. */
static inline double arcsine(double s, double t)
{
    double p = 0.028757851367421566;
    p = p * t - 0.014851887071247204;
    p = p * t + 0.01740087944269402;
    p = p * t + 0.005457506718640358;
    p = p * t + 0.01032281435018578;
    p = p * t + 0.011479177415184906;
    p = p * t + 0.013971212973552933;
    p = p * t + 0.017352392720869973;
    p = p * t + 0.02237217294214989;
    p = p * t + 0.030381944138531247;
    p = p * t + 0.04464285714635543;
    p = p * t + 0.07499999999998433;
    p = p * t + 0.16666666666666669;
    return s + s * (t * p);
}

/* w(c) = (pi - theta) / (2 pi) for |c| > 1/2, from r = phi / 2. */
static inline double share_near(double r, bool opposite)
{
    return opposite ? r * INVERSE_PI : 0.5 - r * INVERSE_PI;
}

/* w(c) for every c. */
static inline double share(double c)
{
    const double a = fabs(c);
    const double u = 0.5 * (1 - a);
    const double near = u > 0 ? u : 0;
    const bool big = a > 0.5;
    const double t = big ? near : a * a;
    const double s = big ? sqrt(near) : a;
    const double r = arcsine(s, t);
    const double middle = 0.25 + copysign(r, c) * INVERSE_TWO_PI;
    return big ? share_near(r, c < 0) : middle;
}

FATHOM_DISPATCH
static void first_loop(double *restrict out, const double *restrict c, const double *restrict weight,
                       double scale, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        out[k] = scale * weight[k] * (c[k] * share(c[k]));
}

FATHOM_DISPATCH
static void both_loop(double *restrict out, const double *restrict c, const double *restrict weight,
                      double scale, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const double square = (1 - c[k]) * (1 + c[k]);
        const double sine = sqrt(square > 0 ? square : 0);
        out[k] = scale * weight[k] * (2 * (c[k] * share(c[k])) + sine * INVERSE_TWO_PI);
    }
}

double fathom_arc_near(double t, bool opposite, bool both)
{
    const double half = t < 0.25 ? t : 0.25;
    const double w = share_near(arcsine(sqrt(half), half), opposite);
    const double c = opposite ? 2 * half - 1 : 1 - 2 * half;
    return both ? 2 * c * w + 2 * sqrt(half * (1 - half)) * INVERSE_TWO_PI : c * w;
}

FATHOM_DISPATCH
static double half_sine_loop(const double *u, const double *v, int64_t d, bool opposite)
{
    enum { LANES = 8 };
    const double sign = opposite ? 1 : -1;
    double part[LANES] = {0};
    int64_t k = 0;
    for (; k + LANES <= d; k += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            const double step = u[k + l] + sign * v[k + l];
            part[l] += step * step;
        }
    for (; k < d; k++)
        part[0] += (u[k] + sign * v[k]) * (u[k] + sign * v[k]);
    return 0.25 * (((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7])));
}

void fathom_arc_first(double *out, const double *c, const double *weight, double scale, int64_t count)
{
    first_loop(out, c, weight, scale, count);
}

void fathom_arc_both(double *out, const double *c, const double *weight, double scale, int64_t count)
{
    both_loop(out, c, weight, scale, count);
}

double fathom_arc_half_sine(const double *u, const double *v, int64_t d, bool opposite)
{
    return half_sine_loop(u, v, d, opposite);
}
