/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free biases: the price of a few points by the signs around every kink, with evidence
 * (docs/reference/certificate.md, Section 5).
 */
#ifndef FATHOM_GLOBAL_KINKS_H
#define FATHOM_GLOBAL_KINKS_H

#include "objective.h"
#include "proof.h"

/* Whether the points are few enough for that. */
bool fathom_global_few_signs(const fathom_objective *problem);

/* Evidence for the price of v (n; one output) with free biases goes to an empty proof; *price is what it
 * proves. Nodes whose plain bound is at most `aim` are not divided. */
fathom_status fathom_global_kinks_prove(double *price, fathom_proof *proof, const fathom_objective *problem,
                                        const double *v, double aim);

#endif
