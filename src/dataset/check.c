/* SPDX-License-Identifier: Apache-2.0 */
/* Raw values must be finite and weights nonnegative: what the mathematics takes for granted, checked once. */
#include <math.h>

#include "context_internal.h"
#include "data_internal.h"

enum { BLOCK = 1 << 17 }; /* numbers between two looks at the memory of files */

/* Index of the first value that is not finite; -1 where all are. x - x is 0 for finite x and NaN otherwise. */
static int64_t first_not_finite(const double *values, int64_t count, fathom_context *context)
{
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t end = count - first < BLOCK ? count : first + BLOCK;
        for (int64_t k = first; k < end; k++)
            if (!(values[k] - values[k] == 0))
                return k;
        fathom_context_passed(context);
    }
    return -1;
}

/* ERROR_INPUT at a row and, for a value (column >= 0), a column. Line numbers are gone by now: readers check their own
 * numbers with positions, so that this speaks for arrays and for what arithmetic made. */
static fathom_status refuse(const fathom_data *data, const char *what, int64_t row, int64_t column,
                            double value)
{
    if (column >= 0)
        return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                   "%s in row %lld, column %lld (from 0) is %g: a finite number was expected",
                                   what, (long long)row, (long long)column, value);
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "%s in row %lld (from 0) is %g: a finite number was expected", what,
                               (long long)row, value);
}

/* Every value of X; for sparse data those that are stored. One pass at the rate of memory. */
static fathom_status check_values(const fathom_data *data)
{
    const int64_t count = data->x ? data->n * data->d : data->row_start[data->n];
    const double *values = data->x ? data->x : data->value;
    const int64_t at = first_not_finite(values, count, data->context);
    if (at < 0)
        return FATHOM_OK;
    if (data->x)
        return refuse(data, "the value", at / data->d, at % data->d, values[at]);
    int64_t row = 0;
    while (data->row_start[row + 1] <= at)
        row++;
    return refuse(data, "the value", row, data->column[at], values[at]);
}

/* A weight multiplies a loss: negative ones would make it unbounded, and all zero would leave no problem. Runs after
 * rows and classes were picked, on what is left. */
fathom_status fathom_data_check_weights(const fathom_data *data)
{
    double largest = 0;
    for (int64_t i = 0; i < data->n; i++) {
        const double weight = data->weight[i];
        if (!(weight >= 0 && isfinite(weight)))
            return fathom_error_set_at(
                data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                "the weight in row %lld (from 0) is %g: a finite number >= 0 was expected", (long long)i,
                weight);
        if (weight > largest)
            largest = weight;
    }
    if (largest > 0)
        return FATHOM_OK;
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0, "all weights are 0");
}

fathom_status fathom_data_check(const fathom_data *data)
{
    if (data->n < 1 || data->d < 1)
        return fathom_error_set_at(
            data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
            "the data has %lld rows and %lld columns: at least one of each was expected", (long long)data->n,
            (long long)data->d);
    FATHOM_TRY(check_values(data));
    const int64_t at = first_not_finite(data->y, data->n * data->outputs, data->context);
    if (at >= 0)
        return refuse(data, "the target", at / data->outputs, -1, data->y[at]);
    return FATHOM_OK;
}
