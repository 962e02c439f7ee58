/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux, macOS and Windows below the C library: clocks, memory, limits, threads, files,
 * sorting. */
#ifndef FATHOM_PLATFORM_H
#define FATHOM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
typedef void *fathom_platform_once_flag;
#define FATHOM_PLATFORM_ONCE NULL
#else
#include <pthread.h>
typedef pthread_once_t fathom_platform_once_flag;
#define FATHOM_PLATFORM_ONCE PTHREAD_ONCE_INIT
#endif

/* Seconds of a clock that never goes back; its zero is arbitrary. */
double fathom_platform_seconds(void);

/* Seconds of processor time that the calling thread has used. */
double fathom_platform_thread_seconds(void);

/* Bytes that this process can have without swapping: the least of what the system estimates, of what the limits of its
 * control groups leave, and of the limit on its address space. */
double fathom_platform_memory(void);

/* Bytes of a block of malloc, at least those asked for; 0 where the system does not say. */
size_t fathom_platform_block_size(const void *block);

/* Address space that costs no memory until it is written; NULL where there is none. It is kept until the
 * process ends. */
void *fathom_platform_reserve(size_t size);

/* Whether `size` bytes of address space could be had now. */
bool fathom_platform_has_space(size_t size);

/* Seconds of processor time that the children which have ended took. */
double fathom_platform_children_seconds(void);

/* Bytes of memory of the machine, its processors in use. */
double fathom_platform_physical_memory(void);
int fathom_platform_processors(void);

/* Bytes of the second cache of a processor; half a megabyte where the system does not say. */
double fathom_platform_cache(void);

/* Limits of this process: bytes of address space, bytes of stack, open files. INFINITY where there is
 * none. */
double fathom_platform_limit_space(void);
double fathom_platform_limit_stack(void);
double fathom_platform_limit_files(void);

/* Calls a function once per flag (static, FATHOM_PLATFORM_ONCE); whoever comes meanwhile waits until it is
 * done. */
void fathom_platform_once(fathom_platform_once_flag *flag, void (*function)(void));

/* Memory on lines of the cache that ends with the calling thread, one for each thread; NULL where there is
 * none. */
void *fathom_platform_thread_memory(size_t bytes);

/* The number of this process. */
long fathom_platform_process(void);

/* Whether a file is there; whether it can be read. */
bool fathom_platform_exists(const char *path);
bool fathom_platform_readable(const char *path);

/* As qsort; `context` goes to every comparison. */
typedef int fathom_platform_compare(const void *left, const void *right, void *context);
void fathom_platform_sort(void *base, size_t count, size_t size, fathom_platform_compare *compare,
                          void *context);

#endif
