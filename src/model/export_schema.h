/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a model as C: a struct for a row of the table, and a function from it to the columns. */
#ifndef FATHOM_EXPORT_SCHEMA_H
#define FATHOM_EXPORT_SCHEMA_H

#include "file_write.h"
#include "fathom/schema.h"

/* Whether a column is used as a date: the code then calls floor. */
bool fathom_export_has_dates(const fathom_schema *schema);

/* NAME_row alone. */
fathom_status fathom_export_put_row(fathom_file *file, fathom_context *context, const fathom_schema *schema,
                                    const char *name);

/* NAME_row, NAME_encode and NAME_predict_row, which call nothing but NAME_predict, floor and strcmp. */
fathom_status fathom_export_put_schema(fathom_file *file, fathom_context *context,
                                       const fathom_schema *schema, const char *name);

#endif
