/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest point of a polyhedral cone {x : Ax >= 0}; see halfspaces.c. */
#ifndef FATHOM_HALFSPACES_H
#define FATHOM_HALFSPACES_H

#include "fathom/context.h"

/* Workspace for one cone; A is borrowed. */
typedef struct fathom_halfspaces {
    fathom_context *context;
    int64_t n, d;
    const double *a; /* n x d, leading dimension d */
    double *norm;    /* n: |a_i| */
    double *lambda;  /* n: multipliers of the last projection, x = g + A'lambda */
    double *next;    /* d + 1: multipliers of the working set */
    double *factor;  /* (d + 1)^2 */
    double *slack;   /* n: Ax */
    int64_t *member; /* d + 1: the working set */
    bool *barred;    /* n: in the working set, or dependent on it */
    int64_t steps;
} fathom_halfspaces;

fathom_status fathom_halfspaces_open(fathom_halfspaces *cone, fathom_context *context, const double *a,
                                     int64_t n, int64_t d);
void fathom_halfspaces_close(fathom_halfspaces *cone);

/* x (d) = argmin |x - g| over Ax >= 0, to rounding; returns |x|, 0 where x vanishes beside g. */
double fathom_halfspaces_project(double *x, fathom_halfspaces *cone, const double *g);

/* An upper bound on max <g, u> over Au >= 0, |u| <= 1 after the projection x of g: |g + A'lambda| for its lambda >= 0, rounding
 * included. Holds whatever lambda is. */
double fathom_halfspaces_bound(const fathom_halfspaces *cone, const double *x, const double *g);

#endif
