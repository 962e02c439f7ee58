/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a data set as dense numbers, wherever they come from. */
#ifndef FATHOM_DENSE_H
#define FATHOM_DENSE_H

#include "fathom/data.h"

/* row (d) = row i. */
void fathom_dense_row(double *row, const fathom_data_view *view, int64_t i);

/* Gives the n x d rows, packed; ERROR_MEMORY before allocating where they are beyond the context's limit. */
fathom_status fathom_dense_copy(double **x, const fathom_data_view *view, fathom_context *context);

#endif
