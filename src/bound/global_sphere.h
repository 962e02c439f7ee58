/* SPDX-License-Identifier: Apache-2.0 */
/* The largest value of a norm on the unit sphere, from above; see global_sphere.c. */
#ifndef FATHOM_GLOBAL_SPHERE_H
#define FATHOM_GLOBAL_SPHERE_H

#include "proof.h"

enum { FATHOM_SPHERE_MOST = 3 };

/* *above >= q(c), for a unit vector c (k); INFINITY where nothing is known. */
typedef fathom_status fathom_sphere_value(double *above, void *user, const double *c);

/* *bound >= max q(c) over |c| = 1 in R^k, k at most FATHOM_SPHERE_MOST, for q convex, q(-c) = q(c) and q(tc) = t q(c) (t >= 0). Begins with the
 * rows of `axis` (k x k, unit vectors; NULL: those of the coordinates). Ends within a relative
 * `gap` of the largest value met, once *work (what `value` counts there) is `most` or more, or where the context asks to stop. A proof (or NULL) learns
 * the directions, axes first, then in the order in which their values were asked for, and how they cover the sphere. */
fathom_status fathom_sphere_bound(double *bound, fathom_context *context, int64_t k, const double *axis,
                                  fathom_sphere_value *value, void *user, double gap, const double *work,
                                  double most, fathom_proof *proof);

#endif
