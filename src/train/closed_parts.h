/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets on rays that see each other under right or obtuse angles: the parts into which problems with
 * orthogonal rows fall. See closed_parts.c and docs/explanation/line.md.
 */
#ifndef FATHOM_CLOSED_PARTS_H
#define FATHOM_CLOSED_PARTS_H

#include "train_internal.h"

/* Row i of the targets is size_i axis_part(i), size_i > 0; part(i) = -1 where it is 0. */
typedef struct fathom_closed_parts {
    const fathom_train_problem *problem;
    int64_t count;
    int64_t *part; /* n */
    double *size;  /* n */
    double *axis;  /* count x outputs, of length 1 */
} fathom_closed_parts;

/* *yes: whether the targets are of this form. Closed in any case. */
fathom_status fathom_closed_parts_open(fathom_closed_parts *parts, bool *yes,
                                       const fathom_train_problem *problem);
void fathom_closed_parts_close(fathom_closed_parts *parts);

/* |gradient| of part k at f = 0: the b from which on f = 0. */
double fathom_closed_parts_slope(const fathom_closed_parts *parts, int64_t k);

/* f and -l'(f) of part k, along its axis, at the minimum of sum_i c_i l_i(f_i) + b |f|, into f and v (n;
 * other parts' entries stay); returns |f|. */
double fathom_closed_parts_solve(double *f, double *v, const fathom_closed_parts *parts, int64_t k, double b);

/* At least max |V't| over t >= 0, |t| <= 1, rounded up; V is outputs x n, `room` n. */
double fathom_closed_parts_price(const double *v, const fathom_train_problem *problem, double *room);

#endif
