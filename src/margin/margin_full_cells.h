/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers as a convex program over cells,
 *
 *     gamma_ntk = min_q sum_C phi_C(S_C(q)),   S_C(q) = sum_{i open on C} q_i z_i,
 *     phi_C(S) = E |S| g(|cos(u, S)|) 1[u in C],   u uniform on the sphere of R^d  (margin_full.c),
 *
 * solved where phi_C, its gradient and its Hessian can be had: on arcs of the plane and polygons of the
 * sphere.
 */
#ifndef FATHOM_MARGIN_FULL_CELLS_H
#define FATHOM_MARGIN_FULL_CELLS_H

#include "margin_result.h"

enum { FATHOM_FULL_RANK = 3 }; /* largest d */

typedef struct fathom_full_cells {
    int64_t d, m, words;
    const uint64_t *bits; /* m x words: the points that are open on a cell */
    const double *rho;    /* m: Gaussian measures */
    const void *shape;
    /* phi of cell j at S (d), its gradient (d) and its Hessian (d x d). */
    double (*price)(double *gradient, double *hessian, const void *shape, int64_t j, const double *S);
    double slack; /* bound on sum_C |error of phi_C| / |S| and on sum_C |error of its gradient| */
    const char *method;
} fathom_full_cells;

/* Narrows the interval of the run to `gap`, or as far as rounding and limits let it. */
fathom_status fathom_full_solve(fathom_margin_run *run, const fathom_full_cells *cells, double gap);

/* margin (n) of a map theta that has the margins `before` (n) and leaves `room` (m) on the cells, and uses it to
 * make those of points with weight q_i equal. work: fathom_full_repair_size(n, m) numbers. */
int64_t fathom_full_repair_size(int64_t n, int64_t m);
void fathom_full_repair(double *margin, double *work, const fathom_margin_points *points,
                        const fathom_full_cells *cells, const double *room, const double *before,
                        const double *q);

/* Gauss-Legendre nodes for an integral over [from, to], to - from <= pi, of a function of c cos t whose
 * singularities are the zeros
 * of cos: panels no longer than their distance to these. At most FATHOM_FULL_NODES; returns their number. */
enum { FATHOM_FULL_NODES = 2048 };
int fathom_full_nodes(double *node, double *weight, double from, double to);

/* One panel of the longest rule: nodes and weights on [from, to]; their number. */
enum { FATHOM_FULL_PANEL = 12 };
int fathom_full_panel(double *node, double *weight, double from, double to);

/* g(c) = c^2 A + B and c A = g'(c), 0 <= c <= 1. */
double fathom_full_height(double *slope, const fathom_full_table *table, double c);

#endif
