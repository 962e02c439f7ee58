/* SPDX-License-Identifier: Apache-2.0 */
/* The relaxation on rays at work; the method stands in rays.h. */
#ifndef FATHOM_RAYS_INTERNAL_H
#define FATHOM_RAYS_INTERNAL_H

#include "joint_internal.h"
#include "rays.h"

/*
 * How V varies, t being its variables (outputs x n) and m = mean |V| at the start:
 *
 *     squared, equality   V = V_0 + STEP t, less its mean where the constant is free
 *     softmax             V = c (y - softmax(Z)), Z = Z_0 + STEP t / m, plus the constants that balance V where they are free
 *
 * V must move slowly against the multipliers, which are in units of V: STEP = 0.2.
 */
struct fathom_rays {
    const fathom_objective *p; /* borrowed */
    const fathom_fan *fan;     /* borrowed */
    int64_t directions;
    double *along;         /* directions x outputs: their unit vectors */
    fathom_objective *one; /* directions: problem of the direction alone */
    fathom_joint **joint;  /* directions */
    double *w;             /* directions x n: V in each */
    double *first, *t, *v; /* outputs x n: V_0 or Z_0, variables, V */
    double *slope;         /* outputs x n: derivatives of D by V */
    double *shift;         /* outputs: constants that balance softmax */
    double *by_w;          /* 2 directions x n */
    double *price, *share; /* 2 directions, by ray */
    int64_t *at;           /* 2 directions: of each side's variables at work, those of V come first */
    double scale;          /* m */
    fathom_joint_phase now;
};

/* Variables of V at v; V at the variables t; and derivatives by V (outputs x n) turned into those by t, in place. */
void fathom_rays_start(fathom_rays *rays, const double *v);
void fathom_rays_place(fathom_rays *rays, const double *t);
void fathom_rays_pull_back(double *gradient, const fathom_rays *rays);

/* D(s V) with the best s <= beta / M; slope = derivatives by V for fixed M, *by_log_price by log M. */
double fathom_rays_dual(fathom_rays *rays, double log_price, double *by_log_price);

#endif
