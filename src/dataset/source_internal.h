/* SPDX-License-Identifier: Apache-2.0 */
/* How tables of src/io become data sets. */
#ifndef FATHOM_SOURCE_INTERNAL_H
#define FATHOM_SOURCE_INTERNAL_H

#include "data_internal.h"
#include "table.h"

/* What to ask of a reader, from the options and, for data to be predicted, from the model; borrows both. */
fathom_table_request fathom_source_request(const fathom_data_options *options, const data_likeness *like);

/* Moves all values of a table into an empty data set; the table is still to be freed. */
fathom_status fathom_source_take(fathom_data *data, fathom_table *table, const fathom_data_options *options,
                                 const data_likeness *like);

#endif
