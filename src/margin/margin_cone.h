/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One second-order cone of the margin's interior point: Nesterov-Todd scaling and the directions it gives.
 *
 * The pair x = (t, s), y = (rho, -rho w) in R^{1+D}, t > |s|, |w| < 1. The scaling is the symmetric matrix
 *
 *     N = eta [ w0  w1'; w1  I + w1 w1' / (1 + w0) ],  w0^2 - |w1|^2 = 1,   with  N y = N^{-1} x = lambda,
 *
 * and the Newton equation N^{-1} dx + N dy = lambda \ (target) with dx = (dt, ds), dy = (0, -rho dw) gives dt and dw from
 * ds: with alpha = 1/eta^2, beta = 2 alpha / (2 w0^2 - 1), p = N^{-1} (lambda \ target), c = p1 + 2 w0 p0 / (2 w0^2 - 1) w1,
 *
 *     dt = (p0 / alpha + 2 w0 <w1, ds>) / (2 w0^2 - 1),   -rho dw = c - alpha ds + beta <w1, ds> w1.
 */
#ifndef FATHOM_MARGIN_CONE_H
#define FATHOM_MARGIN_CONE_H

#include <stdint.h>

typedef struct fathom_cone {
    double t, rho;
    double w0, alpha, beta; /* of the scaling; eta^2 = 1 / alpha */
    double p0;              /* of the target; c beside it */
} fathom_cone;

/* Sets w0, alpha, beta and w1 (D) at t, s, w. */
void fathom_cone_scale(fathom_cone *cone, double *w1, const double *s, const double *w, int64_t dimension);

/* Sets p0 and c (D) for the target -lambda o lambda: the affine direction. */
void fathom_cone_affine(fathom_cone *cone, double *c, const double *w1, const double *w, int64_t dimension);

/* Adds to p0 and c what the target mu e - (N^{-1} dx) o (N dy) brings: Mehrotra's corrector at the affine direction
 * dt, ds, dw. u (D) is workspace. */
void fathom_cone_correct(fathom_cone *cone, double *c, double *u, const double *w1, const double *s,
                         double dt, const double *ds, const double *dw, double mu, int64_t dimension);

/* dw (D), returns dt, from ds. */
double fathom_cone_direction(const fathom_cone *cone, double *dw, const double *c, const double *w1,
                             const double *ds, int64_t dimension);

/* The largest step that keeps t + a dt >= |s + a ds|, and the largest that keeps |w + a dw| <= 1; at most `most`. */
double fathom_cone_step(const fathom_cone *cone, const double *s, double dt, const double *ds,
                        const double *w, const double *dw, double most, int64_t dimension);

#endif
