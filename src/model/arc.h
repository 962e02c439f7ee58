/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arc kernels: expectations over a Gaussian orientation z of unit vectors u, v at angle theta, c = cos theta.
 *
 *   arc 0   E 1[<u,z> > 0] 1[<v,z> > 0]       = (pi - theta) / (2 pi)                       =: w(c)
 *   arc 1   E relu(<u,z>) relu(<v,z>)         = (sin theta + (pi - theta) c) / (2 pi)
 *   first   first-layer tangent kernel          c w(c)                                       [000, Sec. 4]
 *   both    both layers                         2 c w(c) + sin(theta) / (2 pi)               [001, Sec. 7, halved]
 *
 * With phi = min(theta, pi - theta) and t = sin^2(phi / 2) = (1 - |c|) / 2 the angle is phi = 2 asin(sqrt t) for
 * |c| > 1/2, and theta = pi/2 - asin(c) otherwise; asin is a polynomial of degree 25 on [0, 1/2] (error 4e-18 before
 * rounding). No branches: about one nanosecond per value.
 *
 * Given c, values are right to 2^-52. An error e of c enters with factor (w + |c| / (2 pi sin theta)): harmless while
 * |c| <= FATHOM_ARC_NEAR (factor below 1.3), and unbounded near 1. Beyond, callers compute t from the vectors,
 * t = |u -+ v|^2 / 4, and use fathom_arc_near, which has no such factor.
 */
#ifndef FATHOM_ARC_H
#define FATHOM_ARC_H

#include <stdbool.h>
#include <stdint.h>

/* |c| beyond which the angle must not be taken from c. */
#define FATHOM_ARC_NEAR 0.98

/* out[k] = scale * weight[k] * first(c[k]) (or both(c[k])), k < count; |c[k]| may exceed 1 by rounding. */
void fathom_arc_first(double *out, const double *c, const double *weight, double scale, int64_t count);
void fathom_arc_both(double *out, const double *c, const double *weight, double scale, int64_t count);

/* first (or both) for a pair close to parallel, or to antiparallel where `opposite`, from t = sin^2(phi / 2). */
double fathom_arc_near(double t, bool opposite, bool both);

/* |u - v|^2 / 4, or |u + v|^2 / 4 where `opposite`, for u, v in R^d; the sum has eight interleaved parts. */
double fathom_arc_half_sine(const double *u, const double *v, int64_t d, bool opposite);

#endif
