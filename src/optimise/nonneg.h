/* SPDX-License-Identifier: Apache-2.0 */
/* Quadratic programs with nonnegative variables and a possibly singular Hessian, by an active-set method; see nonneg.c. */
#ifndef FATHOM_NONNEG_H
#define FATHOM_NONNEG_H

#include "fathom/context.h"

/* x (k) = argmin over x >= 0 of slope' (x - e) + (x - e)' H (x - e) / 2, H k x k positive semidefinite, e >= 0. Variables with
 * e_j > 0 are the first guess of those that are positive. The positive ones of the result have independent columns. */
fathom_status fathom_nonneg_solve(double *x, fathom_context *context, int64_t k, const double *h,
                                  const double *slope, const double *e);

#endif
