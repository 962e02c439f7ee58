/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of several outputs from prices of one; see global_outputs.c. */
#ifndef FATHOM_GLOBAL_OUTPUTS_H
#define FATHOM_GLOBAL_OUTPUTS_H

#include "objective.h"
#include "proof.h"

/* *price >= max over neurons of |V'(Xu + b)_+|, v outputs x n. `form` is the problem as bounds take it (global_lift.h), `plain` as it
 * was given. Directions of outputs are told apart to a relative `gap`, with no new one after
 * so many `seconds` of effort. INFINITY where the context asks to stop before all outputs are done. */
fathom_status fathom_global_outputs_price(double *price, const fathom_objective *form,
                                          const fathom_objective *plain, const double *v, double gap,
                                          double seconds);

/* What settling v (outputs x n) and rounding directions of it may add to a price. */
double fathom_global_outputs_margin(const fathom_objective *form, const double *v);

/* Whether the checker finds prices of such data by itself: at most two columns. */
bool fathom_global_in_plane(const fathom_objective *problem);

/* The same with its evidence, in a proof that was just created: for up to three outputs directions and their cover, else output by output. */
fathom_status fathom_global_outputs_prove(double *price, fathom_proof *proof, const fathom_objective *form,
                                          const fathom_objective *plain, const double *v, double gap,
                                          double seconds);

#endif
