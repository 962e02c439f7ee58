/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a CIFAR-10 binary batch into an empty table; on failure the caller frees what is there. */
#ifndef FATHOM_CIFAR_H
#define FATHOM_CIFAR_H

#include "bytes.h"
#include "table.h"

fathom_status fathom_cifar_read(fathom_table *table, fathom_bytes *bytes);

#endif
