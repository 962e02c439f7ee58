/* SPDX-License-Identifier: Apache-2.0 */
/* Free biases as one more coordinate, for bounds; see global_lift.c. */
#ifndef FATHOM_GLOBAL_LIFT_H
#define FATHOM_GLOBAL_LIFT_H

#include "objective.h"

/* Gives the problem on points (x_i - centre, R), d + 1 coordinates; the rest is borrowed from `problem`. The centre is the mean of the points;
 * it is told in `centre` (d), unless that is NULL. */
fathom_status fathom_global_lift(fathom_objective **lifted, const fathom_objective *problem, double *centre);
void fathom_global_lift_free(fathom_objective *lifted);

#endif
