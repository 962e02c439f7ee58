/* SPDX-License-Identifier: Apache-2.0 */
/* Between ranks.c and tasks.c. */
#ifndef FATHOM_RANKS_INTERNAL_H
#define FATHOM_RANKS_INTERNAL_H

#include "ranks.h"

/* Tasks begin to run, or have run: nothing is dealt in between. */
void fathom_ranks_enter(bool tasks);

#endif
