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
 *
 * Blocks. Where k is large the axes fall into blocks that are orthogonal to each other, each with cones of
 * its own. The sums of one cone of each block cover R^k, l is the sum of their l, and these are orthogonal:
 * M^2 = sum_b M_b^2, M_b the largest of block b. So the cones of the blocks are kept, not their sums, which
 * are many: 8^(k/2) for planes of 8 rays.
 */
#ifndef FATHOM_FAN_H
#define FATHOM_FAN_H

#include "proof.h"

/* Dimensions of a block, and of all. */
enum { FATHOM_FAN_MOST = 8, FATHOM_FAN_ALL = 10 };

/* A cone of the tree that begins with the cones of the axes of its block. */
typedef struct fathom_fan_cone {
    int32_t ray[FATHOM_FAN_MOST]; /* k: 2 direction + (1 for its opposite) */
    int32_t block, k;             /* its block and the dimensions of that */
    int32_t middle;               /* the direction at which it is split, -1 where it is not, */
    int32_t part;                 /* into this cone and the next */
    double *gram;                 /* k x k, of the rays, then its inverse; NULL where the cone is split */
} fathom_fan_cone;

typedef struct fathom_fan_block {
    int64_t k, axis[FATHOM_FAN_MOST]; /* its axes */
    int64_t first;                    /* its 2^k cones of the axes: bit a turns axis a of the block */
} fathom_fan_block;

typedef struct fathom_fan {
    fathom_context *context;
    int64_t k, axes;
    int64_t directions, direction_room;
    double *c;       /* directions x k, unit vectors */
    int64_t *parent; /* directions x 2, rays; of axes unused */
    int64_t *within; /* directions: the block */
    double *share;   /* directions: c = share (g_i + g_j) */
    int64_t blocks;
    fathom_fan_block block[FATHOM_FAN_ALL];
    int64_t cones, cone_room;
    fathom_fan_cone *cone; /* those of the axes first, block by block */
} fathom_fan;

/* The cones of the rows of `axis` (k x k unit vectors) and their opposites; then the widest edges are halved, in every cone that has one,
 * while there are fewer than `directions` of them and an edge is wider than what has `cosine`. `block` (k):
 * that of each axis, 0, 1, ..; axes of different blocks are orthogonal; NULL: all are in one. */
fathom_status fathom_fan_create(fathom_fan **fan, fathom_context *context, int64_t k, const double *axis,
                                const int64_t *block, int64_t directions, double cosine);
void fathom_fan_free(fathom_fan *fan);

/* M of one cone for prices (2 directions, by ray), at least 0; lambda (k) as above. */
double fathom_fan_cone_value(double *lambda, const fathom_fan_cone *cone, const double *price);

/* The largest M over all cones, smoothed: log of (sum M^sharpness)^(1/sharpness); share (2 directions): its derivatives by log P. */
double fathom_fan_smooth(double *share, const fathom_fan *fan, const double *price, double sharpness);

/* A number that the largest M does not exceed, rounded up. */
double fathom_fan_bound(const fathom_fan *fan, const double *price);

/* Bisections and pieces of the cover for a certificate, which knows no blocks. */
double fathom_fan_pieces(const fathom_fan *fan);

/* The cover for a certificate: parents, bisections and majorants, in coordinates of the fan. Prices are by ray. */
fathom_status fathom_fan_tell(fathom_proof *proof, const fathom_fan *fan, const double *price);

#endif
