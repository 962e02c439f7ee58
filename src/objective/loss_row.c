/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table of losses; their formulas stand in loss.c, objective_loss.c and objective_bound.c. */
#include "loss_row.h"

#include <string.h>

static const fathom_loss_row rows[FATHOM_LOSSES] = {
    [FATHOM_LOSS_SQUARED] = {.name = "squared",
                             .targets = "finite numbers",
                             .numbers = true,
                             .quadratic = true,
                             .dual = FATHOM_DUAL_QUADRATIC},
    [FATHOM_LOSS_LOGISTIC] = {.name = "logistic",
                              .targets = "-1 or +1",
                              .signs = true,
                              .probabilities = true,
                              .dual = FATHOM_DUAL_ENTROPY},
    [FATHOM_LOSS_EXPONENTIAL] = {.name = "exponential",
                                 .targets = "-1 or +1",
                                 .signs = true,
                                 .probabilities = true},
    [FATHOM_LOSS_HINGE] =
        {.name = "hinge", .targets = "-1 or +1", .signs = true, .kinked = true, .dual = FATHOM_DUAL_LINEAR},
    [FATHOM_LOSS_SOFTMAX] = {.name = "softmax",
                             .targets = "zeros with a single one",
                             .simplex = true,
                             .probabilities = true,
                             .dual = FATHOM_DUAL_ENTROPY},
};

bool fathom_loss_known(fathom_loss loss) { return (int)loss >= 0 && (int)loss < FATHOM_LOSSES; }

const fathom_loss_row *fathom_loss_row_of(fathom_loss loss) { return rows + loss; }

bool fathom_loss_find(fathom_loss *loss, const char *name)
{
    for (int k = 0; k < FATHOM_LOSSES; k++)
        if (strcmp(rows[k].name, name) == 0) {
            *loss = (fathom_loss)k;
            return true;
        }
    return false;
}

const char *fathom_loss_name(fathom_loss loss) { return rows[loss].name; }
