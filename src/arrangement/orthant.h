/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orthant probabilities P(z_1 > 0, ..., z_k > 0) of centred Gaussians with correlation matrix R, k <= 5.
 *
 *   P2 = 1/4 + asin(r_12) / (2 pi),     P3 = 1/8 + (asin r_12 + asin r_13 + asin r_23) / (4 pi),
 *   P4 = 1/16 + int_0^1 sum_{i<j} r_ij / (2 pi sqrt(1 - t^2 r_ij^2)) [1/4 + asin(rho_kl.ij(t)) / (2 pi)] dt
 *        [Plackett, Biometrika 41 (1954)], R(t) = I + t (R - I), rho_kl.ij the correlation of the other two given z_i, z_j,
 *   P5 = (1 - 5/2 + sum P2 - sum P3 + sum P4) / 2       (inclusion and exclusion: an odd number of signs).
 *
 * The integral is taken by Gauss-Legendre rules in u, t = 1 - (1 - u)^3 (which smooths the end t = 1, where nearly flat
 * cones are singular) with 32, 64, ... nodes until two agree to 1e-15 or 512 nodes are spent; *error is their difference,
 * an estimate that has been safe in every comparison, not a bound.
 */
#ifndef FATHOM_ORTHANT_H
#define FATHOM_ORTHANT_H

#include "fathom/context.h"

/* Gauss-Legendre rules on [0, 1] with 32, 64, ..., 512 nodes. */
typedef struct fathom_orthant_rules {
    double *node[5], *weight[5];
} fathom_orthant_rules;

fathom_status fathom_orthant_rules_init(fathom_orthant_rules *rules, fathom_context *context);
void fathom_orthant_rules_free(fathom_orthant_rules *rules, fathom_context *context);

/* The probability for k = 1..5; r is k x k with unit diagonal, leading dimension k. */
double fathom_orthant(double *error, const double *r, int k, const fathom_orthant_rules *rules);

#endif
