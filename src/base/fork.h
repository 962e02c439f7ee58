/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of OpenMP and fork. */
#ifndef FATHOM_FORK_H
#define FATHOM_FORK_H

/* From the first call on, a process that forks puts its idle worker threads away first, so that the child can
 * run parallel regions of its own. Any number of calls, from any thread. */
void fathom_fork_prepare(void);

#endif
