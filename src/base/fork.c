/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions in forked children.
 *
 * A region's worker threads stay docked in a pool that belongs to the thread which opened it, and are woken for the
 * next region. fork copies the pool but not its threads: the child's next region waits for ever for workers that are
 * not there (GCC's libgomp; LLVM's libomp begins anew by itself). No lock or flag of ours can repair that in the child,
 * and a child held to one thread would be slow without need. So the pool is dissolved before the fork, by OpenMP 5's
 * own means: parent and child both begin their next region with new threads, which costs their start.
 * Only the forking thread lives on in the child, and its pool is the one dissolved. Inside a region nothing can be
 * dissolved; there nested regions run on one thread, in the child too. */
#include "fork.h"

#include <omp.h>

#include "platform.h"

static fathom_platform_once_flag once = FATHOM_PLATFORM_ONCE;

static void dissolve_pool(void) { omp_pause_resource_all(omp_pause_soft); }

static void install(void) { fathom_platform_before_fork(dissolve_pool); }

void fathom_fork_prepare(void) { fathom_platform_once(&once, install); }
