/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fan: simplicial cones that cover R^k, and what values on their rays say about a sublinear function on the unit sphere.
 *
 * Rays come in pairs g, -g of a direction; the axes are given, all others lie between two earlier rays. For q sublinear (q(a + b) <= q(a) +
 * q(b), q(ta) = t q(a) for t >= 0) with q(g) <= P_g on the rays, c = sum_g mu_g g in a cone, mu >= 0, gives
 *
 *     q(c) <= sum_g mu_g P_g <= M |c|,    M = max { <P, mu> : mu >= 0, |sum_g mu_g g| <= 1 } = min { |l| : <l, g> >= P_g for its rays g }
 *
 * (duality of a least-norm problem). With G the Gram matrix of the rays the maximiser is lambda / M, where lambda >= 0, G lambda >= P with
 * equality where lambda > 0; l = sum_g lambda_g g, M^2 = <P, lambda> and dM/dP_g = lambda_g / M. [docs/explanation/global.md]
 */
#ifndef FATHOM_FAN_H
#define FATHOM_FAN_H

#include "proof.h"

enum { FATHOM_FAN_MOST = 8 };

/* A cone of the tree that begins with the cones of the axes. */
typedef struct fathom_fan_cone {
    int32_t ray[FATHOM_FAN_MOST]; /* k: 2 direction + (1 for its opposite) */
    int32_t middle;               /* the direction at which it is split, -1 where it is not, */
    int32_t part;                 /* into this cone and the next */
    double *gram;                 /* k x k, of the rays, then its inverse; NULL where the cone is split */
} fathom_fan_cone;

typedef struct fathom_fan {
    fathom_context *context;
    int64_t k, axes;
    int64_t directions, direction_room;
    double *c;       /* directions x k, unit vectors */
    int64_t *parent; /* directions x 2, rays; of axes unused */
    double *share;   /* directions: c = share (g_i + g_j) */
    int64_t cones, cone_room;
    fathom_fan_cone *cone; /* the 2^k cones of the axes first: bit a turns axis a */
} fathom_fan;

/* The cones of the rows of `axis` (k x k unit vectors) and their opposites; then the widest edges are halved, in every cone that has one,
 * while there are fewer than `directions` of them and an edge is wider than what has `cosine`. */
fathom_status fathom_fan_create(fathom_fan **fan, fathom_context *context, int64_t k, const double *axis,
                                int64_t directions, double cosine);
void fathom_fan_free(fathom_fan *fan);

/* M of one cone for prices (2 directions, by ray), at least 0; lambda (k) as above. */
double fathom_fan_cone_value(double *lambda, const fathom_fan *fan, const fathom_fan_cone *cone,
                             const double *price);

/* The largest M over all cones, smoothed: log of (sum M^sharpness)^(1/sharpness); share (2 directions): its derivatives by log P. */
double fathom_fan_smooth(double *share, const fathom_fan *fan, const double *price, double sharpness);

/* A number that no M exceeds, rounded up. */
double fathom_fan_bound(const fathom_fan *fan, const double *price);

/* The cover for a certificate: parents, bisections and majorants, in coordinates of the fan. Prices are by ray. */
fathom_status fathom_fan_tell(fathom_proof *proof, const fathom_fan *fan, const double *price);

#endif
