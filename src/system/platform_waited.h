/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time that a process was ready to run and had no processor: on a busy machine, or under a quota that is used up. Seconds by
 * the clock are no measure there of what a step was given, and a result is not thrown away because others had the processor.
 */
#ifndef FATHOM_PLATFORM_WAITED_H
#define FATHOM_PLATFORM_WAITED_H

/* Seconds that the threads of a process have waited so since they were started, summed; 0: this process. 0 where the system
 * does not say. Async-signal-safe. */
double fathom_platform_waited(long process);

/* Of `elapsed` seconds by the clock during which a process waited so long: those that count for a deadline. No more than ten
 * are given for waiting. */
double fathom_platform_served(double elapsed, double waited);

#endif
