/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of other data made to fit a model. */
#ifndef FATHOM_COLUMNS_INTERNAL_H
#define FATHOM_COLUMNS_INTERNAL_H

#include "data_internal.h"

/* Gives the data the columns that `preprocess` expects, or ERROR_INPUT. */
fathom_status fathom_data_fit_columns(fathom_data *data, const fathom_preprocess *preprocess);

/* --features: keeps the first `columns` columns; all where there are no more. */
fathom_status fathom_data_keep_columns(fathom_data *data, int64_t columns);

/* What a model keeps of a table beside numbers: names of columns and target, what texts became. */
typedef struct fathom_data_names {
    char **name; /* count, or NULL */
    int64_t count;
    char *target; /* or NULL */
    bool categorical;
    fathom_schema *schema; /* or NULL */
} fathom_data_names;       /* all zero: none */

/* Copies them, to be freed or taken by other data of the same columns in place of its own; empty then. */
fathom_status fathom_data_copy_names(fathom_data_names *names, const fathom_data *data);
void fathom_data_take_names(fathom_data *data, fathom_data_names *names);
void fathom_data_names_free(fathom_context *context, fathom_data_names *names);

/* Forgets the names of the columns. */
void fathom_data_drop_names(fathom_data *data);

#endif
