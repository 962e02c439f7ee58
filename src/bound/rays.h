/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint relaxation for several outputs: one dual point V (outputs x n) that moves, bounded on rays of output directions.
 *
 * The price of V is the largest p_+(V c) over unit vectors c, p_+(v) = max over |u| <= 1 of v'(Xu)_+, which is sublinear in v. For every
 * ray g of a fan (fan.h) one side of the joint relaxation (joint.h) gives P_g >= p_+(V g), so that the largest M of a cone of the fan
 * bounds the price. M grows with the P_g and is convex in them, these are convex in V and their multipliers together: so is all of
 * it, and V is improved with the multipliers of all rays by L-BFGS on -log D(s V), s <= beta / M, smoothed less and less. Whatever that
 * returns is valid; only the last evaluation is rounded with care. A step costs what as many steps of the joint relaxation cost as there
 * are directions. [docs/explanation/global.md]
 */
#ifndef FATHOM_RAYS_H
#define FATHOM_RAYS_H

#include "fan.h"
#include "joint.h"

typedef struct fathom_rays fathom_rays;

/* For a problem of several outputs as bounds take it, with the loss squared, softmax or equality. v (outputs x n) is a dual point, such as the
 * residual of a network. `basis` (k x outputs) has orthonormal rows, k that of the fan: V c matters for c in their span alone. Both are
 * borrowed. */
fathom_status fathom_rays_create(fathom_rays **rays, const fathom_objective *problem, const fathom_fan *fan,
                                 const double *basis, const double *v, int64_t neighbours);
void fathom_rays_free(fathom_rays *rays);

typedef struct fathom_rays_options {
    double enough; /* end once the bound is at least this */
    double value;  /* best objective known, for progress reports */
    double share;  /* of the steps, the least of which is one in each phase; 0: all of them */
    /* v moved into the domain as the caller's bounds take it */
    void (*enter)(double *v, const fathom_objective *problem);
} fathom_rays_options;

/* Improves dual point and multipliers; result and v (outputs x n) are those of the best bound, where they are better than what they were. */
fathom_status fathom_rays_run(fathom_joint_result *result, double *v, fathom_rays *rays,
                              const fathom_rays_options *options);

/* The relaxation of a direction with its multipliers at the best bound, whose problem is *one; its y becomes v (outputs x n) in that direction. */
const fathom_joint *fathom_rays_direction(const fathom_objective **one, fathom_rays *rays, const double *v,
                                          int64_t direction);

/* Evidence for the prices of both sides of a direction at v (outputs x n), a unit vector, with the multipliers of the best bound: two leaves in a proof
 * of one output that was just created, and their prices there. */
fathom_status fathom_rays_prove(fathom_proof *proof, fathom_rays *rays, const double *v, int64_t direction);

#endif
