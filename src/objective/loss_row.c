/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table of losses; their formulas stand in loss.c, objective_loss.c and objective_bound.c. */
#include "loss_row.h"

#include <math.h>

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
    [FATHOM_LOSS_EXPONENTIAL] =
        {.name = "exponential", .targets = "-1 or +1", .signs = true, .probabilities = true, .halved = true},
    [FATHOM_LOSS_HINGE] =
        {.name = "hinge", .targets = "-1 or +1", .signs = true, .kinked = true, .dual = FATHOM_DUAL_LINEAR},
    [FATHOM_LOSS_SOFTMAX] = {.name = "softmax",
                             .targets = "zeros with a single one",
                             .simplex = true,
                             .probabilities = true,
                             .dual = FATHOM_DUAL_ENTROPY},
    [FATHOM_LOSS_HUBER] = {.name = "huber",
                           .targets = "finite numbers",
                           .numbers = true,
                           .kinked = true,
                           .boxed = true,
                           .preset = 1,
                           .dual = FATHOM_DUAL_QUADRATIC},
    [FATHOM_LOSS_ABSOLUTE] = {.name = "absolute",
                              .targets = "finite numbers",
                              .numbers = true,
                              .kinked = true,
                              .boxed = true,
                              .dual = FATHOM_DUAL_LINEAR},
    [FATHOM_LOSS_QUANTILE] = {.name = "quantile",
                              .targets = "finite numbers",
                              .numbers = true,
                              .kinked = true,
                              .boxed = true,
                              .preset = 0.5,
                              .dual = FATHOM_DUAL_LINEAR},
};

bool fathom_loss_known(fathom_loss loss) { return (int)loss >= 0 && (int)loss < FATHOM_LOSSES; }

const fathom_loss_row *fathom_loss_row_of(fathom_loss loss) { return rows + loss; }

fathom_loss_box fathom_loss_box_of(fathom_loss loss, double parameter)
{
    switch (loss) {
    case FATHOM_LOSS_HUBER:
        return (fathom_loss_box){parameter, parameter};
    case FATHOM_LOSS_ABSOLUTE:
        return (fathom_loss_box){1, 1};
    case FATHOM_LOSS_QUANTILE:
        return (fathom_loss_box){1 - parameter, parameter};
    default:
        return (fathom_loss_box){0, 0};
    }
}

double fathom_loss_boxed(fathom_loss loss, const fathom_loss_box *box, double r)
{
    const double v = rows[loss].dual == FATHOM_DUAL_LINEAR ? (r > 0 ? box->above : -box->below)
                                                           : fmin(fmax(r, -box->below), box->above);
    return rows[loss].dual == FATHOM_DUAL_LINEAR ? r * v : v * (r - v / 2);
}

const char *fathom_loss_name(fathom_loss loss) { return rows[loss].name; }
