/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several optimal networks: fewest gates, or least sum of squares; see gated_select.c. */
#ifndef FATHOM_GATED_SELECT_H
#define FATHOM_GATED_SELECT_H

#include "fathom/train.h"
#include "gated_newton.h"

/* Replaces the best point by the chosen one with the same outputs, where its objective stays within `gap` of the bound. */
fathom_status fathom_gated_select(fathom_gated_run *run, fathom_train_select select, double gap);

#endif
