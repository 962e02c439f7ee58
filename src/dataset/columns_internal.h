/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of other data made to fit a model. */
#ifndef FATHOM_COLUMNS_INTERNAL_H
#define FATHOM_COLUMNS_INTERNAL_H

#include "data_internal.h"

/* Gives the data the columns that `preprocess` expects, or ERROR_INPUT. */
fathom_status fathom_data_fit_columns(fathom_data *data, const fathom_preprocess *preprocess);

/* --features: keeps the first `columns` columns; all where there are no more. */
void fathom_data_keep_columns(fathom_data *data, int64_t columns);

/* Forgets the names of the columns. */
void fathom_data_drop_names(fathom_data *data);

#endif
