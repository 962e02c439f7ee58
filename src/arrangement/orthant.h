/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orthant probabilities P(z_1 > 0, ..., z_k > 0) of centred Gaussians, k <= 5, enclosed.
 *
 * The covariance is given exactly, as integers h_ij up to a common factor; R is its correlation matrix.
 *
 *   P2 = 1/4 + asin(r_12) / (2 pi),     P3 = 1/8 + (asin r_12 + asin r_13 + asin r_23) / (4 pi),
 *   P4 = 1/16 + int_0^1 sum_{i<j} r_ij / (2 pi sqrt(det_ij(t))) [1/4 + asin(rho_kl.ij(t)) / (2 pi)] dt
 *        [Plackett, Biometrika 41 (1954)], R(t) = (1 - t) I + t R, rho_kl.ij the correlation of the other two
 *          given z_i, z_j,
 *   P5 = (1 - 5/2 + sum P2 - sum P3 + sum P4) / 2       (inclusion and exclusion: an odd number of signs).
 *
 * Conditioning. asin(rho_kl.ij) = atan2(N, sqrt(det_ij det R(t))) with the minor N of rows i, j, k and
 * columns i, j, l (Sylvester), and with E_k the sum of the principal minors of order k
 *   det R(t) = sum_k (1 - t)^(m - k) t^k E_k
 * has no negative term. Principal minors come from integers, so that nothing cancels but N, whose absolute
 * error counts for little: cones as flat as doubles allow keep 15 digits. Where the error that the sums carry
 * along exceeds a threshold all the same, balls of growing precision decide (orthant_ball.c).
 *
 * Quadrature. The integrand is analytic but on the real axis left of -1/3 and right of 1 + delta, delta = E_4
 * / E_3 <= lambda_min(R). Panels [1 - 4h, 1 - 2h], h = 1/4, 1/8, .., and a last one [1 - 2h, 1], 2h <= delta,
 * keep the singularities away by 2h at least, and N Gauss-Legendre nodes leave at most 3.5e5 h^-4.5 (2 + sqrt
 * 3)^(2 - 2N) of a panel's integral. Where delta is below what matters, the integral ends at 1 - s: the rest
 * is at most 1.07 sqrt(s). Proofs: docs/explanation/kernels.md.
 */
#ifndef FATHOM_ORTHANT_H
#define FATHOM_ORTHANT_H

#include "exact.h"

enum { FATHOM_ORTHANT_RULES = 9, FATHOM_ORTHANT_FEWEST = 26, FATHOM_ORTHANT_MORE = 16 };

/* Gauss-Legendre rules on [-1, 1] with FEWEST, FEWEST + MORE, .. nodes: node, 1 - node and weight of each, correctly
 * rounded to a unit in the last place. */
typedef struct fathom_orthant_rules {
    double *node[FATHOM_ORTHANT_RULES];
} fathom_orthant_rules;

fathom_status fathom_orthant_rules_init(fathom_orthant_rules *rules, fathom_context *context);
void fathom_orthant_rules_free(fathom_orthant_rules *rules, fathom_context *context);

/* The probability for k = 1..5; h is k x k, positive definite. |result - truth| <= *error. */
double fathom_orthant(double *error, const fathom_integer *h, int k, const fathom_orthant_rules *rules);

/* The same by balls whose precision grows until *error is below 2^-53. */
double fathom_orthant_ball(double *error, const fathom_integer *h, int k);

/* The share of the sphere in R^3 inside the cone of three rays with this Gram matrix (3 x 3, positive definite, up to a
 * common factor), to a relative *error / result of a few roundings. */
double fathom_solid_angle(double *error, const fathom_integer *gram);
double fathom_solid_angle_ball(double *error, const fathom_integer *gram);

/* The angle between two vectors over 2 pi, from <a, a>, <a, b>, <b, b>: in [0, 1/2], to a few roundings of itself and of its
 * complement in 1/2. */
double fathom_plane_angle(double *error, const fathom_integer *aa, const fathom_integer *ab,
                          const fathom_integer *bb);

/* What both arithmetics share. Nodes of a panel of half-length h that leave at most 2^-bits. */
int fathom_orthant_nodes(double log2_h, int bits);

/* Pairs i < j of four and the other two. */
extern const int fathom_orthant_pair[6][4];

#endif
