/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices over cones as evidence: docs/reference/certificate.md, Section 4.
 */
#ifndef FATHOM_GLOBAL_CONES_H
#define FATHOM_GLOBAL_CONES_H

#include "fathom/gates.h"
#include "objective.h"
#include "proof.h"

/* Evidence for the price of v (outputs x n; no free bias) over the cones of the gates, output by output, goes to an
 * empty proof, with v, the price found and the bound that they give. `complete`: the gates are all cones. */
fathom_status fathom_global_cones_prove(fathom_proof *proof, const fathom_objective *problem,
                                        const fathom_gates_view *gates, bool complete, const double *v);

/* The same for all cones of the rows, which are listed first; they must not be many. */
fathom_status fathom_global_all_cones_prove(fathom_proof *proof, const fathom_objective *problem,
                                            const double *v);

/* Whether all cones are few enough for that. */
bool fathom_global_few_cones(const fathom_objective *problem);

#endif
