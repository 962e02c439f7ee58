/* SPDX-License-Identifier: Apache-2.0 */
/* A node of the branching on signs while it is worked on; symbols in sign_node.h. */
#ifndef FATHOM_SIGN_INTERNAL_H
#define FATHOM_SIGN_INTERNAL_H

#include <math.h>

#include "sign_node.h"

/*
 * The variables that a node has, in this order: for each row its |Theta_ij| of open neighbours and the two parts of
 * Theta_i0; nu of the fixed points; log alpha of the columns. Columns: 0, then the open points of positive weight or with a row.
 */
struct fathom_sign_work {
    const fathom_sign_side *side;
    int64_t columns, entries, nus, size;
    int64_t *owner;          /* columns: the point */
    int32_t *place;          /* n: the column of a point, 0 where it is fixed, -1 where it has none */
    int64_t *first;          /* rows + 1: where the variables of a row begin */
    int32_t *to;             /* entries: column, or -1 and -2 for the parts of Theta_i0 */
    double *sign;            /* entries */
    int64_t *slot;           /* entries: number in theta of the node */
    int64_t *bound;          /* nus: the fixed points */
    double *base;            /* columns x ld: what does not depend on the variables */
    double *c, *g;           /* columns x ld: C; C / sqrt(alpha), then the gradient by C */
    double *psi, *psi_slope; /* rows */
    double *moment, *filtered, *spare, *value, *lapack;
    double *alpha;  /* columns */
    double ball[2]; /* D of a free bias, joint_internal.h; 1 without */
    double *z, *lower, *lbfgs;
    double *box;
    const double **vectors;
    double bend, unit; /* of psi; of log alpha and t in z, 1 outside a descent */
    int doublings;     /* the order of the Schatten norm is 2^doublings + 1 */
    const int8_t *fixed;
    void *block;
};

/* Values of multipliers that a leaf keeps, each a float: one, or two of up to so many points, where prices far below sum |v_i| |x_i| are
 * told as well as doubles can. */
enum { FATHOM_SIGN_FINE = 256 };
static inline int fathom_sign_parts(const fathom_sign_side *side)
{
    return side->p->n <= FATHOM_SIGN_FINE ? 2 : 1;
}

/* The largest float that is at most `value`, 0 where that is negative. */
static inline double fathom_sign_part(double value)
{
    const float cut = (float)value;
    return !(cut > 0) ? 0 : (double)cut > value ? (double)nextafterf(cut, 0) : (double)cut;
}

/* A multiplier as leaves keep it: nonnegative, and cut so that no sum of them grows. */
static inline double fathom_sign_cut(double value, const fathom_sign_side *side)
{
    const double first = fathom_sign_part(value);
    return fathom_sign_parts(side) > 1 ? first + fathom_sign_part(value - first) : first;
}

/* One more variable where the bias is free: t, after the log alpha. */
static inline int64_t fathom_sign_extra(const fathom_sign_work *a) { return a->side->p->constant ? 1 : 0; }

/* Columns, entries and fixed points of a node; the constant parts of the columns; the variables z with their bounds. */
void fathom_sign_set_up(fathom_sign_work *a, const fathom_sign_side *side, const fathom_sign_node *node);
void fathom_sign_set_base(fathom_sign_work *a);
void fathom_sign_load(fathom_sign_work *a, const fathom_sign_node *node);

/* psi and all columns C at z, psi smoothed by a hyperbola of width `bend`. */
void fathom_sign_columns(fathom_sign_work *a, const double *z, double bend);

/* Solves a node without open points of positive weight, once set up and with its base, until P <= aim. */
void fathom_sign_solve_last(fathom_sign_node *node, fathom_sign_work *a, double aim);

/* D of the ball of a free bias from t, and M = D M D (d x d, ld apart). */
void fathom_sign_ball(fathom_sign_work *a, double t);
void fathom_sign_scale(double *m, const fathom_sign_work *a);

#endif
