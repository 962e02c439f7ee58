/* SPDX-License-Identifier: Apache-2.0 */
/* Reads LIBSVM text into an empty table, kept sparse; on failure the caller frees what is there. */
#ifndef FATHOM_LIBSVM_H
#define FATHOM_LIBSVM_H

#include "bytes.h"
#include "table.h"

/* `columns`: the width; 0: the largest index in the file. */
fathom_status fathom_libsvm_read(fathom_table *table, fathom_bytes *bytes, int64_t columns);

/* Whether one of the first lines reads `number index:number`. */
bool fathom_libsvm_starts(const unsigned char *data, size_t size);

#endif
