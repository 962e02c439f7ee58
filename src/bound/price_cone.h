/* SPDX-License-Identifier: Apache-2.0 */
/* Simplicial cones of directions and the bound on F over one of them; see price_cone.c and price_subdivide.c. */
#ifndef FATHOM_PRICE_CONE_H
#define FATHOM_PRICE_CONE_H

#include "price_internal.h"

enum { FATHOM_CONE_RANK = 7 }; /* largest r */

/* Rays, shared by cones and sides. `exact` are the numbers that define a ray, never rounded; `unit` is of length 1 up to
 * rounding. h = sum of (a'unit)_+ over the rows of positive and of negative weight. Bits of ray k: `words` of "may be
 * negative", then `words` of "may be positive" on this ray, by more than rounding. */
typedef struct fathom_rays {
    int64_t count, capacity;
    int64_t words;
    double (*exact)[FATHOM_CONE_RANK];
    double (*unit)[FATHOM_CONE_RANK];
    double (*h)[2];
    uint64_t *bits;
} fathom_rays;

typedef struct fathom_cone {
    double bound; /* F on side `side` (0: +, 1: -) is at most this on the cone, |u| <= 1, but for rounding */
    int32_t side;
    int32_t ray[FATHOM_CONE_RANK];
    int32_t split[2]; /* positions of the two rays between which to split */
} fathom_cone;

/* Fills ray k from its exact numbers. */
void fathom_ray_fill(fathom_rays *rays, int64_t k, const fathom_price_rows *rows);

/* Doubles of workspace of the next function. */
int64_t fathom_cone_work(const fathom_price_rows *rows);

/* Bounds F on the cone: fills bound and split, and u (r) with the direction that the bound suggests. Nothing below
 * `enough` need be told apart: the bound may be returned as `enough` where it is at most that. */
void fathom_cone_bound(fathom_cone *cone, double *u, const fathom_rays *rays, const fathom_price_rows *rows,
                       double enough, double *work);

#endif
