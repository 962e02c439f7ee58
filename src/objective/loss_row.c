/* SPDX-License-Identifier: Apache-2.0 */
/* The table of losses. */
#include "loss_row.h"

#include "inner/loss.h"
#include "loss_internal.h"

static const fathom_loss_row *const rows[FATHOM_LOSSES] = {
    [FATHOM_LOSS_SQUARED] = &fathom_loss_squared_row,
    [FATHOM_LOSS_LOGISTIC] = &fathom_loss_logistic_row,
    [FATHOM_LOSS_EXPONENTIAL] = &fathom_loss_exponential_row,
    [FATHOM_LOSS_HINGE] = &fathom_loss_hinge_row,
    [FATHOM_LOSS_SOFTMAX] = &fathom_loss_softmax_row,
    [FATHOM_LOSS_HUBER] = &fathom_loss_huber_row,
    [FATHOM_LOSS_ABSOLUTE] = &fathom_loss_absolute_row,
    [FATHOM_LOSS_QUANTILE] = &fathom_loss_quantile_row,
};

bool fathom_loss_known(fathom_loss loss) { return (int)loss >= 0 && (int)loss < FATHOM_LOSSES; }

const fathom_loss_row *fathom_loss_row_of(fathom_loss loss) { return rows[loss]; }

fathom_loss_box fathom_loss_box_of(fathom_loss loss, double parameter)
{
    return rows[loss]->box ? rows[loss]->box(parameter) : (fathom_loss_box){0, 0};
}

const char *fathom_loss_name(fathom_loss loss) { return rows[loss]->name; }

double fathom_loss_value(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    return rows[loss]->value(rows[loss], f, y, outputs);
}

double fathom_loss_log_value(fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    return rows[loss]->log_value(rows[loss], f, y, outputs);
}

void fathom_loss_derivative(double *g, fathom_loss loss, const double *f, const double *y, int64_t outputs)
{
    rows[loss]->derivative(g, rows[loss], f, y, outputs, 0);
}

double fathom_loss_margin_log(fathom_loss loss, double p)
{
    return rows[loss]->margin_log ? rows[loss]->margin_log(p) : NAN;
}

double fathom_loss_margin_log_slope(fathom_loss loss, double p)
{
    return rows[loss]->margin_log_slope ? rows[loss]->margin_log_slope(p) : NAN;
}

double fathom_loss_margin_inverse(fathom_loss loss, double log_value)
{
    return rows[loss]->margin_inverse ? rows[loss]->margin_inverse(log_value) : NAN;
}
