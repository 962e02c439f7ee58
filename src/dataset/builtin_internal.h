/* SPDX-License-Identifier: Apache-2.0 */
/* The list of built-in data sets. */
#ifndef FATHOM_BUILTIN_INTERNAL_H
#define FATHOM_BUILTIN_INTERNAL_H

#include "data_internal.h"
#include "inner/data.h"

/* Built-in set number `index`; NULL at the end. */
const fathom_data_source *fathom_builtin_source(int64_t index);

#endif
