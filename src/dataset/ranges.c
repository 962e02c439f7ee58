/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the columns of dense or sparse rows. */
#include <math.h>

#include "fathom/data.h"
#include "inner/data.h"

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Entries that are absent are zeros: a column with fewer entries than rows has one. The count is kept in
 * `low` first. */
static void sparse_ranges(double *low, double *high, const fathom_data_view *view)
{
    for (int64_t l = 0; l < view->d; l++)
        low[l] = 0;
    for (int64_t e = 0; e < view->row_start[view->n]; e++)
        low[view->column[e]]++;
    for (int64_t l = 0; l < view->d; l++) {
        const bool full = low[l] == (double)view->n;
        low[l] = full ? INFINITY : 0;
        high[l] = full ? -INFINITY : 0;
    }
    for (int64_t e = 0; e < view->row_start[view->n]; e++)
        widen(low + view->column[e], high + view->column[e], view->value[e]);
}

void fathom_data_ranges(double *low, double *high, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    if (!view.x && view.row_start) {
        sparse_ranges(low, high, &view);
        return;
    }
    for (int64_t l = 0; l < view.d; l++) {
        low[l] = INFINITY, high[l] = -INFINITY;
        for (int64_t i = 0; i < view.n; i++)
            widen(low + l, high + l, view.x[i * view.ld + l]);
    }
}
