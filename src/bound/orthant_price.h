/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of several outputs in the positive orthant; see orthant_price.c. */
#ifndef FATHOM_ORTHANT_PRICE_H
#define FATHOM_ORTHANT_PRICE_H

#include "proof.h"

/* Whether n x n matrices and their products are little work. */
bool fathom_orthant_fits(int64_t n, int64_t d, int64_t outputs);

/* Weights w > 0 (n), and *price >= max over |u| <= 1 of |sum_i relu(<x_i, u>) V_i| that they prove, rounded
 * up; x is n x d, v outputs x n. */
fathom_status fathom_orthant_price(double *w, double *price, fathom_context *context, const double *x,
                                   int64_t n, int64_t d, const double *v, int64_t outputs);

#endif
