/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for several outputs by the joint relaxation on rays of output directions; see global_rays.c. */
#ifndef FATHOM_GLOBAL_RAYS_H
#define FATHOM_GLOBAL_RAYS_H

#include "global_bound.h"
#include "rays.h"

/* Whether outputs are few enough. */
bool fathom_global_rays_apply(const fathom_objective *problem);

/* A bound from v (outputs x n), which becomes the dual point of the best one where that exceeds
 * result->lower. `form` is the problem as bounds take it, `plain` as it was given; branching takes so
 * many `seconds` of effort. Evidence goes to `proof`, which was just created, unless that is NULL: the
 * bound is then that of the evidence. */
fathom_status fathom_global_rays_run(fathom_joint_result *result, double *v, const fathom_objective *form,
                                     const fathom_objective *plain, double seconds,
                                     const fathom_rays_options *options, fathom_proof *proof);

#endif
