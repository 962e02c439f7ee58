/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: losses as functions of the margin. */
#ifndef FATHOM_INNER_LOSS_H
#define FATHOM_INNER_LOSS_H

#include "fathom/loss.h"

/* Functions of the margin, logistic and exponential (and, but for the last, hinge): ln l(p), ln |l'(p)|, and the p with
 * ln l(p) = log_value. NaN for other losses. */
double fathom_loss_margin_log(fathom_loss loss, double p);
double fathom_loss_margin_log_slope(fathom_loss loss, double p);
double fathom_loss_margin_inverse(fathom_loss loss, double log_value);

#endif
