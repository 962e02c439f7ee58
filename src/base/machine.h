/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may use of the machine: processors, memory. */
#ifndef FATHOM_MACHINE_H
#define FATHOM_MACHINE_H

#include <stdint.h>

typedef struct fathom_machine {
    int processors;       /* of the machine, in use */
    int allowed;          /* of them, those that this process may run on (affinity) */
    double quota;         /* processors' worth of time that its control group grants; INFINITY: no limit */
    int asked;            /* FATHOM_THREADS, else OMP_NUM_THREADS; 0: neither */
    int threads;          /* what a context takes by default */
    double memory;        /* bytes of the machine */
    double memory_group;  /* limit of the control group, bytes; INFINITY: none */
    double address_space; /* ulimit -v, bytes; INFINITY: none */
    double stack;         /* ulimit -s, bytes */
    double open_files;    /* ulimit -n */
} fathom_machine;

fathom_machine fathom_machine_look(void);

/* Threads that are worth starting: FATHOM_THREADS where it is set; else the processors that this process may
 * run on, at most OMP_NUM_THREADS and at most its quota, rounded up. */
int fathom_machine_threads(void);

/* Bytes of FATHOM_MEMORY_GB; INFINITY where it is not set to a positive number. */
double fathom_machine_memory_asked(void);

/* How many of `wanted` threads, the calling one included, the system lets this process have: limits on
 * processes and on address space. Tried once for every larger number. The runtime of OpenMP ends the program
 * where it gets fewer than it asked for. */
int fathom_machine_startable(int wanted);

/* Limits of the control groups named in `groups` (the format of /proc/self/cgroup) under `mount`
 * (/sys/fs/cgroup), version 1 or 2, and of those above them: processors' worth of time, bytes. INFINITY where
 * there is none. */
double fathom_machine_quota(const char *groups, const char *mount);
double fathom_machine_memory_group(const char *groups, const char *mount);

#endif
