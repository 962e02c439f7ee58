/* SPDX-License-Identifier: Apache-2.0 */
/* Losses and their conjugates in balls, as certificates have them and the checker will find them (docs/reference/certificate.md, Sec. 3). */
#ifndef FATHOM_LOSS_EXACT_H
#define FATHOM_LOSS_EXACT_H

#include "balls.h"
#include "loss_row.h"

struct fathom_loss_exact {
    /* value = l(f, y) of one example without its weight. */
    void (*value)(arb_t value, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                  const double *y, int64_t outputs);

    /* out += -c l*(-w / c), c the weight, one output; false where w / c is outside the domain. */
    bool (*add_dual)(arb_t out, const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w,
                     double y, double weight);
};

/* sum = sum_k (f_k - y_k)^2. */
void fathom_exact_square(arb_t sum, arb_srcptr f, const double *y, int64_t outputs);

/* out += y w - q w^2 / (2 weight), q = 0 or 1. */
void fathom_exact_add_quadratic(arb_t out, const arb_t w, double y, double weight, bool q);

/* out += z ln(weight / z), z >= 0. */
void fathom_exact_add_entropy(arb_t out, const arb_t z, double weight);

#endif
