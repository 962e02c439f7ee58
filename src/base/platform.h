/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux, macOS and Windows below the C library: the clock and the memory of this process. */
#ifndef FATHOM_PLATFORM_H
#define FATHOM_PLATFORM_H

/* Seconds of a clock that never goes back; its zero is arbitrary. */
double fathom_platform_seconds(void);

/* Bytes that this process can have without swapping: the least of what the system estimates, of what the limits of its
 * control groups leave, and of the limit on its address space. */
double fathom_platform_memory(void);

#endif
