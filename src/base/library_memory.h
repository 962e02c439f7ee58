/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of libraries that know no failure of an allocation: GMP, FLINT, Arb. */
#ifndef FATHOM_LIBRARY_MEMORY_H
#define FATHOM_LIBRARY_MEMORY_H

#include <stddef.h>

/* From now on they are served from here; once per process. Left as they are where somebody else serves them
 * already. */
void fathom_library_memory_take_over(void);

/* Requests so far that the system refused. */
long fathom_library_memory_failures(void);

/* Counts one more, for an adapter that has no context at hand. */
void fathom_library_memory_refuse(void);

/* What the libraries call, for tests: as malloc, realloc and free, but never NULL. */
void *fathom_library_alloc(size_t size);
void *fathom_library_resize(void *block, size_t size);
void fathom_library_free(void *block);

#endif
