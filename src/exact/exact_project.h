/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of polyhedral cones in rational arithmetic; see exact_project.c. */
#ifndef FATHOM_EXACT_PROJECT_H
#define FATHOM_EXACT_PROJECT_H

#include "fathom/context.h"

typedef struct fathom_exact_rows fathom_exact_rows;

/* The inner products of n rows of d entries, exactly. O(n^2 d). */
fathom_status fathom_exact_rows_open(fathom_exact_rows **rows, fathom_context *context, int64_t n, int64_t d,
                                     const double *x);
void fathom_exact_rows_close(fathom_exact_rows *rows);

/* With p = sum_i c_i x_i and the cone {u : s_i <x_i, u> >= 0}: *count rows `tight` (n) and their multipliers
 * mu (n) >= 0, rounded, of the nearest point p + sum_i mu_i s_i x_i of the cone; *length is at least its
 * length with the mu as they are given. ERROR_STOPPED on the context's limits. */
fathom_status fathom_exact_project(double *length, int64_t *count, int64_t *tight, double *mu,
                                   fathom_exact_rows *rows, const double *c, const double *s);

#endif
