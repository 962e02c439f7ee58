/* SPDX-License-Identifier: Apache-2.0 */
/* Files as memory, and a thread that looks after something now and then. */
#ifndef FATHOM_PLATFORM_MAP_H
#define FATHOM_PLATFORM_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first `size` bytes of an open file as memory that is only read; NULL with errno, 0 in errno where the system has no
 * such thing. The file may be closed. Where the file becomes shorter or its disk fails, a read beyond what there is finds
 * zeros, and *gone is set by whoever reads: others would be ended by a signal. */
void *fathom_platform_map(int descriptor, int64_t size, atomic_bool *gone);
void fathom_platform_unmap(void *bytes, int64_t size);

/* Whether bytes of this mapping were missing when somebody read them. */
bool fathom_platform_map_lost(const void *bytes);

/* Gives the memory of these bytes back; who reads them next gets them from the file again. */
void fathom_platform_map_release(void *bytes, int64_t size);

/* Bytes of files that this process holds in memory; NAN where the system does not say. */
double fathom_platform_mapped(void);

/* A new file without a name, which goes with its descriptor, in the folder for large temporary files; -1 with errno.
 * *folder: that folder (static). */
int fathom_platform_scratch(const char **folder);

/* Calls look(user) about every `seconds` on a thread of its own until it is ended; NULL where no thread could be had. */
typedef struct fathom_platform_keeper fathom_platform_keeper;
fathom_platform_keeper *fathom_platform_keep(void (*look)(void *user), void *user, double seconds);
void fathom_platform_keep_end(fathom_platform_keeper *keeper);

#endif
