/* SPDX-License-Identifier: Apache-2.0 */
/* The price of one direction of the outputs, with its evidence; see global_direction.c. */
#ifndef FATHOM_GLOBAL_DIRECTION_H
#define FATHOM_GLOBAL_DIRECTION_H

#include "fathom/certificate.h"
#include "gated_problem.h"

/* P >= p(w) for one output w (n), by the joint relaxation with the dual point held. *work grows by what it took, in microseconds or so. */
fathom_status fathom_direction_price(double *price, const fathom_gated_problem *form, double *w,
                                     double *work);

/* The same with leaves for both sides, as direction `number` of `all`, and with branching on signs where the joint relaxation stays above `aim`.
 * Prices there are raised by `more`. */
fathom_status fathom_direction_prove(double *price, fathom_proof *all, const fathom_gated_problem *form,
                                     double *w, int64_t number, double aim, double more, double *work);

#endif
