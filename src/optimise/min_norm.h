/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The point of a polytope that is nearest to a given point, by Wolfe's algorithm [Wolfe 1976].
 *
 *     minimise |x|  over  x = sum_j w_j (b_j - q),  w >= 0,  sum_j w_j = 1
 *
 * Guarantee: upper = |x| is attained, and lower = min_j <x, b_j - q> / |x| minus the rounding of that minimum is below
 * the distance. lower > 0 proves that the hyperplane {<x, . - q> = 0} keeps q apart from all points [001, Lemma 2.7].
 */
#ifndef FATHOM_MIN_NORM_H
#define FATHOM_MIN_NORM_H

#include <stdbool.h>

#include "fathom/context.h"

/* Workspace for one solve at a time; filled by fathom_min_norm_solve. */
typedef struct fathom_min_norm {
    fathom_context *context;
    int64_t d, most; /* dimension; largest corral, d + 1 */
    int64_t count;   /* points in the corral */
    int64_t *index;  /* most: which points */
    double *weight;  /* most: their weights, adding to 1 */
    double *x;       /* d: the nearest point, as seen from q */
    double *product; /* room for <x, b_j> of all points */
    double *point;   /* most x d: the corral as seen from q */
    double *factor;  /* most x most: L L' = s 11' + corral corral' */
    double *affine;  /* most: weights of the affine minimiser */
    double *row;     /* most: the row that enters the factor */
    double upper, lower;
    int64_t steps; /* points that entered */
} fathom_min_norm;

/* For at most `points` points in d dimensions. */
fathom_status fathom_min_norm_open(fathom_min_norm *w, fathom_context *context, int64_t points, int64_t d);
void fathom_min_norm_close(fathom_min_norm *w);

/* The points b (n x d, leading dimension d) without number `skip` (-1: all); at least one is left. `reach` is at least
 * |q| and every |b_j|. O(n d + k^2) per step with k points in the corral. */
void fathom_min_norm_solve(fathom_min_norm *w, const double *b, int64_t n, const double *q, int64_t skip,
                           double reach);

/* Distances below this count as 0: what rounding leaves undecided. */
double fathom_min_norm_zero(int64_t d, double reach);

#endif
