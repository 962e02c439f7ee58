/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV (separator ',') and TSV ('\t') into an empty table; on failure the caller frees what is there. */
#ifndef FATHOM_CSV_H
#define FATHOM_CSV_H

#include "bytes.h"
#include "table.h"

fathom_status fathom_csv_read(fathom_table *table, fathom_bytes *bytes, char separator,
                              const fathom_table_request *request);

#endif
