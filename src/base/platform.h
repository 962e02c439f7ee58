/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux, macOS and Windows below the C library: clocks, memory, caches. */
#ifndef FATHOM_PLATFORM_H
#define FATHOM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds of a clock that never goes back; its zero is arbitrary. */
double fathom_platform_seconds(void);

/* Bytes that this process can have without swapping: the least of what the system estimates, of what the limits of its
 * control groups leave, and of the limit on its address space. */
double fathom_platform_memory(void);

/* Bytes of a block of malloc, at least those asked for; 0 where the system does not say. */
size_t fathom_platform_block_size(const void *block);

/* Address space that costs no memory until it is written; NULL where there is none. It is kept until the process ends. */
void *fathom_platform_reserve(size_t size);

/* Whether `size` bytes of address space could be had now. */
bool fathom_platform_has_space(size_t size);

/* Seconds of processor time that the children which have ended took. */
double fathom_platform_children_seconds(void);
/* Seconds of processor time that the calling thread has used. */
double fathom_platform_thread_seconds(void);

/* Bytes of the second cache of a processor; half a megabyte where the system does not say. */
double fathom_platform_cache(void);

#endif
