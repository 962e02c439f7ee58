/* SPDX-License-Identifier: Apache-2.0 */
/* The price of one direction of the outputs, with its evidence; see global_direction.c. */
#ifndef FATHOM_GLOBAL_DIRECTION_H
#define FATHOM_GLOBAL_DIRECTION_H

#include "objective.h"
#include "proof.h"

/* P >= p(w) for one output w (n), by the joint relaxation with the dual point held. *work grows by what it took, in microseconds or so. */
fathom_status fathom_direction_price(double *price, const fathom_objective *form, double *w, double *work);

/* The same with leaves for both sides, as direction `number` of `all`, and with branching on signs where the joint relaxation stays above `aim`.
 * Prices there are raised by `more`. */
fathom_status fathom_direction_prove(double *price, fathom_proof *all, const fathom_objective *form,
                                     double *w, int64_t number, double aim, double more, double *work);

/* Moves what proves a direction, a proof of one output, to that of all as direction `number`, in which it is `length` long; prices are raised by
 * `more`, by which *price is the larger one. */
fathom_status fathom_direction_take(double *price, fathom_proof *all, const fathom_proof *one, int64_t number,
                                    int64_t kink, double length, double more);

/* The same with free biases, of which `plain` is the problem as it was given: a best bias is at a kink b =
 * -<x_k, u>, so that the price is the largest of those of the points x_i - x_k without a bias, each with
 * leaves of its own. n times the cost. */
fathom_status fathom_direction_prove_kinks(double *price, fathom_proof *proof, const fathom_objective *plain,
                                           double *w, int64_t number, double aim, double more, double *work);

#endif
