/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: what columns were, in words. */
#ifndef FATHOM_INNER_SCHEMA_H
#define FATHOM_INNER_SCHEMA_H

#include "fathom/json.h"
#include "fathom/schema.h"
#include "inner/program.h"

/* "number", "category", "date", "identifier" or "constant". */
FATHOM_PROGRAM const char *fathom_column_kind_name(fathom_column_kind kind);

/* Sets `columns`: a list of `name`, `kind`, `use`, `missing` and `width` (numbers that it became). */
fathom_status fathom_schema_describe(fathom_json *object, const fathom_schema *schema);

#endif
