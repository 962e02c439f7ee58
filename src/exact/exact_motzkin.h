/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mixed strict and other homogeneous inequalities, decided in rational arithmetic (Motzkin's alternative).
 *
 * For vectors a_1..a_k in R^d, some of them strict, exactly one holds:
 *     (a) lambda >= 0, sum over the strict ones = 1, sum_j lambda_j a_j = 0 has a solution;
 *     (b) some h has <h, a_j> > 0 for the strict ones and <h, a_j> >= 0 for the others.
 */
#ifndef FATHOM_EXACT_MOTZKIN_H
#define FATHOM_EXACT_MOTZKIN_H

#include <gmp.h>

#include "fathom/context.h"

/* Decides for a_j = sign_j times row j of x (k x d); kind_j: 1 strict, 0 not strict, -1 left out. In case (a)
 * *solved is true and lambda (k, initialised) the solution; in case (b) it is false and h (d, initialised)
 * the vector. Cost: a rational simplex of d + 1 rows. ERROR_STOPPED on the context's limits. */
fathom_status fathom_exact_motzkin(bool *solved, mpq_t *lambda, mpq_t *h, fathom_context *context, int64_t k,
                                   int64_t d, const double *x, const signed char *sign,
                                   const signed char *kind);

#endif
