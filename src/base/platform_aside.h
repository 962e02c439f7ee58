/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on a thread of their own that may be left behind. */
#ifndef FATHOM_PLATFORM_ASIDE_H
#define FATHOM_PLATFORM_ASIDE_H

#include <stdbool.h>

typedef enum {
    FATHOM_ASIDE_DONE, /* run(user) has returned */
    FATHOM_ASIDE_LEFT, /* it was given up: it goes on alone, and release(user) is called after it */
    FATHOM_ASIDE_NONE  /* no thread could be had, and nothing was called */
} fathom_aside_end;

/* Calls run(user) on another thread, which hears no signals, and asks now and then whether to give it up. The end
 * of the process stops those that are left wherever they are: libraries are about to be unloaded under them. */
fathom_aside_end fathom_platform_aside(void (*run)(void *user), void (*release)(void *user), void *user,
                                       bool (*give_up)(const void *judge), const void *judge);

#endif
