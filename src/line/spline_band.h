/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linear algebra of splines: one Newton system in O(K), by dynamic programming over the knots.
 *
 *     minimise  sum_k Q_k(z_k, s_k) + sum_j (r_j J_j^2 / 2 + kappa_j J_j) + e (s_0 + s_{K-2})
 *     over z_0, s_0 and the jumps J_j,   z_{k+1} = z_k + h_k s_k,   s_j = s_{j-1} + J_j
 *
 * with Q(z, s) = a (z + m s - alpha)^2 / 2 + c s^2 / 2 - l s. This is the pentadiagonal system of the second differences in
 * other coordinates; here no step divides by a distance h, and every coefficient is made by sums, products and
 * quotients of nonnegative numbers (m is a distance ahead), so none cancels: spacings may differ by any factor.
 */
#ifndef FATHOM_SPLINE_BAND_H
#define FATHOM_SPLINE_BAND_H

#include "spline.h"

/* The form Q above. */
typedef struct fathom_spline_form {
    double a, m, c, alpha, l;
} fathom_spline_form;

/* Fills z (count), s (count - 1) and jump (count) with the minimiser. cell: count - 1 forms, h: count - 1 distances, r and
 * kappa: count, used at knots 1 .. count - 2; homogeneous: alpha and l of the cells count as 0. work: count forms. */
void fathom_spline_band_solve(double *z, double *s, double *jump, int64_t count,
                              const fathom_spline_form *cell, const double *h, const double *r,
                              const double *kappa, double e, bool homogeneous, fathom_spline_form *work);

#endif
