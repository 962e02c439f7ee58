/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the losses that other files of this layer need. */
#ifndef FATHOM_LOSS_INTERNAL_H
#define FATHOM_LOSS_INTERNAL_H

#include "fathom/loss.h"

/* The class of a one-hot row: the first of its largest entries. */
int64_t fathom_loss_class(const double *y, int64_t outputs);

/* f_y - ln sum_{k != y} e^{f_k}. */
double fathom_loss_softmax_margin(const double *f, const double *y, int64_t outputs);

/* g = e^{-shift} times the derivative by f, without passing through the derivative itself, which may underflow. */
void fathom_loss_derivative_shifted(double *g, fathom_loss loss, const double *f, const double *y,
                                    int64_t outputs, double shift);

#endif
