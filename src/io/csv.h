/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text table into an empty one, fields separated by `separator` or, where it is 0, as its first lines say; on failure the
 * caller frees what is there. */
#ifndef FATHOM_CSV_H
#define FATHOM_CSV_H

#include "bytes.h"
#include "table.h"

fathom_status fathom_csv_read(fathom_table *table, fathom_bytes *bytes, char separator,
                              const fathom_table_request *request);

#endif
