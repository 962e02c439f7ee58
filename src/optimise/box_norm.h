/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The point of least norm over a box:
 *
 *     minimise |g + sum_j x_j q_j|  over  0 <= x_j <= upper_j,     g, q_j in R^r, upper_j finite or infinite
 *
 * Sweeps of exact coordinate minimisation alternate with Newton steps on the variables strictly inside, in r
 * dimensions (r x r Cholesky of sum q_j q_j' over them); small problems that are `patient` begin with active
 * sets and orthogonal factors, which columns that nearly depend on each other do not disturb. In every user
 * the value bounds something from above for ANY x of the box, so the method never has to converge: it ends
 * once the norm is at most `enough`, when it no longer falls, or, unless `patient`, when it falls too slowly
 * to get there.
 */
#ifndef FATHOM_BOX_NORM_H
#define FATHOM_BOX_NORM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fathom_box_norm {
    int64_t r, count;
    const double *g;        /* r */
    const double *const *q; /* count pointers to r numbers */
    const double *upper;    /* count */
    double enough;          /* end once the norm is at most this */
    int64_t rounds;         /* most rounds of sweeps and Newton steps */
    bool patient;           /* go on however little a round gains */
} fathom_box_norm;

/* On entry x (count) is a point of the box, on exit a better one; w (r) = g + sum_j x_j q_j, summed afresh.
 * `work` holds fathom_box_norm_work(r, count) doubles. Returns |w|. */
double fathom_box_norm_solve(double *x, double *w, const fathom_box_norm *problem, double *work);
int64_t fathom_box_norm_work(int64_t r, int64_t count);

#endif
