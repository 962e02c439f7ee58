/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation on the line in closed form, and the family of all minimisers: see spline_interpolate.c. */
#ifndef FATHOM_SPLINE_INTERPOLATE_H
#define FATHOM_SPLINE_INTERPOLATE_H

#include "spline.h"

/* The spline through the points (opened exact, at least two places). */
fathom_status fathom_spline_interpolate(fathom_spline *spline, const fathom_spline_points *points);

/* A lower bound on the norm of all networks through the points, rounding included; `excess` as in spline_solve.h. */
double fathom_spline_interpolate_bound(const fathom_spline *spline, const fathom_spline_points *points,
                                       double excess);

/* Its dual point, v (count), balanced to rounding. */
void fathom_spline_interpolate_dual(double *v, const fathom_spline *spline,
                                    const fathom_spline_points *points);

/* The number of intervals between neighbouring places on which other networks with the same values and norm differ from
 * the spline; the first `most` of them as left end, right end, and the apex (x, f) of the triangle they fill. */
int64_t fathom_spline_free_intervals(double (*interval)[4], int64_t most, const fathom_spline *spline,
                                     const fathom_spline_points *points);

#endif
