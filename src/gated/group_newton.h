/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small group-sparse program with cones, dense features and high accuracy: the master of column generation over faces.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_k |p_k|,     f = G' p + c 1',     C_k p_k >= 0
 *
 * G (columns x N, N = outputs n) holds the features, a run of rows per group; c is free where the problem has a constant;
 * a group's rows C_k may be few or none. Each norm is replaced by its barrier form with parameter mu (the second-order
 * cone |p_k| <= t_k behind a logarithm, t_k eliminated),
 *
 *     h(p) = beta t - mu ln(t^2 - |p|^2) - mu sum ln(C p),   t = mu/beta + r,   r = sqrt(mu^2/beta^2 + |p|^2),
 *     h' = (beta/t) p - mu C'(1/Cp),   h'' = (beta/t)(I - p p'/(t r)) + mu C' diag(1/Cp)^2 C,
 *
 * the hinge by that of loss_margin.c, and mu is driven to zero by Newton's method. At the minimiser for mu the point
 * v = -l'(f) is strictly feasible for the dual of the program, and the gap is mu (2 groups + rows of C), plus 2 mu n for the
 * hinge. A Newton step solves with H + Y Y' (columns x columns) or, where there are more columns than rows, with
 * I + Y' H^{-1} Y (N x N); Y = G R, l'' = R R'. Cost: N columns min(N, columns) / 2 multiplications a step, 20 to 50 steps.
 */
#ifndef FATHOM_GROUP_NEWTON_H
#define FATHOM_GROUP_NEWTON_H

#include "objective.h"

typedef struct fathom_group_problem {
    const fathom_objective *loss; /* borrowed: n, outputs, loss, y, weight, beta, constant */
    int64_t groups;
    const int64_t *start;      /* groups + 1: rows of `feature` of each group */
    const double *feature;     /* G: start[groups] x N */
    const int64_t *cone_start; /* groups + 1: rows of C of each group */
    const double *const *cone; /* cone[k]: the rows of group k, each as long as the group */
    /* start[groups]: per group a point with C_k p > 0 and |p| = 1 (0 where it has no rows) */
    const double *inside;
} fathom_group_problem;

/* Owned by the caller. */
typedef struct fathom_group_point {
    double *p; /* start[groups]: in, where to start: zero, or strictly inside the cones; out, the solution */
    double *c; /* outputs: likewise; zero where there is no constant */
    double *f; /* N, out: f at the solution */
    double *v; /* N, out: -l'(f), smoothed for the hinge: a dual point */
    int64_t steps;
} fathom_group_point;

/* Solves to an absolute gap of about `gap`, starting on the central path where the gap is `start`. Ends early where the
 * context asks to stop or steps no longer make progress; the point is then as good as it got. */
fathom_status fathom_group_solve(fathom_group_point *point, const fathom_group_problem *problem, double start,
                                 double gap);

#endif
